#include "pair.hpp"

#include <algorithm>
#include <string>
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

}  // namespace

int64_t neighbour_estimate(const Graph& source, const Graph& target) {
  const auto match = match_sorted(target.edge_labels, source.edge_labels);
  const auto left = edges_per_class(source), right = edges_per_class(target);
  int64_t total = 0;
  for (size_t k = 0; k < match.size(); ++k)
    if (match[k] >= 0) total += 4 * right[k] * left[match[k]];
  return total;
}

Pair::Pair(const Graph& source_graph, const Graph& target_graph, const Deadline& deadline, int64_t max_stored)
    : source(source_graph),
      target(target_graph),
      n(source.size()),
      m(target.size()),
      reciprocal_(m > 1 ? ~uint64_t{0} / static_cast<uint64_t>(m) + 1 : 0) {
  check_size(source, target);
  const auto node_match = match_sorted(target.node_labels, source.node_labels);
  edge_match_ = match_sorted(target.edge_labels, source.edge_labels);
  compatible.resize(static_cast<size_t>(n) * m);
  std::vector<int32_t> column_class(m);
  for (int j = 0; j < m; ++j) column_class[j] = node_match[target.node_class[j]];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      if (column_class[j] == source.node_class[i]) {
        compatible[static_cast<size_t>(i) * m + j] = 1;
        candidates.push_back(i * m + j);
      }
  const int64_t neighbours = neighbour_estimate(source, target);
  neighbours_each_ =
      static_cast<size_t>(neighbours / std::max<int64_t>(static_cast<int64_t>(candidates.size()), 1)) + 1;
  stored_ = neighbours <= max_stored;
  if (!stored_) return;
  start_.assign(static_cast<size_t>(n) * m + 1, 0);
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
    enumerate(row(c), column(c), [&](Cell d) { neighbour_.push_back(d); });
  }
  while (next <= cells()) start_[next++] = static_cast<uint32_t>(neighbour_.size());
}

void Pair::check_size(const Graph& source, const Graph& target) {
  if (static_cast<int64_t>(source.size()) * target.size() > kMaxCells)
    throw InputError("the pair has " + std::to_string(source.size()) + " x " + std::to_string(target.size()) +
                     " cells; at most " + std::to_string(kMaxCells) + " are accepted");
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
