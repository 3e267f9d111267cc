// Large neighbourhood search: free a few rows, repair them together.
#pragma once

#include <span>

#include "base/random.hpp"
#include "search/incumbent.hpp"
#include "search/state.hpp"

namespace enpda {

struct NeighbourhoodOptions {
  int steps = 0;
  int smallest = 3, largest = 12;  // rows freed at a time
  double ball = 0.65;  // share of steps that free a breadth-first ball; the others free random rows
  double hot = 0.5, cold = 0.02;  // temperatures of acceptance
};

// Each step frees rows and re-assigns them to free columns by a linear assignment that counts edges to the
// rows that stayed and, at half value until they are placed, edges inside the freed set.
void search_neighbourhood(SearchState& state, std::span<const float> soft,
                          const NeighbourhoodOptions& options, Random& random, Incumbent& incumbent);

}  // namespace enpda
