#include "solve/total.hpp"

#include <algorithm>

namespace enpda {
namespace {

constexpr int64_t kScreening = 12;  // iterations between two looks at what was met
constexpr int kSearches = 4;        // looks between two searches, the first one at the first

int total(const Score& score) {
  return score.edges + score.nodes;
}

}  // namespace

RltOptions counting_nodes(RltOptions rlt, int per_edge) {
  rlt.record = false;
  rlt.network.reset();
  rlt.per_edge = per_edge;
  rlt.patience = 150;
  rlt.step = 0.2;
  rlt.fraction = 0.5;
  return rlt;
}

Total bound_total(const Graph& a, const Graph& b, const SolveOptions& options, int wanted,
                  const Deadline& deadline) {
  check_terms(options.terms, a, b);
  check_constraint(options.constraint, a, b);
  Total out;
  const bool forwards = source_first(a, b);
  const Graph &source = forwards ? a : b, &target = forwards ? b : a;
  if (!Pair::worth_beginning(Pair::check_size(source, target, options.full_grid), deadline)) return out;
  const Pair pair(source, target, deadline, forwards ? options.terms : exchanged(options.terms, a, b),
                  forwards ? options.constraint : exchanged(options.constraint), Pair::kMaxStored,
                  options.full_grid);
  if (!pair.complete() || !Shares::fits(pair, deadline)) return out;
  Solution found;
  found.caps = quick_caps(a, b, options.terms);
  auto meet = [&](const Score& score, const Mapping& image) {
    if (total(score) <= std::max(total(found.score), 0)) return;
    found.score = score;
    found.image = forwards ? image : inverse(image, target.size());
  };
  Ascent ascent(pair, counting_nodes(options.rlt, 1), deadline);
  for (int round = 0;; ++round) {
    const auto end = ascent.run(wanted - 1, kScreening);
    if (ascent.upper() >= 0) out.upper = ascent.upper();
    if (ascent.met_size() > total(found.score)) {
      Mapping met = ascent.met();
      const Score score = judge(pair, met);
      meet(score, met);
    }
    if (end != Ascent::End::iterations || total(found.score) >= wanted) break;
    if (round % kSearches != 0) continue;
    const Start start = ascent.leaning();
    const auto most = static_cast<int>(found.caps.upper());
    const auto result =
        search(pair, options.searches.front(), found.caps, most, deadline, {}, &start, wanted - most);
    meet(result.score, result.image);
    if (total(found.score) >= wanted) break;
  }
  if (!found.image.empty()) {
    recount(a, b, options, found);
    out.best = found.score;
  }
  return out;
}

}  // namespace enpda
