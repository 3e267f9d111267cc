// Exact labelled isomorphism: colour refinement, then individualisation with backtracking.
#pragma once

#include <cstdint>

#include "graph.hpp"

namespace enpda {

// A hash of the stable colouring: equal for isomorphic graphs whatever their vertex order.
uint64_t colour_hash(const Graph& g);

// Whether some bijection preserves node labels, edges and edge labels.
bool isomorphic(const Graph& a, const Graph& b);

}  // namespace enpda
