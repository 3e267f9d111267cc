// Edges grouped by (edge label, unordered endpoint labels); the smaller count of each group. For edges that
// are worth 1 when their labels are equal.
#pragma once

#include "bounds/cap.hpp"

namespace enpda {

int64_t histogram_cap(Evidence& given);
// Rows of edge label, lower and higher end label, count in a, count in b; ascending.
Witness histogram_witness(Evidence& given);

inline constexpr Cap kHistogramCap = {"histogram", "histogram",   Cap::Needs::graphs,
                                      false,       histogram_cap, histogram_witness};

}  // namespace enpda
