#include "rlt/inner.hpp"

#include "base/path.hpp"

namespace enpda {
namespace small {

int matching(const Share* block, std::array<int, 4>& slots) {
  // Rows 0 and 1 take two columns, rows 2 and 3 the other two: three ways to halve, both ways round, and each
  // half straight or crossed.
  static constexpr int kHalves[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                        {2, 3, 0, 1}, {1, 3, 0, 2}, {1, 2, 0, 3}};
  auto at = [&](int row, int column) { return std::max(block[4 * row + column], 0); };
  Share best = -1;
  std::array<int, 4> columns{};
  for (const auto& [a, b, c, d] : kHalves) {
    const Share top_straight = at(0, a) + at(1, b), top_crossed = at(0, b) + at(1, a);
    const Share bottom_straight = at(2, c) + at(3, d), bottom_crossed = at(2, d) + at(3, c);
    const Share total = std::max(top_straight, top_crossed) + std::max(bottom_straight, bottom_crossed);
    if (total <= best) continue;
    best = total;
    const bool top = top_straight >= top_crossed, bottom = bottom_straight >= bottom_crossed;
    columns = {top ? a : b, top ? b : a, bottom ? c : d, bottom ? d : c};
  }
  int count = 0;
  for (int row = 0; row < 4; ++row)
    if (block[4 * row + columns[row]] > 0) slots[count++] = 4 * row + columns[row];
  return count;
}

}  // namespace small

namespace general {
namespace {

// The assignment of a block, its memory kept from one to the next: a candidate's is tiny, and there are very
// many. Unmatched columns have potential 0, so only rows start paths.
class Inner {
 public:
  // Not inlined, nor is who calls it: they would ask for the thread's own memory at every access, which was a
  // tenth of all time.
  [[gnu::noinline]] void solve(const Share* block, int rows, int columns) {
    rows_ = rows;
    columns_ = columns;
    weight_.resize(static_cast<size_t>(rows) * columns);
    for (size_t s = 0; s < weight_.size(); ++s) weight_[s] = std::max(block[s], 0);
    potentials.assign(static_cast<size_t>(rows) + columns, 0);
    Share* const u = potentials.data();
    column.assign(rows, -1);
    row_.assign(columns, -1);
    paths_.reserve(std::max(rows, columns));
    for (int i = 0; i < rows; ++i) {  // whoever finds its best column free takes it
      const Share* w = weight_.data() + static_cast<size_t>(i) * columns;
      u[i] = *std::max_element(w, w + columns);
      for (int j = 0; j < columns && u[i] > 0 && column[i] < 0; ++j)
        if (w[j] == u[i] && row_[j] < 0) {
          column[i] = j;
          row_[j] = i;
        }
    }
    const Side<Share> side{.own = rows,
                           .other = columns,
                           .own_stride = static_cast<size_t>(columns),
                           .other_stride = 1,
                           .weight = weight_.data(),
                           .own_potential = u,
                           .other_potential = u + rows,
                           .own_match = column.data(),
                           .other_match = row_.data()};
    for (int i = 0; i < rows; ++i)
      if (column[i] < 0 && u[i] > 0) paths_.augment(side, i);
  }
  Share value() const {
    Share sum = 0;
    for (int i = 0; i < rows_; ++i)
      if (column[i] >= 0) sum += weight_[static_cast<size_t>(i) * columns_ + column[i]];
    return sum;
  }

  std::vector<Share> potentials;  // of the rows, then of the columns
  std::vector<int32_t> column;    // per row; -1: unmatched

 private:
  int rows_ = 0, columns_ = 0;
  std::vector<Share> weight_;
  std::vector<int32_t> row_;
  Paths<Share> paths_;
};

[[gnu::noinline]] const Inner& solved(const Share* block, int rows, int columns) {
  thread_local Inner inner;
  inner.solve(block, rows, columns);
  return inner;
}

}  // namespace

Share value(const Share* block, int rows, int columns, Share* potentials) {
  const Inner& inner = solved(block, rows, columns);
  std::ranges::copy(inner.potentials, potentials);
  return inner.value();
}

Share marginals(const Share* block, int rows, int columns, const Share* potentials, Share* out) {
  const Share *u = potentials, *v = potentials + rows;
  Share value = 0;
  for (int k = 0; k < rows + columns; ++k) value += potentials[k];
  for (int p = 0; p < rows; ++p)
    for (int q = 0; q < columns; ++q) {
      const Share share = block[p * columns + q];
      out[p * columns + q] = share == kAbsent ? kAbsent : value - (u[p] + v[q] - share);
    }
  return value;
}

Share marginals(const Share* block, int rows, int columns, Share* out) {
  return marginals(block, rows, columns, solved(block, rows, columns).potentials.data(), out);
}

std::vector<int> matching(const Share* block, int rows, int columns) {
  const Inner& inner = solved(block, rows, columns);
  std::vector<int> slots;
  for (int p = 0; p < rows; ++p) {
    const int q = inner.column[p];
    if (q >= 0 && block[p * columns + q] > 0) slots.push_back(p * columns + q);
  }
  return slots;
}

}  // namespace general
}  // namespace enpda
