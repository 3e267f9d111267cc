#include "rlt/shares.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace enpda {
namespace {

constexpr int32_t kNone = INT32_MIN;
constexpr size_t kMaxSlots = 1 << 25;
// Seconds per slot: building takes some 50 ns, an iteration 20 ns, and fewer than ten get nowhere.
constexpr double kWorthwhile = 2.5e-7;

// Per arc of a graph: its position among the arcs of its head.
std::vector<int32_t> positions_back(const Graph& g) {
  std::vector<int32_t> back(g.arc.size()), next(g.offset.begin(), g.offset.end() - 1);
  // Arcs are sorted by head, so tails meet each head in ascending order.
  for (int v = 0; v < g.size(); ++v)
    for (int k = g.offset[v]; k < g.offset[v + 1]; ++k) {
      const int to = g.arc[k].to;
      back[k] = next[to]++ - g.offset[to];
    }
  return back;
}

}  // namespace

bool Shares::fits(const Pair& pair, const Deadline& deadline) {
  // Inner values stay below 2^29 as long as shares are clamped to 2^29 / degree, which must leave room for
  // one edge.
  if (std::min(pair.source.max_degree(), pair.target.max_degree()) > 4096) return false;
  size_t slots = 0;
  for (Cell c : pair.candidates) {
    const size_t rows = pair.source.degree(pair.row(c)), columns = pair.target.degree(pair.column(c));
    slots += rows <= 4 && columns <= 4 ? 16 : rows * columns;
    if (slots > kMaxSlots || rows > UINT16_MAX || columns > UINT16_MAX) return false;
  }
  return deadline.remaining() > kWorthwhile * static_cast<double>(slots);
}

Shares::Shares(const Pair& pair, const Deadline& deadline, Share bonus) : pair_(pair), bonus_(bonus) {
  const int degree = std::min(pair.source.max_degree(), pair.target.max_degree());
  limit_ = std::min<Share>(1 << 20, (1 << 29) / std::max(degree, 1));
  std::vector<int32_t> number(pair.cells(), -1);
  Watch watch(deadline, pair.patience());
  for (Cell c : pair.candidates) {
    if (watch.expired()) {
      complete_ = false;
      return;
    }
    bool any = false;
    pair.for_each_neighbour(c, [&](Cell) { any = true; });
    if (!any) continue;
    const int rows = pair.source.degree(pair.row(c)), columns = pair.target.degree(pair.column(c));
    const bool tiny = rows <= 4 && columns <= 4;
    number[c] = static_cast<int32_t>(cell_.size());
    cell_.push_back(c);
    rows_.push_back(static_cast<uint16_t>(tiny ? 0 : rows));
    columns_.push_back(static_cast<uint16_t>(tiny ? 4 : columns));
    offset_.push_back(static_cast<uint32_t>(share_.size()));
    share_.resize(share_.size() + (tiny ? 16 : rows * columns), kAbsent);
  }
  if (pair.stores_lists()) {
    const size_t count = pair.neighbour_count() / 2;
    for (auto* list : {&owner_a_, &owner_b_}) list->reserve(count);
    for (auto* list : {&slot_a_, &slot_b_}) list->reserve(count);
    profit_.reserve(count);
  }
  const auto back_a = positions_back(pair.source), back_b = positions_back(pair.target);
  for (size_t a = 0; a < cell_.size(); ++a) {
    if (watch.expired()) {
      complete_ = false;
      return;
    }
    const int i = pair.row(cell_[a]), j = pair.column(cell_[a]);
    const int first_x = pair.source.offset[i], first_y = pair.target.offset[j];
    for (int x = first_x; x < pair.source.offset[i + 1]; ++x)
      for (int y = first_y; y < pair.target.offset[j + 1]; ++y) {
        const Arc &left = pair.source.arc[x], &right = pair.target.arc[y];
        const int worth = pair.worth(left, right);
        if (worth == 0) continue;
        const Cell d = pair.cell(left.to, right.to);
        const int b = d < 0 ? -1 : number[d];
        if (b <= static_cast<int>(a)) continue;  // none, or seen from the other end
        if (!pair.closes(left, cell_[a], cell_[b])) continue;
        owner_a_.push_back(static_cast<int32_t>(a));
        owner_b_.push_back(b);
        slot_a_.push_back(offset_[a] + (x - first_x) * columns_[a] + (y - first_y));
        slot_b_.push_back(offset_[b] + back_a[x] * columns_[b] + back_b[y]);
        profit_.push_back(worth * kUnit);
        share_[slot_a_.back()] = share_[slot_b_.back()] = profit_.back() / 2;
      }
  }
  drift_.assign(edges(), 0.0f);
  usage_.assign(candidates(), 0.0f);
  open_rings_.resize(pair.alignments.size());
  std::iota(open_rings_.begin(), open_rings_.end(), 0);
  index();
}

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
    used_row.assign(is_small(static_cast<int>(a)) ? 4 : rows_[a], 0);
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

