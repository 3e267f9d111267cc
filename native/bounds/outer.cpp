#include "outer.hpp"

#include <algorithm>
#include <limits>

namespace enpda {
namespace {

constexpr Outer::Weight kFar = std::numeric_limits<Outer::Weight>::max();

}  // namespace

Outer::Outer(int rows, int columns)
    : u(rows), v(columns), n_(rows), m_(columns), weight_(static_cast<size_t>(rows) * columns) {
  column_.assign(n_, -1);
  row_.assign(m_, -1);
  const size_t most = std::max(n_, m_);
  distance_.resize(most);
  key_.resize(most);
  reached_.resize(most);
  parent_.resize(most);
}

Outer::Side Outer::row_side() {
  return {n_, m_, static_cast<size_t>(m_), 1, &u, &v, &column_, &row_};
}
Outer::Side Outer::column_side() {
  return {m_, n_, 1, static_cast<size_t>(m_), &v, &u, &row_, &column_};
}

// Invariants: u + v >= weight, u, v >= 0, matched cells are tight. Optimal once every unmatched row has u = 0
// and every unmatched column v = 0; each augmentation mends one that has not, and breaks no other.
int64_t Outer::solve(const Deadline& deadline) {
  Watch watch(deadline, std::max(1, 1'000'000 / (n_ * m_ + 1)));
  for (int i = 0; i < n_; ++i) {
    const Weight* w = weight_.data() + static_cast<size_t>(i) * m_;
    Weight best = 0;
    for (int j = 0; j < m_; ++j) best = std::max(best, w[j] - v[j]);
    u[i] = best;
    const int j = column_[i];
    if (j >= 0 && u[i] + v[j] != w[j]) {
      column_[i] = -1;
      row_[j] = -1;
    }
  }
  for (int j = 0; j < m_; ++j) {
    if (row_[j] >= 0 || v[j] == 0) continue;
    Weight least = 0;
    for (int i = 0; i < n_; ++i) least = std::max(least, weight(i, j) - u[i]);
    v[j] = least;
  }
  for (int i = 0; i < n_ && !watch.expired(); ++i)
    if (column_[i] < 0 && u[i] > 0) augment(row_side(), i);
  for (int j = 0; j < m_ && !watch.expired(); ++j)
    if (row_[j] < 0 && v[j] > 0) augment(column_side(), j);
  int64_t value = 0;
  for (Weight x : u) value += x;
  for (Weight x : v) value += x;
  return value;
}

// Shortest alternating path from an unmatched line with a positive potential; it ends at an unmatched line of
// the other side, or at a line of its own side that goes unmatched because its potential falls to 0.
void Outer::augment(const Side& s, int start) {
  auto& own = *s.own_potential;
  auto& other = *s.other_potential;
  auto& own_match = *s.own_match;
  auto& other_match = *s.other_match;
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
    const Weight* w = weight_.data() + line * s.own_stride;
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
    line = other_match[at];
  }
  const Weight length = end_other >= 0 ? depth : dummy;
  for (int k : scanned_own_) own[k] -= length - reached_[k];
  for (int k : scanned_other_) other[k] += length - distance_[k];
  int at = end_other;
  if (at < 0) {
    if (end_own == start) return;
    at = own_match[end_own];
    own_match[end_own] = -1;
  }
  for (;;) {
    const int from = parent_[at];
    const int previous = own_match[from];
    own_match[from] = at;
    other_match[at] = from;
    if (from == start) return;
    at = previous;
  }
}

// How far each potential of one side can fall, its partner's rising as much, with the sum still optimal: each
// line is held back by its own potential, by unmatched lines of the other side, and by the other lines.
void Outer::decrease(const Side& s, std::vector<Weight>& most) {
  auto& own = *s.own_potential;
  auto& other = *s.other_potential;
  auto slack = [&](int x, int y) {
    return own[x] + other[y] - weight_[x * s.own_stride + y * s.other_stride];
  };
  most.assign(own.begin(), own.end());
  for (int y = 0; y < s.other; ++y)
    if ((*s.other_match)[y] < 0)
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
    const int y = (*s.own_match)[at];
    if (y < 0) continue;
    for (int x = 0; x < s.own; ++x) most[x] = std::min(most[x], nearest + slack(x, y));
  }
}

int64_t Outer::centralise(std::vector<Weight>& middle_u, std::vector<Weight>& middle_v) {
  std::vector<Weight> rows, columns;
  decrease(row_side(), rows);
  decrease(column_side(), columns);
  middle_u.resize(n_);
  middle_v.resize(m_);
  int64_t value = 0;
  for (int i = 0; i < n_; ++i) {
    const int j = column_[i];
    middle_u[i] = (2 * u[i] - rows[i] + (j >= 0 ? columns[j] : 0) + 1) / 2;
    value += middle_u[i];
  }
  for (int j = 0; j < m_; ++j) {
    const int i = row_[j];
    middle_v[j] = (2 * v[j] - columns[j] + (i >= 0 ? rows[i] : 0) + 1) / 2;
    value += middle_v[j];
  }
  return value;
}

}  // namespace enpda
