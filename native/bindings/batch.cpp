#include "solve/batch.hpp"

#include "base/errors.hpp"
#include "bindings/common.hpp"
#include "pair/features.hpp"

namespace enpda {
namespace {

using Pairs = std::vector<std::pair<const Graph*, const Graph*>>;

struct Sizes {
  size_t cells = 0, rows = 0, columns = 0;
};

Sizes sizes(const Pairs& pairs) {
  Sizes out;
  for (const auto& [a, b] : pairs) {
    out.cells += cells_of(*a, *b);
    out.rows += static_cast<size_t>(a->size());
    out.columns += static_cast<size_t>(b->size());
  }
  return out;
}

// A row of caps for each pair, in their order.
auto table(const std::vector<Caps>& caps) {
  std::vector<int64_t> values;
  for (const Caps& c : caps) values.insert(values.end(), c.values().begin(), c.values().end());
  return array(std::move(values), {caps.size(), kCaps.size()});
}

}  // namespace

void bind_batch(nb::module_& module) {
  module.def(
      "collate",
      [](const Pairs& pairs, size_t threads) {
        Batch batch;
        {
          const nb::gil_scoped_release release;
          batch = collate(pairs, threads);
        }
        const size_t cells = batch.compatible.size();
        return std::tuple(array(std::move(batch.n)), array(std::move(batch.m)), array(std::move(batch.row)),
                          array(std::move(batch.column)),
                          array(std::move(batch.features), {cells, kFeatures}),
                          array(std::move(batch.compatible)), array(std::move(batch.weight)),
                          array(std::move(batch.degree)), array(std::move(batch.neighbour)));
      },
      "pairs"_a, "threads"_a = 1,
      "Pairs of (source, target) side by side: n, m, row, column, features, compatible, weight, "
      "degree, neighbour.");
  module.def(
      "cells", [](const Graph& a, const Graph& b) { return cells_of(a, b); }, "a"_a, "b"_a,
      "Cells of a pair's grid: all of a small pair, those with equal labels of a large one.");
  module.def(
      "strip_many",
      [](const Pairs& pairs, Vector<int32_t> image, size_t threads) {
        if (image.size() != sizes(pairs).rows)
          throw InputError("image must be one number a row of the batch");
        std::vector<int32_t> mine(image.data(), image.data() + image.size());
        std::vector<Caps> caps;
        {
          const nb::gil_scoped_release release;
          caps = strip_batch(pairs, mine, threads);
        }
        return std::tuple(array(std::move(mine)), table(caps));
      },
      "pairs"_a, "image"_a, "threads"_a = 1,
      "Mappings of a batch without what preserves no edge, and the caps of each pair; -1 for those that "
      "need more than graphs.");
  module.def(
      "decode",
      [](const Pairs& pairs, Vector<float> bids, Vector<float> unmatched_logit, Decoder decoder,
         const std::optional<Vector<float>>& prices, size_t threads) {
        const Sizes all = sizes(pairs);
        if (bids.size() != all.cells || unmatched_logit.size() != all.rows ||
            (prices && prices->size() != all.columns))
          throw InputError(
              "bids must be one number a cell of the batch, unmatched_logit one a row, prices one a column");
        Decoded decoded;
        {
          const nb::gil_scoped_release release;
          decoded = decode_batch(pairs, view(bids), view(unmatched_logit),
                                 prices ? view(*prices) : std::span<const float>(), decoder, threads);
        }
        return std::tuple(array(std::move(decoded.image)), array(std::move(decoded.size)),
                          table(decoded.caps));
      },
      "pairs"_a, "bids"_a, "unmatched_logit"_a, "decoder"_a, "prices"_a = nb::none(), "threads"_a = 1,
      "The mappings that a batch's bids stand for, stripped, one after the other, their sizes and, with "
      "prices, the caps of each pair.");
}

}  // namespace enpda
