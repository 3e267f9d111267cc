#include "inner.hpp"

#include "../assignment.hpp"

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

Assignment<int64_t> solve(const Share* block, int rows, int columns) {
  std::vector<int64_t> weight(static_cast<size_t>(rows) * columns);
  for (size_t s = 0; s < weight.size(); ++s) weight[s] = std::max(block[s], 0);
  return assign<int64_t>(weight, rows, columns, Deadline());
}

}  // namespace

Share value(const Share* block, int rows, int columns) {
  return static_cast<Share>(solve(block, rows, columns).value);
}

Share marginals(const Share* block, int rows, int columns, Share* out) {
  const auto solved = solve(block, rows, columns);
  for (int p = 0; p < rows; ++p)
    for (int q = 0; q < columns; ++q) {
      const Share share = block[p * columns + q];
      const int64_t slack = solved.row_potential[p] + solved.column_potential[q] - share;
      out[p * columns + q] = share == kAbsent ? kAbsent : static_cast<Share>(solved.value - slack);
    }
  return static_cast<Share>(solved.value);
}

std::vector<int> matching(const Share* block, int rows, int columns) {
  const auto solved = solve(block, rows, columns);
  std::vector<int> slots;
  for (int p = 0; p < rows; ++p) {
    const int q = solved.column[p];
    if (q >= 0 && block[p * columns + q] > 0) slots.push_back(p * columns + q);
  }
  return slots;
}

}  // namespace general
}  // namespace enpda
