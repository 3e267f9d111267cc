#include "solve/screen.hpp"

#include <algorithm>
#include <limits>

#include "base/random.hpp"

namespace enpda {
namespace {

struct Width {
  size_t own, shared;  // columns for the frequent keys, columns for all the others
};
constexpr Width kWidths[] = {{224, 32}, {96, 32}, {48, 16}};

bool is_large(const Graph& g) {
  return std::max<size_t>(2 * g.edges.size(), g.size()) > std::numeric_limits<uint16_t>::max();
}

// No sum exceeds 16 bits, because the rows' own sums do not.
uint16_t common(const uint16_t* a, const uint16_t* b, size_t width) {
  uint16_t sum = 0;
  for (size_t k = 0; k < width; ++k) sum = static_cast<uint16_t>(sum + std::min(a[k], b[k]));
  return sum;
}

}  // namespace

template <class F>
void Screen::for_each_key(const Graph& g, int part, F&& f) {
  std::vector<std::pair<int64_t, int64_t>> incident;
  for (int v = 0; v < g.size(); ++v) {
    const int64_t label = g.node_labels[g.node_class[v]];
    if (part == kLabels) {
      if (g.degree(v) > 0) f(Key{label, 0, 0, 0});
    } else if (part == kDegrees) {
      for (int t = 0; t < g.degree(v); ++t) f(Key{label, t, 0, 0});
    } else {
      incident.clear();
      for (const Arc& arc : g.arcs(v))
        incident.emplace_back(g.edge_labels[arc.label], g.node_labels[g.node_class[arc.to]]);
      std::sort(incident.begin(), incident.end());
      for (size_t k = 0, t = 0; k < incident.size(); ++k) {
        t = k > 0 && incident[k] == incident[k - 1] ? t + 1 : 0;
        f(Key{label, incident[k].first, incident[k].second, static_cast<int64_t>(t)});
      }
    }
  }
}

Screen::Screen(std::span<const Graph* const> graphs) {
  for (const Graph* g : graphs) {
    edges_.push_back(static_cast<int32_t>(g->edges.size()));
    nodes_.push_back(g->size());
    large_.push_back(is_large(*g));
  }
  for (int p = 0; p < kParts; ++p) {
    Part& part = parts_[p];
    std::map<Key, uint64_t> total;
    for (const Graph* g : graphs)
      if (!is_large(*g)) for_each_key(*g, p, [&](const Key& key) { ++total[key]; });
    std::vector<std::pair<Key, uint64_t>> keys(total.begin(), total.end());
    std::stable_sort(keys.begin(), keys.end(),
                     [](const auto& x, const auto& y) { return x.second > y.second; });
    const auto [own, shared] = kWidths[p];
    part.width = keys.size() <= own ? keys.size() : own + shared;
    for (size_t k = 0; k < keys.size(); ++k) {
      uint64_t hash = 0;
      for (int64_t x : keys[k].first) hash = mix(hash ^ static_cast<uint64_t>(x));
      part.column[keys[k].first] = static_cast<uint32_t>(k < own ? k : own + hash % shared);
    }
    part.count.resize(graphs.size() * part.width);
    for (size_t g = 0; g < graphs.size(); ++g)
      if (!large_[g]) count(*graphs[g], p, std::span(part.count).subspan(g * part.width, part.width));
  }
}

size_t Screen::bytes() const {
  size_t total = size() * (sizeof(edges_[0]) + sizeof(nodes_[0]) + sizeof(large_[0]));
  for (const Part& part : parts_) total += part.count.size() * sizeof(part.count[0]);
  return total;
}

void Screen::count(const Graph& g, int part, std::span<uint16_t> row) const {
  const auto& column = parts_[part].column;
  for_each_key(g, part, [&](const Key& key) {
    if (const auto found = column.find(key); found != column.end()) ++row[found->second];
  });
}

bool Screen::caps(std::span<const Graph* const> others, size_t begin, size_t end, std::span<int32_t> edges,
                  std::span<int32_t> nodes, const Deadline& deadline) const {
  std::array<std::vector<uint16_t>, kParts> row;
  size_t k = 0;
  for (const Graph* g : others) {
    if (deadline.expired()) return false;
    const bool large = is_large(*g);
    const auto size = static_cast<int32_t>(g->edges.size());
    for (int p = 0; p < kParts && !large; ++p) {
      row[p].assign(parts_[p].width, 0);
      count(*g, p, row[p]);
    }
    for (size_t h = begin; h < end; ++h, ++k) {
      edges[k] = std::min(size, edges_[h]);
      nodes[k] = std::min(g->size(), nodes_[h]);
      if (large || large_[h]) continue;
      auto shared = [&](int p) {
        const size_t width = parts_[p].width;
        return static_cast<int32_t>(common(row[p].data(), parts_[p].count.data() + h * width, width));
      };
      edges[k] = std::min(shared(kKinds), shared(kDegrees)) / 2;
      nodes[k] = shared(kLabels);
    }
  }
  return true;
}

int32_t shared_nodes(const Graph& a, const Graph& b) {
  std::map<int64_t, int32_t> left;  // of each label in a, nodes that no node of b was found for
  for (int32_t c : a.node_class) ++left[a.node_labels[c]];
  int32_t shared = 0;
  for (int32_t c : b.node_class)
    if (const auto found = left.find(b.node_labels[c]); found != left.end() && found->second-- > 0) ++shared;
  return shared;
}

}  // namespace enpda
