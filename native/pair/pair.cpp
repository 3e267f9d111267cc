#include "pair/pair.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_map>

#include "base/errors.hpp"
#include "base/sorted.hpp"
#include "graph/kinds.hpp"

namespace enpda {
namespace {

// Up to so many pairs of edge classes have a table of their worths.
constexpr size_t kMostWorths = size_t{1} << 20;

std::vector<int64_t> edges_per_class(const Graph& g) {
  std::vector<int64_t> count(g.edge_labels.size());
  for (const Edge& e : g.edges) ++count[e.label];
  return count;
}

// Per arc a number of its label and its head's, as another graph counts them, which has few enough; -1: the
// other one lacks either.
std::vector<int32_t> kinds_of_arcs(const Graph& g, const Graph& as) {
  const auto node = match_sorted(g.node_labels, as.node_labels);
  const auto label = match_sorted(g.edge_labels, as.edge_labels);
  const auto nodes = static_cast<int32_t>(as.node_labels.size());
  std::vector<int32_t> kind(g.arc.size());
  for (size_t k = 0; k < kind.size(); ++k) {
    const int32_t head = node[g.node_class[g.arc[k].to]], own = label[g.arc[k].label];
    kind[k] = head < 0 || own < 0 ? -1 : own * nodes + head;
  }
  return kind;
}

// Numbers for equal rows of a matrix, from 0; empty when the deadline struck. Rows are told apart by a hash,
// and looked at when their hashes agree: should two be different after all, every row has its own number.
std::vector<int32_t> kinds_of_rows(const Allowed& matrix, const Deadline& deadline) {
  const size_t rows = matrix.rows(), columns = matrix.columns();
  std::vector<int32_t> kind(rows);
  std::unordered_map<uint64_t, int32_t> known;
  std::vector<size_t> first;
  bool alike = true;
  Watch watch(deadline, static_cast<int>(std::clamp<size_t>(100'000 / columns, 1, 4096)));
  for (size_t i = 0; i < rows; ++i) {
    if (watch.expired()) return {};
    uint64_t hash = 0, word = 0;
    for (size_t j = 0; j < columns; ++j) {
      word = word << 1 | matrix(i, j);
      if (j % 64 == 63) hash = mix(hash, word), word = 0;
    }
    const auto [at, fresh] = known.emplace(mix(hash, word), static_cast<int32_t>(first.size()));
    kind[i] = at->second;
    if (fresh) first.push_back(i);
    for (size_t j = 0; j < columns && alike && !fresh; ++j) alike = matrix(i, j) == matrix(first[kind[i]], j);
  }
  if (!alike) std::iota(kind.begin(), kind.end(), 0);
  return kind;
}

}  // namespace

Pair::Pair(const Graph& source_graph, const Graph& target_graph, const Deadline& deadline, Terms given_terms,
           Constraint given_constraint, int64_t max_stored, int64_t full_grid)
    : source(source_graph),
      target(target_graph),
      terms(std::move(given_terms)),
      constraint(std::move(given_constraint)),
      n(source.size()),
      m(target.size()),
      grid(source, target, check_size(source, target, full_grid) == int64_t{n} * m, deadline) {
  check_terms(terms, source, target);
  check_constraint(constraint, source, target);
  classes_ = static_cast<int>(target.edge_labels.size());
  if (terms.worth.empty() && source.edge_labels.size() * target.edge_labels.size() > kMostWorths) {
    same_ = match_sorted(source.edge_labels, target.edge_labels);
  } else {
    for (size_t x = 0; x < source.edge_labels.size(); ++x)
      for (int y = 0; y < classes_; ++y)
        worth_.push_back(terms.worth_of(source, static_cast<int>(x), target, y));
    least_worth_ = Terms::kMaxWorth;
    for (int32_t w : worth_)
      if (w > 0) least_worth_ = std::min(least_worth_, w);
  }
  if (terms.worth.empty()) least_worth_ = 1;
  complete_ = grid.complete() && find_candidates(deadline) && find_kinds(deadline) &&
              (constraint.rings.none() || alignments.find(*this, deadline));
  if (!complete_) return;
  const int64_t neighbours = count_neighbours();
  neighbours_each_ =
      static_cast<size_t>(neighbours / std::max<int64_t>(static_cast<int64_t>(candidates.size()), 1)) + 1;
  // Whoever visits neighbours looks at all pairs of arcs, as long as no lists are stored.
  const double arcs = static_cast<double>(source.arc.size()) * static_cast<double>(target.arc.size());
  const double looks =
      arcs / std::max(1.0, static_cast<double>(n) * m) + static_cast<double>(neighbours_each_);
  patience_ = static_cast<int>(std::clamp(100'000 / looks, 1.0, 4096.0));
  stored_ = neighbours <= max_stored;
  if (stored_) store_lists(deadline, static_cast<size_t>(neighbours));
}

bool Pair::find_candidates(const Deadline& deadline) {
  const auto node_match = match_sorted(target.node_labels, source.node_labels);
  std::vector<int32_t> column_class(m);
  for (int j = 0; j < m; ++j) column_class[j] = node_match[target.node_class[j]];
  compatible.reserve(grid.size());
  if (grid.full()) {
    reserve_if_large(candidates, grid.size());
  } else {
    candidates.reserve(grid.size());
  }
  const double begin = deadline.elapsed();
  Watch watch(deadline, std::clamp(100'000 / std::max(m, 1), 1, 4096));
  // Without a branch that nobody can foresee: what is no candidate is written over by the next one.
  std::vector<Cell> found(static_cast<size_t>(m) + 1);
  const bool labels_only = terms.allowed.empty();
  for (int i = 0; i < n; ++i) {
    if (watch.expired()) return false;
    Cell c = grid.first(i);
    compatible.resize(grid.first(i + 1));
    size_t count = 0;
    for (int j : grid.columns(i)) {
      const bool may_meet = column_class[j] == source.node_class[i] && (labels_only || terms.allowed(i, j));
      compatible[c] = may_meet;
      found[count] = c++;
      count += may_meet;
    }
    candidates.insert(candidates.end(), found.data(), found.data() + count);
  }
  const double usual = kSecondsToList * static_cast<double>(cells());
  if (cells() > kFullGrid) slowness_ = std::max((deadline.elapsed() - begin) / usual, 1.0);
  return true;
}

bool Pair::find_kinds(const Deadline& deadline) {
  if (terms.allowed.empty()) return true;
  row_kind = kinds_of_rows(terms.allowed, deadline);
  column_kind = kinds_of_rows(terms.allowed.exchanged(), deadline);
  return row_kind.size() == static_cast<size_t>(n) && column_kind.size() == static_cast<size_t>(m);
}

// The number of ACG neighbours of all candidates together, or more. On a full grid every pair of edges that
// match counts; on a thin one, but for what the terms forbid, those with equal labels at both ends: what a
// sparse graph with many labels needs, and not worth its time on a small one.
int64_t Pair::count_neighbours() const {
  int64_t total = 0;
  if (grid.full()) {
    const auto left = edges_per_class(source), right = edges_per_class(target);
    for (size_t x = 0; x < left.size(); ++x) {
      if (!same_.empty()) {
        total += same_[x] < 0 ? 0 : 4 * left[x] * right[same_[x]];
        continue;
      }
      for (size_t y = 0; y < right.size(); ++y)
        if (worth_[x * classes_ + y] > 0) total += 4 * left[x] * right[y];
    }
    return total;
  }
  const auto left = count_kinds(source, source, true), right = count_kinds(target, source, true);
  auto ends = [](const KindCount& k) { return std::pair(k.kind.low, k.kind.high); };
  size_t first = 0;  // of the right ones with the left one's ends, or beyond
  for (const KindCount& x : left) {
    while (first < right.size() && ends(right[first]) < ends(x)) ++first;
    for (size_t y = first; y < right.size() && ends(right[y]) == ends(x); ++y)
      if (worth_of_classes(x.kind.label, right[y].kind.label) > 0)
        total += (x.kind.low == x.kind.high ? 4 : 2) * x.count * right[y].count;
  }
  return total;
}

void Pair::store_lists(const Deadline& deadline, size_t most) {
  constexpr size_t kFew = size_t{1} << 16;
  constexpr size_t kBlock = size_t{1} << 18;  // neighbours whose memory is accounted for at once
  start_.assign(static_cast<size_t>(cells()) + 1, 0);
  const bool countable = target.node_labels.size() * target.edge_labels.size() <= INT32_MAX;
  if (most <= kFew && countable && terms.plain() && constraint.rings.none() && grid.full())
    return store_few(most);
  reserve_if_large(neighbour_, most);
  Held held(deadline);  // as long as this takes; then it is the caller's matter
  size_t accounted = 0;
  Watch watch(deadline, patience());
  Cell next = 0;
  for (Cell c : candidates) {
    if (watch.expired()) {
      stored_ = false;
      start_ = {};
      neighbour_ = {};
      return;
    }
    while (next <= c) start_[next++] = static_cast<uint32_t>(neighbour_.size());
    enumerate(c, [&](Cell d) { neighbour_.push_back(d); });
    for (; accounted + kBlock < neighbour_.size(); accounted += kBlock) held.add(kBlock * sizeof(Cell));
  }
  while (next <= cells()) start_[next++] = static_cast<uint32_t>(neighbour_.size());
}

// Where labels say it all, one number of each arc tells whether two of them match, which takes a fifth of the
// time.
void Pair::store_few(size_t most) {
  const auto left = kinds_of_arcs(source, target), right = kinds_of_arcs(target, target);
  neighbour_.resize(most + 1);  // one more is written to than counts
  Cell* out = neighbour_.data();
  for (int i = 0, next = 0; i < n; ++i)
    for (int j = 0; j < m; ++j, ++next) {
      start_[next] = static_cast<uint32_t>(out - neighbour_.data());
      if (!compatible[next]) continue;
      const int last = target.offset[j + 1];
      for (int x = source.offset[i]; x < source.offset[i + 1]; ++x) {
        const int32_t kind = left[x], base = source.arc[x].to * m;
        for (int y = target.offset[j]; y < last; ++y) {
          *out = base + target.arc[y].to;
          out += right[y] == kind;
        }
      }
    }
  start_[cells()] = static_cast<uint32_t>(out - neighbour_.data());
  neighbour_.resize(start_[cells()]);
}

int64_t Pair::check_size(const Graph& source, const Graph& target, int64_t full_grid) {
  const int64_t whole = static_cast<int64_t>(source.size()) * target.size();
  const int64_t cells = whole <= full_grid ? whole : Cells::count_thin(source, target);
  if (whole > std::numeric_limits<int32_t>::max() || cells > kMaxCells)
    throw InputError("the pair has " + std::to_string(source.size()) + " x " + std::to_string(target.size()) +
                     " cells; at most " + std::to_string(kMaxCells) + " with equal labels (it has " +
                     std::to_string(cells) + ") and 2147483647 in all are accepted");
  return cells;
}

double Pair::seconds_kept(const Graph& source, const Graph& target, const Terms& terms, int64_t cells) {
  const double neighbours = static_cast<double>(source.max_degree()) * target.max_degree();
  const double each = terms.worth.empty() ? 2e-8 : 6e-8;  // what it is worth has to be looked up
  const double arcs = static_cast<double>(source.arc.size()) * static_cast<double>(target.arc.size());
  return 3e-9 * static_cast<double>(cells) + each * neighbours +
         (cells > kFullGrid ? 16e-9 : 3e-9) * arcs / static_cast<double>(std::max(target.size(), 1));
}

bool source_first(const Graph& a, const Graph& b) {
  auto plain = [](const Graph& g) { return std::tuple(g.size(), g.edges.size()); };
  if (plain(a) != plain(b)) return plain(a) < plain(b);
  if (a.invariant_hash() != b.invariant_hash()) return a.invariant_hash() < b.invariant_hash();
  // Alike to colour refinement: any fixed rule will do, as long as swapping the arguments swaps the answer.
  if (a.node_class != b.node_class) return a.node_class < b.node_class;
  return !std::lexicographical_compare(
      b.edges.begin(), b.edges.end(), a.edges.begin(), a.edges.end(),
      [](const Edge& x, const Edge& y) { return std::tie(x.u, x.v, x.label) < std::tie(y.u, y.v, y.label); });
}

}  // namespace enpda
