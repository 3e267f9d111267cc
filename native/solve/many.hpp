// Many pairs: a pool of threads, each of which solves one pair at a time, exactly as `solve` would alone.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "solve/solve.hpp"
#include "solve/total.hpp"

namespace enpda {

// What is asked about one pair.
struct Task {
  const Graph* a;
  const Graph* b;
  std::shared_ptr<const SolveOptions> options;
  double time_limit = -1;  // seconds, from when its work begins; negative: none
};

// Takes tasks while it works on others, the largest of those waiting first, and gives solutions back in the
// order of the tasks.
class Pool {
 public:
  explicit Pool(size_t threads);
  ~Pool();  // what runs is cancelled, what waits is dropped
  Pool(const Pool&) = delete;

  void submit(Task task);
  size_t pending() const;  // tasks whose solution was not taken yet
  // Waits for the oldest task; its exception is thrown here. Gives up when the deadline strikes.
  bool next(Solution& out, const Deadline& deadline);

 private:
  struct Job {
    Task task;
    int64_t cells;
    Solution solution;
    std::exception_ptr failure;
    bool done = false;
  };

  void work();

  mutable std::mutex lock_;
  std::condition_variable arrived_, finished_;
  std::deque<std::shared_ptr<Job>> order_;     // oldest first
  std::vector<std::shared_ptr<Job>> waiting_;  // a heap, the largest on top
  const Deadline forever_;                     // cancelled at the end
  std::vector<std::thread> threads_;
  bool closing_ = false;
};

// What a table keeps of a solution.
struct Row {
  int32_t size, nodes, upper, most_nodes;  // the last: -1, not computed
  uint8_t optimal, time_limit;
  double seconds;
};

// Solves pairs (first, second) of two lists of graphs; `question` holds the least size and the least total of
// each pair (both 0: none). Every mapping is counted again on the graphs. The result is complete unless the
// deadline struck (then it is empty).
std::vector<Row> solve_rows(std::span<const Graph* const> first, std::span<const Graph* const> second,
                            std::span<const int32_t> pairs, std::span<const int32_t> question,
                            const SolveOptions& options, double time_limit, size_t threads,
                            const Deadline& deadline);

// Bounds edges and nodes together of the same kind of pairs, each until so many are excluded or met, and says
// how many seconds each took. Empty when the deadline struck.
std::vector<std::pair<Total, double>> bound_totals(std::span<const Graph* const> first,
                                                   std::span<const Graph* const> second,
                                                   std::span<const int32_t> pairs,
                                                   std::span<const int32_t> wanted,
                                                   const SolveOptions& options, double time_limit,
                                                   size_t threads, const Deadline& deadline);

}  // namespace enpda
