#include "search/construct.hpp"

#include <algorithm>

namespace enpda {

Openings::Openings(const Pair& pair, std::span<const float> score) {
  // Beyond this many edges a random sample serves as well as all, and sorting it stays within milliseconds.
  constexpr size_t kMost = 20'000;
  if (pair.stores_lists() && pair.neighbour_count() / 2 <= kMost) {
    for (Cell c : pair.candidates)
      pair.for_each_neighbour(c, [&](Cell d) {
        if (c < d) edges_.emplace_back(c, d);
      });
  } else if (!pair.candidates.empty()) {
    Random random(0x0b5e55);
    for (size_t k = 0; k < kMost; ++k) {
      const Cell c = pair.candidates[random.below(static_cast<uint32_t>(pair.candidates.size()))];
      if (const Cell d = pair.random_neighbour(c, random.bits()); d >= 0)
        edges_.emplace_back(std::minmax(c, d));
    }
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  }
  std::stable_sort(edges_.begin(), edges_.end(), [&](const auto& x, const auto& y) {
    return score[x.first] + score[x.second] > score[y.first] + score[y.second];
  });
}

void construct(SearchState& s, std::span<const float> score, const Openings& openings,
               const ConstructOptions& options, Random& random, Incumbent& incumbent) {
  const auto edges = openings.edges();
  if (edges.empty()) return;
  std::vector<Cell> frontier, best;
  auto watch_neighbours = [&](Cell c) {
    // A neighbour enters when its first supporter is chosen; stale entries leave when they are met.
    s.pair.for_each_worth(c, [&](Cell d, int w) {
      if (s.support(d) == w && s.is_free(d)) frontier.push_back(d);
    });
  };
  auto choose = [&](Cell c) {
    s.add(c);
    watch_neighbours(c);
  };
  auto better = [&](Cell x, Cell y) {
    if (s.support(x) != s.support(y)) return s.support(x) > s.support(y);
    return score[x] != score[y] ? score[x] > score[y] : x > y;
  };
  auto open = [&](const std::pair<Cell, Cell>& e) {
    choose(e.first);
    choose(e.second);
  };
  if (s.matched().empty()) {
    const size_t width = random.uniform() < options.best_seed
                             ? std::min(edges.size(), static_cast<size_t>(options.seed_width))
                             : edges.size();
    open(edges[random.below(static_cast<uint32_t>(width))]);
  } else {
    for (Cell c : s.pair.candidates)
      if (s.support(c) > 0 && s.is_free(c)) frontier.push_back(c);
  }
  size_t scanned = 0;  // edges before this one have lost a free end, and do not get it back
  while (!incumbent.deadline().expired()) {  // one step scans the whole frontier
    best.clear();
    size_t kept = 0;
    for (Cell c : frontier) {
      if (!s.is_free(c)) continue;
      frontier[kept++] = c;
      if (!best.empty() && s.support(c) < s.support(best.front())) continue;
      if (!best.empty() && s.support(c) > s.support(best.front())) best.clear();
      const auto at = std::lower_bound(best.begin(), best.end(), c, better);
      if (at != best.end() || best.size() < static_cast<size_t>(options.extend_width)) {
        best.insert(at, c);
        if (best.size() > static_cast<size_t>(options.extend_width)) best.pop_back();
      }
    }
    frontier.resize(kept);
    if (!best.empty()) {
      choose(best[random.below(static_cast<uint32_t>(best.size()))]);
      continue;
    }
    auto usable = [&](const std::pair<Cell, Cell>& e) { return s.is_free(e.first) && s.is_free(e.second); };
    while (scanned < edges.size() && !usable(edges[scanned])) ++scanned;
    std::vector<size_t> choices;
    for (size_t k = scanned; k < edges.size() && choices.size() < static_cast<size_t>(options.open_width);
         ++k)
      if (usable(edges[k])) choices.push_back(k);
    if (choices.empty()) break;
    open(edges[choices[random.below(static_cast<uint32_t>(choices.size()))]]);
  }
  incumbent.offer(s, Operator::construct);
}

}  // namespace enpda
