// Many pairs side by side, for rounds that run elsewhere (on a GPU): their cells one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bounds/caps.hpp"
#include "propose/decode.hpp"

namespace enpda {

using GraphPair = std::pair<const Graph*, const Graph*>;  // source and target

// The cells that a pair has in a batch. Throws InputError when they are too many.
size_t cells_of(const Graph& a, const Graph& b);

struct Batch {
  std::vector<int64_t> n, m;         // per pair
  std::vector<int32_t> row, column;  // per cell: places among all rows and all columns of the batch
  std::vector<float> features;       // kFeatures per cell
  std::vector<float> compatible;     // per cell, 0 or 1
  std::vector<float> weight;         // per cell: edges it can preserve at most, halves counted (Eq. 7)
  std::vector<int64_t> degree;       // per cell: ACG neighbours
  std::vector<int64_t> neighbour;  // those of the first cell, then of the second, ..., as places in the batch
};

Batch collate(std::span<const GraphPair> pairs, size_t threads);

struct Decoded {
  std::vector<int32_t> image;  // of the sources' nodes, pair after pair; -1: not matched; stripped
  std::vector<int64_t> size;   // preserved edges of each pair
  std::vector<Caps> caps;      // of each pair, when there are prices
};

// Bids are per cell, logits per row, prices (or nothing) per column, in the order of the batch.
Decoded decode_batch(std::span<const GraphPair> pairs, std::span<const float> bids,
                     std::span<const float> unmatched_logit, std::span<const float> prices, Decoder decoder,
                     size_t threads);

// Strips mappings of the sources' nodes, pair after pair, in place; quick caps of each pair.
std::vector<Caps> strip_batch(std::span<const GraphPair> pairs, std::span<int32_t> image, size_t threads);

}  // namespace enpda
