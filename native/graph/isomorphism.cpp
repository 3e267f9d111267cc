#include "graph/isomorphism.hpp"

#include <algorithm>
#include <numeric>

#include "base/random.hpp"

namespace enpda {
namespace {

using Colours = std::vector<uint64_t>;

Colours start_colours(const Graph& g) {
  Colours c(g.size());
  for (int v = 0; v < g.size(); ++v) c[v] = mix(static_cast<uint64_t>(g.node_labels[g.node_class[v]]));
  return c;
}

size_t distinct(Colours c) {
  std::sort(c.begin(), c.end());
  return static_cast<size_t>(std::unique(c.begin(), c.end()) - c.begin());
}

// Refines until the number of colours stops growing. Every round is a symmetric function of the neighbours,
// so two graphs refined for the same number of rounds are comparable colour by colour.
int refine(const Graph& g, Colours& c, int rounds = -1) {
  Colours next(c.size());
  size_t before = distinct(c);
  int done = 0;
  while (done != rounds) {
    for (int v = 0; v < g.size(); ++v) {
      uint64_t sum = 0;
      for (const Arc& x : g.arcs(v)) sum += mix(c[x.to], static_cast<uint64_t>(g.edge_labels[x.label]));
      next[v] = mix(c[v], sum);
    }
    c.swap(next);
    ++done;
    if (rounds < 0) {
      const size_t after = distinct(c);
      if (after == before) break;
      before = after;
    }
  }
  return done;
}

// Vertices ordered by colour.
std::vector<int32_t> by_colour(const Colours& c) {
  std::vector<int32_t> order(c.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int x, int y) { return c[x] != c[y] ? c[x] < c[y] : x < y; });
  return order;
}

bool is_isomorphism(const Graph& a, const Graph& b, const std::vector<int32_t>& image) {
  for (int v = 0; v < a.size(); ++v)
    if (a.node_labels[a.node_class[v]] != b.node_labels[b.node_class[image[v]]]) return false;
  for (const Edge& e : a.edges) {
    const int other = b.edge_class(image[e.u], image[e.v]);
    if (other < 0 || b.edge_labels[other] != a.edge_labels[e.label]) return false;
  }
  return true;
}

struct Level {
  Colours a, b;
  int32_t vertex;                   // of a, individualised
  std::vector<int32_t> candidates;  // of b, not yet tried
};

}  // namespace

uint64_t colour_hash(const Graph& g) {
  Colours c = start_colours(g);
  refine(g, c, 8);  // enough to tell graphs apart; a path would need as many rounds as it has nodes to settle
  std::sort(c.begin(), c.end());
  uint64_t h = mix(static_cast<uint64_t>(g.size()), g.edges.size());
  for (uint64_t x : c) h = mix(h, x);
  return h;
}

