// Per-graph node histograms behind the six features and the caps: computed once per graph, shared by all
// pairs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/deadline.hpp"
#include "graph/graph.hpp"

namespace enpda {

// One multiset of keys per node, stored key by key: entries [start[k], start[k+1]) are the nodes that hold
// key k.
struct Histogram {
  struct Entry {
    int32_t node;
    int64_t count;
  };
  std::vector<uint64_t> keys;  // sorted, unique
  std::vector<int32_t> start;
  std::vector<Entry> entries;
  std::vector<int64_t> total;  // per node: size of its multiset
};

struct Histograms {
  Histogram neighbour_labels;  // key: the label itself
  Histogram incident_labels;   // key: the edge label itself
  // Keys of paths are 64-bit hashes of the label sequence after the root. A collision could only blur a
  // feature; nothing that proves a bound reads them. Graphs with very many kinds of 3-paths leave them out.
  Histogram paths2, paths3;
  // Key: index into `signatures`, the sorted exact (edge label, opposite node label) pairs. Bounds use these.
  Histogram incident_signatures;
  std::vector<std::pair<int64_t, int64_t>> signatures;
};

// Nothing when the deadline strikes.
std::optional<Histograms> make_histograms(const Graph& g, const Deadline& deadline);

}  // namespace enpda
