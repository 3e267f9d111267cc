#include "features.hpp"

#include <algorithm>
#include <cmath>

#include "sorted.hpp"

namespace enpda {

namespace {

// Multiset Jaccard: sum of minima over sum of maxima; two empty multisets are alike.
template <class Number>
bool jaccard_plane(const Histogram& a, const Histogram& b, int n, int m, std::span<Number> common,
                   std::span<float> plane, const Deadline& deadline) {
  if (!multiset_overlap(a, b, match_sorted(a.keys, b.keys), m, common, deadline)) return false;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      const size_t c = static_cast<size_t>(i) * m + j;
      const int64_t either = a.total[i] + b.total[j] - static_cast<int64_t>(common[c]);
      plane[c] = either > 0 ? static_cast<float>(common[c]) / static_cast<float>(either) : 1.0f;
    }
  return true;
}

// Sums that a float holds exactly are made in place: on a huge pair fresh memory takes longer than the sums.
bool jaccard_plane(const Histogram& a, const Histogram& b, int n, int m, std::span<float> plane,
                   const Deadline& deadline) {
  auto small = [](const Histogram& h) {
    return std::ranges::all_of(h.total, [](int64_t total) { return total < 1 << 24; });
  };
  if (small(a) || small(b)) return jaccard_plane<float>(a, b, n, m, plane, plane, deadline);
  std::vector<int64_t> common(plane.size());
  return jaccard_plane<int64_t>(a, b, n, m, common, plane, deadline);
}

}  // namespace

bool feature_plane(const Pair& pair, int k, std::span<float> plane, const Deadline& deadline) {
  const int n = pair.n, m = pair.m;
  const Graph &a = pair.source, &b = pair.target;
  if (k == 0) {
    std::copy(pair.compatible.begin(), pair.compatible.end(), plane.begin());
    return true;
  }
  if (k == 1) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j)
        plane[static_cast<size_t>(i) * m + j] =
            1.0f / static_cast<float>(1 + std::abs(a.degree(i) - b.degree(j)));
    return true;
  }
  constexpr Histogram Histograms::* kPlanes[] = {&Histograms::neighbour_labels, &Histograms::incident_labels,
                                                 &Histograms::paths2, &Histograms::paths3};
  const Histograms *left = a.histograms(deadline), *right = b.histograms(deadline);
  if (left == nullptr || right == nullptr) return false;
  return jaccard_plane(left->*kPlanes[k - 2], right->*kPlanes[k - 2], n, m, plane, deadline);
}

}  // namespace enpda
