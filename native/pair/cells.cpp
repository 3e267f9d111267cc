#include "pair/cells.hpp"

#include <algorithm>
#include <numeric>

#include "base/sorted.hpp"

namespace enpda {
namespace {

constexpr int kSmall = 1 << 14;

// Per class of the source's labels: how many nodes of a graph have it.
std::vector<int32_t> counts(const Graph& g, std::span<const int32_t> kind, size_t kinds) {
  std::vector<int32_t> count(kinds);
  for (int32_t c : g.node_class)
    if (kind[c] >= 0) ++count[kind[c]];
  return count;
}

}  // namespace

int64_t Cells::count_thin(const Graph& source, const Graph& target) {
  const size_t kinds = source.node_labels.size();
  std::vector<int32_t> own(kinds);
  std::iota(own.begin(), own.end(), 0);
  const auto left = counts(source, own, kinds);
  const auto right = counts(target, match_sorted(target.node_labels, source.node_labels), kinds);
  int64_t total = 0;
  for (size_t k = 0; k < kinds; ++k) total += static_cast<int64_t>(left[k]) * right[k];
  return total;
}

Cells::Cells(const Graph& source, const Graph& target, bool full, const Deadline& deadline)
    : full_(full),
      m_(target.size()),
      reciprocal_(m_ > 1 ? ~uint64_t{0} / static_cast<uint64_t>(m_) + 1 : 0),
      first_(source.size() + 1, 0),
      begin_(source.size(), 0),
      order_(m_),
      position_(m_) {
  const int n = source.size();
  if (full) {
    for (int i = 0; i < n; ++i) first_[i + 1] = first_[i] + m_;
    if (first_[n] <= kSmall) {
      row_.resize(first_[n]);
      for (int i = 0; i < n; ++i) std::fill_n(row_.begin() + first_[i], m_, i);
    }
    std::iota(order_.begin(), order_.end(), 0);
    position_ = order_;
    return;
  }
  const auto kind = match_sorted(target.node_labels, source.node_labels);
  const size_t kinds = source.node_labels.size();
  const auto count = counts(target, kind, kinds);
  std::vector<int32_t> start(kinds + 1, 0);  // columns whose label the source lacks come last
  for (size_t k = 0; k < kinds; ++k) start[k + 1] = start[k] + count[k];
  auto next = start;
  for (int j = 0; j < m_; ++j) {
    const int32_t k = kind[target.node_class[j]];
    position_[j] = next[k >= 0 ? static_cast<size_t>(k) : kinds]++;
    order_[position_[j]] = j;
  }
  for (int i = 0; i < n; ++i) {
    begin_[i] = start[source.node_class[i]];
    first_[i + 1] = first_[i] + count[source.node_class[i]];
  }
  row_.reserve(first_.back());
  for (int i = 0; i < n && complete_; ++i) {
    row_.resize(first_[i + 1], i);
    if (i % 64 == 63) complete_ = !deadline.expired();
  }
}

}  // namespace enpda
