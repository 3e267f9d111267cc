// The largest common part whose edges keep their distances from each other, up to a difference, and whose
// pieces are not farther apart than that in either graph: a clique among pairs of edges.
#pragma once

#include <cstdint>
#include <span>

#include "pair.hpp"

namespace enpda {

struct Agreement {
  Mapping image;          // over the source, stripped
  bool complete = false;  // false: the deadline came first, or there are too many pairs of edges
};

// Distances between all nodes of either graph, as full matrices; without a way, more than any way has. Edges
// are as far apart as their nearest ends, and one more.
Agreement agreeing_part(const Pair& pair, std::span<const int32_t> source_distances,
                        std::span<const int32_t> target_distances, int most, const Deadline& deadline);

}  // namespace enpda
