// Theorem 3: any prices, scaled and repaired by row maxima, are dual feasible for the assignment relaxation,
// and so bound the size of every mapping.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/deadline.hpp"
#include "bounds/caps.hpp"
#include "pair/pair.hpp"

namespace enpda {

constexpr int64_t kPriceUnit = 1 << 20;  // potentials are integers in units of 2^-20 edges

struct PriceBound {
  int64_t value = -1;                // whole edges; -1: the deadline struck first
  double scale = 0;                  // alpha
  std::vector<int64_t> row, column;  // feasible potentials: row + column >= weight on every candidate
};

enum class Scales { exact, grid };

// `doubled` holds doubled_incident_weights, `prices` one non-negative number per target node. `exact` finds
// the scale where the convex, piecewise linear U(alpha) is least; `grid` tries the paper's 129 scales.
PriceBound repaired_prices(const Pair& pair, std::span<const int64_t> doubled, std::span<const float> prices,
                           Scales scales, const Deadline& deadline);

// The two caps that take an assignment's time: its own value, and that of the repaired prices.
void add_caps(const Pair& pair, std::span<const float> prices, Caps& caps, const Deadline& deadline);

}  // namespace enpda
