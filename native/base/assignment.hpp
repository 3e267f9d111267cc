// Maximum-weight partial assignment on a dense n x m matrix: every row takes at most one column and may stay
// unmatched at value 0, which is the paper's projection with n dummy columns, without the dummies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/deadline.hpp"

namespace enpda {

template <class T>
struct Assignment {
  T value{};
  std::vector<int32_t> column;  // per row; -1 = unmatched
  // Optimal duals: row[i] + col[j] >= weight(i, j), both non-negative, summing to `value`.
  std::vector<T> row_potential, column_potential;
  bool complete = true;  // false when the deadline struck: the assignment is legal but not optimal
};

// Shortest augmenting paths, O(n^2 m). T is double or int64_t; with int64_t value and duals are exact.
// Among equal optima the one found first in index order wins.
template <class T>
Assignment<T> assign(std::span<const T> weight, int n, int m, const Deadline& deadline);

}  // namespace enpda
