// Randomised growth along preserved edges: one component after the other, near-best choices at random.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "search/incumbent.hpp"
#include "search/state.hpp"

namespace enpda {

// ACG edges by falling sum of scores: where a component may open. Made once per stream.
class Openings {
 public:
  Openings(const Pair& pair, std::span<const float> score);
  std::span<const std::pair<Cell, Cell>> edges() const { return edges_; }

 private:
  std::vector<std::pair<Cell, Cell>> edges_;
};

struct ConstructOptions {
  double best_seed = 0.75;  // probability that the first edge is one of the best, not any
  int seed_width = 64;      // how many count as the best
  int open_width = 8;       // later components open with one of that many best free edges
  int extend_width = 4;     // an extension is one of that many best among those with most chosen neighbours
};

// Extends the state, from empty or from any partial mapping, until nothing preserves a further edge.
void construct(SearchState& state, std::span<const float> score, const Openings& openings,
               const ConstructOptions& options, Random& random, Incumbent& incumbent);

}  // namespace enpda
