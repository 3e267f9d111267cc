// Per-graph node histograms behind the six features and the caps: computed once per graph, shared by all
// pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/deadline.hpp"
#include "graph/graph.hpp"

namespace enpda {

// One multiset of keys per node, stored key by key, in one piece of memory: a library holds very many. Where
// nodes and counts fit in a byte each, as in nearly all molecules, they take one.
class Histogram {
 public:
  struct Entry {
    int32_t node;
    int64_t count;
  };
  struct Item {
    uint64_t key;
    int32_t node;
    int64_t count;
  };
  Histogram() = default;
  // `items` are sorted by key and node; no two have both in common.
  Histogram(int nodes, std::span<const Item> items);

  // Sorted, unique.
  std::span<const uint64_t> keys() const { return {part<const uint64_t>(kKeys), keys_}; }
  // The nodes that hold key k, ascending; in `room` where they are not stored like this.
  std::span<const Entry> holders(size_t k, std::vector<Entry>& room) const;
  // Per node the size of its multiset; in `room` where it is not stored.
  std::span<const int64_t> totals(std::vector<int64_t>& room) const;
  size_t bytes() const { return data_ ? size_of(kParts) : 0; }  // besides itself

 private:
  struct Small {
    uint8_t node, count;
  };
  enum { kKeys, kEntries, kTotals, kStart, kParts };  // in this order, so that each is aligned

  size_t size_of(int parts) const {  // bytes of the first so many parts
    size_t bytes = 0;
    if (parts > kKeys) bytes += keys_ * sizeof(uint64_t);
    if (parts > kEntries) bytes += entries_ * (small_ ? sizeof(Small) : sizeof(Entry));
    if (parts > kTotals) bytes += small_ ? 0 : nodes_ * sizeof(int64_t);
    if (parts > kStart) bytes += (keys_ + size_t{1}) * (small_ ? sizeof(uint16_t) : sizeof(uint32_t));
    return bytes;
  }
  template <class T>
  T* part(int which) const {
    return reinterpret_cast<T*>(data_.get() + size_of(which));
  }

  std::unique_ptr<std::byte[]> data_;
  uint32_t keys_ = 0, nodes_ = 0, entries_ = 0;
  bool small_ = true;
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

  size_t bytes() const;
};

// Nothing when the deadline strikes.
std::optional<Histograms> make_histograms(const Graph& g, const Deadline& deadline);

}  // namespace enpda
