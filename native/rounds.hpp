// The primal-dual state of a pair and its analytic rounds (Eqs. 2-6 of the paper).
#pragma once

#include <cstdint>
#include <vector>

#include "deadline.hpp"
#include "pair.hpp"

namespace enpda {

struct State {
  int n = 0, m = 0;
  std::vector<float> bids;             // Z, n * m
  std::vector<float> soft;             // S, n * m
  std::vector<float> unmatched_logit;  // per row
  std::vector<float> unmatched;        // per row: mass left unmatched
  std::vector<float> prices;           // lambda, per column, in [0, 20]
  std::vector<float> demand;           // q of the last round's start, per column
};

struct Noise {
  float scale = 0;  // standard deviation factor of the Gumbel noise on the initial bids
  uint64_t seed = 0, stream = 0;
};

// The scores of a pair before the first round, without noise: computed once, shared by noisy copies. When the
// deadline strikes, `complete` becomes false and the features that are missing count as 0.
std::vector<float> analytic_bids(const Pair& pair, const Deadline& deadline, bool& complete);

State initial_state(const Pair& pair, std::vector<float> bids, const Noise& noise, const Deadline& deadline);

// Runs rounds until `rounds` are done or the deadline strikes; returns how many were completed.
int run_rounds(const Pair& pair, State& state, int rounds, const Deadline& deadline);

}  // namespace enpda
