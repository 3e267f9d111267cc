#include "search/anneal.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace enpda {

void anneal(SearchState& s, const AnnealOptions& options, Random& random, Incumbent& incumbent) {
  const Pair& pair = s.pair;
  if (pair.candidates.empty() || options.steps <= 0) return;
  const auto candidates = static_cast<uint32_t>(pair.candidates.size());
  const int period =
      std::min(128, pair.patience());         // steps between two looks at the clock and the temperature
  const int worst = 16 * pair.least_worth();  // a loss beyond this many edges is never accepted
  std::array<double, 16 * Terms::kMaxWorth + 1> accept{};
  const auto guided = static_cast<uint64_t>(options.guided * 0x10000);
  const double ratio = options.cold / options.hot;
  const Deadline& deadline = incumbent.deadline();
  for (int64_t step = 0; step < options.steps; ++step) {
    if (step % period == 0) {
      if (deadline.expired() || incumbent.proven()) return;
      const double t = pair.least_worth() * options.hot *
                       std::pow(ratio, static_cast<double>(step) / static_cast<double>(options.steps));
      for (int loss = 0; loss <= worst; ++loss) accept[loss] = std::exp(-loss / t);
    }
    const uint64_t draw = random.next();
    Cell c;
    if (!s.matched().empty() && (draw & 0xffff) < guided) {
      const auto matched = static_cast<uint32_t>(s.matched().size());
      const int row = s.matched()[scale(static_cast<uint32_t>(draw >> 32), matched)];
      // A second multiplication spreads the bits that chose the row, so that one draw serves both choices.
      c = pair.random_neighbour(s.cell_of_row(row),
                                static_cast<uint32_t>((draw * 0xd6e8feb86659fd93ULL) >> 32));
      if (c < 0) continue;
    } else {
      c = pair.candidates[scale(static_cast<uint32_t>(draw >> 32), candidates)];
    }
    if (s.chosen(c)) continue;
    const Move move = plan(s, c);
    if (move.delta < 0 && (move.delta < -worst || random.uniform() >= accept[-move.delta])) continue;
    apply(s, move);
    if (s.score().edges >= incumbent.bar()) incumbent.offer(s, Operator::anneal);
  }
}

}  // namespace enpda
