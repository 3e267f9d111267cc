#include "rlt/ascent.hpp"

#include <cmath>

#include "propose/decode.hpp"

namespace enpda {

Ascent::Ascent(const Pair& pair, const RltOptions& options, const Deadline& deadline)
    : begin_(deadline.elapsed()),
      pair_(pair),
      options_(options),
      deadline_(deadline),
      shares_(pair, deadline, options.per_edge > 0 ? worth_of_point(options) : 0),
      next_look_(std::min<int64_t>(options.patience, 60)) {
  longest_ = deadline.elapsed() - begin_;
}

Ascent::Ascent(const Ascent& parent, std::span<const Choice> choices, const RltOptions& options)
    : begin_(parent.deadline_.elapsed()),
      pair_(parent.pair_),
      options_(options),
      deadline_(parent.deadline_),
      known_(parent.known_),
      shares_(parent.shares_),
      next_look_(std::min<int64_t>(options.patience, 60)) {
  options_.first_sweeps = 0;
  learned_ = true;
  shares_.decide(choices);
  longest_ = deadline_.elapsed() - begin_;
}

Ascent::End Ascent::run(int known, int64_t iterations, int64_t work) {
  known_ = std::max(known_, known);
  if (!shares_.complete() || (best_ < 0 && !evaluate())) return End::deadline;
  // An iteration's steps are not interrupted half-way, so none is begun that would not end in time; the first
  // takes about as long as building did.
  double before = deadline_.elapsed();
  const int64_t worked = work_;
  for (const int64_t last = done_ + iterations;; ++done_) {
    if (!closed() && flat()) return End::flat;
    if (!closed() && options_.network && !learned_ && done_ >= options_.first_sweeps && !learn())
      return End::deadline;
    if (closed()) return End::closed;
    if (done_ == last || work_ - worked >= work) return End::iterations;
    if (hopeless()) return End::hopeless;
    if (deadline_.expired() || deadline_.remaining() < 3 * longest_) return End::deadline;
    // In most pairs that are open still the bound is tight and the mapping is missing.
    if (options_.round > 0 && done_ >= next_round_) {
      next_round_ = done_ * 4 / 3;
      round(leaning());
      if (closed()) return End::closed;
    }
    // A relaxation that is solved without closing the gap can happen under a constraint only.
    if (!iterate()) return closed() ? End::closed : bound_ < 0 ? End::deadline : End::hopeless;
    const double now = deadline_.elapsed();
    longest_ = std::max(0.9 * longest_, now - before);  // one stall of the machine is forgotten again
    before = now;
  }
}

// Looks after every sweep of the first ones whether they are worth their time, and rounds now and then.
bool Ascent::flat() {
  if (options_.round == 0 || flat_ || done_ == 0) return false;
  flat_ = done_ >= options_.first_sweeps ||
          (done_ >= options_.round &&
           static_cast<double>(gained_) < options_.flat * static_cast<double>(best_ - goal()));
  if (flat_) options_.first_sweeps = static_cast<int>(done_);
  if (flat_ || done_ % options_.round == 0) round(leaning());
  return flat_ && !closed();
}

// The network's steps.
bool Ascent::learn() {
  learned_ = true;
  if (options_.round > 0 && known_ > fixed_ && remove(options_.worth_fixing) && (!evaluate() || closed()))
    return bound_ >= 0;
  Sharing sharing(*options_.network, shares_);
  double before = deadline_.elapsed();
  for (int k = 0; k < options_.learned_steps && !closed(); ++k) {
    if (deadline_.expired() || deadline_.remaining() < 3 * longest_) break;
    shares_.centralise();
    sharing.step(shares_);
    if (!evaluate()) return false;
    const double now = deadline_.elapsed();
    longest_ = std::max(longest_, now - before);
    before = now;
    if (options_.round > 0 && !closed() && (k + 1) % options_.round == 0) round(proposed(sharing));
  }
  if (options_.propose) proposal_ = proposed(sharing);
  return true;
}

// Of the survivors; every other cell has nothing to offer.
template <class Bid>
Start Ascent::from_bids(Bid&& bid) const {
  constexpr float kNever = -20.0f;
  const auto& cells = shares_.survivors();
  Start start;
  start.bids.assign(pair_.cells(), kNever);
  for (size_t k = 0; k < cells.size(); ++k) start.bids[cells[k]] = bid(k);
  start.margin = options_.margin;
  start.unmatched_logit.assign(pair_.n, 0.0f);
  start.prices = shares_.prices();
  return start;
}

Start Ascent::proposed(const Sharing& sharing) const {
  std::vector<float> scores(shares_.candidates());
  sharing.scores(scores);
  return from_bids([&](size_t k) { return scores[k]; });
}

Start Ascent::leaning() {
  constexpr float kSeldom = 0.01f;  // what a candidate that was not chosen of late may still be worth
  const auto slack = slacks();
  return from_bids([&](size_t k) {
    return std::log(shares_.usage()[k] + kSeldom) - static_cast<float>(slack[k]) / kUnit;
  });
}

void Ascent::round(const Start& start) {
  meet(decode_growth(pair_, start.bids, deadline_, start.margin));
}

// Looks whenever the iterations have grown by half. Progress slows down, so a few times what the last third
// of them gained is about what can be hoped for; when that is not enough, pieces may help. A short way may
// lead over a long plateau (long chains do), a long one may not: only then is the ascent given up before its
// patience ends.
bool Ascent::hopeless() {
  if (options_.patience == 0 || done_ < next_look_) return false;
  const int64_t gained = last_look_ - best_, left = best_ - goal();
  const bool early = done_ < options_.patience;
  last_look_ = best_;
  next_look_ = done_ * 3 / 2;
  if (static_cast<double>(left) <= options_.give_up_ratio * static_cast<double>(gained)) return false;
  if (shares_.add_pieces(deadline_) > 0) return false;
  return !early || left > options_.far * kUnit;
}

// One move and the bound after it; false when there is no more to gain or no more time.
bool Ascent::iterate() {
  if (done_ == options_.watch) shares_.watch();
  const bool first = done_ < options_.first_sweeps;
  if (first || done_ % options_.sweep_period == 0)
    return sweep(first ? options_.first_fraction : options_.fraction) && evaluate();
  const double distance =
      static_cast<double>(bound_) - (known_ + options_.aim) * static_cast<double>(point());
  return shares_.descend(options_.momentum, options_.step * distance) && evaluate();
}

// Deletes what it can, then sweeps. Before the last of the first sweeps deleting costs more than it saves:
// many pairs are closed by then.
bool Ascent::sweep(double fraction) {
  if (done_ + 1 < options_.first_sweeps) {
    shares_.centralise();
  } else if (remove(options_.worth_fixing)) {
    if (!evaluate() || closed()) return false;
    shares_.centralise();
  }
  shares_.sweep(fraction, done_ % 2 == 1, deadline_);
  return true;
}

bool Ascent::remove(double worth) {
  Stage stage;
  fixed_ = known_;
  const int64_t central = shares_.centralise();
  if (shares_.fix(central, (known_ + 1) * point(), worth, options_.record ? &stage : nullptr) == 0)
    return false;
  if (options_.record) stages_.push_back(std::move(stage));
  return true;
}

void Ascent::settle() {
  while (!closed() && remove(0.0) && evaluate()) {
  }
  if (!shares_.decided() || upper() <= known_) return;
  if (pair_.constraint.none()) {
    shares_.even();
    evaluate();
  } else {
    // One mapping is left, and what the constraint leaves of it is the bound.
    if (options_.record) stages_.push_back(shares_.stage(shares_.outer().u, shares_.outer().v));
    Mapping image(pair_.n, -1);
    for (Cell c : shares_.survivors()) image[pair_.row(c)] = pair_.column(c);
    best_ = std::min<int64_t>(best_, int64_t{meet(image)} * point());
  }
}

// Takes note of a mapping; returns its size.
int Ascent::meet(Mapping image) {
  const Score score = judge(pair_, image);
  const int size = options_.per_edge > 0 ? score.edges * options_.per_edge + score.nodes : score.edges;
  if (size > met_size_) {
    met_size_ = size;
    met_ = std::move(image);
    if (!options_.collect) known_ = std::max(known_, size);
  }
  return size;
}

std::vector<Share> Ascent::slacks() {
  shares_.centralise();
  return shares_.slacks();
}

// False when the deadline struck before the bound was known.
bool Ascent::evaluate() {
  work_ += shares_.effort();
  bound_ = shares_.evaluate(deadline_);
  if (bound_ < 0) return false;
  if (options_.per_edge > 0 || shares_.preserved() > met_size_) meet(shares_.mapping());
  if (options_.record && (best_ < 0 || bound_ / point() < best_ / point())) {
    if (bound_stage_ >= 0) stages_.erase(stages_.begin() + bound_stage_);
    bound_stage_ = static_cast<int>(stages_.size());
    stages_.push_back(shares_.stage(shares_.outer().u, shares_.outer().v));
  }
  if (best_ < 0) last_look_ = bound_;
  gained_ = best_ - bound_;
  if (best_ < 0 || bound_ < best_) best_ = bound_;
  return true;
}

}  // namespace enpda
