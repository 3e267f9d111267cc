#include "bounds/histogram.hpp"

#include <algorithm>

#include "graph/kinds.hpp"

namespace enpda {
namespace {

// Calls f(kind, count in a, count in b) for what both graphs have, by one merge of their sorted kinds.
template <class F>
void for_each_common(const Graph& a, const Graph& b, F&& f) {
  const auto left = count_kinds(a, a), right = count_kinds(b, a);
  for (size_t i = 0, j = 0; i < left.size() && j < right.size();) {
    if (left[i].kind < right[j].kind) {
      ++i;
    } else if (right[j].kind < left[i].kind) {
      ++j;
    } else {
      f(left[i].kind, left[i].count, right[j].count);
      ++i, ++j;
    }
  }
}

}  // namespace

int64_t histogram_cap(Evidence& given) {
  int64_t common = 0;
  for_each_common(given.a, given.b,
                  [&](const EdgeKind&, int64_t in_a, int64_t in_b) { common += std::min(in_a, in_b); });
  return common;
}

Witness histogram_witness(Evidence& given) {
  const Graph& a = given.a;
  std::vector<std::vector<int64_t>> table;
  for_each_common(a, given.b, [&](const EdgeKind& kind, int64_t in_a, int64_t in_b) {
    const auto [low, high] = std::minmax(a.node_labels[kind.low], a.node_labels[kind.high]);
    table.push_back({a.edge_labels[kind.label], low, high, in_a, in_b});
  });
  std::ranges::sort(table);
  return {{"histogram", std::move(table)}};
}

}  // namespace enpda
