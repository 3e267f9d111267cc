// A source and a target graph, which candidates (i, j) are label-compatible, and the association graph (ACG)
// that joins two candidates when choosing both preserves an edge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/deadline.hpp"
#include "base/random.hpp"
#include "graph/graph.hpp"
#include "pair/alignment.hpp"
#include "pair/cells.hpp"
#include "pair/constraint.hpp"
#include "pair/terms.hpp"

namespace enpda {

class Pair {
 public:
  // Above this many cells a pair is refused: the state of the rounds would not fit in memory.
  static constexpr int64_t kMaxCells = 64'000'000;
  // Up to this many rows times columns the grid is full, as the paper has it: incompatible cells take part in
  // the rounds, each with at most e^-8 of a row's mass. Larger ones are thin.
  static constexpr int64_t kFullGrid = 1'000'000;
  // Neighbour lists are stored up to this many entries (256 MB) and enumerated on the fly beyond.
  static constexpr int64_t kMaxStored = 64'000'000;

  // The graphs must outlive the pair. When the deadline strikes while lists are being
  // stored, they are enumerated on the fly as well: slower, never wrong. When it strikes before, the pair is
  // not complete, and nothing may be asked of it.
  Pair(const Graph& source, const Graph& target, const Deadline& deadline, Terms terms = {},
       Constraint constraint = {}, int64_t max_stored = kMaxStored, int64_t full_grid = kFullGrid);
  bool complete() const { return complete_; }
  // Whether a large pair of so many cells can be made, or a proposal for it begun, in what is left of the
  // time: either is 8 ns a cell at least, most of it for fresh memory, and not begun without them.
  static bool worth_beginning(int64_t cells, const Deadline& deadline, double seconds_per_cell = 8e-9) {
    constexpr int64_t kPrompt = 400'000;
    return cells <= kPrompt || deadline.remaining() > seconds_per_cell * static_cast<double>(cells);
  }
  // The same of a pair that exists: where fresh memory is slow, making the pair has shown it.
  bool worth_beginning(const Deadline& deadline, double seconds_per_cell) const {
    return worth_beginning(cells(), deadline, slowness_ * seconds_per_cell);
  }
  // Seconds that are kept free before a time limit: giving back the memory of a pair's cells takes that long,
  // and so do one step of a search when two nodes with very many neighbours meet, and taking up a mapping.
  static double seconds_kept(const Graph& source, const Graph& target, const Terms& terms, int64_t cells);
  // The cells that two graphs make; throws InputError when they are too many.
  static int64_t check_size(const Graph& source, const Graph& target, int64_t full_grid = kFullGrid);

  const Graph& source;
  const Graph& target;
  const Terms terms;
  const Constraint constraint;
  const int n, m;
  const Cells grid;
  std::vector<uint8_t> compatible;  // per cell
  std::vector<Cell> candidates;     // compatible cells, ascending
  // Rows (columns) that the terms treat alike have one number; empty when they treat all alike.
  std::vector<int32_t> row_kind, column_kind;
  Alignments alignments;

  int cells() const { return grid.size(); }
  int row(Cell c) const { return grid.row(c); }
  int column(Cell c) const { return grid.column(c); }
  Cell cell(int i, int j) const { return grid.at(i, j); }  // -1: not kept, and never compatible
  bool matches(int i, int j) const {
    const Cell c = cell(i, j);
    return c >= 0 && compatible[c];
  }
  // The number that a cell has in a full grid.
  int32_t place(Cell c) const { return grid.full() ? c : row(c) * m + column(c); }
  bool stores_lists() const { return stored_; }
  size_t neighbour_count() const { return neighbour_.size(); }  // of all candidates together, when stored
  size_t list_bytes() const { return neighbour_.size() * sizeof(Cell); }

  // Neighbours of a candidate on average, at most.
  size_t neighbours_each() const { return neighbours_each_; }
  // How many candidates' neighbours can be visited between two looks at the clock.
  int patience() const { return patience_; }
  // What preserving an edge by these two arcs is worth: 1 for equal labels and 0 for others, unless the terms
  // say otherwise.
  int worth(const Arc& x, const Arc& y) const { return worth_of_classes(x.label, y.label); }
  // What the least preserved edge is worth: a measure for differences between mappings.
  int least_worth() const { return least_worth_; }

  bool has_neighbours(Cell c) const {
    if (stored_) return start_[c] < start_[c + 1];
    bool any = false;
    enumerate(c, [&](Cell) { any = true; });
    return any;
  }
  // Calls f(cell) for every ACG neighbour of a candidate, in the order of the arcs that lead there: those of
  // the source first.
  template <class F>
  void for_each_neighbour(Cell c, F&& f) const {
    if (stored_) {
      for (uint32_t k = start_[c]; k < start_[c + 1]; ++k) f(neighbour_[k]);
    } else {
      enumerate(c, f);
    }
  }

