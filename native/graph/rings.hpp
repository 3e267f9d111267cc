// Where a graph has cycles: its ring systems, and what finding the rings of one will take.
#pragma once

#include <cstdint>
#include <vector>

#include "base/deadline.hpp"
#include "graph/graph.hpp"

namespace enpda {

// Per edge the number of its ring system, a largest part that no single node holds together; -1 for edges on
// no cycle.
std::vector<int32_t> ring_systems(const Graph& g);

struct RingSystem {
  std::vector<int32_t> nodes;  // of a single ring in order, else ascending
  std::vector<int32_t> edges;  // indices into the graph's edges
  bool single = false;         // whether it is one ring
  // For every node its shortest cycles: their number divided by their length, summed up. About as many rings
  // will be found, or looked at. 1 for a single ring.
  double cycles = 1;
};

// All ring systems; empty when the deadline struck.
std::vector<RingSystem> describe_ring_systems(const Graph& g, const Deadline& deadline);

}  // namespace enpda
