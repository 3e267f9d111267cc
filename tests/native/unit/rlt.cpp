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

TEST("central potentials cover all weights, and are at most one a line above the least ones") {
  const Deadline forever;
  Random random(12, 0);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Outer::Block> blocks;  // two, side by side
    for (int k = 0, row = 0, column = 0; k < 2; ++k) {
      const int n = 1 + static_cast<int>(random.below(9)), m = 1 + static_cast<int>(random.below(9));
      blocks.push_back({.row = row, .rows = n, .column = column, .columns = m});
      row += n, column += m;
    }
    Outer outer(blocks);
    for (uint32_t s = 0; s < outer.slots(); ++s) outer.weight(s) = static_cast<int>(random.below(9));
    const int64_t least = outer.solve(forever);
    std::vector<Outer::Weight> u, v;
    const int64_t central = outer.centralise(u, v);
    CHECK(central >= least);
    CHECK(central <= least + outer.rows() + outer.columns());
    CHECK(std::all_of(u.begin(), u.end(), [](auto x) { return x >= 0; }));
    CHECK(std::all_of(v.begin(), v.end(), [](auto x) { return x >= 0; }));
    for (const auto& b : blocks)
      for (int i = b.row; i < b.row + b.rows; ++i)
        for (int j = b.column; j < b.column + b.columns; ++j)
          CHECK(u[i] + v[j] >= outer.weight(outer.slot(i, j)));
  }
}

TEST("an ascent that grows mappings on its way has one when its sweeps are over, and no worse a bound") {
  Random random(13, 0);
  const Deadline forever;
  for (int trial = 0; trial < 30; ++trial) {
    auto draw = [&] {  // a random tree and a few edges more
      std::vector<int64_t> labels, ends;
      for (int v = 0; v < 12; ++v) labels.push_back(static_cast<int64_t>(random.below(2)));
      for (int v = 1; v < 12; ++v) ends.insert(ends.end(), {static_cast<int64_t>(random.below(v)), v});
      return Graph(labels, ends, std::vector<int64_t>(ends.size() / 2, 1));
    };
    const Graph a = draw(), b = draw();
    const Pair pair(a, b, forever);
    RltOptions options;
    options.round = 2;
    Ascent ascent(pair, options, forever);
    const auto end = ascent.run(-1, options.first_sweeps);
    CHECK(end == Ascent::End::closed || end == Ascent::End::flat);
    Mapping met = ascent.met();
    CHECK(judge(pair, met).edges == ascent.met_size());
    CHECK(ascent.met_size() <= ascent.upper());
    if (end == Ascent::End::closed) {
      CHECK(ascent.met_size() == ascent.upper());
    } else {
      CHECK(ascent.run(-1, 1) != Ascent::End::flat);  // once
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
