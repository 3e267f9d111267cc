// A dive for a mapping: what the relaxation is nearly sure of is decided all at once, the bound moves on with
// what is left, and so on until everything is decided or nothing larger is left. It finds what searches miss
// and a tree would take many nodes to meet.
#pragma once

#include <functional>

#include "rlt/ascent.hpp"

namespace enpda {

// Goes down from where an ascent stands; `improved` hears of every mapping with more edges than are known.
void dive(const Pair& pair, const Ascent& from, const RltOptions& rlt, const Deadline& deadline,
          const std::function<void(const Mapping&)>& improved);

}  // namespace enpda
