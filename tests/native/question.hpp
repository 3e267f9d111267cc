// Bytes in, a question to the solver out: any bytes make one, and few of them are refused.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "peers/brute.hpp"
#include "solve/solve.hpp"

namespace enpda::fuzz {

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), left_(size) {}
  uint8_t next() { return left_ == 0 ? 0 : (--left_, *data_++); }
  int below(int count) { return next() % count; }
  bool chance(int of_256) { return next() >= 256 - of_256; }  // never, once the bytes are used up

 private:
  const uint8_t* data_;
  size_t left_;
};

struct Parts {
  std::vector<int64_t> labels, edge_labels;
  std::vector<std::array<int, 2>> edges;
  std::vector<Ring> rings;
  std::vector<uint8_t> marked;

  std::unique_ptr<Graph> graph() const {
    std::vector<int64_t> ends;
    for (const auto& [u, v] : edges) ends.insert(ends.end(), {u, v});
    return std::make_unique<Graph>(labels, ends, edge_labels);
  }
};

struct Question {
  Parts a, b;
  SolveOptions options;
  double limit = -1;  // seconds
};

// Adds rings that go on from a path, up to some.
inline void walk(const Parts& g, Ring& path, std::vector<Ring>& out) {
  for (int w = path[0]; w < static_cast<int>(g.labels.size()) && out.size() < 24; ++w) {
    const auto edge = std::array{std::min(path.back(), w), std::max(path.back(), w)};
    if (!std::binary_search(g.edges.begin(), g.edges.end(), edge)) continue;
    if (w == path[0] && path.size() > 2 && path[1] < path.back()) out.push_back(path);
    if (w == path[0] || path.size() > 6 || std::ranges::find(path, w) != path.end()) continue;
    path.push_back(w);
    walk(g, path, out);
    path.pop_back();
  }
}

inline Parts parts(Bytes& bytes, int most, bool with_rings) {
  Parts g;
  const int n = bytes.below(most + 1), labels = 1 + bytes.below(3), kinds = 1 + bytes.below(3);
  const int density = 40 + 20 * bytes.below(10);
  for (int v = 0; v < n; ++v) g.labels.push_back(bytes.below(labels) * (bytes.chance(4) ? -1000000007LL : 1));
  for (int u = 0; u < n; ++u)
    for (int v = u + 1; v < n; ++v)
      if (g.edges.size() < 64 && bytes.chance(density)) {
        g.edges.push_back({u, v});
        g.edge_labels.push_back(bytes.below(kinds));
      }
  if (!with_rings) return g;
  std::vector<Ring> found;
  Ring path;
  for (int v = 0; v < n; ++v) {
    path = {v};
    walk(g, path, found);
  }
  std::set<std::array<int, 2>> inside;
  for (Ring& ring : found) {
    if (!bytes.chance(150)) continue;
    for (size_t k = 0; k < ring.size(); ++k)
      inside.insert(
          {std::min(ring[k], ring[(k + 1) % ring.size()]), std::max(ring[k], ring[(k + 1) % ring.size()])});
    g.rings.push_back(std::move(ring));
  }
  // Labels tell marked edges from others.
  for (size_t e = 0; e < g.edges.size(); ++e) {
    g.marked.push_back(inside.contains(g.edges[e]) || bytes.chance(12));
    g.edge_labels[e] = 2 * g.edge_labels[e] + g.marked.back();
  }
  return g;
}