int64_t Shares::evaluate(const Deadline& deadline) {
  Watch watch(deadline, pair_.patience());
  for (size_t a = 0; a < candidates(); ++a) {
    if (watch.expired()) return -1;
    const int k = static_cast<int>(a);
    outer_.weight(outer_slot_[a]) = with_bonus(k, inner_value(k));
  }
  evaluated_ = true;
  return outer_.solve(deadline) + pieces_.paid();
}

void Shares::divide(std::span<const float> shares) {
  evaluated_ = false;
  for (size_t e = 0; e < edges(); ++e) {
    const float whole = static_cast<float>(kUnit) * shares[e];
    const float most = static_cast<float>(limit_), least = static_cast<float>(profit_[e]) - most;
    share_[slot_a_[e]] = static_cast<Share>(std::lrintf(std::clamp(whole, least, most)));
    share_[slot_b_[e]] = profit_[e] - share_[slot_a_[e]];
  }
}

void Shares::read(Reading& out) const {
  constexpr float kScale = 1.0f / kUnit;
  const size_t count = candidates();
  out.candidate.resize(Reading::kCandidate * count);
  out.a.assign(Reading::kArc * edges(), 0.0f);
  out.b.assign(Reading::kArc * edges(), 0.0f);
  std::vector<int32_t> in_row(outer_.rows()), in_column(outer_.columns());
  for (size_t a = 0; a < count; ++a) ++in_row[row_[a]], ++in_column[column_[a]];
  std::vector<Share> marginal(16);
  std::array<int, 4> slots;
  for (size_t k = 0; k < count; ++k) {
    const int a = static_cast<int>(k);
    if (!is_small(a)) marginal.resize(std::max<size_t>(marginal.size(), size_t(rows_[a]) * columns_[a]));
    const Share inner = known_marginals(a, marginal.data());
    const Share value = with_bonus(a, inner);
    const bool picked = outer_.column_of()[row_[a]] == column_[a];
    float* x = out.candidate.data() + Reading::kCandidate * k;
    x[0] = kScale * static_cast<float>(value);
    x[1] = kScale * static_cast<float>(middle_u_[row_[a]] + middle_v_[column_[a]] - value);
    x[2] = picked ? 1.0f : 0.0f;
    x[3] = kScale * static_cast<float>(middle_u_[row_[a]]);
    x[4] = kScale * static_cast<float>(middle_v_[column_[a]]);
    x[5] = 0.25f * static_cast<float>(dimension_[a]);
    x[6] = 0.125f * static_cast<float>(arc_start_[a + 1] - arc_start_[a]);
    x[7] = 8.0f / static_cast<float>(7 + in_row[row_[a]]);
    x[8] = 8.0f / static_cast<float>(7 + in_column[column_[a]]);
    auto at = [&](uint32_t slot) {
      const int32_t e = edge_at_[slot];
      return e >= 0 ? out.a.data() + Reading::kArc * e : out.b.data() + Reading::kArc * ~e;
    };
    for (uint32_t j = arc_start_[a]; j < arc_start_[a + 1]; ++j) {
      const uint32_t s = arc_slot_[j];
      float* y = at(s);
      y[0] = kScale * static_cast<float>(share_[s]);
      y[1] = kScale * static_cast<float>(inner - marginal[s - offset_[a]]);
    }
    if (!picked) continue;
    if (is_small(a)) {
      const int used = small::matching(share_.data() + offset_[a], slots);
      for (int j = 0; j < used; ++j) at(offset_[a] + slots[j])[2] = 1.0f;
    } else {
      for (int s : general::matching(share_.data() + offset_[a], rows_[a], columns_[a]))
        at(offset_[a] + s)[2] = 1.0f;
    }
  }
}

int Shares::preserved() const {
  const auto& worth = worth_.empty() ? profit_ : worth_;
  int twice = 0;
  for (int i = 0; i < outer_.rows(); ++i) {
    const int a = chosen(i);
    if (a < 0) continue;
    for (uint32_t k = arc_start_[a]; k < arc_start_[a + 1]; ++k) {
      const int32_t at = edge_at_[arc_slot_[k]];
      const int b = at >= 0 ? owner_b_[at] : owner_a_[~at];
      if (outer_.column_of()[row_[b]] == column_[b]) twice += worth[at >= 0 ? at : ~at] / kUnit;
    }
  }
  return twice / 2;
}

