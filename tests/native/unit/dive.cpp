#include "prove/dive.hpp"

#include "base/random.hpp"
#include "solve/solve.hpp"
#include "unit.hpp"

using namespace enpda;

namespace {

Graph random_graph(Random& random, int n) {
  std::vector<int64_t> labels, ends;
  for (int v = 0; v < n; ++v) labels.push_back(static_cast<int64_t>(random.below(2)));
  for (int u = 0; u < n; ++u)
    for (int v = u + 1; v < n; ++v)
      if (random.below(3) == 0) ends.insert(ends.end(), {u, v});
  return Graph(labels, ends, std::vector<int64_t>(ends.size() / 2, 0));
}

}  // namespace

TEST("a dive tells of mappings only, each larger than the last, and ends at the largest of most pairs") {
  const Deadline forever;
  Random random(5, 0);
  int open = 0, met = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Graph a = random_graph(random, 7), b = random_graph(random, 8);
    SolveOptions exact;
    exact.bound = exact.branch = true;
    const int size = solve(a, b, exact, forever).score.edges;
    if (size == 0) continue;
    const Pair pair(a, b, forever);
    RltOptions collecting;
    collecting.collect = true;  // so that what the ascent meets on its way is not known already
    Ascent ascent(pair, collecting, forever);
    ascent.run(size - 1, 30);
    int last = size - 1;
    dive(pair, ascent, RltOptions(), forever, [&](const Mapping& mapping) {
      Mapping image = mapping;
      const int edges = judge(pair, image).edges;
      CHECK(edges > last);
      CHECK(edges <= size);
      last = edges;
    });
    ++open;
    met += last == size;
  }
  CHECK(open > 150);
  CHECK(met > open / 2);
}

TEST("a dive that is given no time ends at once") {
  const Deadline forever, over(0.0);
  Random random(6, 0);
  const Graph a = random_graph(random, 8), b = random_graph(random, 8);
  const Pair pair(a, b, forever);
  const Ascent ascent(pair, RltOptions(), forever);
  bool told = false;
  dive(pair, ascent, RltOptions(), over, [&](const Mapping&) { told = true; });
  CHECK(!told);
}
