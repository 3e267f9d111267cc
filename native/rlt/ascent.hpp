// The RLT-1 bound by dual ascent: block-coordinate sweeps and momentum subgradient steps interleaved, with
// reduced-cost fixing on the way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "propose/rounds.hpp"
#include "rlt/network.hpp"
#include "rlt/shares.hpp"

namespace enpda {

// Steps were tuned on molecules that are not test graphs.
struct RltOptions {
  int per_edge = 0;            // points that an edge is worth where a node is worth one; 0: only edges count
  int target = -1;             // stop once the bound is this small, even if it is above the known size
  int64_t patience = 400;      // iterations before the ascent may give up on a plateau; 0: never
  int far = 4;                 // edges left to go that end patience early
  double give_up_ratio = 3.0;  // give up when the way left is so many times what the last half of them gained
  bool collect = false;        // whether a mapping that the ascent meets leaves the known size alone
  bool record = false;         // keep the stages of the proof
  int64_t watch = 24;          // iterations before pieces are looked for; -1: never
  double momentum = 0.97;      // of the subgradient
  double step = 0.06;          // share of the Polyak step
  double aim = 0.4;            // edges above the known size that the Polyak step aims at
  int first_sweeps = 12;       // before the first subgradient step
  int sweep_period = 8;        // afterwards
  double first_fraction = 0.5, fraction = 0.3;  // of the outer slack that a sweep passes on
  std::shared_ptr<const ShareNetwork> network;  // goes on after the first sweeps, if any
  int learned_steps = 8;                        // so many
  bool propose = true;                          // whether searches hear what the network thinks
  // Of the proposal's decoder: on validation pairs 3 keeps half a percent more of the optimum than none, 2
  // and 5 keep less.
  float margin = 3.0f;
  // Every so many of the first sweeps and of the learned steps, and now and then after them, a mapping is
  // grown along the candidates that cost least; 0: never. Then the first sweeps also end, once, before the
  // network is asked: after all of them, or when one gains less than this share of what is left.
  int round = 0;
  double flat = 0.05;
  double worth_fixing = 0.1;  // share of the edges that a deletion must remove
};

// What is counted, in shares: an edge, or a node beside edges.
inline Share worth_of_point(const RltOptions& options) {
  return options.per_edge > 0 ? kUnit / options.per_edge : kUnit;
}

// The ascent on the shares of one pair, in as many runs as the caller likes: what it has learnt stays.
class Ascent {
 public:
  Ascent(const Pair& pair, const RltOptions& options, const Deadline& deadline);
  // From where another ascent stands, after some decisions: its shares and momentum are a good start.
  Ascent(const Ascent& parent, std::span<const Choice> choices, const RltOptions& options);

  // Goes on for so many iterations or so much work, at most, with `known` the size of a mapping that exists
  // (or a size that is of no interest any more): from here on the bound holds for larger mappings only.
  // Returns why it ended.
  enum class End { closed, iterations, flat, hopeless, deadline };
  End run(int known, int64_t iterations, int64_t work = std::numeric_limits<int64_t>::max());

  // No mapping has more than max(known, upper) edges; -1: the deadline struck before the first bound.
  int64_t upper() const { return best_ < 0 ? -1 : std::max<int64_t>(known_, best_ / point()); }
  int known() const { return known_; }
  int64_t bound() const { return best_; }  // of the live part, in units of 2^-16
  int64_t iterations() const { return done_; }
  // Of the first sweeps; what follows on the last one is the network's.
  int64_t sweeps_left() const { return options_.first_sweeps - done_; }
  bool learned() const { return learned_; }
  // The effort of all iterations: about how long they took, but the same on every machine.
  int64_t work() const { return work_; }
  size_t bytes() const { return shares_.bytes(); }
  const std::vector<Cell>& survivors() const { return shares_.survivors(); }
  // Outer slack of each survivor: what choosing it costs.
  std::vector<Share> slacks();
  const std::vector<float>& usage() const { return shares_.usage(); }
  // Before branching: deletes whatever can be deleted, however little, and bounds exactly what needs no
  // choice.
  void settle();
  bool decided() const { return shares_.decided(); }
  // The best mapping met, over the source, and its size.
  const Mapping& met() const { return met_; }
  int met_size() const { return met_size_; }
  // Takes the network's scores and the potentials after its steps out, as bids and prices; nothing when it
  // took none.
  std::optional<Start> proposal() { return std::exchange(proposal_, std::nullopt); }
  // What the relaxation leans to, as bids: which candidates it chose of late, and what the others would cost.
  Start leaning();
  // Takes the proof out, when it is recorded: deletions in order, and the bound among them where it was met.
  std::vector<Stage> stages() { return std::move(stages_); }

 private:
  int64_t point() const { return worth_of_point(options_); }
  int64_t goal() const { return (static_cast<int64_t>(std::max(known_, options_.target)) + 1) * point() - 1; }
  bool closed() const { return best_ >= 0 && best_ <= goal(); }
  bool hopeless();
  bool flat();
  bool learn();
  template <class Bid>
  Start from_bids(Bid&& bid) const;
  Start proposed(const Sharing& sharing) const;
  void round(const Start& start);
  bool iterate();
  bool sweep(double fraction);
  bool remove(double worth);
  bool evaluate();
  int meet(Mapping image);

  double begin_, longest_ = 0;  // when building began; the longest step so far
  const Pair& pair_;
  RltOptions options_;
  const Deadline& deadline_;
  int known_ = -1;
  Shares shares_;
  int64_t bound_ = -1, best_ = -1, gained_ = 0;  // by the last evaluation
  int64_t done_ = 0, work_ = 0, next_look_ = 0, last_look_ = 0;
  int64_t next_round_ =
      16;  // after the first sweeps; from then on whenever the iterations have grown by a third
  bool flat_ = false, learned_ = false;
  int fixed_ = -1;  // the known size when something was deleted last
  std::optional<Start> proposal_;
  Mapping met_;
  int met_size_ = -1;
  std::vector<Stage> stages_;
  int bound_stage_ = -1;  // where the best bound stands among them
};

}  // namespace enpda
