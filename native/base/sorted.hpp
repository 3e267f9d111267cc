// Joining two sorted lists of distinct elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace enpda {

// For each element of the sorted list `a` its index in the sorted list `b`, or -1.
template <class List>
std::vector<int32_t> match_sorted(const List& a, const List& b) {
  std::vector<int32_t> match(a.size(), -1);
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] < b[j]) {
      ++i;
    } else if (b[j] < a[i]) {
      ++j;
    } else {
      match[i++] = static_cast<int32_t>(j++);
    }
  }
  return match;
}

}  // namespace enpda
