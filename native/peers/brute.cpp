#include "peers/brute.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <set>
#include <stdexcept>

namespace enpda {
namespace {

using Edges = uint64_t;  // a set of edges, by number

class Search {
 public:
  explicit Search(const BareProblem& problem)
      : p(problem), image(problem.rows, -1), used(problem.columns, false), at(problem.rows) {
    const size_t left = p.edges_a.size(), right = p.edges_b.size();
    auto fits = [](size_t given, size_t wanted) { return given == 0 || given == wanted; };
    if (p.rows < 0 || p.columns < 0 || p.rows > 64 || left > 64 || right > 64 ||
        p.worth.size() != left * right || p.allowed.size() != static_cast<size_t>(p.rows) * p.columns ||
        !fits(p.marked_a.size(), left) || !fits(p.marked_b.size(), right))
      throw std::invalid_argument("the arrays of a bare problem do not fit together");
    number_a = numbers(p.edges_a, p.rows);
    number_b = numbers(p.edges_b, p.columns);
    for (const auto& ring : p.rings_a) rings.push_back({ring, ring_edges(ring, number_a)});
    for (const auto& ring : p.rings_b) targets.insert(ring_edges(ring, number_b));
    // Of each edge the most it could be worth, summed over the edges with an end at a row or later.
    open.assign(p.rows + 1, 0);
    std::vector<bool> useful_a(p.rows), useful_b(p.columns);
    for (size_t e = 0; e < left; ++e) {
      int most = 0;
      for (size_t f = 0; f < right; ++f) {
        const int w = p.worth[e * right + f];
        if (w < 0) throw std::invalid_argument("a worth is negative");
        most = std::max(most, w);
        if (w > 0)
          for (int end : {0, 1}) useful_a[p.edges_a[e][end]] = useful_b[p.edges_b[f][end]] = true;
      }
      const int last = std::max(p.edges_a[e][0], p.edges_a[e][1]);
      at[last].push_back(static_cast<int>(e));
      for (int i = 0; i <= last; ++i) open[i] += most;
    }
    most_nodes = static_cast<int>(std::min(std::count(useful_a.begin(), useful_a.end(), true),
                                           std::count(useful_b.begin(), useful_b.end(), true)));
  }

  BareScore best;

  void decide(int row, int won) {
    const int most = won + open[row];
    if (most < best.worth || (most == best.worth && best.nodes >= most_nodes)) return;
    if (row == p.rows) {
      best = std::max(best, counted());
      return;
    }
    for (int column = 0; column < p.columns; ++column) {
      if (used[column] || !p.allowed[static_cast<size_t>(row) * p.columns + column]) continue;
      used[column] = true;
      image[row] = column;
      int gain = 0;
      for (int e : at[row]) gain += worth_of(e);
      decide(row + 1, won + gain);
      used[column] = false;
      image[row] = -1;
    }
    decide(row + 1, won);
  }

  // What counts of the mapping in `image`.
  BareScore counted() const {
    Edges kept = 0;
    for (size_t e = 0; e < p.edges_a.size(); ++e)
      if (worth_of(static_cast<int>(e)) > 0) kept |= Edges{1} << e;
    kept = whole_rings(kept);
    std::vector<BareScore> fragments;
    while (kept != 0) {
      Edges inside = kept & -kept;
      uint64_t nodes = 0;
      for (bool grown = true; grown;) {
        const uint64_t before = nodes;
        for (size_t e = 0; e < p.edges_a.size(); ++e) {
          const uint64_t ends = uint64_t{1} << p.edges_a[e][0] | uint64_t{1} << p.edges_a[e][1];
          if (!(kept >> e & 1) || (!(inside >> e & 1) && (nodes & ends) == 0)) continue;
          inside |= Edges{1} << e;
          nodes |= ends;
        }
        grown = nodes != before;
      }
      BareScore fragment{0, std::popcount(nodes)};
      for (size_t e = 0; e < p.edges_a.size(); ++e)
        if (inside >> e & 1) fragment.worth += worth_of(static_cast<int>(e));
      if (fragment.nodes >= p.min_fragment) fragments.push_back(fragment);
      kept &= ~inside;
    }
    std::sort(fragments.begin(), fragments.end(), std::greater<>());
    if (p.max_fragments > 0 && fragments.size() > static_cast<size_t>(p.max_fragments))
      fragments.resize(p.max_fragments);
    BareScore total;
    for (const BareScore& f : fragments) total = {total.worth + f.worth, total.nodes + f.nodes};
    return total;
  }

