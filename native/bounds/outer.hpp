// The outer assignment of the RLT-1 bound: dense, non-negative integer weights, partial, with exact duals,
// and warm: a solve starts from the potentials and the matching of the one before, which barely differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../deadline.hpp"

namespace enpda {

class Outer {
 public:
  using Weight = int32_t;  // at most 2^29, so that no path length overflows

  Outer(int rows, int columns);

  int rows() const { return n_; }
  int columns() const { return m_; }
  Weight& weight(int i, int j) { return weight_[static_cast<size_t>(i) * m_ + j]; }
  Weight weight(int i, int j) const { return weight_[static_cast<size_t>(i) * m_ + j]; }

  // Maximises; afterwards u + v >= weight everywhere, both non-negative, and their sum is returned. When the
  // deadline strikes the sum is not the least one, but the potentials are feasible all the same.
  int64_t solve(const Deadline& deadline);
  // The middle between the optimal duals that favour rows and those that favour columns, rounded up: still
  // feasible, and the returned sum is at most rows + columns above the optimum.
  int64_t centralise(std::vector<Weight>& middle_u, std::vector<Weight>& middle_v);

  const std::vector<int32_t>& column_of() const { return column_; }  // -1: unmatched
  std::vector<Weight> u, v;

 private:
  // One side's view of the problem, so that rows and columns share their algorithms.
  struct Side {
    int own, other;
    size_t own_stride, other_stride;
    std::vector<Weight>*own_potential, *other_potential;
    std::vector<int32_t>*own_match, *other_match;
  };
  Side row_side();
  Side column_side();
  void augment(const Side& side, int start);
  void decrease(const Side& side, std::vector<Weight>& most);

  int n_, m_;
  std::vector<Weight> weight_;
  std::vector<int32_t> column_, row_;  // the matching from both sides
  std::vector<Weight> distance_, key_, reached_;
  std::vector<int32_t> parent_, scanned_own_, scanned_other_;
};

}  // namespace enpda
