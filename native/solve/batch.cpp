#include "solve/batch.hpp"

#include <algorithm>
#include <atomic>

#include "base/threads.hpp"
#include "bounds/prices.hpp"
#include "pair/features.hpp"

namespace enpda {
namespace {

// Calls f(k) for every pair, by several threads.
template <class F>
void for_each_pair(size_t count, size_t threads, F&& f) {
  std::atomic<size_t> next{0};
  run_on_threads(std::min(threads, count) - (count > 0), Deadline(), [&] {
    for (size_t k = next++; k < count; k = next++) f(k);
  });
}

// Where each pair's part of an array begins, and where the last one ends.
template <class Size>
std::vector<size_t> offsets(std::span<const GraphPair> pairs, Size&& size) {
  std::vector<size_t> begin = {0};
  for (const auto& [a, b] : pairs) begin.push_back(begin.back() + size(*a, *b));
  return begin;
}

size_t rows_of(const Graph& a, const Graph&) {
  return static_cast<size_t>(a.size());
}

size_t columns_of(const Graph&, const Graph& b) {
  return static_cast<size_t>(b.size());
}

}  // namespace

size_t cells_of(const Graph& a, const Graph& b) {
  return static_cast<size_t>(Pair::check_size(a, b));
}

Batch collate(std::span<const GraphPair> pairs, size_t threads) {
  const auto begin = offsets(pairs, cells_of), row = offsets(pairs, rows_of),
             column = offsets(pairs, columns_of);
  Batch out;
  for (const auto& [a, b] : pairs) {
    out.n.push_back(a->size());
    out.m.push_back(b->size());
  }
  out.features.resize(kFeatures * begin.back());
  out.row.resize(begin.back());
  out.column.resize(begin.back());
  out.compatible.resize(begin.back());
  out.weight.resize(begin.back());
  out.degree.resize(begin.back());
  std::vector<std::vector<int64_t>> neighbours(pairs.size());
  const Deadline forever;
  for_each_pair(pairs.size(), threads, [&](size_t p) {
    const Pair pair(*pairs[p].first, *pairs[p].second, forever);
    const size_t first = begin[p], count = begin[p + 1] - first;
    std::vector<float> plane(count);
    for (int k = 0; k < kFeatures; ++k) {
      feature_plane(pair, k, plane, forever);
      for (size_t c = 0; c < count; ++c) out.features[(first + c) * kFeatures + k] = plane[c];
    }
    for (int i = 0; i < pair.n; ++i) {
      std::fill_n(out.row.begin() + static_cast<ptrdiff_t>(first + pair.grid.first(i)), pair.grid.width(i),
                  static_cast<int32_t>(row[p]) + i);
      std::ranges::transform(pair.grid.columns(i),
                             out.column.begin() + static_cast<ptrdiff_t>(first + pair.grid.first(i)),
                             [&](int j) { return static_cast<int32_t>(column[p]) + j; });
    }
    std::copy(pair.compatible.begin(), pair.compatible.end(),
              out.compatible.begin() + static_cast<ptrdiff_t>(first));
    Evidence evidence(pair, std::nullopt, forever);
    const auto& doubled = evidence.doubled();
    for (size_t c = 0; c < count; ++c) out.weight[first + c] = 0.5f * static_cast<float>(doubled[c]);
    for (Cell c : pair.candidates)
      pair.for_each_neighbour(c, [&](Cell d) {
        ++out.degree[first + c];
        neighbours[p].push_back(static_cast<int64_t>(first) + d);
      });
  });
  for (const auto& list : neighbours) out.neighbour.insert(out.neighbour.end(), list.begin(), list.end());
  return out;
}

std::vector<Caps> strip_batch(std::span<const GraphPair> pairs, std::span<int32_t> image, size_t threads) {
  const auto row = offsets(pairs, rows_of);
  std::vector<Caps> caps(pairs.size());
  for_each_pair(pairs.size(), threads, [&](size_t p) {
    const auto& [a, b] = pairs[p];
    const auto mine = image.subspan(row[p], row[p + 1] - row[p]);
    Mapping stripped(mine.begin(), mine.end());
    strip(*a, *b, {}, stripped);
    std::ranges::copy(stripped, mine.begin());
    caps[p] = quick_caps(*a, *b, {});
  });
  return caps;
}

Decoded decode_batch(std::span<const GraphPair> pairs, std::span<const float> bids,
                     std::span<const float> unmatched_logit, std::span<const float> prices, Decoder decoder,
                     size_t threads) {
  const auto cell = offsets(pairs, cells_of), row = offsets(pairs, rows_of),
             column = offsets(pairs, columns_of);
  Decoded out;
  if (!prices.empty()) out.caps.resize(pairs.size());
  out.image.resize(row.back());
  out.size.resize(pairs.size());
  const Deadline forever;
  for_each_pair(pairs.size(), threads, [&](size_t p) {
    const Pair pair(*pairs[p].first, *pairs[p].second, forever);
    State state;
    state.n = pair.n;
    state.m = pair.m;
    const auto mine = bids.subspan(cell[p], cell[p + 1] - cell[p]);
    const auto logits = unmatched_logit.subspan(row[p], row[p + 1] - row[p]);
    state.bids.assign(mine.begin(), mine.end());
    state.unmatched_logit.assign(logits.begin(), logits.end());
    const Mapping image = decode(decoder, pair, state, forever);
    std::copy(image.begin(), image.end(), out.image.begin() + static_cast<ptrdiff_t>(row[p]));
    out.size[p] = score(pair.source, pair.target, pair.terms, image).edges;
    if (prices.empty()) return;
    Evidence evidence(pair, prices.subspan(column[p], column[p + 1] - column[p]), forever);
    out.caps[p].add(evidence);
  });
  return out;
}

}  // namespace enpda
