#include "rlt/pieces.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace enpda {
namespace {

constexpr float kViolation = 0.2f;     // edges by which a piece must be violated
constexpr size_t kMostEdges = 24;      // of a piece, before it is made smaller
constexpr size_t kMostJoined = 36;     // of rings that are joined
constexpr int kSteps = 2'000;          // of a look for a piece in the other graph
constexpr float kMemory = 0.98f;       // of what was preserved
constexpr Share kMostPrice = 1 << 16;  // one preserved edge

std::vector<int32_t> edge_of_arc(const Graph& g) {
  std::vector<int32_t> edge(g.arc.size()), next(g.offset.begin(), g.offset.end() - 1);
  // Arcs are sorted by head and edges by (u, v): a node meets its smaller neighbours first, both in order.
  for (size_t e = 0; e < g.edges.size(); ++e) edge[next[g.edges[e].v]++] = static_cast<int32_t>(e);
  for (size_t e = 0; e < g.edges.size(); ++e) edge[next[g.edges[e].u]++] = static_cast<int32_t>(e);
  return edge;
}

// Looks for pieces of one graph in the other one.
class Laying {
 public:
  Laying(const Pair& pair, bool of_source)
      : pair_(pair),
        of_source_(of_source),
        own_(of_source ? pair.source : pair.target),
        other_(of_source ? pair.target : pair.source),
        image_(own_.size()),
        taken_(other_.size()) {}

  // Whether the piece is there, or may be: a look that takes too long counts as found. Each edge should have
  // an end in common with an earlier one.
  bool possible(std::span<const int32_t> edges) {
    edges_ = edges;
    steps_ = kSteps;
    std::fill(image_.begin(), image_.end(), -1);
    std::fill(taken_.begin(), taken_.end(), 0);
    return extend(0);
  }
  // The same of a piece of which all edges but the last were found last: that one is mostly there, too.
  bool still_possible(std::span<const int32_t> edges) {
    edges_ = edges;
    const bool found = steps_ >= 0;  // a look that took too long has found nothing
    steps_ = kSteps;
    return (found && extend(edges.size() - 1)) || possible(edges);
  }

 private:
  bool preserves(int32_t own_label, int32_t other_label) const {
    const Arc x{0, own_label}, y{0, other_label};
    return (of_source_ ? pair_.worth(x, y) : pair_.worth(y, x)) > 0;
  }
  bool place(int v, int w, size_t next) {
    if (taken_[w] || !(of_source_ ? pair_.matches(v, w) : pair_.matches(w, v))) return false;
    image_[v] = w;
    taken_[w] = 1;
    if (extend(next)) return true;
    image_[v] = -1;
    taken_[w] = 0;
    return false;
  }
  bool extend(size_t k) {
    if (k == edges_.size() || --steps_ < 0) return true;
    const Edge& e = own_.edges[edges_[k]];
    if (image_[e.u] >= 0 && image_[e.v] >= 0) {
      const int label = other_.edge_class(image_[e.u], image_[e.v]);
      return label >= 0 && preserves(e.label, label) && extend(k + 1);
    }
    if (image_[e.u] < 0 && image_[e.v] < 0) {
      for (int w = 0; w < other_.size(); ++w)
        if (place(e.u, w, k)) return true;
      return false;
    }
    const int from = image_[e.u] >= 0 ? e.u : e.v, to = from == e.u ? e.v : e.u;
    for (const Arc& y : other_.arcs(image_[from]))
      if (preserves(e.label, y.label) && place(to, y.to, k + 1)) return true;
    return false;
  }

