#include "search/refine.hpp"

namespace enpda {
namespace {

// The inverse of a move that was just applied.
void undo(SearchState& s, const Move& move) {
  if (move.swap >= 0) s.remove(move.swap);
  s.remove(move.add);
  if (move.out_column >= 0) s.add(move.out_column);
  if (move.out_row >= 0) s.add(move.out_row);
}

void remove_idle(SearchState& s) {
  for (int i = 0; i < s.pair.n; ++i)
    if (const Cell c = s.cell_of_row(i); c >= 0 && s.support(c) == 0) s.remove(c);
}

// Every edge-neutral move that touches an unmatched or idle row may win a node; tries them all.
bool gain_node(SearchState& s, Watch& watch) {
  const Score before = s.score();
  for (Cell c : s.pair.candidates) {
    if (watch.expired()) return false;
    if (s.support(c) == 0 || s.chosen(c)) continue;
    const Move move = plan(s, c);
    if (move.delta != 0) continue;
    apply(s, move);
    if (s.score() > before) return true;
    undo(s, move);
  }
  return false;
}

// Two free candidates that together preserve an edge: a new component.
bool open_edge(SearchState& s, Watch& watch) {
  for (Cell c : s.pair.candidates) {
    if (watch.expired()) return false;
    if (!s.is_free(c)) continue;
    Cell partner = -1;
    s.pair.for_each_neighbour(c, [&](Cell d) {
      if (partner < 0 && s.is_free(d)) partner = d;
    });
    if (partner < 0) continue;
    s.add(c);
    s.add(partner);
    return true;
  }
  return false;
}

}  // namespace

int refine(SearchState& s, int passes, Incumbent& incumbent) {
  Watch watch(incumbent.deadline(), s.pair.patience());
  int moves = 0;
  remove_idle(s);
  while (moves < passes && !incumbent.proven()) {
    Move best;
    for (Cell c : s.pair.candidates) {
      if (watch.expired()) break;
      // A candidate without support wins nothing that its supported swap partner does not offer as well.
      if (s.support(c) == 0 || s.chosen(c)) continue;
      const Move move = plan(s, c);
      if (move.delta > best.delta) best = move;
    }
    if (watch.expired()) break;
    if (best.delta > 0) {
      apply(s, best);
    } else if (!open_edge(s, watch) && !gain_node(s, watch)) {
      break;
    }
    ++moves;
  }
  incumbent.offer(s, Operator::refine);
  return moves;
}

}  // namespace enpda
