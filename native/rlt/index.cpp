// Numbers for what is alive: candidates, edges, arcs, lines and their blocks, pieces.
#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "rlt/shares.hpp"

namespace enpda {
namespace {

constexpr int32_t kNone = INT32_MIN;

}  // namespace

// Everything that follows from the live candidates and edges.
void Shares::index() {
  evaluated_ = false;
  const size_t count = candidates();
  effort_ = 0;
  for (size_t a = 0; a < count; ++a)
    effort_ += 1 + int64_t{rows_[a]} * columns_[a] * std::min(rows_[a], columns_[a]) / 10;
  edge_at_.assign(share_.size(), kNone);
  arc_start_.assign(count + 1, 0);
  for (size_t e = 0; e < edges(); ++e) {
    edge_at_[slot_a_[e]] = static_cast<int32_t>(e);
    edge_at_[slot_b_[e]] = ~static_cast<int32_t>(e);
    ++arc_start_[owner_a_[e] + 1];
    ++arc_start_[owner_b_[e] + 1];
  }
  for (size_t a = 0; a < count; ++a) arc_start_[a + 1] += arc_start_[a];
  arc_slot_.resize(2 * edges());
  arc_twin_.resize(2 * edges());
  arc_profit_.resize(2 * edges());
  std::vector<uint32_t> next(arc_start_.begin(), arc_start_.end() - 1);
  for (size_t e = 0; e < edges(); ++e) {
    uint32_t k = next[owner_a_[e]]++;
    arc_slot_[k] = slot_a_[e];
    arc_twin_[k] = slot_b_[e];
    arc_profit_[k] = profit_[e];
    k = next[owner_b_[e]]++;
    arc_slot_[k] = slot_b_[e];
    arc_twin_[k] = slot_a_[e];
    arc_profit_[k] = profit_[e];
  }
  potential_at_.resize(count);
  uint32_t lines = 0;
  for (size_t a = 0; a < count; ++a) {
    potential_at_[a] = lines;
    if (!is_small(static_cast<int>(a))) lines += uint32_t{rows_[a]} + columns_[a];
  }
  potential_.resize(lines);
  // An inner matching uses each incident edge once on either side.
  dimension_.resize(count);
  std::vector<uint8_t> used_row, used_column;
  for (size_t a = 0; a < count; ++a) {
    if (is_small(static_cast<int>(a))) {
      uint32_t slots = 0;
      for (uint32_t k = arc_start_[a]; k < arc_start_[a + 1]; ++k) slots |= 1u << (arc_slot_[k] - offset_[a]);
      const uint32_t rows = (slots | slots >> 1 | slots >> 2 | slots >> 3) & 0x1111;
      const uint32_t columns = (slots | slots >> 4 | slots >> 8 | slots >> 12) & 0xf;
      dimension_[a] = static_cast<uint16_t>(std::min(std::popcount(rows), std::popcount(columns)));
      continue;
    }
    used_row.assign(rows_[a], 0);
    used_column.assign(columns_[a], 0);
    for (uint32_t k = arc_start_[a]; k < arc_start_[a + 1]; ++k) {
      const uint32_t s = arc_slot_[k] - offset_[a];
      used_row[s / columns_[a]] = used_column[s % columns_[a]] = 1;
    }
    dimension_[a] = static_cast<uint16_t>(std::min(std::count(used_row.begin(), used_row.end(), 1),
                                                   std::count(used_column.begin(), used_column.end(), 1)));
  }
  std::vector<int32_t> row_number(pair_.n, -1), column_number(pair_.m, -1);
  for (Cell c : cell_) row_number[pair_.row(c)] = column_number[pair_.column(c)] = 0;
  auto compress = [](std::vector<int32_t>& number) {
    std::vector<int32_t> live;
    for (size_t k = 0; k < number.size(); ++k)
      if (number[k] == 0) {
        number[k] = static_cast<int32_t>(live.size());
        live.push_back(static_cast<int32_t>(k));
      }
    return live;
  };
  const auto old_columns = live_columns_;
  const auto old_v = outer_.v;
  live_rows_ = compress(row_number);
  live_columns_ = compress(column_number);
  row_.resize(count);
  column_.resize(count);
  for (size_t a = 0; a < count; ++a) {
    row_[a] = row_number[pair_.row(cell_[a])];
    column_[a] = column_number[pair_.column(cell_[a])];
  }
  outer_ = Outer(blocks(row_number, column_number));
  for (size_t k = 0; k < old_columns.size(); ++k)
    if (column_number[old_columns[k]] >= 0) outer_.v[column_number[old_columns[k]]] = old_v[k];
  outer_slot_.resize(count);
  candidate_at_.assign(outer_.slots(), -1);
  for (size_t a = 0; a < count; ++a) {
    outer_slot_[a] = outer_.slot(row_[a], column_[a]);
    candidate_at_[outer_slot_[a]] = static_cast<int32_t>(a);
  }
  pull_.assign(edges(), 0);
  if (!worth_.empty()) index_pieces();
}

// Rows and columns that candidates connect, as blocks; numbers them anew, block by block.
std::vector<Outer::Block> Shares::blocks(std::vector<int32_t>& row_number,
                                         std::vector<int32_t>& column_number) {
  const size_t rows = live_rows_.size(), columns = live_columns_.size();
  std::vector<int32_t> above(rows + columns);  // rows, then columns: each points towards its block's first
  std::iota(above.begin(), above.end(), 0);
  auto root = [&](int32_t x) {
    while (above[x] != x) x = above[x] = above[above[x]];
    return x;
  };
  for (size_t a = 0; a < candidates(); ++a) {
    const int32_t x = root(row_[a]), y = root(static_cast<int32_t>(rows) + column_[a]);
    above[std::max(x, y)] = std::min(x, y);
  }
  std::vector<Outer::Block> result;
  std::vector<int32_t> block(rows + columns);  // a row comes first in each
  for (size_t x = 0; x < rows + columns; ++x) {
    const int32_t first = root(static_cast<int32_t>(x));
    if (first == static_cast<int32_t>(x)) {
      block[x] = static_cast<int32_t>(result.size());
      result.emplace_back();
    }
    block[x] = block[first];
    ++(x < rows ? result[block[x]].rows : result[block[x]].columns);
  }
  for (size_t k = 1; k < result.size(); ++k) {
    result[k].row = result[k - 1].row + result[k - 1].rows;
    result[k].column = result[k - 1].column + result[k - 1].columns;
  }
  if (result.size() < 2) return result;
  auto renumber = [&](std::vector<int32_t>& live, size_t shift, int Outer::Block::* first,
                      std::vector<int32_t>& number, std::vector<int32_t>& of_candidate) {
    std::vector<int32_t> next, fresh(live.size()), moved(live.size());
    for (const auto& b : result) next.push_back(b.*first);
    for (size_t x = 0; x < live.size(); ++x) {
      fresh[x] = next[block[shift + x]]++;
      moved[fresh[x]] = live[x];
      number[live[x]] = fresh[x];
    }
    live = std::move(moved);
    for (int32_t& x : of_candidate) x = fresh[x];
  };
  renumber(live_rows_, 0, &Outer::Block::row, row_number, row_);
  renumber(live_columns_, rows, &Outer::Block::column, column_number, column_);
  return result;
}

void Shares::compact(const std::vector<uint8_t>& dead) {
  std::vector<uint8_t> alive(candidates());
  for (size_t e = 0; e < edges(); ++e)
    if (!dead[e]) {
      alive[owner_a_[e]] = alive[owner_b_[e]] = 1;
    } else {
      share_[slot_a_[e]] = share_[slot_b_[e]] = kAbsent;
    }
  std::vector<int32_t> number(candidates(), -1);
  std::vector<uint32_t> shift(candidates());
  size_t kept = 0;
  uint32_t at = 0;
  for (size_t a = 0; a < candidates(); ++a) {
    if (!alive[a]) continue;
    const uint32_t length = is_small(static_cast<int>(a)) ? 16 : uint32_t{rows_[a]} * columns_[a];
    std::copy_n(share_.begin() + offset_[a], length, share_.begin() + at);
    number[a] = static_cast<int32_t>(kept);
    shift[a] = offset_[a] - at;
    cell_[kept] = cell_[a];
    offset_[kept] = at;
    rows_[kept] = rows_[a];
    columns_[kept] = columns_[a];
    usage_[kept] = usage_[a];
    at += length;
    ++kept;
  }
  cell_.resize(kept);
  offset_.resize(kept);
  rows_.resize(kept);
  columns_.resize(kept);
  usage_.resize(kept);
  share_.resize(at);
  size_t e2 = 0;
  for (size_t e = 0; e < dead.size(); ++e) {
    if (dead[e]) continue;
    const int32_t a = owner_a_[e], b = owner_b_[e];
    slot_a_[e2] = slot_a_[e] - shift[a];
    slot_b_[e2] = slot_b_[e] - shift[b];
    owner_a_[e2] = number[a];
    owner_b_[e2] = number[b];
    drift_[e2] = drift_[e];
    profit_[e2] = profit_[e];
    if (!worth_.empty()) worth_[e2] = worth_[e];
    ++e2;
  }
  for (auto* list : {&slot_a_, &slot_b_}) list->resize(e2);
  for (auto* list : {&owner_a_, &owner_b_}) list->resize(e2);
  drift_.resize(e2);
  profit_.resize(e2);
  if (!worth_.empty()) worth_.resize(e2);
  index();
}

void Shares::index_pieces() {
  source_edge_.resize(edges());
  target_edge_.resize(edges());
  for (size_t e = 0; e < edges(); ++e) {
    const int a = owner_a_[e];
    const int slot = static_cast<int>(slot_a_[e] - offset_[a]);
    source_edge_[e] = pieces_.source_edge(pair_.source.offset[pair_.row(cell_[a])] + slot / columns_[a]);
    target_edge_[e] = pieces_.target_edge(pair_.target.offset[pair_.column(cell_[a])] + slot % columns_[a]);
  }
}

}  // namespace enpda
