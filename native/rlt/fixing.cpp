// What a bound deletes, and what a decision leaves.
#include "rlt/shares.hpp"

namespace enpda {

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

}  // namespace enpda
