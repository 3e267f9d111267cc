#include "search/rings.hpp"

#include "search/refine.hpp"

namespace enpda {

void lay_rings(SearchState& s, int passes, Incumbent& incumbent) {
  bool better = true;
  while (better && !incumbent.done()) {
    better = false;
    for (const auto& cells : s.pair.alignments) {
      if (incumbent.done()) return;
      const Score before = incumbent.score();
      s.assign(incumbent.image());
      bool whole = true;
      for (Cell c : cells) whole = whole && s.chosen(c);
      if (whole) continue;
      for (Cell c : cells) {
        if (s.chosen(c)) continue;
        // No swaps: what they would bring back may stand in the way of the next atom.
        if (const Cell out = s.cell_of_row(s.pair.row(c)); out >= 0) s.remove(out);
        if (const Cell out = s.cell_of_column(s.pair.column(c)); out >= 0) s.remove(out);
        s.add(c);
      }
      incumbent.offer(s, Operator::rings);
      refine(s, passes, incumbent);
      better = better || incumbent.score() > before;
    }
  }
}

}  // namespace enpda
