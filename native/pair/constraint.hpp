// What a common part must be, besides common: rings that count only as a whole, how many fragments there may
// be, and how small they may be. Of a given mapping as much is kept as the constraint allows, which is the
// most: rings do not depend on each other, and fragments are kept or dropped as a whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.hpp"
#include "pair/mapping.hpp"
#include "pair/terms.hpp"

namespace enpda {

using Ring = std::vector<int32_t>;  // nodes in order

struct Constraint {
  // Edges of these rings are preserved together with their whole ring, onto a whole ring of the other graph,
  // or not at all; so are the edges that are marked and lie on no ring, which means never. Edge labels must
  // tell marked edges from others.
  std::vector<Ring> rings_a, rings_b;
  std::vector<uint8_t> marked_a, marked_b;  // per edge; empty: none
  int max_fragments = 0;                    // 0: any number
  int min_fragment = 0;                     // nodes of a fragment, at least

  bool has_rings() const { return !marked_a.empty() || !marked_b.empty(); }
  bool has_fragments() const { return max_fragments > 0 || min_fragment > 2; }
  bool none() const { return !has_rings() && !has_fragments(); }
};

// Throws InputError unless rings are cycles of marked edges of their graph.
void check_constraint(const Constraint& constraint, const Graph& a, const Graph& b);

Constraint exchanged(const Constraint& constraint);

// Indices into a.edges of what is kept of a mapping.
std::vector<int32_t> retained_edges(const Graph& a, const Graph& b, const Terms& terms,
                                    const Constraint& constraint, std::span<const int32_t> image);

// Keeps only endpoints of retained edges in the image, and returns the score of these edges.
Score retain(const Graph& a, const Graph& b, const Terms& terms, const Constraint& constraint,
             Mapping& image);

// Whether an automorphism takes rings to rings.
bool keeps_rings(const std::vector<Ring>& rings, std::span<const int32_t> automorphism);

}  // namespace enpda
