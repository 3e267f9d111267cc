// Each operator alone, from any partial mapping; and an audit of the moves they are made of.
#pragma once

#include "search/portfolio.hpp"

namespace enpda {

struct OperatorResult {
  Mapping end;   // where the operator left the state
  Mapping best;  // the best mapping it met, the start included
  Score start, best_score;
};

// Runs one operator with the pair's analytic four-round state as its scores; a is the source whatever the
// sizes.
OperatorResult run_operator(Operator which, const Graph& a, const Graph& b, const Mapping& start,
                            const SearchOptions& options, const Terms& terms, const Constraint& constraint,
                            const Deadline& deadline);

// Walks by random moves and compares every predicted change, and every support, with a count from scratch.
// Returns how many moves disagreed.
int64_t audit_moves(const Graph& a, const Graph& b, int64_t moves, uint64_t seed, const Terms& terms);

}  // namespace enpda
