#include "rlt/outer.hpp"

#include <algorithm>
#include <limits>

namespace enpda {
namespace {

constexpr Outer::Weight kFar = std::numeric_limits<Outer::Weight>::max();

}  // namespace

Outer::Outer(std::vector<Block> blocks) : blocks_(std::move(blocks)) {
  size_t slots = 0, most = 0;
  for (size_t k = 0; k < blocks_.size(); ++k) {
    Block& b = blocks_[k];
    b.first = static_cast<uint32_t>(slots);
    slots += static_cast<size_t>(b.rows) * b.columns;
    most = std::max({most, static_cast<size_t>(b.rows), static_cast<size_t>(b.columns)});
    block_of_row_.resize(b.row + b.rows, static_cast<int32_t>(k));
    u.resize(b.row + b.rows);
    v.resize(b.column + b.columns);
  }
  weight_.resize(slots);
  column_.assign(u.size(), -1);
  row_.assign(v.size(), -1);
  distance_.resize(most);
  key_.resize(most);
  reached_.resize(most);
  parent_.resize(most);
}

Outer::Side Outer::row_side(const Block& b) {
  return {b.rows,
          b.columns,
          b.row,
          b.column,
          static_cast<size_t>(b.columns),
          1,
          weight_.data() + b.first,
          u.data() + b.row,
          v.data() + b.column,
          column_.data() + b.row,
          row_.data() + b.column};
}
Outer::Side Outer::column_side(const Block& b) {
  return {b.columns,
          b.rows,
          b.column,
          b.row,
          1,
          static_cast<size_t>(b.columns),
          weight_.data() + b.first,
          v.data() + b.column,
          u.data() + b.row,
          row_.data() + b.column,
          column_.data() + b.row};
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

// Invariants: u + v >= weight, u, v >= 0, matched cells are tight. Optimal once every unmatched row has u = 0
// and every unmatched column v = 0; each augmentation mends one that has not, and breaks no other.
void Outer::solve(const Block& b, Watch& watch) {
  const Side rows = row_side(b);
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
    if (rows.own_match[i] < 0 && own[i] > 0) augment(rows, i);
  for (int j = 0; j < b.columns && !watch.expired(); ++j)
    if (rows.other_match[j] < 0 && other[j] > 0) augment(column_side(b), j);
}

// Shortest alternating path from an unmatched line with a positive potential; it ends at an unmatched line of
// the other side, or at a line of its own side that goes unmatched because its potential falls to 0.
void Outer::augment(const Side& s, int start) {
  Weight *own = s.own_potential, *other = s.other_potential;
  int32_t *own_match = s.own_match, *other_match = s.other_match;
  std::fill_n(distance_.begin(), s.other, kFar);
  std::fill_n(key_.begin(), s.other, 0);  // kFar once scanned
  scanned_own_.clear();
  scanned_other_.clear();
  int line = start, end_other = -1, end_own = start;
  Weight depth = 0, dummy = kFar;
  for (;;) {
    scanned_own_.push_back(line);
    reached_[line] = depth;
    if (depth + own[line] < dummy) {
      dummy = depth + own[line];
      end_own = line;
    }
    const Weight base = depth + own[line];
    const Weight* w = s.weight + line * s.own_stride;
    Weight nearest = kFar;
    if (s.other_stride == 1) {
      for (int k = 0; k < s.other; ++k) {
        const Weight through = base + other[k] - w[k];
        const bool closer = through < distance_[k];
        distance_[k] = closer ? through : distance_[k];
        parent_[k] = closer ? line : parent_[k];
        nearest = std::min(nearest, std::max(distance_[k], key_[k]));
      }
    } else {
      for (int k = 0; k < s.other; ++k) {
        const Weight through = base + other[k] - w[k * s.other_stride];
        const bool closer = through < distance_[k];
        distance_[k] = closer ? through : distance_[k];
        parent_[k] = closer ? line : parent_[k];
        nearest = std::min(nearest, std::max(distance_[k], key_[k]));
      }
    }
    if (dummy <= nearest) break;
    depth = nearest;
    int at = -1;
    for (int k = 0; k < s.other; ++k)
      if (std::max(distance_[k], key_[k]) == nearest) {
        at = k;
        if (other_match[k] < 0) break;  // among equals prefer the end of the path
      }
    if (other_match[at] < 0) {
      end_other = at;
      break;
    }
    scanned_other_.push_back(at);
    key_[at] = kFar;
    line = other_match[at] - s.own_first;
  }
  const Weight length = end_other >= 0 ? depth : dummy;
  for (int k : scanned_own_) own[k] -= length - reached_[k];
  for (int k : scanned_other_) other[k] += length - distance_[k];
  int at = end_other;
  if (at < 0) {
    if (end_own == start) return;
    at = own_match[end_own] - s.other_first;
    own_match[end_own] = -1;
  }
  for (;;) {
    const int from = parent_[at];
    const int previous = own_match[from] - s.other_first;
    own_match[from] = at + s.other_first;
    other_match[at] = from + s.own_first;
    if (from == start) return;
    at = previous;
  }
}

// How far each potential of one side can fall, its partner's rising as much, with the sum still optimal: each
// line is held back by its own potential, by unmatched lines of the other side, and by the other lines.
void Outer::decrease(const Side& s, Weight* most) {
  const Weight *own = s.own_potential, *other = s.other_potential;
  auto slack = [&](int x, int y) {
    return own[x] + other[y] - s.weight[x * s.own_stride + y * s.other_stride];
  };
  std::copy_n(own, s.own, most);
  for (int y = 0; y < s.other; ++y)
    if (s.other_match[y] < 0)
      for (int x = 0; x < s.own; ++x) most[x] = std::min(most[x], slack(x, y));
  std::fill_n(key_.begin(), s.own, 0);
  for (int settled = 0; settled < s.own; ++settled) {
    Weight nearest = kFar;
    int at = -1;
    for (int x = 0; x < s.own; ++x) {
      const Weight k = std::max(most[x], key_[x]);
      if (k < nearest) {
        nearest = k;
        at = x;
      }
    }
    if (at < 0) return;
    key_[at] = kFar;
    if (s.own_match[at] < 0) continue;
    const int y = s.own_match[at] - s.other_first;
    for (int x = 0; x < s.own; ++x) most[x] = std::min(most[x], nearest + slack(x, y));
  }
}

int64_t Outer::centralise(std::vector<Weight>& middle_u, std::vector<Weight>& middle_v) {
  std::vector<Weight> rows(u.size()), columns(v.size());
  for (const Block& b : blocks_) {
    decrease(row_side(b), rows.data() + b.row);
    decrease(column_side(b), columns.data() + b.column);
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
