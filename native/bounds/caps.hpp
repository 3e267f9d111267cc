// All caps of a pair. A new one is a file of its own and a line here.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "bounds/assignment.hpp"
#include "bounds/cap.hpp"
#include "bounds/edge.hpp"
#include "bounds/histogram.hpp"
#include "bounds/prices.hpp"

namespace enpda {

// In the order in which they are computed and shown.
inline constexpr std::array kCaps = {kEdgeCap, kHistogramCap, kAssignmentCap, kPriceCap};

class Caps {
 public:
  Caps() { value_.fill(-1); }

  const std::array<int64_t, kCaps.size()>& values() const { return value_; }  // -1: not computed
  // The least of those that prove something.
  int64_t upper() const { return upper_; }
  // Computes what is missing and can be had: by the terms, by what the evidence holds, and in the time left.
  void add(Evidence& given);
  // There is a relaxation that none of them betters: what is missing stays so.
  void close() { closed_ = true; }

 private:
  std::array<int64_t, kCaps.size()> value_;
  int64_t upper_ = INT32_MAX;
  bool closed_ = false;
};

// The caps that take no time.
Caps quick_caps(const Graph& a, const Graph& b, const Terms& terms);

}  // namespace enpda
