// The linear assignment relaxation: every node earns half of what its labelled edges have in common with its
// partner's. Incompatible cells weigh nothing, so the problem falls apart into one block per node label.
#pragma once

#include "bounds/cap.hpp"

namespace enpda {

struct AssignmentBound {
  int64_t value = -1;                // its exact maximum, rounded down; -1: the deadline struck first
  std::vector<int64_t> row, column;  // optimal potentials in half edges: row + column >= doubled weight
};

AssignmentBound assignment_bound(Evidence& given);

int64_t assignment_cap(Evidence& given);
Witness assignment_witness(Evidence& given);

inline constexpr Cap kAssignmentCap = {"assignment", "potentials",   Cap::Needs::pair,
                                       false,        assignment_cap, assignment_witness};

}  // namespace enpda