  const Pair& pair_;
  bool of_source_;
  const Graph &own_, &other_;
  std::vector<int32_t> image_;
  std::vector<uint8_t> taken_;
  std::span<const int32_t> edges_;
  int steps_ = 0;
};

// Grows by the edge that is lost least, as long as all of them together lose too little; an edge that closes
// a ring comes first. Returns whether that led to something that the other graph lacks.
bool grow(const Graph& g, std::span<const float> lost, int32_t seed, Laying& laying,
          std::vector<int32_t>& piece) {
  std::vector<uint8_t> inside(g.edges.size(), 0), reached(g.size(), 0);
  float sum = 0;
  piece.clear();
  auto take = [&](int32_t e) {
    piece.push_back(e);
    inside[e] = reached[g.edges[e].u] = reached[g.edges[e].v] = 1;
    sum += lost[e];
  };
  take(seed);
  while (piece.size() < kMostEdges) {
    int32_t next = -1;
    float least = 0;
    for (int32_t e = 0; e < static_cast<int32_t>(lost.size()); ++e) {
      const int ends = reached[g.edges[e].u] + reached[g.edges[e].v];
      if (inside[e] || ends == 0) continue;
      const float cost = lost[e] - (ends == 2 ? 0.5f : 0.0f);
      if (next < 0 || cost < least) {
        next = e;
        least = cost;
      }
    }
    if (next < 0 || sum + lost[next] > 1 - kViolation) return false;
    take(next);
    if (!(piece.size() > 2 ? laying.still_possible(piece) : laying.possible(piece))) return true;
  }
  return false;
}

// An order in which each edge touches an earlier one, rings closed first, but for the first of each part;
// false when there are more parts than that.
bool arrange(const Graph& g, std::vector<int32_t>& edges, int parts) {
  std::vector<uint8_t> reached(g.size(), 0);
  for (size_t k = 0; k < edges.size(); ++k) {
    auto ends = [&](int32_t e) { return reached[g.edges[e].u] + reached[g.edges[e].v]; };
    const auto next = std::max_element(edges.begin() + static_cast<std::ptrdiff_t>(k), edges.end(),
                                       [&](int32_t x, int32_t y) { return ends(x) < ends(y); });
    if (ends(*next) == 0 && --parts < 0) return false;
    std::swap(edges[k], *next);
    reached[g.edges[edges[k]].u] = reached[g.edges[edges[k]].v] = 1;
  }
  return true;
}

// Leaves out what the other graph's lack does not need: the fewer edges, the stronger the cut.
void shrink(const Graph& g, Laying& laying, int parts, std::vector<int32_t>& piece) {
  for (size_t k = piece.size(); k-- > 0;) {
    std::vector<int32_t> rest = piece;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
    if (arrange(g, rest, parts) && !laying.possible(rest))
      piece.erase(piece.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

// The shortest ring through each edge, as edges in ascending order; each ring once.
std::vector<std::vector<int32_t>> shortest_rings(const Graph& g) {
  const auto edge = edge_of_arc(g);
  std::set<std::vector<int32_t>> rings;
  std::vector<int32_t> by(g.size()), queue;  // the arc that led to a node
  for (size_t e = 0; e < g.edges.size(); ++e) {
    const int from = g.edges[e].u, to = g.edges[e].v;
    std::fill(by.begin(), by.end(), -1);
    queue.assign(1, from);
    for (size_t k = 0; k < queue.size() && by[to] < 0; ++k)
      for (int x = g.offset[queue[k]]; x < g.offset[queue[k] + 1]; ++x) {
        const int next = g.arc[x].to;
        if (edge[x] == static_cast<int32_t>(e) || next == from || by[next] >= 0) continue;
        by[next] = x;
        queue.push_back(next);
      }
    if (by[to] < 0) continue;
    std::vector<int32_t> ring = {static_cast<int32_t>(e)};
    for (int at = to; at != from;) {
      const int32_t last = edge[by[at]];
      ring.push_back(last);
      at = g.edges[last].u == at ? g.edges[last].v : g.edges[last].u;
    }
    if (ring.size() > kMostEdges) continue;
    std::sort(ring.begin(), ring.end());
    rings.insert(std::move(ring));
  }
  return {rings.begin(), rings.end()};
}

// A piece is taken note of once.
void add_new(bool of_source, std::vector<int32_t> edges, std::vector<Piece>& result) {
  std::sort(edges.begin(), edges.end());
  Piece piece{of_source, std::move(edges)};
  if (std::ranges::find(result, piece) == result.end()) result.push_back(std::move(piece));
}

// Rings that the other graph has, but not so many of them at once: two phenyls where there is one. Begins
// with each of them in turn, and joins those that are lost least: all that are like it, and one that is not.
void join_rings(const Graph& g, bool of_source, std::span<const float> lost, Laying& laying,
                const Deadline& deadline, std::vector<Piece>& result) {
  struct Ring {
    float loss = 0;
    std::vector<int32_t> edges, labels;
  };
  std::vector<Ring> rings;
  for (auto& edges : shortest_rings(g)) {
    Ring ring;
    for (int32_t e : edges) {
      ring.loss += lost[e];
      ring.labels.push_back(g.edges[e].label);
    }
    std::sort(ring.labels.begin(), ring.labels.end());
    if (ring.loss > 1 - kViolation || !arrange(g, edges, 1) || !laying.possible(edges)) continue;
    ring.edges = std::move(edges);
    rings.push_back(std::move(ring));
  }
  std::stable_sort(rings.begin(), rings.end(), [](const Ring& x, const Ring& y) { return x.loss < y.loss; });
  for (size_t i = 0; i < rings.size() && !deadline.expired(); ++i) {
    std::vector<int32_t> all = rings[i].edges;
    float sum = rings[i].loss;
    int parts = 1;
    for (size_t j = i + 1; j < rings.size() && !deadline.expired(); ++j) {
      std::vector<int32_t> more = all;
      float loss = sum;
      for (int32_t e : rings[j].edges)
        if (std::ranges::find(all, e) == all.end()) {
          more.push_back(e);
          loss += lost[e];
        }
      if (loss > 1 - kViolation || more.size() > kMostJoined || more.size() == all.size()) continue;
      arrange(g, more, parts + 1);
      if (!laying.possible(more)) {
        shrink(g, laying, parts + 1, more);
        add_new(of_source, std::move(more), result);
        break;
      }
      if (rings[j].labels != rings[i].labels) continue;
      all = std::move(more);
      sum = loss;
      ++parts;
    }
  }
}

}  // namespace

std::vector<Piece> violated_pieces(const Pair& pair, bool of_source, std::span<const float> often,
                                   const Deadline& deadline) {
  const Graph& g = of_source ? pair.source : pair.target;
  Laying laying(pair, of_source);
  std::vector<float> lost(often.size());
  for (size_t e = 0; e < lost.size(); ++e) lost[e] = std::max(0.0f, 1 - often[e]);
  std::vector<uint8_t> covered(lost.size(), 0);
  std::vector<int32_t> edges;
  std::vector<Piece> result;
  for (size_t seed = 0; seed < lost.size() && !deadline.expired(); ++seed) {
    if (covered[seed] || lost[seed] > 1 - kViolation ||
        !grow(g, lost, static_cast<int32_t>(seed), laying, edges))
      continue;
    shrink(g, laying, 1, edges);
    for (int32_t e : edges) covered[e] = 1;
    add_new(of_source, edges, result);
  }
  join_rings(g, of_source, lost, laying, deadline, result);
  return result;
}

void Pieces::watch(const Pair& pair) {
  if (watching()) return;
  arcs_ = std::make_shared<const Arcs>(Arcs{edge_of_arc(pair.source), edge_of_arc(pair.target)});
  used_source_.resize(pair.source.edges.size());
  used_target_.resize(pair.target.edges.size());
  often_source_.resize(used_source_.size());
  often_target_.resize(used_target_.size());
}

void Pieces::begin() {
  std::fill(used_source_.begin(), used_source_.end(), 0);
  std::fill(used_target_.begin(), used_target_.end(), 0);
}

void Pieces::end() {
  auto remember = [](std::vector<float>& often, const std::vector<uint8_t>& used) {
    for (size_t e = 0; e < used.size(); ++e)
      often[e] = kMemory * often[e] + (1 - kMemory) / 2 * static_cast<float>(used[e]);
  };
  remember(often_source_, used_source_);
  remember(often_target_, used_target_);
  seen_ = kMemory * seen_ + (1 - kMemory);
}

size_t Pieces::add(const Pair& pair, const Deadline& deadline) {
  if (seen_ == 0) return 0;
  const size_t before = list_.size();
  for (const bool of_source : {true, false}) {
    std::vector<float> often = of_source ? often_source_ : often_target_;
    for (float& x : often) x /= seen_;
    for (Piece& piece : violated_pieces(pair, of_source, often, deadline))
      if (std::ranges::none_of(list_, [&](const PricedPiece& p) { return *p.piece == piece; }))
        list_.push_back({std::make_shared<const Piece>(std::move(piece))});
  }
  return list_.size() - before;
}

double Pieces::pull(double momentum) {
  double squares = 0;
  for (PricedPiece& p : list_) {
    const auto& used = p.piece->of_source ? used_source_ : used_target_;
    double excess = 1 - static_cast<double>(p.piece->edges.size());
    for (int32_t e : p.piece->edges) excess += 0.5 * used[e];
    if (p.price == 0 && excess < 0) excess = 0;
    p.drift = static_cast<float>(momentum * p.drift + excess);
    squares += excess * excess;
  }
  return squares;
}

void Pieces::move(double step) {
  for (PricedPiece& p : list_) {
    const double price = p.price + step * p.drift;
    if (price < 0) p.drift = 0;
    p.price = static_cast<Share>(std::lrint(std::clamp(price, 0.0, static_cast<double>(kMostPrice))));
  }
}

int64_t Pieces::paid() const {
  int64_t sum = 0;
  for (const PricedPiece& p : list_) sum += static_cast<int64_t>(p.piece->edges.size() - 1) * p.price;
  return sum;
}

std::vector<Share> Pieces::prices(bool of_source) const {
  std::vector<Share> result((of_source ? used_source_ : used_target_).size(), 0);
  for (const PricedPiece& p : list_)
    if (p.piece->of_source == of_source)
      for (int32_t e : p.piece->edges) result[e] += p.price;
  return result;
}

}  // namespace enpda
