// Moves for common parts whose fragments are counted: what counts of the best mapping stays, a few of its
// nodes give way, and it grows again from there.
#pragma once

#include <span>

#include "search/construct.hpp"

namespace enpda {

void regrow(SearchState& state, std::span<const float> score, const Openings& openings, int tries,
            Random& random, Incumbent& incumbent);

}  // namespace enpda
