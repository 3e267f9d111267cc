// The RLT-1 relaxation under shares of profit. Every ACG edge {a, b} is worth one preserved edge (or what
// the pair's terms say), shared between its two copies: share(a -> b) + share(b -> a) = 1. Choosing candidate
// a earns at most the value of its inner assignment over its shares, and the outer assignment over those
// values bounds the size of every mapping, exactly, for any shares. This class holds the live part of the
// problem and the moves that lower the bound; everything is in integers of 2^-16.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pair/mapping.hpp"
#include "pair/pair.hpp"
#include "rlt/inner.hpp"
#include "rlt/outer.hpp"
#include "rlt/pieces.hpp"

namespace enpda {

constexpr Share kUnit = 1 << 16;  // one preserved edge

// A proof step: shares and potentials from which bound and deletions follow.
struct Stage {
  std::vector<int32_t> a, b;        // the live ACG edges as places, a < b, ascending
  std::vector<Share> share;         // share(a -> b) of each
  std::vector<Share> u, v;          // potentials of all rows and columns, 0 where nothing is live
  std::vector<PricedPiece> pieces;  // those with a price
};

// What one evaluation says about every candidate and both copies of every ACG edge, in edges and as seen by a
// network.
struct Reading {
  static constexpr int kCandidate = 9;  // value, slack, chosen, potentials, and four that never change
  static constexpr int kSlack = 1, kChosen = 2;
  static constexpr int kArc = 3;  // share, gap, used
  static constexpr int kUsed = 2;
  std::vector<float> candidate;  // kCandidate each
  std::vector<float> a, b;       // kArc for each edge's first copy, and for its second
};

// One decision of a tree: a row and its column; -1 leaves the other one unmatched.
struct Choice {
  int32_t row, column;
};

class Shares {
 public:
  // All candidates with a neighbour, every edge shared in halves. A candidate that preserves an edge at all
  // earns `bonus` as well: what a node of the common part is worth.
  Shares(const Pair& pair, const Deadline& deadline, Share bonus = 0);
  // Whether a pair is small enough for the blocks, and for a few iterations before the deadline.
  static bool fits(const Pair& pair, const Deadline& deadline);

  size_t candidates() const { return cell_.size(); }
  size_t edges() const { return slot_a_.size(); }
  size_t bytes() const {  // about
    return 8 * share_.size() + 44 * edges() + 40 * candidates() + 8 * candidate_at_.size();
  }
  // What an iteration takes, about: in candidates of few edges, each some 50 ns, on any machine the same
  // number.
  int64_t effort() const { return effort_; }
  bool complete() const { return complete_; }  // false: the deadline struck while building

  // The bound of the current shares; -1 when the deadline struck.
  int64_t evaluate(const Deadline& deadline);
  // Sets the first copy's share of every edge, in edges; the second gets the rest.
  void divide(std::span<const float> shares);
  // What the last evaluation says. Needs `centralise` before.
  void read(Reading& out) const;
  const std::vector<int32_t>& first_owner() const { return owner_a_; }
  const std::vector<int32_t>& second_owner() const { return owner_b_; }
  const std::vector<int32_t>& rows() const { return row_; }  // of the candidates, among those alive
  const std::vector<int32_t>& columns() const { return column_; }

  // The mapping that the last outer assignment chose, and the edges it preserves.
  Mapping mapping() const;
  int preserved() const;

  // Begins to count which edges are preserved; afterwards pieces that are violated of late can be added.
  void watch() { pieces_.watch(pair_); }
  size_t add_pieces(const Deadline& deadline);

  // Subgradient: inner matchings of chosen candidates pass profit to the reverse copies of what they use,
  // with momentum. Returns false when both copies agree everywhere.
  bool descend(double momentum, double distance);
  // Block-coordinate sweep: each candidate passes what its inner assignment can spare, and `fraction` of its
  // outer slack, to its neighbours. Never raises the bound. Needs `centralise` before.
  void sweep(double fraction, bool backwards, const Deadline& deadline);
  int64_t centralise();

  // Deletes every candidate and ACG edge that no mapping worth `target` or more can use, according to
  // the central potentials; returns how many edges would go, and deletes them when that is at least `worth`
  // of those alive.
  size_t fix(int64_t bound, int64_t target, double worth, Stage* record);
  // Decides rows and columns: of those nothing but the chosen candidates stays alive. When fragments are
  // counted, the chosen candidates take part.
  void decide(std::span<const Choice> choices);
  // Whether every row and every column has one live candidate at most: all of them together are then the only
  // maximal choice, and an even shares bounds it exactly.
  bool decided() const;
  void even();
  // Outer slack of every live candidate, in their order, under the central potentials.
  std::vector<Share> slacks() const;
  // How often the outer assignment chose each live candidate of late: about the relaxation's solution.
  const std::vector<float>& usage() const { return usage_; }
  // Potentials of the outer assignment's columns, in edges; 0 where nothing is live.
  std::vector<float> prices() const;
  // The current shares with the given potentials.
  Stage stage(const std::vector<Share>& u, const std::vector<Share>& v) const;
  const Outer& outer() const { return outer_; }
  const std::vector<Cell>& survivors() const { return cell_; }

