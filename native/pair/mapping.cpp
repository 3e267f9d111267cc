#include "pair/mapping.hpp"

#include <string>

#include "base/errors.hpp"

namespace enpda {
namespace {

std::vector<uint8_t> touched_nodes(const Graph& a, std::span<const int32_t> edges) {
  std::vector<uint8_t> touched(a.size(), 0);
  for (int32_t e : edges) touched[a.edges[e].u] = touched[a.edges[e].v] = 1;
  return touched;
}

bool may_meet(const Graph& a, int i, const Graph& b, int j, const Terms& terms) {
  return a.node_labels[a.node_class[i]] == b.node_labels[b.node_class[j]] && terms.allows(i, j);
}

// What a mapping makes of one of a's edges: its worth, or 0.
int32_t worth_of(const Graph& a, const Graph& b, const Terms& terms, const Edge& e,
                 std::span<const int32_t> image) {
  const int j = image[e.u], l = image[e.v];
  if (j < 0 || l < 0 || !may_meet(a, e.u, b, j, terms) || !may_meet(a, e.v, b, l, terms)) return 0;
  const int other = b.edge_class(j, l);
  return other < 0 ? 0 : terms.worth_of(a, e.label, b, other);
}

Score score_of(const Graph& a, const Graph& b, const Terms& terms, std::span<const int32_t> image,
               std::span<const int32_t> edges) {
  Score s;
  for (int32_t e : edges) s.edges += worth_of(a, b, terms, a.edges[e], image);
  for (uint8_t t : touched_nodes(a, edges)) s.nodes += t;
  return s;
}

}  // namespace

std::vector<int32_t> preserved_edges(const Graph& a, const Graph& b, const Terms& terms,
                                     std::span<const int32_t> image) {
  std::vector<int32_t> kept;
  for (size_t e = 0; e < a.edges.size(); ++e)
    if (worth_of(a, b, terms, a.edges[e], image) > 0) kept.push_back(static_cast<int32_t>(e));
  return kept;
}

Score score(const Graph& a, const Graph& b, const Terms& terms, std::span<const int32_t> image) {
  return score_of(a, b, terms, image, preserved_edges(a, b, terms, image));
}

void strip(const Graph& a, const Graph& b, const Terms& terms, Mapping& image) {
  const auto touched = touched_nodes(a, preserved_edges(a, b, terms, image));
  for (int i = 0; i < a.size(); ++i)
    if (!touched[i]) image[i] = -1;
}

Score check(const Graph& a, const Graph& b, const Terms& terms, std::span<const int32_t> image) {
  check_terms(terms, a, b);
  auto reject = [](const std::string& what) { throw InputError("illegal mapping: " + what); };
  auto arrow = [&](int i) { return std::to_string(i) + " -> " + std::to_string(image[i]); };
  if (image.size() != static_cast<size_t>(a.size()))
    reject("it has " + std::to_string(image.size()) + " entries for " + std::to_string(a.size()) + " nodes");
  std::vector<uint8_t> used(b.size(), 0);
  for (int i = 0; i < a.size(); ++i) {
    const int j = image[i];
    if (j == -1) continue;
    if (j < 0 || j >= b.size())
      reject(arrow(i) + " is outside the target's " + std::to_string(b.size()) + " nodes");
    if (used[j]++) reject(arrow(i) + " uses a target node twice");
    if (!may_meet(a, i, b, j, {})) reject(arrow(i) + " joins different labels");
    if (!terms.allows(i, j)) reject(arrow(i) + " is not allowed");
  }
  const auto edges = preserved_edges(a, b, terms, image);
  const auto touched = touched_nodes(a, edges);
  for (int i = 0; i < a.size(); ++i)
    if (image[i] >= 0 && !touched[i]) reject(arrow(i) + " touches no preserved edge");
  return score_of(a, b, terms, image, edges);
}

Mapping inverse(std::span<const int32_t> image, int size) {
  Mapping result(size, -1);
  for (size_t i = 0; i < image.size(); ++i)
    if (image[i] >= 0) result[image[i]] = static_cast<int32_t>(i);
  return result;
}

}  // namespace enpda
