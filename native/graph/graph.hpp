// A simple undirected labelled graph: immutable, CSR inside, labels interned per graph.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/deadline.hpp"

namespace enpda {

struct Edge {
  int32_t u, v;   // u < v
  int32_t label;  // class: index into Graph::edge_labels
};

struct Arc {
  int32_t to;
  int32_t label;  // class: index into Graph::edge_labels
};

struct Histograms;

class Graph {
 public:
  // `ends` holds 2 * edge_labels.size() vertices. Self-loops are dropped, repeated edges with one label are
  // merged; anything else that is not a simple labelled graph throws InputError.
  Graph(std::span<const int64_t> labels, std::span<const int64_t> ends, std::span<const int64_t> edge_labels);

  int size() const { return static_cast<int>(node_class.size()); }
  int degree(int v) const { return offset[v + 1] - offset[v]; }
  int max_degree() const;
  std::span<const Arc> arcs(int v) const {
    return {arc.data() + offset[v], static_cast<size_t>(offset[v + 1] - offset[v])};
  }
  // The edge class between u and v, or -1: label 0 is a label, so "no edge" needs a value of its own.
  int edge_class(int u, int v) const {
    const int k = arc_between(u, v);
    return k < 0 ? -1 : arc[k].label;
  }
  // The same for all u * size() + v, of graphs so small that it stays in the cache; null for others. Made on
  // first use, once, and safe to call from several threads: most graphs of a library never ask.
  const int8_t* edge_classes() const;

  // The index into `arc` of the arc from u to v, or -1.
  int arc_between(int u, int v) const;

  // Computed on first use, once, and safe to call from several threads; null when the deadline struck first.
  const Histograms* histograms(const Deadline& deadline) const;
  // Permutation-invariant colour-refinement hash: equal for isomorphic graphs, not conversely.
  uint64_t invariant_hash() const;
  // Memory that the graph holds at present, itself included.
  size_t bytes() const;

  std::vector<int64_t> node_labels;  // sorted, unique
  std::vector<int64_t> edge_labels;  // sorted, unique
  std::vector<int32_t> node_class;   // per node: index into node_labels
  std::vector<Edge> edges;           // sorted by (u, v)
  std::vector<int32_t> offset;       // CSR, n + 1
  std::vector<Arc> arc;              // sorted by `to` within a node

 private:
  struct Cache;
  std::shared_ptr<Cache> cache_;
};

// Connected component number per node; components are numbered by their smallest vertex.
std::vector<int32_t> components(const Graph& g);

}  // namespace enpda
