// Moves for rings that count as a whole only: one is laid down at once, and what is in its way makes room.
#pragma once

#include "search/incumbent.hpp"

namespace enpda {

// Lays rings onto the best mapping, each way in turn, and refines what becomes of it, until none helps.
void lay_rings(SearchState& state, int passes, Incumbent& incumbent);

}  // namespace enpda
