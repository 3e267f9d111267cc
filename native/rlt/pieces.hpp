// Cuts of the RLT-1 relaxation: a piece of one graph that the other does not contain loses one of its edges
// at least. The relaxation does not see that by itself: it winds a ring around a ring of another size. A
// piece has a price: every ACG edge along one of its edges is worth less by that, and the bound is more by
// the price of all its edges but one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pair/pair.hpp"
#include "rlt/inner.hpp"

namespace enpda {

// Edges of one graph that cannot all be preserved, ascending.
struct Piece {
  bool of_source;
  std::vector<int32_t> edges;
  bool operator==(const Piece&) const = default;
};

struct PricedPiece {
  std::shared_ptr<const Piece> piece;
  Share price = 0;
  float drift = 0;  // momentum of the price
};

// Small pieces that a relaxation violates which preserves each edge of the source (the target) so often.
std::vector<Piece> violated_pieces(const Pair& pair, bool of_source, std::span<const float> often,
                                   const Deadline& deadline);

// The pieces of a relaxation, their prices, and what tells which pieces are worth having.
class Pieces {
 public:
  // Begins to count which edges the relaxation preserves.
  void watch(const Pair& pair);
  bool watching() const { return arcs_ != nullptr; }
  // One relaxation: the uses of arcs of both graphs by inner matchings, from both ends of an edge.
  void begin();
  void use(int source_arc, int target_arc) {
    ++used_source_[source_edge(source_arc)];
    ++used_target_[target_edge(target_arc)];
  }
  void end();
  int source_edge(int arc) const { return arcs_->source[arc]; }
  int target_edge(int arc) const { return arcs_->target[arc]; }

  // Adds pieces that are violated of late; returns how many.
  size_t add(const Pair& pair, const Deadline& deadline);
  bool empty() const { return list_.empty(); }
  const std::vector<PricedPiece>& list() const { return list_; }
  void clear() { list_.clear(); }

  // The subgradient at the last relaxation, with momentum; returns its squared length.
  double pull(double momentum);
  void move(double step);
  // What the pieces add to the bound.
  int64_t paid() const;
  // What ACG edges along each edge of a graph are worth less.
  std::vector<Share> prices(bool of_source) const;

 private:
  struct Arcs {
    std::vector<int32_t> source, target;  // arc to edge
  };
  std::shared_ptr<const Arcs> arcs_;
  std::vector<uint8_t> used_source_, used_target_;  // by the last relaxation
  std::vector<float> often_source_, often_target_;  // of late
  float seen_ = 0;                                  // weight of all that was counted
  std::vector<PricedPiece> list_;
};

}  // namespace enpda
