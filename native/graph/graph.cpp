#include "graph/graph.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>
#include <tuple>

#include "base/errors.hpp"
#include "graph/histograms.hpp"
#include "graph/isomorphism.hpp"

namespace enpda {

struct Graph::Cache {
  std::once_flag hash_once;
  std::mutex histograms_lock;
  std::unique_ptr<const Histograms> histograms;
  std::once_flag classes_once;
  std::vector<int8_t> classes;
  std::atomic<size_t> bytes = 0;  // of what was made so far
  uint64_t hash = 0;
};

namespace {

constexpr size_t kMaxNodes = 1'000'000;
constexpr size_t kMaxEdges = 20'000'000;
constexpr size_t kMaxDense = 160;  // 25 kB

// Replaces values by their rank among the distinct ones, which it returns sorted.
std::vector<int64_t> intern(std::span<const int64_t> values, std::vector<int32_t>& classes) {
  constexpr size_t kFew = 64;  // distinct values are collected one by one; with more, all are sorted
  std::vector<int64_t> unique;
  for (size_t i = 0; i < values.size() && unique.size() <= kFew; ++i) {
    const auto at = std::lower_bound(unique.begin(), unique.end(), values[i]);
    if (at == unique.end() || *at != values[i]) unique.insert(at, values[i]);
  }
  if (unique.size() > kFew) {
    unique.assign(values.begin(), values.end());
    std::sort(unique.begin(), unique.end());
    unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  }
  classes.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    classes[i] =
        static_cast<int32_t>(std::lower_bound(unique.begin(), unique.end(), values[i]) - unique.begin());
  return unique;
}

[[noreturn]] void reject(const std::string& what) {
  throw InputError(what);
}

std::string name(int64_t u, int64_t v) {
  return "(" + std::to_string(u) + ", " + std::to_string(v) + ")";
}

}  // namespace

Graph::Graph(std::span<const int64_t> labels, std::span<const int64_t> ends,
             std::span<const int64_t> labels_of_edges)
    : cache_(std::make_shared<Cache>()) {
  const auto n = labels.size();
  if (n > kMaxNodes)
    reject("graph has " + std::to_string(n) + " nodes; at most " + std::to_string(kMaxNodes) +
           " are accepted");
  if (ends.size() > 2 * kMaxEdges)
    reject("graph has " + std::to_string(ends.size() / 2) + " edges; at most " + std::to_string(kMaxEdges) +
           " are accepted");
  if (ends.size() != 2 * labels_of_edges.size())
    reject("got " + std::to_string(ends.size() / 2) + " edges but " + std::to_string(labels_of_edges.size()) +
           " edge labels; there must be one label per edge");
  node_labels = intern(labels, node_class);

  struct Raw {
    int32_t u, v;
    int64_t label;
  };
  std::vector<Raw> raw;
  raw.reserve(labels_of_edges.size());
  for (size_t e = 0; e < labels_of_edges.size(); ++e) {
    const int64_t u = ends[2 * e], v = ends[2 * e + 1];
    for (int64_t end : {u, v})
      if (end < 0 || end >= static_cast<int64_t>(n))
        reject("edge " + std::to_string(e) + " is " + name(u, v) + " but the graph has " + std::to_string(n) +
               " nodes, numbered from 0");
    if (u != v)
      raw.push_back(
          {static_cast<int32_t>(std::min(u, v)), static_cast<int32_t>(std::max(u, v)), labels_of_edges[e]});
  }
  auto before = [](const Raw& x, const Raw& y) {
    return std::tie(x.u, x.v, x.label) < std::tie(y.u, y.v, y.label);
  };
  if (!std::is_sorted(raw.begin(), raw.end(), before))  // as another graph's edges are
    std::sort(raw.begin(), raw.end(), before);
  std::vector<int64_t> kept;
  edges.reserve(raw.size());
  for (const Raw& r : raw) {
    if (!edges.empty() && edges.back().u == r.u && edges.back().v == r.v) {
      if (kept.back() != r.label)
        reject("edge " + name(r.u, r.v) + " is given twice with different labels, " +
               std::to_string(kept.back()) + " and " + std::to_string(r.label));
      continue;
    }
    edges.push_back({r.u, r.v, 0});
    kept.push_back(r.label);
  }
  std::vector<int32_t> classes;
  edge_labels = intern(kept, classes);

  offset.assign(n + 1, 0);
  for (size_t e = 0; e < edges.size(); ++e) {
    edges[e].label = classes[e];
    ++offset[edges[e].u + 1];
    ++offset[edges[e].v + 1];
  }
  for (size_t v = 0; v < n; ++v) offset[v + 1] += offset[v];
  arc.resize(2 * edges.size());
  std::vector<int32_t> next(offset.begin(), offset.end() - 1);
  // Two passes over the sorted edges leave every node's arcs sorted by target: first the smaller neighbours.
  for (size_t e = 0; e < edges.size(); ++e) arc[next[edges[e].v]++] = {edges[e].u, edges[e].label};
  for (size_t e = 0; e < edges.size(); ++e) arc[next[edges[e].u]++] = {edges[e].v, edges[e].label};
  edges.shrink_to_fit();  // there are millions of graphs
  node_labels.shrink_to_fit();
  edge_labels.shrink_to_fit();
}

int Graph::arc_between(int u, int v) const {
  const auto list = arcs(u);
  const auto it = std::lower_bound(list.begin(), list.end(), v, [](const Arc& x, int y) { return x.to < y; });
  return it != list.end() && it->to == v ? static_cast<int>(&*it - arc.data()) : -1;
}

const int8_t* Graph::edge_classes() const {
  const size_t n = node_class.size();
  if (n > kMaxDense || edge_labels.size() > std::numeric_limits<int8_t>::max()) return nullptr;
  std::call_once(cache_->classes_once, [&] {
    std::vector<int8_t> classes(n * n, -1);
    for (const Edge& e : edges)
      classes[e.u * n + e.v] = classes[e.v * n + e.u] = static_cast<int8_t>(e.label);
    cache_->classes = std::move(classes);
    cache_->bytes += n * n;
  });
  return cache_->classes.data();
}

const Histograms* Graph::histograms(const Deadline& deadline) const {
  auto cached = [this]() -> const Histograms* {
    const std::lock_guard lock(cache_->histograms_lock);
    return cache_->histograms.get();
  };
  if (const Histograms* ready = cached()) return ready;
  // Computed outside the lock: a caller with a deadline never waits for one without. Two may compute the
  // same.
  auto made = make_histograms(*this, deadline);
  if (!made) return nullptr;
  const std::lock_guard lock(cache_->histograms_lock);
  if (!cache_->histograms) {
    cache_->bytes += made->bytes();
    cache_->histograms = std::make_unique<const Histograms>(std::move(*made));
  }
  return cache_->histograms.get();
}

int Graph::max_degree() const {
  int most = 0;
  for (int v = 0; v < size(); ++v) most = std::max(most, degree(v));
  return most;
}

uint64_t Graph::invariant_hash() const {
  std::call_once(cache_->hash_once, [this] { cache_->hash = colour_hash(*this); });
  return cache_->hash;
}

size_t Graph::bytes() const {
  auto held = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  return sizeof(Graph) + sizeof(Cache) + cache_->bytes + held(node_labels) + held(edge_labels) +
         held(node_class) + held(edges) + held(offset) + held(arc);
}

std::vector<int32_t> components(const Graph& g) {
  std::vector<int32_t> component(g.size(), -1), stack;
  int32_t count = 0;
  for (int root = 0; root < g.size(); ++root) {
    if (component[root] >= 0) continue;
    component[root] = count;
    stack.push_back(root);
    while (!stack.empty()) {
      const int v = stack.back();
      stack.pop_back();
      for (const Arc& x : g.arcs(v))
        if (component[x.to] < 0) {
          component[x.to] = count;
          stack.push_back(x.to);
        }
    }
    ++count;
  }
  return component;
}

}  // namespace enpda
