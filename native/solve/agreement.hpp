// The largest common part whose edges keep their distances from each other, up to a difference, and whose
// pieces are not farther apart than that in either graph: a clique among pairs of edges.
#pragma once

#include "pair/pair.hpp"

namespace enpda {

struct Agreement {
  Mapping image;          // over the source, stripped
  bool complete = false;  // false: the deadline came first
};

// Throws InputError for graphs or pairs too large for it. Edges are as far apart as their nearest ends, and
// one more; without a way between them, one farther than there are edges.
Agreement agreeing_part(const Pair& pair, int most, const Deadline& deadline);

}  // namespace enpda
