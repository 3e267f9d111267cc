// Every optimum of a pair, one for each class under the automorphisms that branching can see.
#pragma once

#include <optional>
#include <vector>

#include "branching.hpp"

namespace enpda {

struct Optima {
  std::vector<Mapping> images;  // over the source, stripped, all different
  bool complete = false;        // false: the limit or the deadline came first
};

// `size` is the proven optimum. Equivalent mappings may remain among the images. With `beyond`, only mappings
// with more nodes than that count, each found one raising it: if that is complete, nothing has more nodes.
Optima enumerate_optima(const Pair& pair, int size, size_t limit, const RltOptions& rlt,
                        const Deadline& deadline, std::optional<int> beyond = std::nullopt);

}  // namespace enpda
