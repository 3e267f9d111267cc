// Exact labelled isomorphism: colour refinement, then individualisation with backtracking.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.hpp"

namespace enpda {

// A hash of the stable colouring: equal for isomorphic graphs whatever their vertex order.
uint64_t colour_hash(const Graph& g);

// Whether some bijection preserves node labels, edges and edge labels.
bool isomorphic(const Graph& a, const Graph& b);

// The stable colouring that starts from labels and marks: nodes of one orbit have one colour, not conversely.
std::vector<uint64_t> refined_colours(const Graph& g, std::span<const int32_t> marks);
std::vector<uint64_t> refined_colours(const Graph& g, std::span<const uint64_t> marks);

// An automorphism that respects the marks and takes one node to another, as an image per node; empty when
// none was found within so many steps.
std::vector<int32_t> find_automorphism(const Graph& g, std::span<const int32_t> marks, int from, int to,
                                       int steps);

}  // namespace enpda
