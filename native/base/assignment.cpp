#include "base/assignment.hpp"

#include <algorithm>

#include "base/path.hpp"

namespace enpda {

template <class T>
Assignment<T> assign(std::span<const T> w, int n, int m, const Deadline& deadline) {
  Assignment<T> result;
  auto& u = result.row_potential;
  auto& v = result.column_potential;
  auto& column = result.column;
  u.assign(n, T{});
  v.assign(m, T{});
  column.assign(n, -1);
  std::vector<int32_t> owner(m, -1);
  Watch watch(deadline, std::clamp(100'000 / std::max(m, 1), 1, 4096));
  for (int i = 0; i < n; ++i) {
    if (watch.expired()) {
      result.complete = false;
      return result;
    }
    const T* row = w.data() + static_cast<size_t>(i) * m;
    for (int j = 0; j < m; ++j) u[i] = std::max(u[i], row[j]);
  }
  const Side<T> rows{.own = n,
                     .other = m,
                     .own_stride = static_cast<size_t>(m),
                     .other_stride = 1,
                     .weight = w.data(),
                     .own_potential = u.data(),
                     .other_potential = v.data(),
                     .own_match = column.data(),
                     .other_match = owner.data()};
  Paths<T> paths;
  paths.reserve(std::max(n, m));
  for (int i = 0; i < n; ++i) {
    if (deadline.expired()) {
      result.complete = false;
      break;
    }
    if (u[i] > 0) paths.augment(rows, i);
  }
  for (int i = 0; i < n; ++i)
    if (column[i] >= 0) result.value += w[static_cast<size_t>(i) * m + column[i]];
  return result;
}

template Assignment<double> assign<double>(std::span<const double>, int, int, const Deadline&);
template Assignment<int64_t> assign<int64_t>(std::span<const int64_t>, int, int, const Deadline&);

}  // namespace enpda
