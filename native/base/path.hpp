// One shortest augmenting path: the step that every assignment of the core is made of, exact with integers.
//
// Invariants of a maximum-weight partial assignment between two paths: potentials are non-negative and cover
// every weight (own + other >= weight), matched cells are tight. It is optimal once every unmatched line has
// potential 0; a path mends one that has not, and breaks no other.
//
// native/gpu has its own: there a whole warp looks at a row at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace enpda {

// One side's view of a dense block of weights, so that rows and columns share their algorithms. Lines are
// counted from the block's first ones, but matches name them as the whole does; -1: unmatched.
template <class T>
struct Side {
  int own, other;
  int own_first = 0, other_first = 0;
  size_t own_stride, other_stride;
  const T* weight;
  T *own_potential, *other_potential;
  int32_t *own_match, *other_match;

  Side turned() const {
    return {.own = other,
            .other = own,
            .own_first = other_first,
            .other_first = own_first,
            .own_stride = other_stride,
            .other_stride = own_stride,
            .weight = weight,
            .own_potential = other_potential,
            .other_potential = own_potential,
            .own_match = other_match,
            .other_match = own_match};
  }
};

// Searches paths; its memory is kept from one to the next.
template <class T>
class Paths {
 public:
  static constexpr T kFar = std::numeric_limits<T>::max();
  static constexpr bool kExact = std::is_integral_v<T>;

  // For blocks of so many rows or columns at most.
  void reserve(size_t lines) {
    for (auto* list : {&distance_, &key_, &reached_}) list->resize(std::max(list->size(), lines));
    for (auto* list : {&parent_, &scanned_own_, &scanned_other_}) list->resize(distance_.size());
  }

  // Augments from an unmatched line with a positive potential: to an unmatched line of the other side, or to
  // a line of its own side that goes unmatched because its potential falls to 0. Among equals, ends of the
  // path come first, then the order of lines.
  void augment(const Side<T>& s, int start) {
    if (s.other_stride == 1)
      augment(s, start, std::integral_constant<size_t, 1>());
    else
      augment(s, start, s.other_stride);
  }

 private:
  template <class Stride>
  void augment(const Side<T>& s, int start, Stride stride) {
    T* __restrict const own = s.own_potential;
    T* __restrict const other = s.other_potential;
    T* __restrict const distance = distance_.data();
    T* __restrict const key = key_.data();  // 0, or kFar once scanned
    int32_t* __restrict const parent = parent_.data();
    const int count = s.other;
    std::fill_n(distance, count, kFar);
    std::fill_n(key, count, T{});
    size_t owns = 0, others = 0;
    int line = start, end_other = -1, end_own = start;
    T depth{}, dummy = kFar;
    for (;;) {
      scanned_own_[owns++] = line;
      reached_[line] = depth;
      const T base = depth + own[line];
      if (base < dummy) {
        dummy = base;
        end_own = line;
      }
      const T* __restrict const w = s.weight + line * s.own_stride;
      T nearest = kFar;
      for (int k = 0; k < count; ++k) {
        const T through = base + other[k] - w[k * stride];
        // Nothing is closer to a scanned line than the path that reached it; but rounded it may look so, and
        // a parent that changes then can close a cycle.
        const bool closer = through < distance[k] && (kExact || key[k] == T{});
        distance[k] = closer ? through : distance[k];
        parent[k] = closer ? line : parent[k];
        nearest = std::min(nearest, std::max(distance[k], key[k]));
      }
      if (dummy <= nearest) break;  // to stay unmatched is as good
      depth = nearest;
      int at = -1;
      for (int k = 0; k < count; ++k) {
        if (std::max(distance[k], key[k]) != nearest) continue;
        const bool free = s.other_match[k] < 0;
        if (free || at < 0) at = k;
        if (free) break;
      }
      if (s.other_match[at] < 0) {
        end_other = at;
        break;
      }
      scanned_other_[others++] = at;
      key[at] = kFar;
      line = s.other_match[at] - s.own_first;
    }
    const T length = end_other >= 0 ? depth : dummy;
    for (size_t k = 0; k < owns; ++k) own[scanned_own_[k]] -= length - reached_[scanned_own_[k]];
    for (size_t k = 0; k < others; ++k) other[scanned_other_[k]] += length - distance[scanned_other_[k]];
    int at = end_other;
    if (at < 0) {
      own[end_own] = T{};  // with floating point, too
      if (end_own == start) return;
      at = s.own_match[end_own] - s.other_first;
      s.own_match[end_own] = -1;
    }
    for (;;) {
      const int from = parent[at], previous = s.own_match[from] - s.other_first;
      s.own_match[from] = at + s.other_first;
      s.other_match[at] = from + s.own_first;
      if (from == start) return;
      at = previous;
    }
  }

  std::vector<T> distance_, key_, reached_;
  std::vector<int32_t> parent_, scanned_own_, scanned_other_;
};

}  // namespace enpda
