#include "graph/kinds.hpp"

#include <algorithm>
#include <numeric>

#include "base/sorted.hpp"

namespace enpda {

std::vector<KindCount> count_kinds(const Graph& g, const Graph& as, bool own_edge_classes) {
  const auto node = match_sorted(g.node_labels, as.node_labels);
  auto label = match_sorted(g.edge_labels, as.edge_labels);
  if (own_edge_classes) std::iota(label.begin(), label.end(), 0);
  auto for_each_kind = [&](auto&& f) {
    for (const Edge& e : g.edges) {
      const auto [low, high] = std::minmax(node[g.node_class[e.u]], node[g.node_class[e.v]]);
      if (low >= 0 && label[e.label] >= 0) f(EdgeKind{low, high, label[e.label]});
    }
  };
  std::vector<KindCount> result;
  // A table where it is small: a sort of all edges takes ten times as long.
  constexpr size_t kMostEntries = 1 << 16;
  const size_t nodes = as.node_labels.size(),
               labels = own_edge_classes ? g.edge_labels.size() : as.edge_labels.size();
  if (nodes < 256 && nodes * nodes * labels <= kMostEntries) {
    std::vector<int64_t> table(nodes * nodes * labels);
    for_each_kind([&](const EdgeKind& k) { ++table[(k.low * nodes + k.high) * labels + k.label]; });
    for (size_t k = 0; k < table.size(); ++k)
      if (table[k] > 0)
        result.push_back({{static_cast<int32_t>(k / labels / nodes), static_cast<int32_t>(k / labels % nodes),
                           static_cast<int32_t>(k % labels)},
                          table[k]});
    return result;
  }
  std::vector<EdgeKind> kinds;
  kinds.reserve(g.edges.size());
  for_each_kind([&](const EdgeKind& k) { kinds.push_back(k); });
  std::sort(kinds.begin(), kinds.end());
  for (const EdgeKind& k : kinds) {
    if (result.empty() || result.back().kind != k) result.push_back({k, 0});
    ++result.back().count;
  }
  return result;
}

}  // namespace enpda