Mapping Shares::mapping() const {
  Mapping image(pair_.n, -1);
  for (int i = 0; i < outer_.rows(); ++i)
    if (const int a = chosen(i); a >= 0) image[pair_.row(cell_[a])] = pair_.column(cell_[a]);
  return image;
}

bool Shares::descend(double momentum, double distance) {
  touched_.clear();
  constexpr float kMemory = 0.98f;
  for (float& x : usage_) x *= kMemory;
  std::array<int, 4> slots;
  const bool watching = pieces_.watching();
  if (watching) pieces_.begin();
  for (int i = 0; i < outer_.rows(); ++i) {
    const int a = chosen(i);
    if (a < 0) continue;
    usage_[a] += 1 - kMemory;
    const int x = pair_.source.offset[pair_.row(cell_[a])], y = pair_.target.offset[pair_.column(cell_[a])];
    auto use = [&](int s) {
      const int32_t at = edge_at_[offset_[a] + s];
      const int32_t e = at >= 0 ? at : ~at;
      pull_[e] += at >= 0 ? 1 : -1;
      touched_.push_back(e);
      if (watching) pieces_.use(x + s / columns_[a], y + s % columns_[a]);
    };
    int used = 0;
    if (is_small(a)) {
      used = small::matching(share_.data() + offset_[a], slots);
      for (int k = 0; k < used; ++k) use(slots[k]);
    } else {
      for (int s : general::matching(share_.data() + offset_[a], rows_[a], columns_[a])) ++used, use(s);
    }
    if (used == 0 && bonus_ > 0) use(static_cast<int>(best_slot(a) - offset_[a]));
  }
  if (watching) pieces_.end();
  double norm = pieces_.pull(momentum);
  for (float& d : drift_) d *= static_cast<float>(momentum);
  for (int32_t e : touched_) {
    if (pull_[e] == 0) continue;
    drift_[e] += static_cast<float>(pull_[e]);
    pull_[e] = 0;
    ++norm;
  }
  if (norm == 0) return false;
  evaluated_ = false;
  const float step = static_cast<float>(distance / norm);
  if (!pieces_.empty()) {
    pieces_.move(step);
    pay();
  }
  for (size_t e = 0; e < edges(); ++e) {
    const Share delta = static_cast<Share>(std::lrintf(step * drift_[e]));
    Share& a = share_[slot_a_[e]];
    Share& b = share_[slot_b_[e]];
    const Share moved = std::clamp(a - delta, profit_[e] - limit_, limit_);
    b = profit_[e] - moved;
    a = moved;
  }
  return true;
}

int64_t Shares::centralise() {
  return outer_.centralise(middle_u_, middle_v_) + pieces_.paid();
}

void Shares::sweep(double fraction, bool backwards, const Deadline& deadline) {
  evaluated_ = false;
  Watch watch(deadline, pair_.patience());
  std::vector<Share> marginal(16);
  const int count = static_cast<int>(candidates());
  for (int k = 0; k < count; ++k) {
    if (watch.expired()) return;
    const int a = backwards ? count - 1 - k : k;
    if (!is_small(a)) marginal.resize(std::max<size_t>(marginal.size(), size_t(rows_[a]) * columns_[a]));
    const Share value = with_bonus(a, inner_marginals(a, marginal.data()));
    const Share slack = middle_u_[row_[a]] + middle_v_[column_[a]] - value;
    const Share whole = value - bonus_ + static_cast<Share>(fraction * std::max(slack, 0));
    for (uint32_t k2 = arc_start_[a]; k2 < arc_start_[a + 1]; ++k2) {
      const uint32_t s = arc_slot_[k2];
      const Share moved = std::min(share_[s] + (whole - marginal[s - offset_[a]]) / dimension_[a], limit_);
      share_[s] = moved;
      share_[arc_twin_[k2]] = arc_profit_[k2] - moved;
    }
  }
}

