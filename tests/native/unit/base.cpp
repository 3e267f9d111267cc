#include <algorithm>
#include <numeric>

#include "base/assignment.hpp"
#include "base/deadline.hpp"
#include "base/random.hpp"
#include "base/sorted.hpp"
#include "base/threads.hpp"
#include "unit.hpp"

using namespace enpda;

namespace {

// The best partial assignment by trying every choice, row by row.
int64_t tried(const std::vector<int64_t>& w, int n, int m, int row = 0, unsigned taken = 0) {
  if (row == n) return 0;
  int64_t best = tried(w, n, m, row + 1, taken);
  for (int j = 0; j < m; ++j)
    if (!(taken >> j & 1)) best = std::max(best, w[row * m + j] + tried(w, n, m, row + 1, taken | 1u << j));
  return best;
}

}  // namespace

TEST("an assignment is as good as the best of all, and its potentials prove it") {
  const Deadline forever;
  Random random(7, 0);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = static_cast<int>(random.below(6)), m = static_cast<int>(random.below(6));
    std::vector<int64_t> w(n * m);
    for (auto& x : w) x = static_cast<int64_t>(random.below(21)) - 6;
    const auto found = assign<int64_t>(w, n, m, forever);
    CHECK(found.value == tried(w, n, m));
    int64_t kept = 0, sum = 0;
    std::vector<int> used(m);
    for (int i = 0; i < n; ++i)
      if (const int j = found.column[i]; j >= 0) kept += w[i * m + j], ++used[j];
    CHECK(kept == found.value);
    CHECK(std::all_of(used.begin(), used.end(), [](int count) { return count <= 1; }));
    for (int64_t u : found.row_potential) sum += u, CHECK(u >= 0);
    for (int64_t v : found.column_potential) sum += v, CHECK(v >= 0);
    CHECK(sum == found.value);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j) CHECK(found.row_potential[i] + found.column_potential[j] >= w[i * m + j]);
  }
}

TEST("an assignment that a deadline cuts says so, and is legal") {
  Deadline over(0.0);
  const std::vector<int64_t> w(9, 1);
  const auto found = assign<int64_t>(w, 3, 3, over);
  CHECK(!found.complete);
  CHECK(found.column.size() == 3);
}

TEST("a deadline strikes sooner for time that is withheld, and later again") {
  Deadline deadline(3600.0);
  CHECK(!deadline.expired());
  {
    const Held held(deadline, size_t{1} << 50);  // would take a day to free
    CHECK(deadline.expired());
    CHECK(deadline.remaining() < 0);
  }
  CHECK(!deadline.expired());
}

TEST("a part strikes with the whole, and a wish cancels both") {
  Deadline whole(3600.0);
  Deadline part(whole, 0.5);
  CHECK(!part.expired());
  CHECK(part.remaining() <= 1800.0);
  whole.cancel();
  CHECK(part.expired());
  CHECK(!part.cancelled());
}

TEST("a list is lengthened whole or not at all in time") {
  std::vector<int> list;
  CHECK(lengthen(list, size_t{3} << 20, Deadline()));
  CHECK(list.size() == size_t{3} << 20);
  CHECK(std::all_of(list.begin(), list.end(), [](int x) { return x == 0; }));
  std::vector<int> none;
  CHECK(!lengthen(none, 10, Deadline(0.0)));
  CHECK(none.empty());
}

TEST("a watch asks now and then, and remembers") {
  Deadline over(0.0);
  Watch watch(over, 3);
  CHECK(!watch.expired());
  CHECK(!watch.expired());
  CHECK(watch.expired());
  CHECK(watch.expired());
}

TEST("random numbers depend on seed and stream, and on nothing else") {
  Random one(1, 2), same(1, 2), other(1, 3);
  bool differs = false;
  for (int k = 0; k < 100; ++k) {
    const auto x = one.below(1000);
    CHECK(x == same.below(1000));
    CHECK(x < 1000);
    differs = differs || x != other.below(1000);
  }
  CHECK(differs);
}

TEST("sorted lists are joined") {
  const std::vector<int> a{1, 3, 4, 9}, b{0, 3, 9, 10};
  CHECK((match_sorted(a, b) == std::vector<int32_t>{-1, 1, -1, 2}));
}

TEST("work on threads is done by all of them, and an error comes home") {
  std::atomic<int> count{0};
  run_on_threads(3, Deadline(), [&] { ++count; });
  CHECK(count == 4);
  bool caught = false;
  try {
    run_on_threads(2, Deadline(), [] { throw std::runtime_error("lost"); });
  } catch (const std::runtime_error&) {
    caught = true;
  }
  CHECK(caught);
}
