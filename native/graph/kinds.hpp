// Edges of a graph counted by their label and the labels at their ends.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "graph/graph.hpp"

namespace enpda {

struct EdgeKind {
  int32_t low, high;  // node classes, low <= high
  int32_t label;      // edge class
  auto operator<=>(const EdgeKind&) const = default;
};

struct KindCount {
  EdgeKind kind;
  int64_t count;
};

// Node and edge classes as another graph numbers its labels; edges whose labels it lacks are left out. With
// `own_edge_classes` edge classes stay as they are. Sorted by kind.
std::vector<KindCount> count_kinds(const Graph& g, const Graph& as, bool own_edge_classes = false);

}  // namespace enpda
