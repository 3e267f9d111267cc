#include "solve/agreement.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include "base/errors.hpp"

namespace enpda {
namespace {

constexpr size_t kMostPairs = 20'000;  // of edges; who goes with whom then takes 50 MB
constexpr int kMostNodes = 8'000;      // all distances then take 256 MB
constexpr int32_t kFar = 1 << 30;      // without a way

class Bits {
 public:
  explicit Bits(size_t size = 0) : words_((size + 63) / 64) {}
  void set(size_t k) { words_[k / 64] |= uint64_t{1} << (k % 64); }
  void clear(size_t k) { words_[k / 64] &= ~(uint64_t{1} << (k % 64)); }
  // The first member, or -1.
  int first() const {
    for (size_t w = 0; w < words_.size(); ++w)
      if (words_[w] != 0) return static_cast<int>(64 * w) + std::countr_zero(words_[w]);
    return -1;
  }
  void keep(const Bits& other) {
    for (size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
  }
  void drop(const Bits& other) {
    for (size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
  }

 private:
  std::vector<uint64_t> words_;
};

// A pair of edges that two candidates share.
struct Shared {
  Cell c, d;
  int32_t left, right;  // edges of source and target
};

std::map<std::pair<int32_t, int32_t>, int32_t> numbers(const Graph& g) {
  std::map<std::pair<int32_t, int32_t>, int32_t> result;
  for (size_t e = 0; e < g.edges.size(); ++e)
    result[std::minmax(g.edges[e].u, g.edges[e].v)] = static_cast<int32_t>(e);
  return result;
}

std::vector<Shared> pairs_of_edges(const Pair& pair) {
  std::vector<Shared> result;
  const auto left = numbers(pair.source), right = numbers(pair.target);
  for (Cell c : pair.candidates)
    pair.for_each_neighbour(c, [&](Cell d) {
      if (c > d) return;
      if (result.size() == kMostPairs)
        throw InputError("there are more than " + std::to_string(kMostPairs) +
                         " pairs of like edges, too many for a limit on their distances");
      result.push_back({c, d, left.at(std::minmax(pair.row(c), pair.row(d))),
                        right.at(std::minmax(pair.column(c), pair.column(d)))});
    });
  return result;
}

// Distances in one graph, all of them.
class Ways {
 public:
  Ways(const Graph& g, const Deadline& deadline) : g_(g) {
    if (g.size() > kMostNodes)
      throw InputError("a graph has " + std::to_string(g.size()) + " nodes; distances are kept for at most " +
                       std::to_string(kMostNodes));
    distances_.assign(static_cast<size_t>(g.size()) * g.size(), kFar);
    std::vector<int32_t> queue;
    for (int from = 0; from < g.size() && !deadline.expired(); ++from) {
      int32_t* const row = &distances_[static_cast<size_t>(from) * g.size()];
      row[from] = 0;
      queue.assign(1, from);
      for (size_t head = 0; head < queue.size(); ++head)
        for (const Arc& x : g.arcs(queue[head]))
          if (row[x.to] == kFar) {
            row[x.to] = row[queue[head]] + 1;
            queue.push_back(x.to);
          }
    }
  }

  int32_t between(int u, int v) const { return distances_[static_cast<size_t>(u) * g_.size() + v]; }
  int32_t between_edges(int e, int f) const {
    const auto &x = g_.edges[e], &y = g_.edges[f];
    return 1 + std::min({between(x.u, y.u), between(x.u, y.v), between(x.v, y.u), between(x.v, y.v),
                         static_cast<int32_t>(g_.edges.size())});
  }
  int32_t between_sets(std::span<const int32_t> left, std::span<const int32_t> right) const {
    int32_t least = std::numeric_limits<int32_t>::max();
    for (int32_t u : left)
      for (int32_t v : right) least = std::min(least, between(u, v));
    return least;
  }

 private:
  const Graph& g_;
  std::vector<int32_t> distances_;
};

// Branch and bound over cliques; colours of the pairs that are left bound what can be added to a clique.
class Cliques {
 public:
  Cliques(const Pair& pair, std::vector<Shared> shared, int most, const Deadline& deadline)
      : pair_(pair),
        shared_(std::move(shared)),
        source_(pair.source, deadline),
        target_(pair.target, deadline),
        most_(most),
        watch_(deadline, 32),
        late_(deadline.expired()) {
    out_.image.assign(pair.n, -1);
    auto agree = [&](const Shared& p, const Shared& q) {
      if (p.left == q.left || p.right == q.right) return false;
      for (Cell x : {p.c, p.d})
        for (Cell y : {q.c, q.d})
          if ((pair.row(x) == pair.row(y)) != (pair.column(x) == pair.column(y))) return false;
      return std::abs(source_.between_edges(p.left, q.left) - target_.between_edges(p.right, q.right)) <=
             most_;
    };
    for (size_t p = 0; p < shared_.size() && !late_; ++p) {
      agreeing_.emplace_back(shared_.size());
      for (size_t q = 0; q < shared_.size(); ++q)
        if (q != p && agree(shared_[p], shared_[q])) agreeing_[p].set(q);
      late_ = deadline.expired();
    }
  }

  Agreement run() {
    if (!late_) {
      Bits all(shared_.size());
      for (size_t p = 0; p < shared_.size(); ++p) all.set(p);
      grow(std::move(all));
    }
    out_.complete = !late_;
    return std::move(out_);
  }

 private:
  void grow(Bits left) {
    std::vector<int> order, colours;
    Bits uncoloured = left;
    for (int colour = 1; uncoloured.first() >= 0; ++colour) {
      Bits free = uncoloured;
      for (int p = free.first(); p >= 0; p = free.first()) {
        free.clear(p);
        free.drop(agreeing_[p]);
        uncoloured.clear(p);
        order.push_back(p);
        colours.push_back(colour);
      }
    }
    for (size_t k = order.size(); k-- > 0;) {
      if (static_cast<int>(clique_.size()) + colours[k] <= best_.edges) return;
      late_ = late_ || watch_.expired();
      if (late_) return;
      const int p = order[k];
      clique_.push_back(p);
      look();
      Bits next = left;
      next.keep(agreeing_[p]);
      grow(std::move(next));
      clique_.pop_back();
      left.clear(p);
    }
  }

  void look() {
    if (static_cast<int>(clique_.size()) <= best_.edges) return;
    Mapping image(pair_.n, -1);
    for (int p : clique_)
      for (Cell c : {shared_[p].c, shared_[p].d}) image[pair_.row(c)] = pair_.column(c);
    // A mapping shares every edge that it preserves; when there are more of them, they agree or it does not
    // count.
    if (preserved_edges(pair_.source, pair_.target, pair_.terms, image).size() != clique_.size()) return;
    judge(pair_, image);
    drop_far(image);
    const Score score = judge(pair_, image);
    if (score > best_) {
      best_ = score;
      out_.image = std::move(image);
    }
  }

  // Drops pieces that are too far from a larger one.
  void drop_far(Mapping& image) const {
    std::vector<std::vector<int32_t>> near(pair_.n), pieces;
    for (int32_t e : preserved_edges(pair_.source, pair_.target, pair_.terms, image)) {
      const auto& [u, v, label] = pair_.source.edges[e];
      near[u].push_back(v);
      near[v].push_back(u);
    }
    std::vector<uint8_t> reached(pair_.n, 0);
    for (int i = 0; i < pair_.n; ++i) {
      if (reached[i] || near[i].empty()) continue;
      reached[i] = 1;
      std::vector<int32_t> piece = {i};
      for (size_t head = 0; head < piece.size(); ++head)
        for (int32_t k : near[piece[head]])
          if (!reached[k]) {
            reached[k] = 1;
            piece.push_back(k);
          }
      pieces.push_back(std::move(piece));
    }
    std::ranges::stable_sort(pieces, std::greater(), &std::vector<int32_t>::size);
    std::vector<std::pair<std::vector<int32_t>, std::vector<int32_t>>> kept;  // with their images
    for (auto& piece : pieces) {
      std::vector<int32_t> other;
      for (int32_t i : piece) other.push_back(image[i]);
      if (std::ranges::all_of(kept, [&](const auto& k) {
            return source_.between_sets(piece, k.first) <= most_ &&
                   target_.between_sets(other, k.second) <= most_;
          }))
        kept.emplace_back(std::move(piece), std::move(other));
      else
        for (int32_t i : piece) image[i] = -1;
    }
  }

  const Pair& pair_;
  const std::vector<Shared> shared_;
  const Ways source_, target_;
  const int most_;
  Watch watch_;
  bool late_;
  std::vector<Bits> agreeing_;
  std::vector<int> clique_;
  Score best_;
  Agreement out_;
};

}  // namespace

Agreement agreeing_part(const Pair& pair, int most, const Deadline& deadline) {
  return Cliques(pair, pairs_of_edges(pair), most, deadline).run();
}

}  // namespace enpda
