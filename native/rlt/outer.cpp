#include "rlt/outer.hpp"

#include <algorithm>

namespace enpda {

Outer::Outer(std::vector<Block> blocks) : blocks_(std::move(blocks)) {
  size_t slots = 0, most = 0, largest = 0;
  for (size_t k = 0; k < blocks_.size(); ++k) {
    Block& b = blocks_[k];
    b.first = static_cast<uint32_t>(slots);
    slots += static_cast<size_t>(b.rows) * b.columns;
    largest = std::max(largest, static_cast<size_t>(b.rows) * b.columns);
    most = std::max({most, static_cast<size_t>(b.rows), static_cast<size_t>(b.columns)});
    block_of_row_.resize(b.row + b.rows, static_cast<int32_t>(k));
    u.resize(b.row + b.rows);
    v.resize(b.column + b.columns);
  }
  weight_.resize(slots);
  column_.assign(u.size(), -1);
  row_.assign(v.size(), -1);
  paths_.reserve(most);
  key_.resize(most);
  turned_.resize(largest);
}

Side<Outer::Weight> Outer::view(const Block& b) {
  return {.own = b.rows,
          .other = b.columns,
          .own_first = b.row,
          .other_first = b.column,
          .own_stride = static_cast<size_t>(b.columns),
          .other_stride = 1,
          .weight = weight_.data() + b.first,
          .own_potential = u.data() + b.row,
          .other_potential = v.data() + b.column,
          .own_match = column_.data() + b.row,
          .other_match = row_.data() + b.column};
}

int64_t Outer::solve(const Deadline& deadline) {
  size_t largest = 0;
  for (const Block& b : blocks_) largest = std::max(largest, static_cast<size_t>(b.rows) * b.columns);
  Watch watch(deadline, static_cast<int>(1'000'000 / (largest + 1)) + 1);
  for (const Block& b : blocks_) solve(b, watch);
  int64_t value = 0;
  for (Weight x : u) value += x;
  for (Weight x : v) value += x;
  return value;
}

void Outer::solve(const Block& b, Watch& watch) {
  const Side<Weight> rows = view(b);
  Weight *own = rows.own_potential, *other = rows.other_potential;
  for (int i = 0; i < b.rows; ++i) {
    const Weight* w = rows.weight + static_cast<size_t>(i) * b.columns;
    Weight best = 0;
    for (int j = 0; j < b.columns; ++j) best = std::max(best, w[j] - other[j]);
    own[i] = best;
    const int j = rows.own_match[i] - b.column;
    if (j >= 0 && own[i] + other[j] != w[j]) {
      rows.own_match[i] = -1;
      rows.other_match[j] = -1;
    }
  }
  for (int j = 0; j < b.columns; ++j) {
    if (rows.other_match[j] >= 0 || other[j] == 0) continue;
    Weight least = 0;
    for (int i = 0; i < b.rows; ++i)
      least = std::max(least, rows.weight[static_cast<size_t>(i) * b.columns + j] - own[i]);
    other[j] = least;
  }
  for (int i = 0; i < b.rows && !watch.expired(); ++i)
    if (rows.own_match[i] < 0 && own[i] > 0) paths_.augment(rows, i);
  for (int j = 0; j < b.columns && !watch.expired(); ++j)
    if (rows.other_match[j] < 0 && other[j] > 0) paths_.augment(rows.turned(), j);
}

// How far each potential of one side can fall, its partner's rising as much, with the sum still optimal: each
// line is held back by its own potential, by unmatched lines of the other side, and by the other lines.
void Outer::decrease(const Side<Weight>& s, const Weight* weight, Weight* __restrict most) {
  const Weight* __restrict const own = s.own_potential;
  Weight* __restrict const key = key_.data();
  auto hold_back = [&](int y, Weight base) {  // by line y of the other side
    const Weight* __restrict const w = weight + static_cast<size_t>(y) * static_cast<size_t>(s.own);
    base += s.other_potential[y];
    for (int x = 0; x < s.own; ++x) most[x] = std::min(most[x], base + own[x] - w[x]);
  };
  std::copy_n(own, s.own, most);
  for (int y = 0; y < s.other; ++y)
    if (s.other_match[y] < 0) hold_back(y, 0);
  std::fill_n(key, s.own, 0);
  for (int settled = 0; settled < s.own; ++settled) {
    Weight nearest = Paths<Weight>::kFar;
    for (int x = 0; x < s.own; ++x) nearest = std::min(nearest, std::max(most[x], key[x]));
    if (nearest == Paths<Weight>::kFar) return;
    int at = 0;
    while (std::max(most[at], key[at]) != nearest) ++at;
    key[at] = Paths<Weight>::kFar;
    if (s.own_match[at] >= 0) hold_back(s.own_match[at] - s.other_first, nearest);
  }
}

int64_t Outer::centralise(std::vector<Weight>& middle_u, std::vector<Weight>& middle_v) {
  std::vector<Weight> rows(u.size()), columns(v.size());
  for (const Block& b : blocks_) {
    const Side<Weight> side = view(b);
    // Line after line of the other side, so that loops over the own one have neighbours in memory.
    for (int j = 0; j < b.columns; ++j)
      for (int i = 0; i < b.rows; ++i)
        turned_[static_cast<size_t>(j) * b.rows + i] = side.weight[static_cast<size_t>(i) * b.columns + j];
    decrease(side, turned_.data(), rows.data() + b.row);
    decrease(side.turned(), side.weight, columns.data() + b.column);
  }
  middle_u.resize(u.size());
  middle_v.resize(v.size());
  int64_t value = 0;
  for (size_t i = 0; i < u.size(); ++i) {
    const int j = column_[i];
    middle_u[i] = (2 * u[i] - rows[i] + (j >= 0 ? columns[j] : 0) + 1) / 2;
    value += middle_u[i];
  }
  for (size_t j = 0; j < v.size(); ++j) {
    const int i = row_[j];
    middle_v[j] = (2 * v[j] - columns[j] + (i >= 0 ? rows[i] : 0) + 1) / 2;
    value += middle_v[j];
  }
  return value;
}

}  // namespace enpda
