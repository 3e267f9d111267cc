// Ways to lay a ring of the source onto one of the target, and the association edges that they use: an edge
// between marked edges that is part of none of them does not exist.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/deadline.hpp"
#include "pair/cells.hpp"

namespace enpda {

class Pair;

class Alignments {
 public:
  // Finds those of a pair whose candidates are known; false when the deadline struck.
  bool find(const Pair& pair, const Deadline& deadline);

  size_t size() const { return start_.size() - 1; }
  // Cells in the order of the source's ring.
  std::span<const Cell> operator[](size_t k) const {
    return std::span(cells_).subspan(start_[k], start_[k + 1] - start_[k]);
  }
  struct Iterator {
    const Alignments* all;
    size_t at;
    std::span<const Cell> operator*() const { return (*all)[at]; }
    Iterator& operator++() { return ++at, *this; }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

  // Whether an arc of the source counts with a whole ring only.
  bool marked(size_t arc) const { return !row_.empty() && row_[arc] >= 0; }
  // Whether a ring can be laid so that this arc of the source, a marked one, comes onto that of the target.
  bool carry(size_t arc, size_t other) const {
    const auto& bits = bits_[row_[arc]];
    const int32_t k = column_[other];
    return k >= 0 && !bits.empty() && (bits[k >> 6] >> (k & 63) & 1) != 0;
  }

 private:
  std::vector<Cell> cells_;
  std::vector<uint32_t> start_ = {0};
  std::vector<int32_t> row_, column_;        // per arc: its number among the marked ones, or -1
  std::vector<std::vector<uint64_t>> bits_;  // per marked arc of the source, once it has any: of the target's
};

}  // namespace enpda
