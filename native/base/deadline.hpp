// When to stop: a point in time, or somebody's wish. Loops ask at least once per millisecond of work.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

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
      : Deadline(whole.limited_ ? std::max(0.0, share * whole.own_remaining()) : -1) {
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
    if (limited_ && now >= end()) return true;
    if (poll_ && std::this_thread::get_id() == owner_ && now >= next_poll_) {
      next_poll_ = now + std::chrono::milliseconds(20);
      if (poll_()) cancel();
    }
    return cancelled();
  }
  // Seconds left; infinite without a limit.
  double remaining() const {
    const double mine = limited_ ? own_remaining() : std::numeric_limits<double>::infinity();
    return whole_ == nullptr ? mine : std::min(mine, whole_->remaining());
  }
  // Strikes so much sooner from now on, or later again: for what must still be done after it has struck.
  void withhold(double seconds) const {
    withheld_.fetch_add(static_cast<int64_t>(seconds * 1e9), std::memory_order_relaxed);
  }
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  Clock::time_point end() const {
    return end_ - std::chrono::nanoseconds(withheld_.load(std::memory_order_relaxed));
  }
  double own_remaining() const { return std::chrono::duration<double>(end() - Clock::now()).count(); }

  Clock::time_point begin_, end_{};
  mutable Clock::time_point next_poll_;  // touched by the owner only
  std::thread::id owner_;
  const Deadline* whole_ = nullptr;
  std::function<bool()> poll_;
  mutable std::atomic<bool> cancelled_{false};
  mutable std::atomic<int64_t> withheld_{0};
  bool limited_ = false;
};

// Memory that a stage holds: a deadline strikes early enough for it to be freed in time, which the system
// does page by page.
class Held {
 public:
  explicit Held(const Deadline& deadline, size_t bytes = 0) : deadline_(deadline) { add(bytes); }
  Held(const Held&) = delete;
  ~Held() { deadline_.withhold(-kSecondsPerByte * static_cast<double>(bytes_)); }
  void add(size_t bytes) {
    bytes_ += bytes;
    deadline_.withhold(kSecondsPerByte * static_cast<double>(bytes));
  }

 private:
  static constexpr double kSecondsPerByte = 8e-11;
  const Deadline& deadline_;
  size_t bytes_ = 0;
};

// A growing list is copied whole, and the copy's memory is fresh, which takes long where it is large: then
// its room is reserved beforehand, which costs nothing until it is used.
template <class List>
void reserve_if_large(List& list, size_t most) {
  constexpr size_t kLarge = size_t{1} << 18;
  if (most * sizeof(list[0]) > kLarge) list.reserve(most);
}

// Makes a list so long, block by block: fresh memory may come slowly. False when the deadline struck.
template <class T>
bool lengthen(std::vector<T>& list, size_t length, const Deadline& deadline) {
  constexpr size_t kBlock = (size_t{1} << 21) / sizeof(T);
  list.reserve(length);
  while (list.size() < length) {
    if (deadline.expired()) return false;
    list.resize(std::min(length, list.size() + kBlock));
  }
  return true;
}

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
