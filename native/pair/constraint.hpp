// What a common part must be, besides common. Each kind of condition has a file of its own, with what it
// keeps of a mapping, what it takes from a relaxation, what it wants decided first and which symmetries
// respect it; here they are put together. Of a given mapping as much is kept as the constraint allows, which
// is the most: rings do not depend on each other, and fragments are kept or dropped as a whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.hpp"
#include "pair/fragments.hpp"
#include "pair/live.hpp"
#include "pair/mapping.hpp"
#include "pair/terms.hpp"
#include "pair/whole_rings.hpp"

namespace enpda {

struct Constraint {
  WholeRings rings;
  Fragments fragments;

  // Calls f with every kind that asks for something, in the order in which they take from a mapping.
  template <class F>
  void each(F&& f) const {
    if (!rings.none()) f(rings);
    if (!fragments.none()) f(fragments);
  }
  bool none() const { return rings.none() && fragments.none(); }
};

// Throws InputError where a constraint does not fit its graphs.
void check_constraint(const Constraint& constraint, const Graph& a, const Graph& b);

Constraint exchanged(const Constraint& constraint);

// Indices into a.edges of what is kept of a mapping.
std::vector<int32_t> retained_edges(const Graph& a, const Graph& b, const Terms& terms,
                                    const Constraint& constraint, std::span<const int32_t> image);

// Keeps only endpoints of retained edges in the image, and returns the score of these edges.
Score retain(const Graph& a, const Graph& b, const Terms& terms, const Constraint& constraint,
             Mapping& image);

// Deletes all that no mapping under the constraint can use.
void prune(const Constraint& constraint, const Live& live);

// Whether a renaming of one graph's nodes leaves the constraint as it is.
bool keeps(const Constraint& constraint, std::span<const int32_t> automorphism, bool of_source);

}  // namespace enpda
