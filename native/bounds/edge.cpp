#include "bounds/edge.hpp"

#include <algorithm>

namespace enpda {

int64_t edge_cap(Evidence& given) {
  const Graph &a = given.a, &b = given.b;
  if (given.terms.worth.empty()) return static_cast<int64_t>(std::min(a.edges.size(), b.edges.size()));
  std::vector<int32_t> most_a(a.edge_labels.size()), most_b(b.edge_labels.size());
  for (size_t x = 0; x < most_a.size(); ++x)
    for (size_t y = 0; y < most_b.size(); ++y) {
      const int32_t w = given.terms.worth_of(a, static_cast<int>(x), b, static_cast<int>(y));
      most_a[x] = std::max(most_a[x], w);
      most_b[y] = std::max(most_b[y], w);
    }
  int64_t left = 0, right = 0;
  for (const Edge& e : a.edges) left += most_a[e.label];
  for (const Edge& e : b.edges) right += most_b[e.label];
  return std::min(left, right);
}

Witness edge_witness(Evidence&) {
  return {};  // the graphs say it all
}

}  // namespace enpda
