#include "rlt/shares.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/simd.hpp"

namespace enpda {
namespace {

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
  uint32_t slots = 0;
  for (Cell c : pair.candidates) {
    if (watch.expired()) {
      complete_ = false;
      return;
    }
    if (!pair.has_neighbours(c)) continue;
    const int rows = pair.source.degree(pair.row(c)), columns = pair.target.degree(pair.column(c));
    const bool tiny = rows <= 4 && columns <= 4;
    number[c] = static_cast<int32_t>(cell_.size());
    cell_.push_back(c);
    rows_.push_back(static_cast<uint16_t>(tiny ? 0 : rows));
    columns_.push_back(static_cast<uint16_t>(tiny ? 4 : columns));
    offset_.push_back(slots);
    slots += static_cast<uint32_t>(tiny ? 16 : rows * columns);
  }
  share_.assign(slots, kAbsent);
  auto make_room = [&](size_t count) {
    for (auto* list : {&owner_a_, &owner_b_, &profit_}) list->resize(count);
    for (auto* list : {&slot_a_, &slot_b_}) list->resize(count);
  };
  if (pair.stores_lists()) make_room(pair.neighbour_count() / 2);
  size_t e = 0;
  const auto back_a = positions_back(pair.source), back_b = positions_back(pair.target);
  for (size_t a = 0; a < cell_.size(); ++a) {
    if (watch.expired()) {
      complete_ = false;
      return;
    }
    const int i = pair.row(cell_[a]), j = pair.column(cell_[a]);
    const int first_x = pair.source.offset[i], first_y = pair.target.offset[j];
    int x = first_x, y = first_y;  // neighbours come in the order of arcs, those of the source first
    pair.for_each_neighbour(cell_[a], [&](Cell d) {
      const int k = pair.row(d), l = pair.column(d);
      if (pair.source.arc[x].to != k) {
        while (pair.source.arc[x].to != k) ++x;
        y = first_y;
      }
      while (pair.target.arc[y].to != l) ++y;
      if (d < cell_[a]) return;  // seen from the other end
      const auto b = static_cast<size_t>(number[d]);
      if (e == owner_a_.size()) make_room(2 * e + 1024);
      const Share profit = pair.worth(pair.source.arc[x], pair.target.arc[y]) * kUnit;
      owner_a_[e] = static_cast<int32_t>(a);
      owner_b_[e] = static_cast<int32_t>(b);
      slot_a_[e] = offset_[a] + (x - first_x) * columns_[a] + (y - first_y);
      slot_b_[e] = offset_[b] + back_a[x] * columns_[b] + back_b[y];
      share_[slot_a_[e]] = share_[slot_b_[e]] = profit / 2;
      profit_[e++] = profit;
    });
  }
  make_room(e);
  drift_.assign(edges(), 0.0f);
  usage_.assign(candidates(), 0.0f);
  open_rings_.resize(pair.alignments.size());
  std::iota(open_rings_.begin(), open_rings_.end(), 0);
  index();
}

ENPDA_CLONES int64_t Shares::evaluate(const Deadline& deadline) {
  Watch watch(deadline, pair_.patience());
  for (size_t a = 0; a < candidates(); ++a) {
    if (watch.expired()) return -1;
    const int k = static_cast<int>(a);
    outer_.weight(outer_slot_[a]) = with_bonus(k, inner_value(k));
  }
  evaluated_ = true;
  return outer_.solve(deadline) + pieces_.paid();
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

std::vector<Share> Shares::slacks() const {
  std::vector<Share> result(candidates());
  for (size_t a = 0; a < candidates(); ++a)
    result[a] = middle_u_[row_[a]] + middle_v_[column_[a]] - outer_.weight(outer_slot_[a]);
  return result;
}

std::vector<float> Shares::prices() const {
  std::vector<float> result(pair_.m, 0.0f);
  for (size_t j = 0; j < live_columns_.size(); ++j)
    result[live_columns_[j]] = static_cast<float>(outer_.v[j]) / kUnit;
  return result;
}

Stage Shares::stage(const std::vector<Share>& u, const std::vector<Share>& v) const {
  Stage result;
  result.u.assign(pair_.n, 0);
  result.v.assign(pair_.m, 0);
  for (size_t i = 0; i < live_rows_.size(); ++i) result.u[live_rows_[i]] = u[i];
  for (size_t j = 0; j < live_columns_.size(); ++j) result.v[live_columns_[j]] = v[j];
  for (auto* list : {&result.a, &result.b, &result.share}) list->resize(edges());
  for (size_t e = 0; e < edges(); ++e) {
    result.a[e] = pair_.place(cell_[owner_a_[e]]);
    result.b[e] = pair_.place(cell_[owner_b_[e]]);
    result.share[e] = share_[slot_a_[e]];
  }
  std::ranges::copy_if(pieces_.list(), std::back_inserter(result.pieces),
                       [](const PricedPiece& p) { return p.price > 0; });
  return result;
}

}  // namespace enpda
