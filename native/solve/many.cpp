#include "solve/many.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <system_error>

#include "base/errors.hpp"
#include "base/threads.hpp"

namespace enpda {
namespace {

int64_t cells_of(const Graph& a, const Graph& b) {
  return static_cast<int64_t>(a.size()) * b.size();
}

}  // namespace

Pool::Pool(size_t threads) {
  for (size_t t = 0; t < std::max<size_t>(threads, 1); ++t) {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // no more threads to be had: those that run will do
      if (threads_.empty()) throw;
      break;
    }
  }
}

Pool::~Pool() {
  forever_.cancel();
  {
    const std::lock_guard guard(lock_);
    closing_ = true;
  }
  arrived_.notify_all();
  for (auto& t : threads_) t.join();
}

void Pool::submit(Task task) {
  auto job = std::make_shared<Job>();
  job->cells = cells_of(*task.a, *task.b);
  job->task = std::move(task);
  {
    const std::lock_guard guard(lock_);
    order_.push_back(job);
    waiting_.push_back(std::move(job));
    std::push_heap(waiting_.begin(), waiting_.end(),
                   [](const auto& x, const auto& y) { return x->cells < y->cells; });
  }
  arrived_.notify_one();
}

size_t Pool::pending() const {
  const std::lock_guard guard(lock_);
  return order_.size();
}

bool Pool::next(Solution& out, const Deadline& deadline) {
  std::unique_lock guard(lock_);
  if (order_.empty()) throw InputError("no task is pending");
  while (!order_.front()->done) {
    finished_.wait_for(guard, std::chrono::milliseconds(20));
    guard.unlock();
    const bool late = deadline.expired();  // where Ctrl-C arrives
    guard.lock();
    if (late) return false;
  }
  const auto job = std::move(order_.front());
  order_.pop_front();
  guard.unlock();
  if (job->failure) std::rethrow_exception(job->failure);
  out = std::move(job->solution);
  return true;
}

void Pool::work() {
  std::unique_lock guard(lock_);
  for (;;) {
    arrived_.wait(guard, [&] { return closing_ || !waiting_.empty(); });
    if (closing_) return;
    std::pop_heap(waiting_.begin(), waiting_.end(),
                  [](const auto& x, const auto& y) { return x->cells < y->cells; });
    const auto job = std::move(waiting_.back());
    waiting_.pop_back();
    guard.unlock();
    try {
      const Deadline deadline(forever_, job->task.time_limit, Deadline::Seconds());
      const Task& task = job->task;
      job->solution = solve(*task.a, *task.b, *task.options, deadline);
      recount(*task.a, *task.b, *task.options, job->solution);
    } catch (...) {
      job->failure = std::current_exception();
    }
    guard.lock();
    job->done = true;
    finished_.notify_all();
  }
}

namespace {

// Calls f(k, a, b) for the k-th pair (first, second) of two lists, on all threads, each with an f of its own
// making: the largest pairs first, for what may take long must not begin last. False when the deadline
// struck.
template <class Make>
bool for_each_pair(std::span<const Graph* const> first, std::span<const Graph* const> second,
                   std::span<const int32_t> pairs, size_t threads, const Deadline& deadline, Make&& make) {
  const size_t count = pairs.size() / 2;
  auto graphs = [&](size_t k) {
    return std::pair<const Graph&, const Graph&>(*first[pairs[2 * k]], *second[pairs[2 * k + 1]]);
  };
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) {
    const auto [a, b] = graphs(x);
    const auto [c, d] = graphs(y);
    return cells_of(a, b) > cells_of(c, d);
  });
  std::atomic<size_t> next{0};
  run_on_threads(std::min(threads, count) - (count > 0), deadline, [&] {
    auto f = make();
    for (size_t k = next++; k < count && !deadline.expired(); k = next++) {
      const auto [a, b] = graphs(order[k]);
      f(order[k], a, b);
    }
  });
  return !deadline.expired();
}

}  // namespace

std::vector<Row> solve_rows(std::span<const Graph* const> first, std::span<const Graph* const> second,
                            std::span<const int32_t> pairs, std::span<const int32_t> question,
                            const SolveOptions& options, double time_limit, size_t threads,
                            const Deadline& deadline) {
  std::vector<Row> rows(pairs.size() / 2);
  auto solver = [&] {
    return [&, mine = options](size_t p, const Graph& a, const Graph& b) mutable {
      mine.min_size = question[2 * p];
      mine.min_total = question[2 * p + 1];
      const Deadline limit(deadline, time_limit, Deadline::Seconds());
      const Solution found = solve(a, b, mine, limit);
      recount(a, b, mine, found);
      const int64_t upper = found.upper();
      rows[p] = {found.score.edges,
                 found.score.nodes,
                 static_cast<int32_t>(upper),
                 static_cast<int32_t>(found.most_nodes),
                 static_cast<uint8_t>(found.score.edges == upper),
                 static_cast<uint8_t>(found.time_limit),
                 found.seconds};
    };
  };
  if (!for_each_pair(first, second, pairs, threads, deadline, solver)) rows.clear();
  return rows;
}

std::vector<std::pair<Total, double>> bound_totals(std::span<const Graph* const> first,
                                                   std::span<const Graph* const> second,
                                                   std::span<const int32_t> pairs,
                                                   std::span<const int32_t> wanted,
                                                   const SolveOptions& options, double time_limit,
                                                   size_t threads, const Deadline& deadline) {
  std::vector<std::pair<Total, double>> totals(pairs.size() / 2);
  auto bounder = [&] {
    return [&](size_t p, const Graph& a, const Graph& b) {
      const Deadline limit(deadline, time_limit, Deadline::Seconds());
      totals[p].first = bound_total(a, b, options, wanted[p], limit);
      totals[p].second = limit.elapsed();
    };
  };
  if (!for_each_pair(first, second, pairs, threads, deadline, bounder)) totals.clear();
  return totals;
}

}  // namespace enpda
