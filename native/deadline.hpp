// When to stop: a point in time, or somebody's wish. Loops ask at least once per millisecond of work.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <thread>

namespace enpda {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Deadline(double seconds = -1)
      : begin_(Clock::now()), next_poll_(begin_), owner_(std::this_thread::get_id()) {
    limited_ = seconds >= 0 && seconds < 1e9;
    if (limited_) end_ = begin_ + std::chrono::nanoseconds(static_cast<int64_t>(seconds * 1e9));
  }
  // A share of what another deadline has left; it also strikes when that one does.
  Deadline(const Deadline& whole, double share)
      : Deadline(whole.limited_
                     ? std::max(0.0, share * std::chrono::duration<double>(whole.end_ - Clock::now()).count())
                     : -1) {
    whole_ = &whole;
  }
  // So many seconds from now (negative: no limit); it also strikes when the other one does.
  struct Seconds {};
  Deadline(const Deadline& whole, double seconds, Seconds) : Deadline(seconds) { whole_ = &whole; }
  Deadline(const Deadline&) = delete;

  // `wish` is asked now and then, only on the thread that made the deadline; true cancels.
  void poll(std::function<bool()> wish) { poll_ = std::move(wish); }
  void cancel() const { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

  bool expired() const {
    if (cancelled() || (whole_ != nullptr && whole_->expired())) return true;
    if (!limited_ && !poll_) return false;
    const auto now = Clock::now();
    if (limited_ && now >= end_) return true;
    if (poll_ && std::this_thread::get_id() == owner_ && now >= next_poll_) {
      next_poll_ = now + std::chrono::milliseconds(20);
      if (poll_()) cancel();
    }
    return cancelled();
  }
  // Seconds left; infinite without a limit.
  double remaining() const {
    const double mine = limited_ ? std::chrono::duration<double>(end_ - Clock::now()).count()
                                 : std::numeric_limits<double>::infinity();
    return whole_ == nullptr ? mine : std::min(mine, whole_->remaining());
  }
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  Clock::time_point begin_, end_{};
  mutable Clock::time_point next_poll_;  // touched by the owner only
  std::thread::id owner_;
  const Deadline* whole_ = nullptr;
  std::function<bool()> poll_;
  mutable std::atomic<bool> cancelled_{false};
  bool limited_ = false;
};

// Asks a deadline only every `period` calls: for loops whose body costs nanoseconds.
class Watch {
 public:
  explicit Watch(const Deadline& deadline, int period)
      : deadline_(deadline), period_(period), left_(period) {}
  bool expired() {
    if (--left_ > 0) return stopped_;
    left_ = period_;
    return stopped_ = stopped_ || deadline_.expired();
  }

 private:
  const Deadline& deadline_;
  int period_, left_;
  bool stopped_ = false;
};

}  // namespace enpda
