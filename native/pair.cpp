#include "pair.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "errors.hpp"
#include "sorted.hpp"

namespace enpda {
namespace {

std::vector<int64_t> edges_per_class(const Graph& g) {
  std::vector<int64_t> count(g.edge_labels.size());
  for (const Edge& e : g.edges) ++count[e.label];
  return count;
}

// The number of ACG neighbours of all candidates together, or more: every pair of edges that match.
int64_t neighbour_estimate(const Graph& source, const Graph& target, std::span<const int32_t> worth) {
  const auto left = edges_per_class(source), right = edges_per_class(target);
  int64_t total = 0;
  for (size_t x = 0; x < left.size(); ++x)
    for (size_t y = 0; y < right.size(); ++y)
      if (worth[x * right.size() + y] > 0) total += 4 * left[x] * right[y];
  return total;
}

// The same number, but for what the terms forbid, from the labels at both ends of every arc: what a sparse
// graph with many labels needs, and not worth its time on a small one.
int64_t exact_neighbours(const Graph& source, const Graph& target, std::span<const int32_t> worth) {
  auto kinds = [](const Graph& g) {
    std::map<std::pair<int64_t, int64_t>, std::map<int32_t, int64_t>> count;
    for (const Edge& e : g.edges) {
      const int64_t u = g.node_labels[g.node_class[e.u]], v = g.node_labels[g.node_class[e.v]];
      ++count[{u, v}][e.label];
      ++count[{v, u}][e.label];
    }
    return count;
  };
  const auto left = kinds(source), right = kinds(target);
  int64_t total = 0;
  for (const auto& [ends, own] : left) {
    const auto other = right.find(ends);
    if (other == right.end()) continue;
    for (const auto& [x, many] : own)
      for (const auto& [y, more] : other->second)
        if (worth[x * target.edge_labels.size() + y] > 0) total += many * more;
  }
  return total;
}

// Equal rows of a matrix, as numbers from 0.
std::vector<int32_t> kinds_of_rows(const std::vector<uint8_t>& matrix, int rows) {
  std::vector<int32_t> kind;
  std::map<std::string_view, int32_t> known;
  const std::string_view all(reinterpret_cast<const char*>(matrix.data()), matrix.size());
  const size_t width = rows > 0 ? matrix.size() / rows : 0;
  for (int i = 0; i < rows; ++i) {
    const auto number = static_cast<int32_t>(known.size());
    kind.push_back(known.emplace(all.substr(i * width, width), number).first->second);
  }
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
      grid(source, target, check_size(source, target, full_grid) == int64_t{n} * m) {
  const auto node_match = match_sorted(target.node_labels, source.node_labels);
  check_terms(terms, source, target);
  classes_ = static_cast<int>(target.edge_labels.size());
  for (size_t x = 0; x < source.edge_labels.size(); ++x)
    for (int y = 0; y < classes_; ++y)
      worth_.push_back(terms.worth_of(source, static_cast<int>(x), target, y));
  least_worth_ = Terms::kMaxWorth;
  for (int32_t w : worth_)
    if (w > 0) least_worth_ = std::min(least_worth_, w);
  if (terms.worth.empty()) least_worth_ = 1;
  compatible.resize(grid.size());
  std::vector<int32_t> column_class(m);
  for (int j = 0; j < m; ++j) column_class[j] = node_match[target.node_class[j]];
  for (int i = 0; i < n; ++i) {
    Cell c = grid.first(i);
    for (int j : grid.columns(i)) {
      if (column_class[j] == source.node_class[i] && terms.allows(target, i, j)) {
        compatible[c] = 1;
        candidates.push_back(c);
      }
      ++c;
    }
  }
  if (!terms.allowed.empty()) {
    row_kind = kinds_of_rows(terms.allowed, n);
    column_kind = kinds_of_rows(exchanged(terms, source, target).allowed, m);
  }
  if (constraint.has_rings()) align();
  const int64_t neighbours =
      grid.full() ? neighbour_estimate(source, target, worth_) : exact_neighbours(source, target, worth_);
  neighbours_each_ =
      static_cast<size_t>(neighbours / std::max<int64_t>(static_cast<int64_t>(candidates.size()), 1)) + 1;
  stored_ = neighbours <= max_stored;
  if (!stored_) return;
  start_.assign(static_cast<size_t>(cells()) + 1, 0);
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
  }
  while (next <= cells()) start_[next++] = static_cast<uint32_t>(neighbour_.size());
}

void Pair::align() {
  check_constraint(constraint, source, target);
  marked_.assign(source.arc.size(), 0);
  for (size_t e = 0; e < constraint.marked_a.size(); ++e) {
    if (!constraint.marked_a[e]) continue;
    const auto& [u, v, label] = source.edges[e];
    for (const auto& [from, to] : {std::pair(u, v), std::pair(v, u)})
      for (int k = source.offset[from]; k < source.offset[from + 1]; ++k)
        if (source.arc[k].to == to) marked_[k] = 1;
  }
  std::vector<Cell> cells;
  for (const Ring& left : constraint.rings_a)
    for (const Ring& right : constraint.rings_b) {
      const int size = static_cast<int>(left.size());
      if (right.size() != left.size()) continue;
      for (int shift = 0; shift < size; ++shift)
        for (const int direction : {1, size - 1}) {
          cells.clear();
          for (int k = 0; k < size; ++k)
            cells.push_back(cell(left[k], right[(shift + direction * k) % size]));
          bool fits = std::ranges::all_of(cells, [&](Cell c) { return c >= 0 && compatible[c]; });
          for (int k = 0; k < size && fits; ++k) {
            const Cell c = cells[k], d = cells[(k + 1) % size];
            fits = worth_between(row(c), row(d), column(c), column(d)) > 0;
          }
          if (!fits) continue;
          for (int k = 0; k < size; ++k) ringed_.insert(key(cells[k], cells[(k + 1) % size]));
          alignments.push_back(cells);
        }
    }
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
