// Simulated annealing with geometric cooling.
#pragma once

#include "base/deadline.hpp"
#include "base/random.hpp"
#include "search/incumbent.hpp"
#include "search/state.hpp"

namespace enpda {

struct AnnealOptions {
  int64_t steps = 0;
  double hot = 1.25, cold = 0.03;  // temperatures, in edges
  double guided = 0.9;             // share of moves that extend a preserved edge; the others are uniform
};

// Walks from the state; reports every improvement to the incumbent and leaves the state where the walk ended.
void anneal(SearchState& state, const AnnealOptions& options, Random& random, Incumbent& incumbent);

}  // namespace enpda
