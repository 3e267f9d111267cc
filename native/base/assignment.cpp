#include "base/assignment.hpp"

#include <algorithm>
#include <limits>

namespace enpda {

// Invariants between augmentations: slack(i, j) = u[i] + v[j] - w(i, j) >= 0, u >= 0, v >= 0, matched cells
// are tight, unmatched rows have u = 0 and unmatched columns have v = 0. A search path may end in a free
// column or by sending one of its rows to its private dummy, whose slack is u[i].
template <class T>
Assignment<T> assign(std::span<const T> w, int n, int m, const Deadline& deadline) {
  constexpr T kInfinity = std::numeric_limits<T>::max();
  Assignment<T> result;
  auto& u = result.row_potential;
  auto& v = result.column_potential;
  auto& column = result.column;
  u.assign(n, T{});
  v.assign(m, T{});
  column.assign(n, -1);
  std::vector<int32_t> owner(m, -1), parent(m), open(m);
  std::vector<T> distance(m), reached(n);
  std::vector<int32_t> scanned_rows, scanned_columns;
  Watch watch(deadline, std::clamp(100'000 / std::max(m, 1), 1, 4096));
  for (int i = 0; i < n; ++i) {
    if (watch.expired()) {
      result.complete = false;
      return result;
    }
    T best{};
    const T* row = w.data() + static_cast<size_t>(i) * m;
    for (int j = 0; j < m; ++j) best = std::max(best, row[j] - v[j]);
    u[i] = best;
  }
  for (int start = 0; start < n; ++start) {
    if (deadline.expired()) {
      result.complete = false;
      break;
    }
    // Columns are examined in index order; `open` holds those not yet scanned.
    for (int j = 0; j < m; ++j) {
      distance[j] = kInfinity;
      open[j] = j;
    }
    int open_count = m;
    scanned_rows.clear();
    scanned_columns.clear();
    int row = start, end_column = -1, end_row = start;
    T depth{}, dummy_depth = kInfinity;
    for (;;) {
      scanned_rows.push_back(row);
      reached[row] = depth;
      if (depth + u[row] < dummy_depth) {
        dummy_depth = depth + u[row];
        end_row = row;
      }
      const T* weights = w.data() + static_cast<size_t>(row) * m;
      const T base = depth + u[row];
      T nearest = kInfinity;
      int nearest_at = -1;
      for (int k = 0; k < open_count; ++k) {
        const int j = open[k];
        const T through = base + v[j] - weights[j];
        if (through < distance[j]) {
          distance[j] = through;
          parent[j] = row;
        }
        // Prefer a free column among equals: the path ends there.
        if (distance[j] < nearest ||
            (distance[j] == nearest && owner[j] < 0 && owner[open[nearest_at]] >= 0)) {
          nearest = distance[j];
          nearest_at = k;
        }
      }
      if (nearest_at < 0 || dummy_depth <= nearest) break;  // staying unmatched is at least as good
      depth = nearest;
      const int j = open[nearest_at];
      if (owner[j] < 0) {
        end_column = j;
        break;
      }
      scanned_columns.push_back(j);
      std::copy(open.begin() + nearest_at + 1, open.begin() + open_count, open.begin() + nearest_at);
      --open_count;
      row = owner[j];
    }
    const T length = end_column >= 0 ? depth : dummy_depth;
    for (int i : scanned_rows) u[i] -= length - reached[i];
    for (int j : scanned_columns) v[j] += length - distance[j];
    // Augment from the end: a free column, or the column that `end_row` gives up.
    int j = end_column;
    if (j < 0) {
      u[end_row] = T{};  // exact zero even in floating point
      if (end_row == start) continue;
      j = column[end_row];
      column[end_row] = -1;
    }
    for (;;) {
      const int i = parent[j];
      const int previous = column[i];
      column[i] = j;
      owner[j] = i;
      if (i == start) break;
      j = previous;
    }
  }
  for (int i = 0; i < n; ++i)
    if (column[i] >= 0) result.value += w[static_cast<size_t>(i) * m + column[i]];
  return result;
}

template Assignment<double> assign<double>(std::span<const double>, int, int, const Deadline&);
template Assignment<int64_t> assign<int64_t>(std::span<const int64_t>, int, int, const Deadline&);

}  // namespace enpda
