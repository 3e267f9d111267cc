#include "search/neighbourhood.hpp"

#include <algorithm>
#include <cmath>

#include "base/assignment.hpp"

namespace enpda {
namespace {

class Repair {
 public:
  Repair(SearchState& state, std::span<const float> soft) : s_(state), soft_(soft), freed_(state.pair.n, 0) {}

  // Assigns the freed rows, twice: first with hoped-for inner edges, then with those the first answer made
  // real.
  void run(const std::vector<int32_t>& rows, const Deadline& deadline) {
    const Pair& p = s_.pair;
    columns_.clear();
    for (int j = 0; j < p.m; ++j)
      if (s_.owner(j) < 0) columns_.push_back(j);
    for (int i : rows) freed_[i] = 1;
    place(rows, deadline,
          [&](Cell c, size_t) { return s_.support(c) + 0.5 * p.least_worth() * possible_support(c); });
    const Score first = s_.score();
    const Mapping before = s_.image();
    // Support now includes the inner edges of the first answer.
    std::vector<double> linear;
    for (int i : rows)
      for (int j : columns_) linear.push_back(p.matches(i, j) ? s_.support(p.cell(i, j)) : 0);
    lift(rows);
    place(rows, deadline, [&](Cell, size_t k) { return linear[k]; });
    if (s_.score() < first) s_.assign(before);
    for (int i : rows) freed_[i] = 0;
  }

  void lift(const std::vector<int32_t>& rows) {
    for (int i : rows)
      if (const Cell c = s_.cell_of_row(i); c >= 0) s_.remove(c);
  }

 private:
  // The most inner edges c could preserve: distinct freed rows and distinct free columns among its
  // neighbours.
  int possible_support(Cell c) {
    const Pair& p = s_.pair;
    const int i = p.row(c), j = p.column(c);
    int rows = 0;
    near_columns_.clear();
    for (const Arc& x : p.source.arcs(i)) {
      if (!freed_[x.to]) continue;
      const size_t before = near_columns_.size();
      for (const Arc& y : p.target.arcs(j))
        if (s_.owner(y.to) < 0 && p.worth(x, y) > 0 && p.matches(x.to, y.to)) near_columns_.push_back(y.to);
      rows += near_columns_.size() > before;
    }
    std::sort(near_columns_.begin(), near_columns_.end());
    const auto columns = std::unique(near_columns_.begin(), near_columns_.end()) - near_columns_.begin();
    return std::min(rows, static_cast<int>(columns));
  }

  template <class F>
  void place(const std::vector<int32_t>& rows, const Deadline& deadline, F&& weight) {
    const Pair& p = s_.pair;
    weights_.clear();
    for (int i : rows)
      for (int j : columns_) {
        const Cell c = p.cell(i, j);
        // Small and positive even without support: a placed row can be found by later moves.
        weights_.push_back(c >= 0 && p.compatible[c] ? weight(c, weights_.size()) + 0.05 * soft_[c] : -1.0);
      }
    const auto solved = ::enpda::assign<double>(weights_, static_cast<int>(rows.size()),
                                                static_cast<int>(columns_.size()), deadline);
    for (size_t r = 0; r < rows.size(); ++r)
      if (solved.column[r] >= 0) s_.add(p.cell(rows[r], columns_[solved.column[r]]));
  }

  SearchState& s_;
  std::span<const float> soft_;
  std::vector<uint8_t> freed_;
  std::vector<int32_t> columns_, near_columns_;
  std::vector<double> weights_;
};

// Breadth-first from a random row, neighbours in random order, then random rows when the component is too
// small.
void pick_ball(const Graph& g, int size, Random& random, std::vector<int32_t>& rows,
               std::vector<uint8_t>& taken) {
  auto take = [&](int v) {
    taken[v] = 1;
    rows.push_back(v);
  };
  take(static_cast<int>(random.below(static_cast<uint32_t>(g.size()))));
  std::vector<int32_t> near;
  for (size_t head = 0; head < rows.size() && static_cast<int>(rows.size()) < size; ++head) {
    near.clear();
    for (const Arc& x : g.arcs(rows[head]))
      if (!taken[x.to]) near.push_back(x.to);
    for (size_t k = near.size(); k > 0 && static_cast<int>(rows.size()) < size; --k) {
      std::swap(near[k - 1], near[random.below(static_cast<uint32_t>(k))]);
      take(near[k - 1]);
    }
  }
  while (static_cast<int>(rows.size()) < size)
    if (const int v = static_cast<int>(random.below(static_cast<uint32_t>(g.size()))); !taken[v]) take(v);
  for (int v : rows) taken[v] = 0;
}

}  // namespace

void search_neighbourhood(SearchState& s, std::span<const float> soft, const NeighbourhoodOptions& options,
                          Random& random, Incumbent& incumbent) {
  const int n = s.pair.n;
  if (n == 0 || s.pair.candidates.empty()) return;
  Repair repair(s, soft);
  std::vector<int32_t> rows;
  std::vector<uint8_t> taken(n, 0);
  const int low = std::min(options.smallest, n), high = std::max(low, std::min(options.largest, n));
  for (int step = 0; step < options.steps && !incumbent.done(); ++step) {
    const double t =
        s.pair.least_worth() * options.hot *
        std::pow(options.cold / options.hot, static_cast<double>(step) / std::max(options.steps, 1));
    const int size = low + static_cast<int>(random.below(static_cast<uint32_t>(high - low + 1)));
    rows.clear();
    if (random.uniform() < options.ball) {
      pick_ball(s.pair.source, size, random, rows, taken);
    } else {
      while (static_cast<int>(rows.size()) < size)
        if (const int v = static_cast<int>(random.below(static_cast<uint32_t>(n))); !taken[v])
          taken[v] = 1, rows.push_back(v);
      for (int v : rows) taken[v] = 0;
    }
    const Score before = s.score();
    const Mapping kept = s.image();
    repair.lift(rows);
    repair.run(rows, incumbent.deadline());
    const Score after = s.score();
    const double delta = (after.edges - before.edges) + (after.nodes - before.nodes) / (n + 1.0);
    if (delta < 0 && random.uniform() >= std::exp(delta / t)) {
      s.assign(kept);
    } else {
      incumbent.offer(s, Operator::neighbourhood);
    }
  }
}

}  // namespace enpda
