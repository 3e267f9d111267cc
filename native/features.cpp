#include "features.hpp"

#include <algorithm>
#include <cmath>

#include "sorted.hpp"

namespace enpda {

namespace {

// Multiset Jaccard: sum of minima over sum of maxima; two empty multisets are alike.
bool jaccard_plane(const Histogram& a, const Histogram& b, int n, int m, std::span<float> plane,
                   const Deadline& deadline) {
  // In place: fresh memory for every plane of a huge pair would take longer than the sums.
  if (!multiset_overlap(a, b, match_sorted(a.keys, b.keys), m, plane, deadline)) return false;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      const size_t c = static_cast<size_t>(i) * m + j;
      const float either = static_cast<float>(a.total[i] + b.total[j]) - plane[c];
      plane[c] = either > 0 ? plane[c] / either : 1.0f;
    }
  return true;
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
