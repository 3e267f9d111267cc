#include "search/fragments.hpp"

namespace enpda {

void regrow(SearchState& s, std::span<const float> score, const Openings& openings, int tries, Random& random,
            Incumbent& incumbent) {
  constexpr uint32_t kMost = 4;  // nodes that give way
  for (int t = 0; t < tries && !incumbent.done(); ++t) {
    s.assign(incumbent.image());  // the constraint has taken its share of it
    for (uint32_t k = 1 + random.below(kMost); k > 0 && !s.matched().empty(); --k)
      s.remove(s.cell_of_row(s.matched()[random.below(static_cast<uint32_t>(s.matched().size()))]));
    construct(s, score, openings, {}, random, incumbent);
  }
}

}  // namespace enpda
