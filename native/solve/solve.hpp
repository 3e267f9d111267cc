// The whole way of one pair: caps, searches, the RLT-1 bound and branching by turns, each only while it can
// still help.
#pragma once

#include <cstdint>
#include <vector>

#include "prove/tree.hpp"
#include "search/portfolio.hpp"

namespace enpda {

struct SolveOptions {
  int64_t full_grid = Pair::kFullGrid;                      // cells up to which a grid is full
  Terms terms;                                              // of the first and the second graph
  Constraint constraint;                                    // the same
  std::vector<SearchOptions> searches = {SearchOptions()};  // the next one only while the pair is open
  int64_t last_cells = INT64_MAX;  // of several searches the last is left out on pairs with more cells
  // A threshold question: enough is a mapping with so many edges, and so many edges and nodes together;
  // mappings with fewer edges than `min_size` are not told apart. 0: no question. A total without a size is
  // not one: the most edges come first, and so many nodes are looked for among mappings that have them.
  int min_size = 0, min_total = 0;
  // Whether, among mappings with the most edges, one with the most nodes is asked for, and how much work of a
  // tree that may take (see Ascent::work). A threshold question asks for nodes as well, when nothing else is
  // missing.
  bool most_nodes = false;
  int64_t fill_work = 8'000'000;
  bool bound = false;                   // whether the RLT-1 bound runs after each search
  int64_t first_iterations = 150;       // of the bound after the first of several searches
  int64_t most_iterations = INT32_MAX;  // of the bound after the last
  // Whether the bound's network speaks before the first search, and to all of them; otherwise what it
  // proposes has a search of its own, with the first budget, and the last search does not hear it.
  bool propose_first = false;
  RltOptions rlt;
  bool branch = false;  // whether a pair that the bound leaves open is branched on
  int most_gap = -1;    // but not when more than the worth of so many edges is missing; -1: always
  BranchOptions tree;
  // By turns: what the bounds may do before the last search (Ascent::work), and a tenth of that before the
  // one before. After it they take twice as long as it did, at least, then twice as long again after each
  // further search with a seed of its own. 0: no further searches, and the last bound has no end.
  int64_t turn = 0;
  // Whether further searches go on to the time limit, if there is one, where no bound can.
  bool search_on = false;
};

struct Solution {
  Mapping image;  // over the first graph's nodes, stripped
  Score score{-1, -1};
  std::vector<float> prices;  // of the first proposal or sweeps, over the nodes of the larger graph
  Caps caps;
  int64_t rlt = -1, branch = -1;  // -1: not computed
  std::vector<Record> records;    // their proof, in the order (first graph, second graph); the root first
  int known = -1;                 // what that proof takes for known
  int64_t iterations = 0, nodes = 0;
  int64_t most_nodes = -1;   // no mapping with so many edges has more nodes; -1: not computed
  std::vector<Event> trace;  // improvements of the best, in time order
  bool time_limit = false, interrupted = false;
  double seconds = 0;

  int64_t upper() const {
    int64_t least = caps.upper();
    for (int64_t bound : {rlt, branch})
      if (bound >= 0 && bound < least) least = bound;
    return least;
  }
};

Solution solve(const Graph& a, const Graph& b, const SolveOptions& options, const Deadline& deadline,
               const OnImprove& on_improve = {});

// Counts the mapping once more on the graphs alone, as every solution is before anybody sees it. Throws
// InputError where it is none, and logic_error where it does not count what the search says, or more than a
// bound allows.
void recount(const Graph& a, const Graph& b, const SolveOptions& options, const Solution& found);

}  // namespace enpda