  bool set(const std::vector<int>& mapping) {
    if (mapping.size() != image.size()) return false;
    for (int row = 0; row < p.rows; ++row) {
      const int column = mapping[row];
      if (column == -1) continue;
      if (column < 0 || column >= p.columns || used[column]) return false;
      if (!p.allowed[static_cast<size_t>(row) * p.columns + column]) return false;
      used[column] = true;
      image[row] = column;
    }
    return true;
  }

 private:
  struct RingOfA {
    std::vector<int> nodes;
    Edges edges;
  };
  using Numbers = std::vector<int>;  // of the edge between two nodes; -1: none

  static Numbers numbers(const std::vector<std::array<int, 2>>& edges, int nodes) {
    Numbers result(static_cast<size_t>(nodes) * nodes, -1);
    for (size_t e = 0; e < edges.size(); ++e) {
      const auto [u, v] = edges[e];
      if (u < 0 || v < 0 || u >= nodes || v >= nodes || u == v || result[u * nodes + v] >= 0)
        throw std::invalid_argument("an edge is not there, a loop, or there twice");
      result[u * nodes + v] = result[v * nodes + u] = static_cast<int>(e);
    }
    return result;
  }

  static Edges ring_edges(const std::vector<int>& ring, const Numbers& number) {
    Edges edges = 0;
    size_t nodes = 0;
    while (nodes * nodes < number.size()) ++nodes;
    for (size_t k = 0; k < ring.size(); ++k) {
      const size_t u = ring[k], v = ring[(k + 1) % ring.size()];
      if (u >= nodes || v >= nodes || number[u * nodes + v] < 0)
        throw std::invalid_argument("a ring is no cycle of edges");
      edges |= Edges{1} << number[u * nodes + v];
    }
    return edges;
  }

  // The edge of b that an edge of a lies on; -1: none.
  int lies_on(int e) const {
    const int u = image[p.edges_a[e][0]], v = image[p.edges_a[e][1]];
    return u < 0 || v < 0 ? -1 : number_b[static_cast<size_t>(u) * p.columns + v];
  }
  int worth_of(int e) const {
    const int f = lies_on(e);
    return f < 0 ? 0 : p.worth[e * p.edges_b.size() + f];
  }

  Edges whole_rings(Edges kept) const {
    Edges whole = 0;
    for (const RingOfA& ring : rings) {
      if ((kept & ring.edges) != ring.edges) continue;
      Edges onto = 0;
      for (size_t e = 0; e < p.edges_a.size(); ++e)
        if (ring.edges >> e & 1) onto |= Edges{1} << lies_on(static_cast<int>(e));
      if (targets.contains(onto)) whole |= ring.edges;
    }
    for (size_t e = 0; e < p.edges_a.size(); ++e) {
      if (!(kept >> e & 1) || whole >> e & 1) continue;
      const bool marked = (!p.marked_a.empty() && p.marked_a[e]) ||
                          (!p.marked_b.empty() && p.marked_b[lies_on(static_cast<int>(e))]);
      if (marked) kept &= ~(Edges{1} << e);
    }
    return kept;
  }

  const BareProblem& p;
  std::vector<int> image;
  std::vector<bool> used;
  std::vector<std::vector<int>> at;  // edges of a by their later end
  std::vector<int> open;
  int most_nodes = 0;
  Numbers number_a, number_b;
  std::vector<RingOfA> rings;
  std::set<Edges> targets;
};

}  // namespace

BareScore brute_force(const BareProblem& problem) {
  Search search(problem);
  search.decide(0, 0);
  return search.best;
}

BareScore bare_score(const BareProblem& problem, const std::vector<int>& image) {
  Search search(problem);
  return search.set(image) ? search.counted() : BareScore{-1, -1};
}

}  // namespace enpda
