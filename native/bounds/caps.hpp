// The cheap upper bounds on the number of preserved edges, exact in integers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/deadline.hpp"
#include "pair/pair.hpp"

namespace enpda {

// min(|Ea|, |Eb|), every edge by the most that the terms may give for it.
int64_t edge_cap(const Graph& a, const Graph& b, const Terms& terms);

// Edges grouped by (edge label, unordered endpoint labels); the smaller count of each group. For edges that
// are worth 1 when their labels are equal.
int64_t histogram_cap(const Graph& a, const Graph& b);

// Twice the incident weights of Eq. 7, so that they are integers: the overlap of incident signatures on
// compatible cells, 0 elsewhere. Empty when the deadline struck.
std::vector<int64_t> doubled_incident_weights(const Pair& pair, const Deadline& deadline);

// The linear assignment relaxation. Incompatible cells weigh nothing, so the problem falls apart into one
// block per node label.
struct AssignmentBound {
  int64_t value = -1;                // its exact maximum, rounded down; -1: the deadline struck first
  std::vector<int64_t> row, column;  // optimal potentials in half edges: row + column >= doubled weight
};

// `doubled` holds doubled_incident_weights.
AssignmentBound assignment_bound(const Pair& pair, std::span<const int64_t> doubled,
                                 const Deadline& deadline);

struct Caps {
  int64_t edge = 0;
  // -1: the deadline struck first, or the pair's terms do not allow it.
  int64_t histogram = -1, assignment = -1, prices = -1;

  // Repaired prices are never below the assignment cap.
  int64_t upper() const {
    int64_t least = edge;
    for (int64_t cap : {histogram, assignment})
      if (cap >= 0 && cap < least) least = cap;
    return least;
  }
};

// The caps that take no time; the others are prices.hpp's.
Caps quick_caps(const Graph& a, const Graph& b, const Terms& terms);

}  // namespace enpda
