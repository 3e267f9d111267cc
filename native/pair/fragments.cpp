#include "pair/fragments.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "pair/pair.hpp"

namespace enpda {

void Fragments::retain(const Graph& a, const Graph& b, const Terms& terms, std::span<const int32_t> image,
                       std::vector<int32_t>& kept) const {
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
    if (s.nodes >= least) order.emplace_back(s, at);
  std::sort(order.begin(), order.end(), std::greater<>());
  if (most > 0 && order.size() > static_cast<size_t>(most)) order.resize(most);
  std::set<int32_t> chosen;
  for (const auto& [s, at] : order) chosen.insert(at);
  std::erase_if(kept, [&](int32_t e) { return !chosen.contains(root(a.edges[e].u)); });
}

bool Fragments::prune(const Live& live) const {
  const bool cut = most > 0 && cut_off(live);
  return (least > 2 && too_small(live)) || cut;
}

bool Fragments::too_small(const Live& live) const {
  std::vector<uint8_t> kept(live.cell.size(), 0);
  const auto enough = static_cast<size_t>(least);
  for (const auto& part : live.parts()) {
    std::set<int32_t> rows, columns;
    for (int32_t a : part) {
      rows.insert(live.pair.row(live.cell[a]));
      columns.insert(live.pair.column(live.cell[a]));
    }
    if (rows.size() >= enough && columns.size() >= enough)
      for (int32_t a : part) kept[a] = 1;
  }
  return live.keep(kept);
}

bool Fragments::cut_off(const Live& live) const {
  if (live.taking_part.empty()) return false;
  std::vector<uint8_t> kept(live.cell.size(), 0);
  // Parts are fragments at least. When those with somebody who takes part are as many as there may be,
  // nothing else can be used; when they are more, or when somebody is in none of them, nothing can.
  size_t found = 0;
  int occupied = 0;
  const auto all = live.parts();
  std::vector<uint8_t> takes(all.size(), 0);
  for (size_t k = 0; k < all.size(); ++k) {
    for (int32_t a : all[k])
      if (std::ranges::find(live.taking_part, live.cell[a]) != live.taking_part.end()) ++found, takes[k] = 1;
    occupied += takes[k];
  }
  if (found == live.taking_part.size() && occupied <= most)
    for (size_t k = 0; k < all.size(); ++k)
      if (takes[k] || occupied < most)
        for (int32_t a : all[k]) kept[a] = 1;
  return live.keep(kept);
}

void Fragments::urge(Urgent& lines) const {
  if (most != 1) return;
  const Graph &source = lines.pair.source, &target = lines.pair.target;
  for (int i = 0; i < source.size(); ++i)
    if (lines.decided_row[i] > 0)
      for (const Arc& x : source.arcs(i)) lines.row[x.to] = 1;
  for (int j = 0; j < target.size(); ++j)
    if (lines.decided_column[j] > 0)
      for (const Arc& y : target.arcs(j)) lines.column[y.to] = 1;
}

}  // namespace enpda
