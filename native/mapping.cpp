#include "mapping.hpp"

#include <string>

#include "errors.hpp"

namespace enpda {
namespace {

std::vector<uint8_t> touched_nodes(const Graph& a, std::span<const int32_t> edges) {
  std::vector<uint8_t> touched(a.size(), 0);
  for (int32_t e : edges) touched[a.edges[e].u] = touched[a.edges[e].v] = 1;
  return touched;
}

Score score_of(const Graph& a, std::span<const int32_t> edges) {
  Score s{static_cast<int32_t>(edges.size()), 0};
  for (uint8_t t : touched_nodes(a, edges)) s.nodes += t;
  return s;
}

bool same_label(const Graph& a, int i, const Graph& b, int j) {
  return a.node_labels[a.node_class[i]] == b.node_labels[b.node_class[j]];
}

}  // namespace

std::vector<int32_t> preserved_edges(const Graph& a, const Graph& b, std::span<const int32_t> image) {
  std::vector<int32_t> kept;
  for (size_t e = 0; e < a.edges.size(); ++e) {
    const auto [u, v, label] = a.edges[e];
    const int j = image[u], l = image[v];
    if (j < 0 || l < 0 || !same_label(a, u, b, j) || !same_label(a, v, b, l)) continue;
    const int other = b.edge_class(j, l);
    if (other >= 0 && b.edge_labels[other] == a.edge_labels[label]) kept.push_back(static_cast<int32_t>(e));
  }
  return kept;
}

Score score(const Graph& a, const Graph& b, std::span<const int32_t> image) {
  return score_of(a, preserved_edges(a, b, image));
}

void strip(const Graph& a, const Graph& b, Mapping& image) {
  const auto touched = touched_nodes(a, preserved_edges(a, b, image));
  for (int i = 0; i < a.size(); ++i)
    if (!touched[i]) image[i] = -1;
}

Score check(const Graph& a, const Graph& b, std::span<const int32_t> image) {
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
    if (!same_label(a, i, b, j)) reject(arrow(i) + " joins different labels");
  }
  const auto edges = preserved_edges(a, b, image);
  const auto touched = touched_nodes(a, edges);
  for (int i = 0; i < a.size(); ++i)
    if (image[i] >= 0 && !touched[i]) reject(arrow(i) + " touches no preserved edge");
  return score_of(a, edges);
}

Mapping inverse(std::span<const int32_t> image, int size) {
  Mapping result(size, -1);
  for (size_t i = 0; i < image.size(); ++i)
    if (image[i] >= 0) result[image[i]] = static_cast<int32_t>(i);
  return result;
}

}  // namespace enpda
