// A learned start of the dual ascent: a small equivariant network that reads what one evaluation of shares
// says about every candidate and every ACG edge, and moves the edges' shares. Any shares give a valid bound,
// so nothing has to be believed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/weights.hpp"
#include "rlt/shares.hpp"

namespace enpda {

class ShareNetwork {
 public:
  static constexpr int kWidth = 16;
  static constexpr int kInputs = Reading::kCandidate + 1, kArcInputs = 6;
  // Throws InputError when a tensor is missing, unknown, of another shape or not finite.
  explicit ShareNetwork(const Weights& weights);

  // As many floats as the network is wide, in the parts that a loop takes at a time.
  using Part = float __attribute__((vector_size(32)));
  static constexpr int kParts = kWidth / 8;
  union alignas(64) Vector {
    float at[kWidth] = {};
    Part part[kParts];
  };
  struct Layer {
    Vector own[kWidth], own_bias, other[kWidth], arc[kArcInputs];
    Vector gather[kWidth], heard[kWidth], row[kWidth], column[kWidth], gather_bias;
    Vector update[kWidth], update_bias, scale, shift;
  };
  struct Last {
    Vector own[kWidth], own_bias, other[kWidth], arc[kArcInputs], head;
    Vector score;
    float score_bias = 0;
  };
  Vector embed[kWidth + kInputs], embed_bias;
  std::vector<Layer> layers;
  Last last;
};

// The network at work on the shares of one pair, step after step.
class Sharing {
 public:
  Sharing(const ShareNetwork& net, const Shares& shares);
  // One step on shares that were evaluated and centralised; the caller evaluates again.
  void step(Shares& shares);
  // What the network thinks of each candidate after its last step: the logit of being chosen in the end.
  void scores(std::span<float> out) const;

 private:
  using Vector = ShareNetwork::Vector;
  const ShareNetwork& net_;
  Reading reading_;
  std::vector<Vector> hidden_, inner_, own_, other_, heard_, row_, column_;
  // Inputs of the candidates, the last of them how often each was chosen of late, and which copy of every
  // edge was used of late.
  std::vector<float> inputs_, drift_;
  std::vector<float> weight_, row_weight_, column_weight_, moved_;
};

}  // namespace enpda
