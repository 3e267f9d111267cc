// Every optimum of a pair: one for each class under the automorphisms that branching can see, or one for each
// set of shared edges.
#pragma once

#include <vector>

#include "prove/branching.hpp"

namespace enpda {

struct Optima {
  std::vector<Mapping> images;  // over the source, stripped, all different
  bool complete = false;        // false: the limit or the deadline came first
};

// `size` is the proven optimum. Unless told apart `by_edges`, equivalent mappings may remain among the
// images.
Optima enumerate_optima(const Pair& pair, int size, size_t limit, bool by_edges, const RltOptions& rlt,
                        const Deadline& deadline);

}  // namespace enpda
