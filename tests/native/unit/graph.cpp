#include <algorithm>
#include <numeric>
#include <thread>

#include "base/errors.hpp"
#include "graph/histograms.hpp"
#include "graph/isomorphism.hpp"
#include "graph/rings.hpp"
#include "pair/cells.hpp"
#include "pair/pair.hpp"
#include "unit.hpp"

using namespace enpda;

namespace {

Graph ring(int n, int label = 0) {
  std::vector<int64_t> labels(n, label), ends, edge_labels(n, 0);
  for (int k = 0; k < n; ++k) ends.insert(ends.end(), {k, (k + 1) % n});
  return Graph(labels, ends, edge_labels);
}

}  // namespace

TEST("loops are dropped, repeated edges merged, and others refused") {
  const std::vector<int64_t> labels{1, 1, 2};
  CHECK(Graph(labels, std::vector<int64_t>{0, 0, 0, 1, 1, 0}, std::vector<int64_t>{5, 5, 5}).edges.size() ==
        1);
  bool refused = false;
  try {
    Graph(labels, std::vector<int64_t>{0, 1, 1, 0}, std::vector<int64_t>{5, 6});
  } catch (const InputError&) {
    refused = true;
  }
  CHECK(refused);
}

TEST("isomorphic graphs are found so, and near ones are not") {
  CHECK(isomorphic(ring(7), ring(7)));
  CHECK(!isomorphic(ring(7), ring(8)));
  CHECK(!isomorphic(ring(6), ring(6, 1)));
  // Two triangles and a hexagon: colour refinement alone cannot tell them apart.
  const std::vector<int64_t> labels(6, 0), edge_labels(6, 0);
  const Graph triangles(labels, std::vector<int64_t>{0, 1, 1, 2, 2, 0, 3, 4, 4, 5, 5, 3}, edge_labels);
  CHECK(triangles.invariant_hash() == ring(6).invariant_hash());
  CHECK(!isomorphic(triangles, ring(6)));
  const auto parts = components(triangles);
  CHECK((parts == std::vector<int32_t>{0, 0, 0, 1, 1, 1}));
}

TEST("a thin grid keeps the cells whose labels agree, in the order of a full one") {
  const std::vector<int64_t> left{1, 2, 1, 3}, right{2, 1, 1}, none;
  const Graph a(left, none, none), b(right, none, none);
  const Deadline forever;
  const Cells full(a, b, true, forever), thin(a, b, false, forever);
  CHECK(full.size() == 12);
  CHECK(thin.size() == 5);
  int kept = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) {
      CHECK(full.at(i, j) == i * 3 + j);
      CHECK((thin.at(i, j) >= 0) == (left[i] == right[j]));
      if (const Cell c = thin.at(i, j); c >= 0) {
        CHECK(thin.row(c) == i && thin.column(c) == j);
        ++kept;
      }
    }
  CHECK(kept == thin.size());
}

TEST("neighbours of a candidate are the same, stored or looked for") {
  const Graph a = ring(5), b = ring(6);
  const Deadline forever;
  const Pair stored(a, b, forever), plain(a, b, forever, {}, {}, 0);
  CHECK(stored.stores_lists());
  CHECK(!plain.stores_lists());
  for (Cell c : stored.candidates) {
    std::vector<Cell> x, y;
    stored.for_each_neighbour(c, [&](Cell d) { x.push_back(d); });
    plain.for_each_neighbour(c, [&](Cell d) { y.push_back(d); });
    CHECK(x == y);
    CHECK(x.size() == 4);
  }
}

TEST("a histogram says the same in one byte a number and in more") {
  const std::vector<Histogram::Item> items = {{7, 0, 2}, {7, 3, 255}, {9, 1, 1}, {11, 0, 4}, {11, 1, 5}};
  std::vector<Histogram::Item> many = items;
  many.push_back({12, 2, 256});  // no byte holds this
  const Histogram few(4, items), wide(4, many), high(300, items), none(4, {});
  std::vector<Histogram::Entry> room;
  std::vector<int64_t> sums;
  for (const Histogram* h : {&few, &wide, &high}) {
    CHECK(h->keys().size() == (h == &wide ? 4 : 3));
    CHECK(h->keys()[0] == 7 && h->keys()[1] == 9 && h->keys()[2] == 11);
    size_t at = 0;
    for (size_t k = 0; k < 3; ++k)
      for (const auto& [node, count] : h->holders(k, room)) {
        CHECK(items[at].key == h->keys()[k] && items[at].node == node && items[at].count == count);
        ++at;
      }
    CHECK(at == items.size());
    const auto total = h->totals(sums);
    CHECK(total.size() == (h == &high ? 300 : 4));
    CHECK(total[0] == 6 && total[1] == 6 && total[2] == (h == &wide ? 256 : 0) && total[3] == 255);
  }
  CHECK(few.bytes() == 3 * 8 + 5 * 2 + 4 * 2);
  CHECK(wide.bytes() == 4 * 8 + 6 * 16 + 4 * 8 + 5 * 4);
  CHECK(none.keys().empty() && none.totals(sums).size() == 4);
}

TEST("edge classes are the same in a table, in arcs, and from many threads") {
  const Graph g = ring(9), large = ring(200);
  CHECK(large.edge_classes() == nullptr);
  const size_t before = g.bytes();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      const int8_t* table = g.edge_classes();
      for (int u = 0; u < 9; ++u)
        for (int v = 0; v < 9; ++v) CHECK(table[u * 9 + v] == g.edge_class(u, v));
      CHECK(g.histograms(Deadline()) != nullptr);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(g.bytes() > before + 81);
}
