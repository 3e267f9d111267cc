// The whole way of one pair: caps, searches and the RLT-1 bound by turns, each only while it can still help.
#pragma once

#include <cstdint>
#include <vector>

#include "bounds/rlt.hpp"
#include "search/portfolio.hpp"

namespace enpda {

struct SolveOptions {
  std::vector<SearchOptions> searches = {SearchOptions()};  // the next one only while the pair is open
  bool bound = false;                                       // whether the RLT-1 bound runs after each search
  int64_t first_iterations = 60;  // of the bound after the first of several searches
  RltOptions rlt;
};

struct Solution {
  Mapping image;  // over the first graph's nodes, stripped
  Score score{-1, -1};
  std::vector<float> prices;  // of the first proposal, over the nodes of the larger graph
  Caps caps;
  int64_t rlt = -1;           // -1: not computed
  std::vector<Stage> stages;  // its proof, in the order (first graph, second graph)
  int known = -1;             // what that proof takes for known
  int64_t iterations = 0;
  std::vector<Event> trace;  // improvements of the best, in time order
  bool time_limit = false, interrupted = false;
  double seconds = 0;

  int64_t upper() const { return rlt >= 0 && rlt < caps.upper() ? rlt : caps.upper(); }
};

Solution solve(const Graph& a, const Graph& b, const SolveOptions& options, const Deadline& deadline,
               const OnImprove& on_improve = {});

}  // namespace enpda
