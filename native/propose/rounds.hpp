// The primal-dual state of a pair and its rounds (Eqs. 2-6 of the paper): analytic, or with learned steps.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/deadline.hpp"
#include "pair/pair.hpp"
#include "propose/policy.hpp"

namespace enpda {

constexpr float kNoMargin = std::numeric_limits<float>::infinity();

struct State {
  int n = 0, m = 0;
  std::vector<float> bids;             // Z, per cell
  std::vector<float> soft;             // S, per cell
  std::vector<float> unmatched_logit;  // per row
  std::vector<float> unmatched;        // per row: mass left unmatched
  std::vector<float> prices;           // lambda, per column, in [0, 20]
  std::vector<float> demand;           // q of the last round's start, per column
  bool noisy = false;                  // whether nodes that are alike may differ here
  float margin = kNoMargin;            // of the growth decoder

  // Makes room for so many cells; false when the deadline struck.
  bool allocate(size_t cells, const Deadline& deadline);
};

struct Noise {
  float scale = 0;  // standard deviation factor of the Gumbel noise on the initial bids
  uint64_t seed = 0, stream = 0;
};

// What a pair has before the first round, without noise: computed once, shared by noisy copies.
struct Start {
  std::vector<float> bids;             // per cell
  std::vector<float> unmatched_logit;  // per row
  std::vector<float> prices;           // per column; none: 0
  std::vector<int32_t> image;          // a mapping to begin with; none: bids are decoded
  bool complete = true;                // false when the deadline struck; what is missing then counts as 0
  float margin = kNoMargin;            // of the growth decoder: what bids of this kind are good for
  PolicyParts parts;
  std::shared_ptr<const Policy> policy;  // of the rounds; null when they are analytic
  Grid grid;                             // filled for a policy only
};

// A policy that does not fit a pair, or for which the deadline leaves no time, is left out; without time for
// the bids there are none. `noisy`: whether
// states with noise will start here.
Start prepare(const Pair& pair, const std::shared_ptr<const Policy>& policy, const PolicyParts& parts,
              bool noisy, const Deadline& deadline);

// Sets a state to what it is before the first round.
void begin_state(const Pair& pair, const Start& start, const Noise& noise, const Deadline& deadline,
                 State& state);
State initial_state(const Pair& pair, const Start& start, const Noise& noise, const Deadline& deadline);

// Runs rounds until `rounds` are done or the deadline strikes; returns how many were completed.
int run_rounds(const Pair& pair, const Start& start, State& state, int rounds, const Deadline& deadline);

}  // namespace enpda