  // Calls f(cell, worth) for every ACG neighbour of a candidate.
  template <class F>
  void for_each_worth(Cell c, F&& f) const {
    if (terms.worth.empty()) {
      for_each_neighbour(c, [&](Cell d) { f(d, 1); });
    } else {
      const int i = row(c), j = column(c);
      for_each_neighbour(c, [&](Cell d) { f(d, worth_between(i, row(d), j, column(d))); });
    }
  }

  // An ACG neighbour of a candidate from 32 random bits, or -1 when the draw found none. Without stored lists
  // the draw is an arc on either side, which keeps it O(1) and uniform over the neighbours it does find.
  Cell random_neighbour(Cell c, uint32_t bits) const {
    if (stored_) {
      const uint32_t count = start_[c + 1] - start_[c];
      return count == 0 ? -1 : neighbour_[start_[c] + scale(bits, count)];
    }
    const auto left = source.arcs(row(c)), right = target.arcs(column(c));
    if (left.empty() || right.empty()) return -1;
    const uint32_t k = scale(bits, static_cast<uint32_t>(left.size() * right.size()));
    const Arc& x = left[k / right.size()];
    const Arc& y = right[k % right.size()];
    const Cell d = cell(x.to, y.to);
    return worth(x, y) > 0 && d >= 0 && compatible[d] && closes(x, c, d) ? d : -1;
  }

  // What choosing both candidates preserves: the worth of an edge, or 0.
  int worth(Cell c, Cell d) const {
    if (!compatible[c] || !compatible[d]) return 0;
    const int w = worth_between(row(c), row(d), column(c), column(d));
    if (w == 0 || constraint.rings.none()) return w;
    return closes(source.arc[source.arc_between(row(c), row(d))], c, d) ? w : 0;
  }
  // Whether an ACG edge along this arc of the source may exist: not when its edges count in whole rings only
  // and no ring can be laid across it.
  bool closes(const Arc& x, Cell c, Cell d) const {
    const size_t arc = &x - source.arc.data();
    if (!alignments.marked(arc)) return true;
    const int other = target.arc_between(column(c), column(d));
    return other >= 0 && alignments.carry(arc, other);
  }
  bool marked(int i, int k) const {
    const int x = source.arc_between(i, k);
    return x >= 0 && alignments.marked(x);
  }

  // An ACG edge as one number, whichever end comes first.
  static uint64_t key(Cell c, Cell d) {
    return (static_cast<uint64_t>(std::min(c, d)) << 32) | static_cast<uint32_t>(std::max(c, d));
  }

 private:
  bool find_candidates(const Deadline& deadline);
  bool find_kinds(const Deadline& deadline);
  int64_t count_neighbours() const;
  void store_lists(const Deadline& deadline, size_t most);
  void store_few(size_t most);
  int worth_of_classes(int left, int right) const {
    return same_.empty() ? worth_[static_cast<size_t>(left) * classes_ + right] : same_[left] == right;
  }
  int worth_between(int i, int k, int j, int l) const {
    const int left = source_classes_ ? source_classes_[i * n + k] : source.edge_class(i, k);
    if (left < 0) return 0;
    const int right = target_classes_ ? target_classes_[j * m + l] : target.edge_class(j, l);
    return right < 0 ? 0 : worth_of_classes(left, right);
  }
  template <class F>
  void enumerate(Cell c, F&& f) const {
    const auto targets = target.arcs(column(c));
    for (const Arc& x : source.arcs(row(c))) {
      for (const Arc& y : targets) {
        if (worth(x, y) == 0) continue;
        const Cell d = cell(x.to, y.to);
        if (d >= 0 && compatible[d] && closes(x, c, d)) f(d);
      }
    }
  }

  const int8_t *source_classes_ = source.edge_classes(), *target_classes_ = target.edge_classes();
  static constexpr double kSecondsToList = 7e-9;  // for a candidate
  double slowness_ = 1;                           // of a huge pair's memory, against what is usual
  size_t neighbours_each_ = 1;
  int patience_ = 1;
  std::vector<int32_t> worth_;  // per source edge class and target edge class
  std::vector<int32_t>
      same_;  // per source edge class the target's, or -1: for so many that they make no table
  int classes_ = 0, least_worth_ = 1;
  bool complete_ = false;
  bool stored_ = false;
  std::vector<uint32_t> start_;
  std::vector<Cell> neighbour_;
};

// Keeps of a mapping over the source what counts under the pair's terms and constraint, and scores it.
inline Score judge(const Pair& pair, Mapping& image) {
  return retain(pair.source, pair.target, pair.terms, pair.constraint, image);
}

// A fixed order of two graphs that ignores vertex numbering as far as possible: the smaller one is the
// source.
bool source_first(const Graph& a, const Graph& b);

}  // namespace enpda
