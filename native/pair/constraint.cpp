#include "pair/constraint.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "base/errors.hpp"

namespace enpda {
namespace {

// The edges of a ring as sorted pairs of nodes; two rings are the same when these are.
std::vector<std::pair<int32_t, int32_t>> edge_set(std::span<const int32_t> ring) {
  std::vector<std::pair<int32_t, int32_t>> edges;
  for (size_t k = 0; k < ring.size(); ++k) edges.push_back(std::minmax(ring[k], ring[(k + 1) % ring.size()]));
  std::sort(edges.begin(), edges.end());
  return edges;
}

void check_side(const Graph& g, const std::vector<Ring>& rings, const std::vector<uint8_t>& marked,
                const char* side) {
  if (!marked.empty() && marked.size() != g.edges.size())
    throw InputError(std::string("graph ") + side + " has " + std::to_string(g.edges.size()) +
                     " edges, but marks for " + std::to_string(marked.size()));
  for (const Ring& ring : rings) {
    const bool simple = std::set(ring.begin(), ring.end()).size() == ring.size() && ring.size() > 2;
    bool cycle = simple;
    for (size_t k = 0; k < ring.size() && cycle; ++k) {
      const int u = ring[k], v = ring[(k + 1) % ring.size()];
      cycle = u >= 0 && u < g.size() && v >= 0 && v < g.size() && g.edge_class(u, v) >= 0;
    }
    if (!cycle) throw InputError(std::string("a ring of graph ") + side + " is no cycle of it");
  }
}

// Keeps whole rings: of the marked edges only those of a ring whose edges are all preserved, onto a ring.
std::vector<int32_t> whole_rings(const Graph& a, const Constraint& constraint, std::span<const int32_t> image,
                                 const std::vector<int32_t>& kept) {
  std::map<std::pair<int32_t, int32_t>, int32_t> number;  // of preserved edges
  for (int32_t e : kept) number[{a.edges[e].u, a.edges[e].v}] = e;
  std::set<std::vector<std::pair<int32_t, int32_t>>> targets;
  for (const Ring& ring : constraint.rings_b) targets.insert(edge_set(ring));
  std::vector<uint8_t> whole(a.edges.size(), 0);
  Ring mapped;
  for (const Ring& ring : constraint.rings_a) {
    const auto edges = edge_set(ring);
    if (!std::ranges::all_of(edges, [&](const auto& e) { return number.contains(e); })) continue;
    mapped.clear();
    for (int32_t v : ring) mapped.push_back(image[v]);
    if (!targets.contains(edge_set(mapped))) continue;
    for (const auto& e : edges) whole[number[e]] = 1;
  }
  std::vector<int32_t> result;
  for (int32_t e : kept)
    if (whole[e] || constraint.marked_a.empty() || !constraint.marked_a[e]) result.push_back(e);
  return result;
}

}  // namespace

void check_constraint(const Constraint& constraint, const Graph& a, const Graph& b) {
  check_side(a, constraint.rings_a, constraint.marked_a, "a");
  check_side(b, constraint.rings_b, constraint.marked_b, "b");
}

Constraint exchanged(const Constraint& constraint) {
  Constraint result = constraint;
  std::swap(result.rings_a, result.rings_b);
  std::swap(result.marked_a, result.marked_b);
  return result;
}

std::vector<int32_t> retained_edges(const Graph& a, const Graph& b, const Terms& terms,
                                    const Constraint& constraint, std::span<const int32_t> image) {
  auto kept = preserved_edges(a, b, terms, image);
  if (constraint.has_rings()) kept = whole_rings(a, constraint, image, kept);
  if (!constraint.has_fragments()) return kept;
  // Fragments by union and find over the nodes.
  std::vector<int32_t> parent(a.size());
  std::iota(parent.begin(), parent.end(), 0);
  auto root = [&](int32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (int32_t e : kept) parent[root(a.edges[e].u)] = root(a.edges[e].v);
  std::map<int32_t, Score> fragments;
  std::vector<uint8_t> seen(a.size(), 0);
  for (int32_t e : kept) {
    Score& s = fragments[root(a.edges[e].u)];
    const auto& [u, v, label] = a.edges[e];
    s.edges += terms.worth_of(a, label, b, b.edge_class(image[u], image[v]));
    for (int32_t x : {u, v}) {
      s.nodes += !seen[x];
      seen[x] = 1;
    }
  }
  std::vector<std::pair<Score, int32_t>> order;
  for (const auto& [at, s] : fragments)
    if (s.nodes >= constraint.min_fragment) order.emplace_back(s, at);
  std::sort(order.begin(), order.end(), std::greater<>());
  if (constraint.max_fragments > 0 && order.size() > static_cast<size_t>(constraint.max_fragments))
    order.resize(constraint.max_fragments);
  std::set<int32_t> chosen;
  for (const auto& [s, at] : order) chosen.insert(at);
  std::erase_if(kept, [&](int32_t e) { return !chosen.contains(root(a.edges[e].u)); });
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

bool keeps_rings(const std::vector<Ring>& rings, std::span<const int32_t> automorphism) {
  std::set<std::vector<std::pair<int32_t, int32_t>>> all;
  for (const Ring& ring : rings) all.insert(edge_set(ring));
  Ring mapped;
  return std::ranges::all_of(rings, [&](const Ring& ring) {
    mapped.clear();
    for (int32_t v : ring) mapped.push_back(automorphism[v]);
    return all.contains(edge_set(mapped));
  });
}

}  // namespace enpda
