// The cheap upper bounds on the number of preserved edges, exact in integers.
#pragma once

#include <cstdint>
#include <vector>

#include "../deadline.hpp"
#include "../pair.hpp"

namespace enpda {

// min(|Ea|, |Eb|).
int64_t edge_cap(const Graph& a, const Graph& b);

// Edges grouped by (edge label, unordered endpoint labels); the smaller count of each group.
int64_t histogram_cap(const Graph& a, const Graph& b);

// Twice the incident weights of Eq. 7, so that they are integers: the overlap of incident signatures on
// compatible cells, 0 elsewhere. Empty when the deadline struck.
std::vector<int64_t> doubled_incident_weights(const Pair& pair, const Deadline& deadline);

// The exact maximum of the linear assignment relaxation, rounded down, or -1 when the deadline struck first.
// Incompatible cells weigh nothing, so the problem falls apart into one block per node label.
int64_t assignment_cap(const Pair& pair, const Deadline& deadline);

struct Caps {
  int64_t edge = 0, histogram = 0;
  int64_t assignment = -1;  // -1: the deadline struck first

  int64_t upper() const {
    const int64_t cheap = edge < histogram ? edge : histogram;
    return assignment >= 0 && assignment < cheap ? assignment : cheap;
  }
};

}  // namespace enpda
