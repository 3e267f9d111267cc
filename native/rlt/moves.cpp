// How shares move: towards the network, down a subgradient, by sweeps, evenly, and with the prices of pieces.
#include <algorithm>

#include "base/simd.hpp"
#include "rlt/shares.hpp"

namespace enpda {

void Shares::divide(std::span<const float> shares) {
  evaluated_ = false;
  for (size_t e = 0; e < edges(); ++e) {
    const float whole = static_cast<float>(kUnit) * shares[e];
    const float most = static_cast<float>(limit_), least = static_cast<float>(profit_[e]) - most;
    share_[slot_a_[e]] = static_cast<Share>(std::lrintf(std::clamp(whole, least, most)));
    share_[slot_b_[e]] = profit_[e] - share_[slot_a_[e]];
  }
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

ENPDA_CLONES void Shares::sweep(double fraction, bool backwards, const Deadline& deadline) {
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
    // Whole numbers are divided by a product, which is several times as fast: half of one away from zero, so
    // that no rounding of it reaches the next one.
    const double part = 1.0 / dimension_[a];
    for (uint32_t k2 = arc_start_[a]; k2 < arc_start_[a + 1]; ++k2) {
      const uint32_t s = arc_slot_[k2];
      const Share spare = whole - marginal[s - offset_[a]];
      const Share passed = static_cast<Share>(part * (spare + (spare < 0 ? -0.5 : 0.5)));
      const Share moved = std::min(share_[s] + passed, limit_);
      share_[s] = moved;
      share_[arc_twin_[k2]] = arc_profit_[k2] - moved;
    }
  }
}

void Shares::even() {
  evaluated_ = false;
  if (!pieces_.empty()) {
    pieces_.clear();
    pay();
  }
  for (size_t e = 0; e < edges(); ++e) share_[slot_a_[e]] = share_[slot_b_[e]] = profit_[e] / 2;
}

size_t Shares::add_pieces(const Deadline& deadline) {
  const size_t count = pieces_.add(pair_, deadline);
  if (count > 0 && worth_.empty()) {
    worth_ = profit_;
    index_pieces();
  }
  return count;
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
