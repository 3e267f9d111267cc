#include "pair/whole_rings.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "base/errors.hpp"
#include "pair/pair.hpp"

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

}  // namespace

void WholeRings::check(const Graph& a, const Graph& b) const {
  check_side(a, rings_a, marked_a, "a");
  check_side(b, rings_b, marked_b, "b");
}

void WholeRings::exchange() {
  std::swap(rings_a, rings_b);
  std::swap(marked_a, marked_b);
}

void WholeRings::retain(const Graph& a, const Graph&, const Terms&, std::span<const int32_t> image,
                        std::vector<int32_t>& kept) const {
  std::map<std::pair<int32_t, int32_t>, int32_t> number;  // of preserved edges
  for (int32_t e : kept) number[{a.edges[e].u, a.edges[e].v}] = e;
  std::set<std::vector<std::pair<int32_t, int32_t>>> targets;
  for (const Ring& ring : rings_b) targets.insert(edge_set(ring));
  std::vector<uint8_t> whole(a.edges.size(), 0);
  Ring mapped;
  for (const Ring& ring : rings_a) {
    const auto edges = edge_set(ring);
    if (!std::ranges::all_of(edges, [&](const auto& e) { return number.contains(e); })) continue;
    mapped.clear();
    for (int32_t v : ring) mapped.push_back(image[v]);
    if (!targets.contains(edge_set(mapped))) continue;
    for (const auto& e : edges) whole[number[e]] = 1;
  }
  std::erase_if(kept, [&](int32_t e) { return !whole[e] && !marked_a.empty() && marked_a[e]; });
}

bool WholeRings::prune(const Live& live) const {
  const Pair& pair = live.pair;
  std::unordered_map<uint64_t, int32_t> alive;  // marked edges by their candidates
  for (size_t e = 0; e < live.first.size(); ++e) {
    const Cell c = live.cell[live.first[e]], d = live.cell[live.second[e]];
    if (!live.dead[e] && pair.marked(pair.row(c), pair.row(d)))
      alive[Pair::key(c, d)] = static_cast<int32_t>(e);
  }
  std::vector<uint8_t> closed(live.first.size(), 0);
  std::vector<int32_t> open;
  for (int32_t k : live.open_rings) {
    const auto& cells = pair.alignments[k];
    const size_t size = cells.size();
    bool whole = true;
    for (size_t p = 0; p < size && whole; ++p)
      whole = alive.contains(Pair::key(cells[p], cells[(p + 1) % size]));
    if (!whole) continue;
    open.push_back(k);
    for (size_t p = 0; p < size; ++p) closed[alive[Pair::key(cells[p], cells[(p + 1) % size])]] = 1;
  }
  live.open_rings = std::move(open);
  bool any = false;
  for (const auto& [cells, e] : alive)
    if (!closed[e]) live.dead[e] = any = true;
  return any;
}

void WholeRings::urge(Urgent& lines) const {
  for (const auto& cells : lines.pair.alignments)
    for (Cell c : cells) lines.row[lines.pair.row(c)] = lines.column[lines.pair.column(c)] = 1;
}

bool WholeRings::kept_by(std::span<const int32_t> automorphism, bool of_source) const {
  const auto& rings = of_source ? rings_a : rings_b;
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