 private:
  // The candidate that the outer assignment chose in a compressed row, or -1.
  int chosen(int i) const {
    const int j = outer_.column_of()[i];
    return j < 0 ? -1 : candidate_at_[outer_.slot(i, j)];
  }
  bool is_small(int a) const { return rows_[a] == 0; }
  // Of a large block the potentials are kept, for those who ask again before shares change.
  Share inner_value(int a) {
    const Share* block = share_.data() + offset_[a];
    return is_small(a) ? small::value(block)
                       : general::value(block, rows_[a], columns_[a], potential_.data() + potential_at_[a]);
  }
  // The same as `inner_marginals`, and sooner when these very shares were evaluated.
  Share known_marginals(int a, Share* out) const {
    if (is_small(a) || !evaluated_) return inner_marginals(a, out);
    return general::marginals(share_.data() + offset_[a], rows_[a], columns_[a],
                              potential_.data() + potential_at_[a], out);
  }
  Share inner_marginals(int a, Share* out) const {
    const Share* block = share_.data() + offset_[a];
    return is_small(a) ? small::marginals(block, out) : general::marginals(block, rows_[a], columns_[a], out);
  }
  // What choosing a candidate earns, from the value of its inner assignment: to earn the bonus it has to take
  // an arc, if need be at a loss.
  Share with_bonus(int a, Share value) const {
    if (value > 0 || bonus_ == 0) return value + bonus_;
    return std::max(bonus_ + share_[best_slot(a)], 0);
  }
  uint32_t best_slot(int a) const {
    return *std::max_element(arc_slot_.begin() + arc_start_[a], arc_slot_.begin() + arc_start_[a + 1],
                             [&](uint32_t s, uint32_t t) { return share_[s] < share_[t]; });
  }
  // Marks what no mapping under the pair's constraint can use.
  void propagate(std::vector<uint8_t>& dead_edge) {
    if (pair_.constraint.none()) return;
    prune(pair_.constraint, {pair_, cell_, owner_a_, owner_b_, taking_part_, open_rings_, dead_edge});
  }
  void compact(const std::vector<uint8_t>& dead_edge);
  void index();
  std::vector<Outer::Block> blocks(std::vector<int32_t>& row_number, std::vector<int32_t>& column_number);
  void index_pieces();
  void pay();  // profits follow prices

  const Pair& pair_;
  Share bonus_;
  bool complete_ = true;
  int64_t effort_ = 0;
  // Candidates: cell, compressed row and column, block of shares (rows_ = 0: 4 x 4).
  std::vector<Cell> cell_;
  std::vector<int32_t> row_, column_;
  std::vector<uint32_t> offset_;
  std::vector<uint16_t> rows_, columns_;
  std::vector<uint16_t> dimension_;  // live arcs an inner matching can use at most
  std::vector<Share> share_;
  std::vector<uint32_t> potential_at_;  // of large blocks, in potential_
  std::vector<Share> potential_;
  bool evaluated_ = false;        // whether shares are those of the last evaluation
  std::vector<int32_t> edge_at_;  // per slot: edge, ~edge for its second copy; kNone without arc
  // Edges: owner and slot of both copies; momentum; what both shares add up to.
  std::vector<int32_t> owner_a_, owner_b_;
  std::vector<uint32_t> slot_a_, slot_b_;
  std::vector<float> drift_;
  std::vector<Share> profit_;
  // Arcs by candidate: slot and twin, and what their shares add up to.
  std::vector<uint32_t> arc_start_, arc_slot_, arc_twin_;
  std::vector<Share> arc_profit_;
  // Compressed rows and columns, those of one block of the outer assignment together.
  std::vector<int32_t> live_rows_, live_columns_;
  std::vector<uint32_t> outer_slot_;   // per candidate
  std::vector<int32_t> candidate_at_;  // per slot of the outer assignment; -1
  Outer outer_;
  std::vector<Share> middle_u_, middle_v_;
  std::vector<float> usage_;         // per candidate: how often the outer assignment chose it of late
  std::vector<int32_t> open_rings_;  // the pair's alignments that can still be closed
  std::vector<Cell> taking_part_;
  Pieces pieces_;
  // With pieces: the edges that an ACG edge lies along, and its profit before prices.
  std::vector<int32_t> source_edge_, target_edge_;
  std::vector<Share> worth_;
  std::vector<int32_t> pull_;  // scratch of descend
  std::vector<int32_t> touched_;
  Share limit_;
};

}  // namespace enpda
