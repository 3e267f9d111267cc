// The lifted linear programme of a pair, as sparse rows for a solver: one variable per candidate, one per ACG
// edge, all in [0, 1]; maximise the sum of the latter.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pair/pair.hpp"

namespace enpda {

enum class Lifting {
  mccormick,   // the paper's: y <= x_a, y <= x_b, y >= x_a + x_b - 1 for every ACG edge
  aggregated,  // per candidate and incident edge of either side: the y that use it sum to at most x
};

struct Lifted {
  std::vector<Cell> candidates;  // variables 0 .. : candidates with an ACG neighbour
  std::vector<int32_t> ends;     // then one per ACG edge: its two candidates' variables
  std::vector<int32_t> worth;    // and what it adds to the objective
  std::vector<int32_t> start;    // rows, CSR
  std::vector<int32_t> index;
  std::vector<double> value;
  std::vector<double> upper;  // rows are <= upper
};

// Nothing when the deadline struck; throws InputError when the rows have more entries than `most`.
std::optional<Lifted> lift(const Pair& pair, Lifting lifting, size_t most, const Deadline& deadline);

}  // namespace enpda
