#include "bounds/assignment.hpp"

#include <algorithm>

#include "base/assignment.hpp"

namespace enpda {

AssignmentBound assignment_bound(Evidence& given) {
  const Pair& pair = *given.pair;
  const Deadline& deadline = given.deadline;
  const auto& weight = given.doubled();
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

int64_t assignment_cap(Evidence& given) {
  return assignment_bound(given).value;
}

Witness assignment_witness(Evidence& given) {
  AssignmentBound bound = assignment_bound(given);
  return {{"scale", int64_t{2}}, {"row", std::move(bound.row)}, {"column", std::move(bound.column)}};
}

}  // namespace enpda
