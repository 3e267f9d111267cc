// Theorem 3: any prices, scaled and repaired by row maxima, are dual feasible for the assignment relaxation,
// and so bound the size of every mapping.
#pragma once

#include <cstdint>
#include <vector>

#include "bounds/cap.hpp"

namespace enpda {

constexpr int64_t kPriceUnit = 1 << 20;  // potentials are integers in units of 2^-20 edges

struct PriceBound {
  int64_t value = -1;                // whole edges; -1: the deadline struck first
  double scale = 0;                  // alpha
  std::vector<int64_t> row, column;  // feasible potentials: row + column >= weight on every candidate
};

enum class Scales { exact, grid };

// `exact` finds the scale where the convex, piecewise linear U(alpha) is least; `grid` tries the paper's 129
// scales.
PriceBound repaired_prices(Evidence& given, Scales scales);

int64_t price_cap(Evidence& given);

// Never below the assignment cap, which proves what there is to prove.
inline constexpr Cap kPriceCap = {"prices", "", Cap::Needs::prices, false, price_cap, nullptr};

}  // namespace enpda
