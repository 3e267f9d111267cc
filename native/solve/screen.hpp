// Upper bounds for very many pairs at once: what two graphs can share by their counts alone.
//
// Each graph is a row of counts, and the bound of two graphs is the sum of the smaller counts. Columns are
// - kinds: nodes of one label with at least t incident edges of one kind (edge label, opposite label). Summed
//   up that counts both ends of every edge that can be preserved;
// - degrees: nodes of one label with at least t incident edges, which counts the same;
// - labels: nodes of one label that have edges.
// Rare kinds share columns: the smaller of two sums is never below the sum of the smaller parts.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/deadline.hpp"
#include "graph/graph.hpp"

namespace enpda {

class Screen {
 public:
  // Columns are those of these graphs: others have no more in common with them.
  explicit Screen(std::span<const Graph* const> graphs);

  size_t size() const { return edges_.size(); }
  size_t bytes() const;  // of the rows: there are few columns

  // For every graph of `others` and every one of [begin, end): edges and nodes that they can share at most.
  // False when the deadline struck.
  bool caps(std::span<const Graph* const> others, size_t begin, size_t end, std::span<int32_t> edges,
            std::span<int32_t> nodes, const Deadline& deadline) const;

 private:
  using Key = std::array<int64_t, 4>;
  struct Part {
    std::map<Key, uint32_t> column;
    size_t width = 0;
    std::vector<uint16_t> count;  // graphs * width
  };
  enum { kKinds, kDegrees, kLabels, kParts };

  template <class F>
  static void for_each_key(const Graph& g, int part, F&& f);
  void count(const Graph& g, int part, std::span<uint16_t> row) const;

  std::array<Part, kParts> parts_;
  std::vector<int32_t> edges_, nodes_;
  std::vector<uint8_t> large_;  // graphs whose counts may not fit in 16 bits: only their size bounds them
};

// Nodes that two graphs can share by their labels, those without edges among them.
int32_t shared_nodes(const Graph& a, const Graph& b);

}  // namespace enpda
