// A partial legal mapping under change: what every search operator works on. Never illegal: only compatible
// candidates enter, each row and column at most once. All counts are updated in O(ACG degree).
#pragma once

#include <cstdint>
#include <vector>

#include "pair/mapping.hpp"
#include "pair/pair.hpp"

namespace enpda {

class SearchState {
 public:
  explicit SearchState(const Pair& of)
      : pair(of), table_(of.compatible.size(), 0), image_(of.n, -1), owner_(of.m, -1), place_(of.n, -1) {}

  const Pair& pair;

  Score score() const { return {edges_, nodes_}; }
  const Mapping& image() const { return image_; }
  int image(int row) const { return image_[row]; }        // column or -1
  int owner(int column) const { return owner_[column]; }  // row or -1
  // What the chosen ACG neighbours of a candidate are worth: the edges it preserves, or would preserve were
  // it chosen now.
  int support(Cell c) const { return table_[c] >> 1; }
  bool chosen(Cell c) const { return table_[c] & 1; }
  Cell cell_of_row(int row) const { return image_[row] < 0 ? -1 : pair.cell(row, image_[row]); }
  Cell cell_of_column(int column) const {
    return owner_[column] < 0 ? -1 : pair.cell(owner_[column], column);
  }
  // Rows that are matched now, in no particular order.
  const std::vector<int32_t>& matched() const { return matched_; }
  bool is_free(Cell c) const { return image_[pair.row(c)] < 0 && owner_[pair.column(c)] < 0; }

  // Chooses a candidate whose row and column are free.
  void add(Cell c) {
    const int i = pair.row(c), j = pair.column(c);
    image_[i] = j;
    owner_[j] = i;
    place_[i] = static_cast<int32_t>(matched_.size());
    matched_.push_back(i);
    edges_ += support(c);
    nodes_ += support(c) > 0;
    table_[c] |= 1;
    pair.for_each_worth(c, [&](Cell d, int w) {
      nodes_ += table_[d] == 1;
      table_[d] += 2 * w;
    });
  }

  void remove(Cell c) {
    const int i = pair.row(c), j = pair.column(c);
    image_[i] = owner_[j] = -1;
    matched_[place_[i]] = matched_.back();
    place_[matched_.back()] = place_[i];
    matched_.pop_back();
    place_[i] = -1;
    edges_ -= support(c);
    nodes_ -= support(c) > 0;
    table_[c] &= ~1;
    pair.for_each_worth(c, [&](Cell d, int w) {
      table_[d] -= 2 * w;
      nodes_ -= table_[d] == 1;
    });
  }

  void clear() {
    while (!matched_.empty()) remove(cell_of_row(matched_.back()));
  }

  // Becomes the given mapping; label-incompatible entries are left out.
  void assign(const Mapping& image) {
    for (int i = 0; i < pair.n; ++i)
      if (image_[i] >= 0 && image_[i] != image[i]) remove(cell_of_row(i));
    for (int i = 0; i < pair.n; ++i)
      if (image[i] >= 0 && image_[i] < 0 && pair.matches(i, image[i])) add(pair.cell(i, image[i]));
  }

 private:
  std::vector<int32_t> table_;  // 2 * support + chosen: one access per neighbour keeps edges and nodes
  Mapping image_;
  std::vector<int32_t> owner_;
  std::vector<int32_t> matched_, place_;  // matched_[place_[i]] == i
  int32_t edges_ = 0, nodes_ = 0;
};

// Placing candidate c: who makes room, who may swap into the vacated place, and what it changes.
struct Move {
  Cell add = -1;
  Cell out_row = -1, out_column = -1;  // the candidates that give up c's row and c's column
  Cell swap = -1;  // the displaced row into the vacated column, when that preserves an edge
  int delta = 0;   // change in preserved edges
};

// A shared row or column is never adjacent, so one support lookup each tells what is lost and won; only the
// two leaving (and the two entering) candidates can be adjacent to each other.
inline Move plan(const SearchState& s, Cell c) {
  const Pair& p = s.pair;
  const int i = p.row(c), j = p.column(c);
  Move move{c, s.cell_of_row(i), s.cell_of_column(j), -1, s.support(c)};
  if (move.out_row >= 0) move.delta -= s.support(move.out_row);
  if (move.out_column < 0) return move;
  move.delta -= s.support(move.out_column);
  if (move.out_row < 0) return move;
  move.delta += p.worth(move.out_row, move.out_column);  // counted in both supports
  const Cell swap = p.cell(s.owner(j), s.image(i));
  if (swap >= 0 && p.compatible[swap]) {
    const int won = s.support(swap) + p.worth(c, swap);
    if (won > 0) {
      move.swap = swap;
      move.delta += won;
    }
  }
  return move;
}

inline void apply(SearchState& s, const Move& move) {
  if (move.out_row >= 0) s.remove(move.out_row);
  if (move.out_column >= 0) s.remove(move.out_column);
  s.add(move.add);
  if (move.swap >= 0) s.add(move.swap);
}

}  // namespace enpda
