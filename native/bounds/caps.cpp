#include "bounds/caps.hpp"

#include <algorithm>

#include "base/assignment.hpp"
#include "base/sorted.hpp"
#include "graph/kinds.hpp"
#include "pair/overlap.hpp"

namespace enpda {

int64_t edge_cap(const Graph& a, const Graph& b, const Terms& terms) {
  if (terms.worth.empty()) return static_cast<int64_t>(std::min(a.edges.size(), b.edges.size()));
  std::vector<int32_t> most_a(a.edge_labels.size()), most_b(b.edge_labels.size());
  for (size_t x = 0; x < most_a.size(); ++x)
    for (size_t y = 0; y < most_b.size(); ++y) {
      const int32_t w = terms.worth_of(a, static_cast<int>(x), b, static_cast<int>(y));
      most_a[x] = std::max(most_a[x], w);
      most_b[y] = std::max(most_b[y], w);
    }
  int64_t left = 0, right = 0;
  for (const Edge& e : a.edges) left += most_a[e.label];
  for (const Edge& e : b.edges) right += most_b[e.label];
  return std::min(left, right);
}

Caps quick_caps(const Graph& a, const Graph& b, const Terms& terms) {
  Caps caps;
  caps.edge = edge_cap(a, b, terms);
  if (terms.worth.empty()) caps.histogram = histogram_cap(a, b);
  return caps;
}

int64_t histogram_cap(const Graph& a, const Graph& b) {
  // The size of a multiset intersection is what one merge of the sorted lists counts.
  const auto left = count_kinds(a, a), right = count_kinds(b, a);
  int64_t common = 0;
  for (size_t i = 0, j = 0; i < left.size() && j < right.size();) {
    if (left[i].kind < right[j].kind) {
      ++i;
    } else if (right[j].kind < left[i].kind) {
      ++j;
    } else {
      common += std::min(left[i++].count, right[j++].count);
    }
  }
  return common;
}

std::vector<int64_t> doubled_incident_weights(const Pair& pair, const Deadline& deadline) {
  if (deadline.expired()) return {};
  const Histograms *a = pair.source.histograms(deadline), *b = pair.target.histograms(deadline);
  if (a == nullptr || b == nullptr) return {};
  std::vector<int64_t> weight(pair.compatible.size());
  if (!multiset_overlap(a->incident_signatures, b->incident_signatures,
                        match_sorted(a->signatures, b->signatures), pair.grid, std::span(weight), deadline))
    return {};
  for (size_t c = 0; c < weight.size(); ++c)
    if (!pair.compatible[c]) weight[c] = 0;
  return weight;
}

AssignmentBound assignment_bound(const Pair& pair, std::span<const int64_t> weight,
                                 const Deadline& deadline) {
  AssignmentBound result;
  if (weight.size() != pair.compatible.size() || deadline.expired()) return result;
  result.row.assign(pair.n, 0);
  result.column.assign(pair.m, 0);
  int64_t doubled = 0;
  std::vector<int64_t> block;
  std::vector<int32_t> columns;
  // Rows of one label have their compatible columns in common, but for what the terms forbid: they form a
  // block.
  std::vector<std::vector<int32_t>> rows(pair.source.node_labels.size());
  for (int i = 0; i < pair.n; ++i) rows[pair.source.node_class[i]].push_back(i);
  for (const auto& group : rows) {
    columns.clear();
    for (int j : pair.grid.columns(group.front()))
      if (std::ranges::any_of(group, [&](int i) { return pair.matches(i, j); })) columns.push_back(j);
    if (deadline.expired()) return {};
    block.clear();
    block.reserve(group.size() * columns.size());
    for (int i : group)
      for (int j : columns) block.push_back(weight[pair.cell(i, j)]);
    const auto solved =
        assign<int64_t>(block, static_cast<int>(group.size()), static_cast<int>(columns.size()), deadline);
    if (!solved.complete) return {};
    doubled += solved.value;
    for (size_t k = 0; k < group.size(); ++k) result.row[group[k]] = solved.row_potential[k];
    for (size_t k = 0; k < columns.size(); ++k) result.column[columns[k]] = solved.column_potential[k];
  }
  result.value = doubled / 2;
  return result;
}

}  // namespace enpda