namespace {

// The isomorphism that respects two colourings, or nothing. Exact, for graphs that agree in size, when the
// steps suffice; exponential only in what individualisation cannot tell apart.
std::vector<int32_t> find_isomorphism(const Graph& a, const Graph& b, Colours ca, Colours cb, int64_t steps) {
  std::vector<Level> stack;
  for (; steps > 0; --steps) {
    // Refine both alike; equal colour histograms are necessary, and pairing the classes in order is often
    // enough.
    const int rounds = refine(a, ca);
    refine(b, cb, rounds);
    const auto oa = by_colour(ca), ob = by_colour(cb);
    bool alike = true;
    for (size_t i = 0; i < oa.size() && alike; ++i) alike = ca[oa[i]] == cb[ob[i]];
    if (alike) {
      std::vector<int32_t> image(a.size());
      for (size_t i = 0; i < oa.size(); ++i) image[oa[i]] = ob[i];
      if (is_isomorphism(a, b, image)) return image;
      // Branch on a vertex of the smallest class with more than one member.
      size_t best = 0, best_size = SIZE_MAX;
      for (size_t i = 0; i < oa.size();) {
        size_t j = i;
        while (j < oa.size() && ca[oa[j]] == ca[oa[i]]) ++j;
        if (j - i > 1 && j - i < best_size) best = i, best_size = j - i;
        i = j;
      }
      if (best_size != SIZE_MAX)
        stack.push_back({ca, cb, oa[best], {ob.begin() + best, ob.begin() + best + best_size}});
    }
    while (!stack.empty() && stack.back().candidates.empty()) stack.pop_back();
    if (stack.empty()) return {};
    Level& level = stack.back();
    ca = level.a;
    cb = level.b;
    const uint64_t mark = mix(ca[level.vertex], 0x9d);
    ca[level.vertex] = mark;
    cb[level.candidates.back()] = mark;
    level.candidates.pop_back();
  }
  return {};
}

bool isomorphic_connected(const Graph& a, const Graph& b) {
  return !find_isomorphism(a, b, start_colours(a), start_colours(b), INT64_MAX).empty();
}

Colours marked_colours(const Graph& g, std::span<const int32_t> marks) {
  Colours c = start_colours(g);
  for (int v = 0; v < g.size(); ++v) c[v] = mix(c[v], static_cast<uint64_t>(marks[v]));
  return c;
}

Graph induced(const Graph& g, std::span<const int32_t> nodes) {
  std::vector<int32_t> place(g.size(), -1);
  std::vector<int64_t> labels, ends, edge_labels;
  for (size_t k = 0; k < nodes.size(); ++k) {
    place[nodes[k]] = static_cast<int32_t>(k);
    labels.push_back(g.node_labels[g.node_class[nodes[k]]]);
  }
  for (int v : nodes)
    for (const Arc& x : g.arcs(v))
      if (v < x.to) {
        ends.insert(ends.end(), {place[v], place[x.to]});
        edge_labels.push_back(g.edge_labels[x.label]);
      }
  return Graph(labels, ends, edge_labels);
}

// Connected components, each as a graph, sorted by a hash that isomorphic ones share.
std::vector<Graph> parts(const Graph& g) {
  const auto number = components(g);
  std::vector<std::vector<int32_t>> nodes;
  for (int v = 0; v < g.size(); ++v) {
    if (number[v] == static_cast<int32_t>(nodes.size())) nodes.emplace_back();
    nodes[number[v]].push_back(v);
  }
  std::vector<Graph> result;
  for (const auto& some : nodes) result.push_back(induced(g, some));
  std::sort(result.begin(), result.end(),
            [](const Graph& x, const Graph& y) { return x.invariant_hash() < y.invariant_hash(); });
  return result;
}

bool alike(const Graph& a, const Graph& b) {
  return a.size() == b.size() && a.edges.size() == b.edges.size() && a.node_labels == b.node_labels &&
         a.edge_labels == b.edge_labels && a.invariant_hash() == b.invariant_hash();
}

}  // namespace

// Isomorphism of components is an equivalence, so any partner will do: no backtracking across components.
bool isomorphic(const Graph& a, const Graph& b) {
  if (!alike(a, b)) return false;
  const auto left = parts(a), right = parts(b);
  if (left.size() != right.size()) return false;
  std::vector<uint8_t> used(right.size(), 0);
  size_t first = 0;
  for (const Graph& part : left) {
    while (first < right.size() && right[first].invariant_hash() < part.invariant_hash()) ++first;
    bool found = false;
    for (size_t k = first; k < right.size() && !found && right[k].invariant_hash() == part.invariant_hash();
         ++k)
      if (!used[k] && alike(part, right[k]) && isomorphic_connected(part, right[k])) used[k] = found = true;
    if (!found) return false;
  }
  return true;
}

std::vector<uint64_t> refined_colours(const Graph& g, std::span<const uint64_t> marks) {
  Colours c = start_colours(g);
  for (int v = 0; v < g.size(); ++v) c[v] = mix(c[v], marks[v]);
  refine(g, c);
  return c;
}

std::vector<uint64_t> refined_colours(const Graph& g, std::span<const int32_t> marks) {
  Colours c = marked_colours(g, marks);
  refine(g, c);
  return c;
}

std::vector<int32_t> find_automorphism(const Graph& g, std::span<const int32_t> marks, int from, int to,
                                       int steps) {
  Colours a = marked_colours(g, marks), b = a;
  const uint64_t mark = mix(a[from], 0x5b);
  if (b[to] != a[from]) return {};
  a[from] = mark;
  b[to] = mark;
  auto image = find_isomorphism(g, g, std::move(a), std::move(b), steps);
  // Colours are hashes; what a proof rests on is looked at itself.
  for (size_t v = 0; v < image.size(); ++v)
    if (marks[image[v]] != marks[v]) return {};
  return !image.empty() && image[from] == to ? image : std::vector<int32_t>();
}

}  // namespace enpda
