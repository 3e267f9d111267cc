#include "search/operators.hpp"

#include "search/refine.hpp"
#include "search/rings.hpp"

namespace enpda {

OperatorResult run_operator(Operator which, const Graph& a, const Graph& b, const Mapping& start,
                            const SearchOptions& options, const Terms& terms, const Constraint& constraint,
                            const Deadline& deadline) {
  const Pair pair(a, b, deadline, terms, constraint);
  const Start origin = prepare(pair, options.policy, options.parts, false, deadline);
  State state = initial_state(pair, origin, {}, deadline);
  run_rounds(pair, origin, state, options.rounds, deadline);
  const OnImprove nobody;
  Stop stop{deadline, {INT32_MAX, 0}, nobody};
  Incumbent incumbent(stop, 0);
  Random random(options.seed);
  SearchState work(pair);
  OperatorResult result;
  if (which == Operator::proposal) {
    work.assign(decode(options.decoder, pair, state, deadline));
  } else {
    work.assign(start);
  }
  incumbent.offer(work, Operator::proposal);
  result.start = work.score();
  switch (which) {
    case Operator::proposal:
    case Operator::bound:  // a mapping that the dual ascent met: no operator of the search
      break;
    case Operator::construct:
      construct(work, state.soft, Openings(pair, state.soft), {}, random, incumbent);
      break;
    case Operator::refine:
      refine(work, options.passes, incumbent);
      break;
    case Operator::anneal:
      anneal(work, options.anneal, random, incumbent);
      break;
    case Operator::rings:
      lay_rings(work, options.passes, incumbent);
      break;
    case Operator::neighbourhood:
      search_neighbourhood(work, state.soft, options.neighbourhood, random, incumbent);
      break;
  }
  result.end = work.image();
  result.best = incumbent.image();
  result.best_score = incumbent.score();
  return result;
}

int64_t audit_moves(const Graph& a, const Graph& b, int64_t moves, uint64_t seed, const Terms& terms) {
  const Pair pair(a, b, Deadline(), terms);
  SearchState s(pair);
  Random random(seed);
  int64_t wrong = 0;
  if (pair.candidates.empty()) return 0;
  for (int64_t k = 0; k < moves; ++k) {
    const Cell c = pair.candidates[random.below(static_cast<uint32_t>(pair.candidates.size()))];
    const Score before = s.score();
    int expected = 0;
    if (s.chosen(c)) {
      expected = -s.support(c);
      s.remove(c);
    } else {
      const Move move = plan(s, c);
      expected = move.delta;
      apply(s, move);
    }
    const Score counted = score(pair.source, pair.target, pair.terms, s.image());
    bool right = s.score() == counted && counted.edges - before.edges == expected;
    for (int i = 0; i < pair.n && right; ++i)
      right = s.image(i) < 0 || (s.owner(s.image(i)) == i && pair.compatible[s.cell_of_row(i)]);
    const Cell probe = pair.candidates[random.below(static_cast<uint32_t>(pair.candidates.size()))];
    int support = 0;
    for (int i : s.matched()) support += pair.worth(probe, s.cell_of_row(i));
    wrong += !right || support != s.support(probe);
  }
  return wrong;
}

}  // namespace enpda
