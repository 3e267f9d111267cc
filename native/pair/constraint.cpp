#include "pair/constraint.hpp"

namespace enpda {

void check_constraint(const Constraint& constraint, const Graph& a, const Graph& b) {
  constraint.each([&](const auto& kind) { kind.check(a, b); });
}

Constraint exchanged(const Constraint& constraint) {
  Constraint result = constraint;
  result.rings.exchange();
  result.fragments.exchange();
  return result;
}

std::vector<int32_t> retained_edges(const Graph& a, const Graph& b, const Terms& terms,
                                    const Constraint& constraint, std::span<const int32_t> image) {
  auto kept = preserved_edges(a, b, terms, image);
  constraint.each([&](const auto& kind) { kind.retain(a, b, terms, image, kept); });
  return kept;
}

Score retain(const Graph& a, const Graph& b, const Terms& terms, const Constraint& constraint,
             Mapping& image) {
  const auto kept = retained_edges(a, b, terms, constraint, image);
  Score s;
  std::vector<uint8_t> touched(a.size(), 0);
  for (int32_t e : kept) {
    const auto& [u, v, label] = a.edges[e];
    s.edges += terms.worth_of(a, label, b, b.edge_class(image[u], image[v]));
    for (int32_t x : {u, v}) {
      s.nodes += !touched[x];
      touched[x] = 1;
    }
  }
  for (int i = 0; i < a.size(); ++i)
    if (!touched[i]) image[i] = -1;
  return s;
}

void prune(const Constraint& constraint, const Live& live) {
  for (bool more = true; more;) {
    more = false;
    constraint.each([&](const auto& kind) { more = kind.prune(live) || more; });
  }
}

bool keeps(const Constraint& constraint, std::span<const int32_t> automorphism, bool of_source) {
  bool all = true;
  constraint.each([&](const auto& kind) { all = all && kind.kept_by(automorphism, of_source); });
  return all;
}

}  // namespace enpda
