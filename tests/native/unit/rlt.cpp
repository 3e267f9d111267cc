#include <algorithm>

#include "base/assignment.hpp"
#include "base/random.hpp"
#include "rlt/ascent.hpp"
#include "rlt/outer.hpp"
#include "unit.hpp"

using namespace enpda;

TEST("the outer assignment is worth what a plain one is, cold or warm, and so are its potentials") {
  const Deadline forever;
  Random random(11, 0);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 1 + static_cast<int>(random.below(6)), m = 1 + static_cast<int>(random.below(6));
    Outer outer({Outer::Block{.rows = n, .columns = m}});
    std::vector<int64_t> plain(n * m);
    for (int round = 0; round < 3; ++round) {  // the second and third begin with what the first left
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j)
          outer.weight(outer.slot(i, j)) = plain[i * m + j] = static_cast<int>(random.below(50));
      CHECK(outer.solve(forever) == assign<int64_t>(plain, n, m, forever).value);
      int64_t sum = 0;
      for (auto u : outer.u) sum += u, CHECK(u >= 0);
      for (auto v : outer.v) sum += v, CHECK(v >= 0);
      CHECK(sum == assign<int64_t>(plain, n, m, forever).value);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) CHECK(outer.u[i] + outer.v[j] >= plain[i * m + j]);
    }
  }
}

TEST("the bound of even shares holds, and the ascent only lowers it") {
  // A path of four edges in a ring of five: all four are shared.
  const std::vector<int64_t> labels(5, 0), edge_labels(5, 0);
  const Graph ring(labels, std::vector<int64_t>{0, 1, 1, 2, 2, 3, 3, 4, 4, 0}, edge_labels);
  const Graph path(labels, std::vector<int64_t>{0, 1, 1, 2, 2, 3, 3, 4}, std::vector<int64_t>(4, 0));
  const Deadline forever;
  const Pair pair(path, ring, forever);
  Ascent ascent(pair, RltOptions(), forever);
  ascent.run(3, 0);
  const int64_t first = ascent.bound();
  CHECK(ascent.upper() >= 4);
  ascent.run(3, 50);
  CHECK(ascent.bound() <= first);
  CHECK(ascent.upper() == 4);
}
