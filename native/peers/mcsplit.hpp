// McSplit (McCreesh, Prosser and Trimble, IJCAI 2017): the largest common induced subgraph, counted in nodes.
// A program to compare with; no part of the solver.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.hpp"

namespace enpda {

struct McSplitResult {
  std::vector<int32_t> image;  // of a's nodes, -1 for none
  bool finished = false;       // whether no larger induced subgraph exists
  int64_t nodes = 0;           // of the search tree
};

McSplitResult mcsplit(const Graph& a, const Graph& b, const Deadline& deadline);

}  // namespace enpda
