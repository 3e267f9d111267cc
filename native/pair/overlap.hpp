// How much the multisets of two graphs' nodes have in common, cell by cell.
#pragma once

#include <cstdint>
#include <span>

#include "base/deadline.hpp"
#include "graph/histograms.hpp"
#include "pair/cells.hpp"

namespace enpda {

// Per cell (i, j) the sum over shared keys of min(count in i, count in j). `match[k]` is the key of `b` that
// equals key k of `a`, or -1. False when the deadline struck. In int64_t or, exact up to 2^24, in float.
template <class Number>
bool multiset_overlap(const Histogram& a, const Histogram& b, std::span<const int32_t> match,
                      const Cells& cells, std::span<Number> common, const Deadline& deadline);

}  // namespace enpda
