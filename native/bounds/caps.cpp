#include "bounds/caps.hpp"

#include <algorithm>

#include "propose/decode.hpp"

namespace enpda {

void Caps::add(Evidence& given) {
  if (closed_) return;
  for (size_t k = 0; k < kCaps.size(); ++k) {
    const Cap& cap = kCaps[k];
    if (value_[k] >= 0 || !cap.allowed_by(given.terms)) continue;
    if (cap.needs != Cap::Needs::graphs && given.pair == nullptr) continue;
    if (cap.needs == Cap::Needs::prices && !given.prices) continue;
    if (given.pair && !given.pair->worth_beginning(given.deadline, kSecondsToAssign)) return;
    value_[k] = cap.value(given);
    if (value_[k] < 0) return;
    if (cap.proves()) upper_ = std::min(upper_, value_[k]);
  }
}

Caps quick_caps(const Graph& a, const Graph& b, const Terms& terms) {
  const Deadline forever;
  Evidence given(a, b, terms, forever);
  Caps caps;
  caps.add(given);
  return caps;
}

}  // namespace enpda
