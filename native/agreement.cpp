#include "agreement.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>

namespace enpda {
namespace {

constexpr size_t kMostPairs = 20'000;  // of edges; who goes with whom then takes 50 MB

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

// Distances in one graph. Two edges without a way between them are one farther apart than there are edges.
struct Ways {
  const Graph& g;
  std::span<const int32_t> distances;

  int32_t between(int u, int v) const { return distances[static_cast<size_t>(u) * g.size() + v]; }
  int32_t between_edges(int e, int f) const {
    const auto &x = g.edges[e], &y = g.edges[f];
    const int32_t nearest =
        std::min({between(x.u, y.u), between(x.u, y.v), between(x.v, y.u), between(x.v, y.v)});
    return 1 + std::min<int32_t>(nearest, static_cast<int32_t>(g.edges.size()));
  }
  int32_t between_sets(std::span<const int32_t> left, std::span<const int32_t> right) const {
    int32_t least = std::numeric_limits<int32_t>::max();
    for (int32_t u : left)
      for (int32_t v : right) least = std::min(least, between(u, v));
    return least;
  }
};

// Branch and bound over cliques; colours of the pairs that are left bound what can be added to a clique.
class Cliques {
 public:
  Cliques(const Pair& pair, const Ways& source, const Ways& target, int most, const Deadline& deadline)
      : pair_(pair), source_(source), target_(target), most_(most), watch_(deadline, 32) {
    out_.image.assign(pair.n, -1);
    const auto left = numbers(pair.source), right = numbers(pair.target);
    for (Cell c : pair.candidates)
      pair.for_each_neighbour(c, [&](Cell d) {
        if (c < d && shared_.size() <= kMostPairs)
          shared_.push_back({c, d, left.at(std::minmax(pair.row(c), pair.row(d))),
                             right.at(std::minmax(pair.column(c), pair.column(d)))});
      });
    late_ = shared_.size() > kMostPairs;
    auto agree = [&](const Shared& p, const Shared& q) {
      if (p.left == q.left || p.right == q.right) return false;
      for (Cell x : {p.c, p.d})
        for (Cell y : {q.c, q.d})
          if ((pair.row(x) == pair.row(y)) != (pair.column(x) == pair.column(y))) return false;
      return std::abs(source.between_edges(p.left, q.left) - target.between_edges(p.right, q.right)) <= most;
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
  const Ways &source_, &target_;
  const int most_;
  Watch watch_;
  Agreement out_;
  std::vector<Shared> shared_;
  std::vector<Bits> agreeing_;
  std::vector<int> clique_;
  Score best_;
  bool late_ = false;
};

}  // namespace

Agreement agreeing_part(const Pair& pair, std::span<const int32_t> source_distances,
                        std::span<const int32_t> target_distances, int most, const Deadline& deadline) {
  const Ways source{pair.source, source_distances}, target{pair.target, target_distances};
  return Cliques(pair, source, target, most, deadline).run();
}

}  // namespace enpda