inline std::vector<int64_t> distinct(std::vector<int64_t> labels) {
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

inline SearchOptions search(Bytes& bytes) {
  SearchOptions s;
  s.rounds = bytes.below(6);
  s.decoder = bytes.chance(128) ? Decoder::growth : Decoder::hungarian;
  s.noisy.assign(1 + bytes.below(3), 0);
  for (size_t k = 1; k < s.noisy.size(); ++k) s.noisy[k] = bytes.chance(128);
  s.discrete = bytes.below(4);
  s.constructive = bytes.below(4);
  s.passes = bytes.below(20);
  s.anneal_first = bytes.chance(128);
  s.anneal.steps = bytes.below(4) * 100;
  s.anneal_exponent = bytes.below(2);
  s.neighbourhood.steps = bytes.below(20);
  s.threads = bytes.chance(10) ? 2 : 1;
  s.seed = bytes.next();
  return s;
}

inline Question question(const uint8_t* data, size_t size, int most = 7) {
  Bytes bytes(data, size);
  Question q;
  const bool large = bytes.chance(20), rings = bytes.chance(90), fragments = bytes.chance(90);
  q.a = parts(bytes, large ? 20 : most, rings);
  q.b = bytes.chance(40) ? q.a : parts(bytes, large ? 20 : most, rings);
  SolveOptions& o = q.options;
  if (bytes.chance(80)) {
    std::vector<uint8_t> cells(q.a.labels.size() * q.b.labels.size());
    for (uint8_t& cell : cells) cell = bytes.chance(200);
    o.terms.allowed = Allowed(cells, q.a.labels.size(), q.b.labels.size());
  }
  if (bytes.chance(80))
    for (int64_t x : distinct(q.a.edge_labels))
      for (int64_t y : distinct(q.b.edge_labels)) {
        const int w = bytes.chance(20) ? Terms::kMaxWorth : bytes.below(4);
        o.terms.worth.push_back(rings && (x & 1) != (y & 1) ? 0 : w);
      }
  if (rings) o.constraint.rings = {q.a.rings, q.b.rings, q.a.marked, q.b.marked};
  if (fragments) {
    o.constraint.fragments.most = bytes.below(4);
    o.constraint.fragments.least = bytes.below(6);
  }
  if (bytes.chance(20)) o.full_grid = bytes.below(64);
  o.searches.clear();
  for (int k = 1 + bytes.below(3); k > 0; --k) o.searches.push_back(search(bytes));
  o.bound = bytes.chance(200);
  o.branch = o.bound && bytes.chance(180);
  o.propose_first = bytes.chance(60);
  o.most_nodes = bytes.chance(80);
  o.rlt.record = bytes.chance(200);
  if (bytes.chance(60)) o.rlt.watch = bytes.below(8) - 1;
  if (bytes.chance(40)) o.most_gap = bytes.below(4);
  if (bytes.chance(30)) o.most_iterations = bytes.below(40);
  if (bytes.chance(30)) o.tree.memory = o.tree.record_memory = 1 << (4 + bytes.below(12));
  o.tree.threads = bytes.chance(10) ? 2 : 1;
  if (bytes.chance(60)) o.min_size = bytes.below(12);
  if (o.min_size > 0 && bytes.chance(100)) o.min_total = o.min_size + bytes.below(10);
  if (bytes.chance(20)) q.limit = 1e-5 * bytes.next();
  return q;
}

// The same without labels, for the judge.
inline BareProblem bare(const Question& q) {
  BareProblem p;
  p.rows = static_cast<int>(q.a.labels.size());
  p.columns = static_cast<int>(q.b.labels.size());
  const Terms& terms = q.options.terms;
  for (int i = 0; i < p.rows; ++i)
    for (int j = 0; j < p.columns; ++j)
      p.allowed.push_back(q.a.labels[i] == q.b.labels[j] && terms.allows(i, j));
  p.edges_a = q.a.edges;
  p.edges_b = q.b.edges;
  const auto left = distinct(q.a.edge_labels), right = distinct(q.b.edge_labels);
  for (int64_t x : q.a.edge_labels)
    for (int64_t y : q.b.edge_labels) {
      const size_t row = std::ranges::lower_bound(left, x) - left.begin();
      const size_t column = std::ranges::lower_bound(right, y) - right.begin();
      p.worth.push_back(terms.worth.empty() ? x == y : terms.worth[row * right.size() + column]);
    }
  const Constraint& c = q.options.constraint;
  p.rings_a = c.rings.rings_a;
  p.rings_b = c.rings.rings_b;
  p.marked_a = c.rings.marked_a;
  p.marked_b = c.rings.marked_b;
  p.max_fragments = c.fragments.most;
  p.min_fragment = c.fragments.least;
  return p;
}

}  // namespace enpda::fuzz
