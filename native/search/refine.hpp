// Steepest ascent over compatible moves: reassignment, 2-exchange, insertion and removal.
#pragma once

#include "search/incumbent.hpp"
#include "search/state.hpp"

namespace enpda {

// Removes nodes that preserve nothing, then applies the move that gains most (edges, then nodes) until none
// gains or `passes` moves were made. Returns the number of moves.
int refine(SearchState& state, int passes, Incumbent& incumbent);

}  // namespace enpda
