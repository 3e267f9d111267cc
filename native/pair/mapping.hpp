// A mapping is a vector over source nodes: the image, or -1. Scores are (edges, nodes), compared in that
// order.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.hpp"
#include "pair/terms.hpp"

namespace enpda {

using Mapping = std::vector<int32_t>;

struct Score {
  int32_t edges = 0;  // preserved edges, each by its worth
  int32_t nodes = 0;  // endpoints of preserved edges on one side
  auto operator<=>(const Score&) const = default;
};

// Indices into a.edges of the preserved edges. Works on labels, not on a Pair: the last check before a result
// leaves the core shares nothing with what produced it.
std::vector<int32_t> preserved_edges(const Graph& a, const Graph& b, const Terms& terms,
                                     std::span<const int32_t> image);

Score score(const Graph& a, const Graph& b, const Terms& terms, std::span<const int32_t> image);

// Keeps only endpoints of preserved edges (Theorem 2's restriction): same edges, legal labels.
void strip(const Graph& a, const Graph& b, const Terms& terms, Mapping& image);

// Throws InputError unless `image` is an injective, label-compatible mapping of endpoints of preserved
// edges from a to b.
Score check(const Graph& a, const Graph& b, const Terms& terms, std::span<const int32_t> image);

// The mapping read from the other side.
Mapping inverse(std::span<const int32_t> image, int size);

}  // namespace enpda
