// Rings that count only as a whole: their edges are preserved together with a whole ring, onto a whole ring
// of the other graph, or not at all; so are the edges that are marked and lie on no ring, which means never.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.hpp"
#include "pair/live.hpp"
#include "pair/mapping.hpp"
#include "pair/terms.hpp"

namespace enpda {

using Ring = std::vector<int32_t>;  // nodes in order

struct WholeRings {
  std::vector<Ring> rings_a, rings_b;
  std::vector<uint8_t> marked_a, marked_b;  // per edge; empty: none. Labels tell marked edges from others

  bool none() const { return marked_a.empty() && marked_b.empty(); }
  // Throws InputError unless rings are cycles of their graph.
  void check(const Graph& a, const Graph& b) const;
  void exchange();
  // Of the preserved marked edges only those of a ring whose edges are all preserved, onto a ring.
  void retain(const Graph& a, const Graph& b, const Terms& terms, std::span<const int32_t> image,
              std::vector<int32_t>& kept) const;
  // Deletes marked edges of rings that cannot be closed any more; returns whether there were any.
  bool prune(const Live& live) const;
  // Lines that a ring can be laid across.
  void urge(Urgent& lines) const;
  // Whether a renaming of one graph's nodes takes rings to rings.
  bool kept_by(std::span<const int32_t> automorphism, bool of_source) const;
};

}  // namespace enpda
