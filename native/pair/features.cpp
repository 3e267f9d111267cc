#include "pair/features.hpp"

#include <algorithm>
#include <cmath>

#include "base/sorted.hpp"
#include "pair/overlap.hpp"

namespace enpda {

namespace {

// Calls f(cell, row, column) for every cell.
template <class F>
void for_each_cell(const Cells& cells, int n, F&& f) {
  for (int i = 0; i < n; ++i) {
    size_t c = static_cast<size_t>(cells.first(i));
    for (int j : cells.columns(i)) f(c++, i, j);
  }
}

// Multiset Jaccard: sum of minima over sum of maxima; two empty multisets are alike.
template <class Number>
bool jaccard_plane(const Histogram& a, const Histogram& b, const Pair& pair, std::span<Number> common,
                   std::span<const int64_t> in_a, std::span<const int64_t> in_b, std::span<float> plane,
                   const Deadline& deadline) {
  if (!multiset_overlap(a, b, match_sorted(a.keys(), b.keys()), pair.grid, common, deadline)) return false;
  for_each_cell(pair.grid, pair.n, [&](size_t c, int i, int j) {
    const int64_t either = in_a[i] + in_b[j] - static_cast<int64_t>(common[c]);
    plane[c] = either > 0 ? static_cast<float>(common[c]) / static_cast<float>(either) : 1.0f;
  });
  return true;
}

// Sums that a float holds exactly are made in place: on a huge pair fresh memory takes longer than the sums.
bool jaccard_plane(const Histogram& a, const Histogram& b, const Pair& pair, std::span<float> plane,
                   const Deadline& deadline) {
  std::vector<int64_t> left, right;
  const auto in_a = a.totals(left), in_b = b.totals(right);
  auto small = [](std::span<const int64_t> totals) {
    return std::ranges::all_of(totals, [](int64_t total) { return total < 1 << 24; });
  };
  if (small(in_a) || small(in_b)) return jaccard_plane<float>(a, b, pair, plane, in_a, in_b, plane, deadline);
  std::vector<int64_t> common(plane.size());
  return jaccard_plane<int64_t>(a, b, pair, common, in_a, in_b, plane, deadline);
}

}  // namespace

bool feature_plane(const Pair& pair, int k, std::span<float> plane, const Deadline& deadline) {
  const Graph &a = pair.source, &b = pair.target;
  if (k == 0) {
    std::copy(pair.compatible.begin(), pair.compatible.end(), plane.begin());
    return true;
  }
  if (k == 1) {
    for_each_cell(pair.grid, pair.n, [&](size_t c, int i, int j) {
      plane[c] = 1.0f / static_cast<float>(1 + std::abs(a.degree(i) - b.degree(j)));
    });
    return true;
  }
  constexpr Histogram Histograms::* kPlanes[] = {&Histograms::neighbour_labels, &Histograms::incident_labels,
                                                 &Histograms::paths2, &Histograms::paths3};
  const Histograms *left = a.histograms(deadline), *right = b.histograms(deadline);
  if (left == nullptr || right == nullptr) return false;
  return jaccard_plane(left->*kPlanes[k - 2], right->*kPlanes[k - 2], pair, plane, deadline);
}

}  // namespace enpda
