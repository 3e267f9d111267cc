// The outer assignment of the RLT-1 bound: non-negative integer weights, partial, with exact duals, and warm:
// a solve starts from the potentials and the matching of the one before, which barely differ. It falls apart
// into dense blocks: atoms of different elements never meet, and what is deleted cuts blocks further.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/deadline.hpp"
#include "base/path.hpp"

namespace enpda {

class Outer {
 public:
  using Weight = int32_t;  // at most 2^29, so that no path length overflows

  // Rows that can meet columns; blocks follow each other without gaps.
  struct Block {
    int row = 0, rows = 0, column = 0, columns = 0;  // the first ones, and how many
    uint32_t first = 0;                              // slot of its first weight
  };
  explicit Outer(std::vector<Block> blocks = {});

  int rows() const { return static_cast<int>(u.size()); }
  int columns() const { return static_cast<int>(v.size()); }
  size_t slots() const { return weight_.size(); }
  // Where the weight of a row and a column of one block is.
  uint32_t slot(int i, int j) const {
    const Block& b = blocks_[block_of_row_[i]];
    return b.first + static_cast<uint32_t>(i - b.row) * static_cast<uint32_t>(b.columns) +
           static_cast<uint32_t>(j - b.column);
  }
  Weight& weight(uint32_t slot) { return weight_[slot]; }
  Weight weight(uint32_t slot) const { return weight_[slot]; }

  // Maximises; afterwards u + v >= weight everywhere, both non-negative, and their sum is returned. When the
  // deadline strikes the sum is not the least one, but the potentials are feasible all the same.
  int64_t solve(const Deadline& deadline);
  // The middle between the optimal duals that favour rows and those that favour columns, rounded up: still
  // feasible, and the returned sum is at most rows + columns above the optimum.
  int64_t centralise(std::vector<Weight>& middle_u, std::vector<Weight>& middle_v);

  const std::vector<int32_t>& column_of() const { return column_; }  // -1: unmatched
  std::vector<Weight> u, v;

 private:
  Side<Weight> view(const Block& block);  // from its rows
  void solve(const Block& block, Watch& watch);
  // `weight`: the block's, those of one line of the other side together.
  void decrease(const Side<Weight>& side, const Weight* weight, Weight* most);

  std::vector<Block> blocks_;
  std::vector<int32_t> block_of_row_;
  std::vector<Weight> weight_;
  std::vector<int32_t> column_, row_;  // the matching from both sides
  Paths<Weight> paths_;
  std::vector<Weight> key_, turned_;  // scratch of centralise
};

}  // namespace enpda
