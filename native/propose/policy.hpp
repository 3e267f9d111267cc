// The learned policy: what it adds to the initial bids of a pair, and how it corrects the steps of a round.
#pragma once

#include <cstdint>
#include <vector>

#include "base/weights.hpp"
#include "propose/encoder.hpp"

namespace enpda {

// A linear head on a cell's context: its own vector and the means over its row, its column and all cells. The
// scale and shift of the encoder's last layer are folded into it.
struct Head {
  Hidden own, row, column, grand;
  float bias = 0;
};

// The weights, packed for the kernels: immutable, shared by threads.
struct Policy {
  // Throws InputError when a tensor is missing, unknown, of another shape or not finite.
  explicit Policy(const Weights& weights);
  // Whether it takes less than 1 GB on a pair, in every thread. Beyond, rounds are analytic.
  static bool fits(const Pair& pair);

  Encoder initial, dynamic;
  Head initial_bid, initial_unmatched;
  Head correction, bid_step, price_step, unmatched;
};

// What of the rounds is learned, when there is a policy.
struct PolicyParts {
  bool initializer = true, dynamics = true;
  bool prices = true;  // whether columns have prices, with or without a policy; otherwise they stay 0
};

// What a head says of a cell: own + row + column.
struct Scores {
  std::vector<float> row, column;
  const std::vector<float>* own = nullptr;
};

// Adds the initial heads to the bids of all cells and to the logits of all rows. When the deadline strikes,
// false, and nothing is added.
bool add_initial(const Policy& policy, const Pair& pair, const Grid& grid, std::vector<float>& bids,
                 std::vector<float>& unmatched_logit, const Deadline& deadline);

// The dynamic heads, round after round.
class Advice {
 public:
  Advice(const Policy& policy, const Pair& pair, const Grid& grid, bool merged);
  // False when the deadline struck.
  bool update(const Inputs& inputs, const Deadline& deadline);

  Scores correction, bid_step;
  std::vector<float> price_step, unmatched;  // per column; per row

 private:
  const Policy& policy_;
  Encoding encoding_;
};

}  // namespace enpda
