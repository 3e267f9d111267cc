// Every mapping of two tiny graphs, one after the other: the judge of the solver and of the verifier. It is
// written from the definition and shares nothing with either, not even a graph.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace enpda {

// A problem as bare as it gets: which nodes may meet, and what each edge of a is worth on each edge of b.
struct BareProblem {
  int rows = 0, columns = 0;                                 // nodes of a (at most 64) and of b
  std::vector<uint8_t> allowed;                              // rows x columns
  std::vector<std::array<int, 2>> edges_a, edges_b;          // at most 64 each
  std::vector<int> worth;                                    // edges of a x edges of b; 0: not preserved
  std::vector<std::vector<int>> rings_a = {}, rings_b = {};  // nodes in order
  std::vector<uint8_t> marked_a = {}, marked_b = {};  // edges that count in a whole ring only; empty: none
  int max_fragments = 0, min_fragment = 0;            // 0: any number; nodes of a fragment, at least
};

struct BareScore {
  int worth = 0, nodes = 0;
  auto operator<=>(const BareScore&) const = default;
};

// Of all mappings the most worth, and the most nodes among those mappings. Throws std::invalid_argument when
// the arrays do not fit together.
BareScore brute_force(const BareProblem& problem);

// What counts of one mapping (-1: not matched); a worth of -1 when it is none.
BareScore bare_score(const BareProblem& problem, const std::vector<int>& image);

}  // namespace enpda
