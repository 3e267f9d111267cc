// The places of a pair's grid that are kept, row after row and columns ascending. A full grid keeps all n x m
// of them; a thin one leaves out those whose node labels differ, so that on large graphs memory and time
// follow the candidates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/deadline.hpp"
#include "graph/graph.hpp"

namespace enpda {

using Cell = int32_t;  // the number of a place that is kept

class Cells {
 public:
  Cells(const Graph& source, const Graph& target, bool full, const Deadline& deadline);
  // Places of a thin grid.
  static int64_t count_thin(const Graph& source, const Graph& target);

  bool full() const { return full_; }
  bool complete() const { return complete_; }  // false: the deadline struck, and cells do not know their rows
  int size() const { return first_.back(); }
  // Division by the run-time constant m is half of a search step's cost: small grids have a table as well as
  // thin ones, and for others a multiplication by ceil(2^64 / m) gives the same quotient for every 32-bit
  // cell.
  int row(Cell c) const {
    if (!row_.empty()) return row_[c];
    return m_ == 1 ? c
                   : static_cast<int>(
                         (static_cast<unsigned __int128>(reciprocal_) * static_cast<uint64_t>(c)) >> 64);
  }
  int column(Cell c) const {
    const int i = row(c);
    return full_ ? c - i * m_ : order_[begin_[i] + c - first_[i]];
  }
  Cell at(int i, int j) const {  // -1: not kept
    if (full_) return i * m_ + j;
    const int k = position_[j] - begin_[i];
    return k >= 0 && k < first_[i + 1] - first_[i] ? first_[i] + k : -1;
  }
  // The cells of a row are first(i) to first(i + 1), and their columns are those of `order` from begin(i) on.
  Cell first(int i) const { return first_[i]; }
  int width(int i) const { return first_[i + 1] - first_[i]; }
  int begin(int i) const { return begin_[i]; }
  const std::vector<int32_t>& order() const { return order_; }  // all columns, those of one label together
  int position(int j) const { return position_[j]; }            // of a column in `order`
  std::span<const int32_t> columns(int i) const {
    return std::span(order_).subspan(begin_[i], static_cast<size_t>(width(i)));
  }

 private:
  bool full_, complete_ = true;
  int m_;
  uint64_t reciprocal_;
  std::vector<int32_t> first_, begin_, order_, position_;
  std::vector<int32_t> row_;  // per cell of a thin or a small grid
};

}  // namespace enpda
