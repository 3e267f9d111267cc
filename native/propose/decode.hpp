// From a state to a legal mapping.
#pragma once

#include <span>

#include "base/deadline.hpp"
#include "pair/mapping.hpp"
#include "pair/pair.hpp"
#include "propose/rounds.hpp"

namespace enpda {

enum class Decoder { hungarian, growth };

// A maximum-weight partial assignment of the cells' gains, those of a thin grid label by label.
// What an assignment takes for every cell at least, in seconds: 8 bytes of fresh memory twice, and a pass.
constexpr double kSecondsToAssign = 2.5e-8;

Mapping assign_cells(const Pair& pair, std::span<const double> gain, const Deadline& deadline);

// The paper's projection: one maximum-weight partial assignment of bids against the unmatched logit.
Mapping decode_hungarian(const Pair& pair, const State& state, const Deadline& deadline);

// Extends along preserved edges: always the free candidate with most chosen neighbours, ties by score and
// then by cell; when none is left, opens the next component with the best free ACG edge by the sum of scores.
// With a margin, candidates that score less by more than that than the best of their row or of their column
// wait until no other is left.
Mapping decode_growth(const Pair& pair, std::span<const float> score, const Deadline& deadline,
                      float margin = kNoMargin);

// Either of them, stripped to endpoints of preserved edges.
Mapping decode(Decoder decoder, const Pair& pair, const State& state, const Deadline& deadline);

}  // namespace enpda
