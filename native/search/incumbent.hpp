// A stream's best mapping, when and by whom it was found, and the reasons to stop looking.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "base/deadline.hpp"
#include "pair/mapping.hpp"
#include "search/state.hpp"

namespace enpda {

enum class Operator : int32_t { proposal, construct, refine, anneal, neighbourhood, rings, bound };

struct Event {
  double seconds;
  Score score;
  Operator found_by;
  int32_t stream;
};

// Hears of an improvement, with the mapping of the source's nodes.
using OnImprove = std::function<void(const Event&, const Mapping&)>;

// What the streams of one search share: the deadline, what is enough (the proven bound on edges, and nodes
// where they are asked for), and the first stream that met it. A stream stops only for itself or for an
// earlier one, so that the answer does not depend on timing.
struct Stop {
  const Deadline& deadline;
  Score enough;
  const OnImprove& on_improve;
  std::atomic<int> first_proven{INT32_MAX};
};

class Incumbent {
 public:
  Incumbent(Stop& stop, int stream) : stop_(stop), stream_(stream) {}

  // Takes a state that is better; returns whether it was. Under a constraint only what that leaves of it
  // counts.
  bool offer(const SearchState& state, Operator found_by) {
    if (!(state.score() > score_)) return false;
    if (state.pair.constraint.none()) {
      score_ = state.score();
      image_ = state.image();
    } else {
      met_ = std::max(met_, state.score().edges);
      Mapping image = state.image();
      const Score score = judge(state.pair, image);
      if (!(score > score_)) return false;
      score_ = score;
      image_ = std::move(image);
    }
    events_.push_back({stop_.deadline.elapsed(), score_, found_by, stream_});
    if (stop_.on_improve) stop_.on_improve(events_.back(), image_);
    if (score_ >= stop_.enough) {
      int first = stop_.first_proven;
      while (stream_ < first && !stop_.first_proven.compare_exchange_weak(first, stream_)) {
      }
    }
    return true;
  }

  const Mapping& image() const { return image_; }
  Score score() const { return score_; }
  // Edges of a state that is worth offering: what a constraint leaves is not known before it is looked at,
  // and looking costs more than a step.
  int bar() const { return std::max(score_.edges, met_); }
  const std::vector<Event>& events() const { return events_; }
  const Deadline& deadline() const { return stop_.deadline; }
  bool proven() const { return stop_.first_proven.load(std::memory_order_relaxed) <= stream_; }
  bool done() const { return proven() || stop_.deadline.expired(); }

 private:
  Stop& stop_;
  int stream_;
  Mapping image_;
  Score score_{-1, -1};
  int met_ = -1;  // most edges of a state, before a constraint took its share
  std::vector<Event> events_;
};

}  // namespace enpda