size_t Shares::fix(int64_t bound, int64_t target, double worth, Stage* record) {
  // A mapping that uses something loses its slack: delete what falls below the target.
  const int64_t room = bound - target;
  std::vector<Share> slack(candidates());
  std::vector<Share> gap(share_.size());
  for (size_t a = 0; a < candidates(); ++a) {
    const int k = static_cast<int>(a);
    const Share value = with_bonus(k, known_marginals(k, gap.data() + offset_[a]));
    slack[a] = middle_u_[row_[a]] + middle_v_[column_[a]] - value;
    for (uint32_t x = arc_start_[a]; x < arc_start_[a + 1]; ++x)
      gap[arc_slot_[x]] = value - bonus_ - gap[arc_slot_[x]];
  }
  std::vector<uint8_t> dead(edges());
  size_t count = 0;
  for (size_t e = 0; e < edges(); ++e) {
    const int64_t a = slack[owner_a_[e]], b = slack[owner_b_[e]];
    dead[e] = a > room || b > room || a + b + gap[slot_a_[e]] + gap[slot_b_[e]] > room;
    count += dead[e];
  }
  if (count == 0 || static_cast<double>(count) < worth * static_cast<double>(edges())) return 0;
  if (record != nullptr) *record = stage(middle_u_, middle_v_);
  propagate(dead);
  compact(dead);
  return count;
}

void Shares::decide(std::span<const Choice> choices) {
  constexpr int32_t kFree = -2;
  std::vector<int32_t> partner_of_row(pair_.n, kFree), partner_of_column(pair_.m, kFree);
  for (const auto [row, column] : choices) {
    if (row >= 0) partner_of_row[row] = column;
    if (column >= 0) partner_of_column[column] = row;
    if (row >= 0 && column >= 0) taking_part_.push_back(pair_.cell(row, column));
  }
  std::vector<uint8_t> excluded(candidates());
  for (size_t a = 0; a < candidates(); ++a) {
    const int i = pair_.row(cell_[a]), j = pair_.column(cell_[a]);
    excluded[a] = (partner_of_row[i] != kFree && partner_of_row[i] != j) ||
                  (partner_of_column[j] != kFree && partner_of_column[j] != i);
  }
  std::vector<uint8_t> dead(edges());
  for (size_t e = 0; e < edges(); ++e) dead[e] = excluded[owner_a_[e]] || excluded[owner_b_[e]];
  propagate(dead);
  compact(dead);
}

bool Shares::decided() const {
  return live_rows_.size() == candidates() && live_columns_.size() == candidates();
}

void Shares::even() {
  evaluated_ = false;
  if (!pieces_.empty()) {
    pieces_.clear();
    pay();
  }
  for (size_t e = 0; e < edges(); ++e) share_[slot_a_[e]] = share_[slot_b_[e]] = profit_[e] / 2;
}

std::vector<Share> Shares::slacks() const {
  std::vector<Share> result(candidates());
  for (size_t a = 0; a < candidates(); ++a)
    result[a] = middle_u_[row_[a]] + middle_v_[column_[a]] - outer_.weight(outer_slot_[a]);
  return result;
}

Stage Shares::stage(const std::vector<Share>& u, const std::vector<Share>& v) const {
  Stage result;
  result.u.assign(pair_.n, 0);
  result.v.assign(pair_.m, 0);
  for (size_t i = 0; i < live_rows_.size(); ++i) result.u[live_rows_[i]] = u[i];
  for (size_t j = 0; j < live_columns_.size(); ++j) result.v[live_columns_[j]] = v[j];
  for (size_t e = 0; e < edges(); ++e) {
    result.a.push_back(pair_.place(cell_[owner_a_[e]]));
    result.b.push_back(pair_.place(cell_[owner_b_[e]]));
    result.share.push_back(share_[slot_a_[e]]);
  }
  std::ranges::copy_if(pieces_.list(), std::back_inserter(result.pieces),
                       [](const PricedPiece& p) { return p.price > 0; });
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

size_t Shares::add_pieces(const Deadline& deadline) {
  const size_t count = pieces_.add(pair_, deadline);
  if (count > 0 && worth_.empty()) {
    worth_ = profit_;
    index_pieces();
  }
  return count;
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

// Each copy of an ACG edge takes half of what its profit changes by.
void Shares::pay() {
  evaluated_ = false;
  const auto source = pieces_.prices(true), target = pieces_.prices(false);
  for (size_t e = 0; e < edges(); ++e) {
    const Share profit = worth_[e] - source[source_edge_[e]] - target[target_edge_[e]];
    share_[slot_a_[e]] += (profit - profit_[e]) / 2;
    share_[slot_b_[e]] = profit - share_[slot_a_[e]];
    profit_[e] = profit;
  }
  for (size_t k = 0; k < arc_slot_.size(); ++k) {
    const int32_t at = edge_at_[arc_slot_[k]];
    arc_profit_[k] = profit_[at >= 0 ? at : ~at];
  }
}

}  // namespace enpda
