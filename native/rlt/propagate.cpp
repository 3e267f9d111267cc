// What a constraint takes away from shares: whatever no mapping that keeps to it can use.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "rlt/shares.hpp"

namespace enpda {

void Shares::propagate(std::vector<uint8_t>& dead) {
  if (pair_.constraint.none()) return;
  bool more = true;
  while (more) {
    more = pair_.constraint.has_rings() && break_rings(dead);
    more = (pair_.constraint.max_fragments > 0 && cut_off(dead)) || more;
    more = (pair_.constraint.min_fragment > 2 && too_small(dead)) || more;
  }
}

bool Shares::break_rings(std::vector<uint8_t>& dead) {
  std::unordered_map<uint64_t, int32_t> live;  // marked edges by their candidates
  for (size_t e = 0; e < edges(); ++e) {
    const Cell c = cell_[owner_a_[e]], d = cell_[owner_b_[e]];
    if (!dead[e] && pair_.marked(pair_.row(c), pair_.row(d))) live[Pair::key(c, d)] = static_cast<int32_t>(e);
  }
  std::vector<uint8_t> closed(edges(), 0);
  std::vector<int32_t> open;
  for (int32_t k : open_rings_) {
    const auto& cells = pair_.alignments[k];
    const size_t size = cells.size();
    bool whole = true;
    for (size_t p = 0; p < size && whole; ++p)
      whole = live.contains(Pair::key(cells[p], cells[(p + 1) % size]));
    if (!whole) continue;
    open.push_back(k);
    for (size_t p = 0; p < size; ++p) closed[live[Pair::key(cells[p], cells[(p + 1) % size])]] = 1;
  }
  open_rings_ = std::move(open);
  bool any = false;
  for (const auto& [cells, e] : live)
    if (!closed[e]) dead[e] = any = true;
  return any;
}

// Candidates that hang together by live edges, each such part in one list.
std::vector<std::vector<int32_t>> Shares::parts(const std::vector<uint8_t>& dead) const {
  std::vector<std::vector<int32_t>> near(candidates()), result;
  for (size_t e = 0; e < edges(); ++e)
    if (!dead[e]) {
      near[owner_a_[e]].push_back(owner_b_[e]);
      near[owner_b_[e]].push_back(owner_a_[e]);
    }
  std::vector<uint8_t> reached(candidates(), 0);
  for (size_t a = 0; a < candidates(); ++a) {
    if (reached[a] || near[a].empty()) continue;
    reached[a] = 1;
    std::vector<int32_t> part = {static_cast<int32_t>(a)};
    for (size_t head = 0; head < part.size(); ++head)
      for (int32_t b : near[part[head]])
        if (!reached[b]) {
          reached[b] = 1;
          part.push_back(b);
        }
    result.push_back(std::move(part));
  }
  return result;
}

// Deletes the edges of candidates that are not kept; returns whether there were any.
bool Shares::keep(const std::vector<uint8_t>& kept, std::vector<uint8_t>& dead) const {
  bool any = false;
  for (size_t e = 0; e < edges(); ++e)
    if (!dead[e] && !kept[owner_a_[e]]) dead[e] = any = true;
  return any;
}

bool Shares::too_small(std::vector<uint8_t>& dead) const {
  std::vector<uint8_t> kept(candidates(), 0);
  const auto least = static_cast<size_t>(pair_.constraint.min_fragment);
  for (const auto& part : parts(dead)) {
    std::set<int32_t> rows, columns;
    for (int32_t a : part) {
      rows.insert(row_[a]);
      columns.insert(column_[a]);
    }
    if (rows.size() >= least && columns.size() >= least)
      for (int32_t a : part) kept[a] = 1;
  }
  return keep(kept, dead);
}

bool Shares::cut_off(std::vector<uint8_t>& dead) const {
  if (taking_part_.empty()) return false;
  std::vector<uint8_t> kept(candidates(), 0);
  // Parts are fragments at least. When those with somebody who takes part are as many as there may be,
  // nothing else can be used; when they are more, or when somebody is in none of them, nothing can.
  size_t found = 0;
  int occupied = 0;
  const auto all = parts(dead);
  std::vector<uint8_t> takes(all.size(), 0);
  for (size_t k = 0; k < all.size(); ++k) {
    for (int32_t a : all[k])
      if (std::ranges::find(taking_part_, cell_[a]) != taking_part_.end()) ++found, takes[k] = 1;
    occupied += takes[k];
  }
  const int most = pair_.constraint.max_fragments;
  if (found == taking_part_.size() && occupied <= most)
    for (size_t k = 0; k < all.size(); ++k)
      if (takes[k] || occupied < most)
        for (int32_t a : all[k]) kept[a] = 1;
  return keep(kept, dead);
}

}  // namespace enpda
