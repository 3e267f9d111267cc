// min(|Ea|, |Eb|), every edge by the most that the terms may give for it.
#pragma once

#include "bounds/cap.hpp"

namespace enpda {

int64_t edge_cap(Evidence& given);
Witness edge_witness(Evidence& given);

inline constexpr Cap kEdgeCap = {"edge", "edge", Cap::Needs::graphs, true, edge_cap, edge_witness};

}  // namespace enpda
