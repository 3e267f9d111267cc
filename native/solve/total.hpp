// Edges and nodes together: what a similarity asks for, whatever part of them are edges. The same relaxation
// bounds both at once, when a candidate that preserves an edge earns a node's worth as well.
#pragma once

#include <cstdint>
#include <limits>

#include "solve/solve.hpp"

namespace enpda {

// Options of a relaxation that counts nodes, an edge being worth so many of them. The last bit of such a
// bound takes longer strides.
RltOptions counting_nodes(RltOptions rlt, int per_edge);

struct Total {
  int64_t upper = std::numeric_limits<int32_t>::max();  // no mapping has more edges and nodes together
  Score best;  // of a mapping that was met, counted again on the graphs
};

// Bounds edges and nodes of every mapping until fewer than `wanted` are left, until a mapping with so many is
// met, or until the bound gives up: a match goes on from there.
Total bound_total(const Graph& a, const Graph& b, const SolveOptions& options, int wanted,
                  const Deadline& deadline);

}  // namespace enpda
