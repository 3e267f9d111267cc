#include "encoder.hpp"

#include <algorithm>
#include <bit>

namespace enpda {
namespace {

constexpr size_t kChunk = 4096;  // lone cells among which those alike are found
constexpr int kHashBits = 13;

// Calls f(begin, count) for blocks of so many cells until the deadline strikes.
template <class F>
bool in_blocks(size_t cells, const Deadline& deadline, F&& f) {
  for (size_t begin = 0; begin < cells; begin += kBlock) {
    if (deadline.expired()) return false;
    f(begin, static_cast<int>(std::min<size_t>(kBlock, cells - begin)));
  }
  return true;
}

}  // namespace

bool find_links(const Pair& pair, Grid& grid, const Deadline& deadline) {
  grid.slot.assign(pair.compatible.size(), -1);
  Watch watch(deadline, pair.patience());
  for (Cell c : pair.candidates) {
    bool any = false;
    pair.for_each_neighbour(c, [&](Cell) { any = true; });
    if (any) {
      grid.slot[c] = static_cast<int32_t>(grid.linked.size());
      grid.linked.push_back(c);
    }
    if (watch.expired()) return false;
  }
  grid.lone.reserve(grid.slot.size() - grid.linked.size());
  for (Cell c = 0; c < pair.cells(); ++c)
    if (grid.slot[c] < 0) grid.lone.push_back(c);
  return true;
}

// A block's tiles are whole, so arrays reach one block further than the cells.
Encoding::Encoding(const Pair& pair, const Grid& grid)
    : row_sum(pair.n),
      column_sum(pair.m),
      pair_(pair),
      grid_(grid),
      sent_(grid.linked.size() + kBlock),
      received_(grid.linked.size() + kBlock),
      described_(std::min(grid.lone.size(), kChunk) + kBlock),
      seen_(size_t{1} << kHashBits) {
  for (auto& plane : local) plane.resize(pair.compatible.size());
  latest_.reserve(std::min(grid.lone.size(), kChunk));
  earlier_.reserve(latest_.capacity());
}

void Encoding::describe(Cell c, const Inputs& in, Description& out) const {
  std::copy_n(grid_.features.data() + static_cast<size_t>(c) * kFeatures, kFeatures, out.begin());
  if (in.soft == nullptr) return;
  const int i = pair_.row(c), j = c - i * pair_.m;
  out[kFeatures] = in.soft[c];
  out[kFeatures + 1] = in.marginal[c] * in.inverse_scale;
  out[kFeatures + 2] = in.prices[j];
  out[kFeatures + 3] = in.demand[j];
  out[kFeatures + 4] = in.entropy[i];
}

size_t Encoding::group(std::span<const Cell> cells, const Inputs& inputs) {
  std::fill(seen_.begin(), seen_.end(), -1);
  latest_.clear();
  earlier_.clear();
  for (size_t k = 0; k < cells.size(); ++k) {
    Description& x = described_[latest_.size()];
    describe(cells[k], inputs, x);
    uint64_t hash = 0;
    for (float value : x) hash = (hash ^ std::bit_cast<uint32_t>(value)) * 0x9e3779b97f4a7c15;
    int32_t& seen = seen_[hash >> (64 - kHashBits)];  // what collides is seen as new
    if (seen < 0 || described_[seen] != x) {
      seen = static_cast<int32_t>(latest_.size());
      latest_.push_back(-1);
    }
    earlier_.push_back(latest_[seen]);
    latest_[seen] = static_cast<int32_t>(k);
  }
  return latest_.size();
}

void Encoding::gather(std::span<const Cell> cells, const std::vector<Hidden>& from, Hidden* out) {
  for (Cell c : cells) {
    neighbours_.clear();
    pair_.for_each_neighbour(c, [&](Cell d) { neighbours_.push_back(grid_.slot[d]); });
    kernels().average(from.data(), neighbours_.data(), static_cast<int>(neighbours_.size()), *out++);
  }
}

void Encoding::collect(Cell c, const Hidden& x, Heads heads) {
  const Kernels& kernel = kernels();
  const int i = pair_.row(c), j = c - i * pair_.m;
  kernel.add(x, row_sum[i], column_sum[j]);
  for (size_t h = 0; h < heads.size(); ++h) local[h][c] = kernel.product(x, *heads[h]);
}

bool Encoding::stream_lone(const Encoder& encoder, const Inputs& inputs, Heads heads,
                           const Deadline& deadline) {
  const Kernels& kernel = kernels();
  const std::span lone(grid_.lone);
  Hidden a[kBlock], b[kBlock], c[kBlock];
  for (size_t begin = 0; begin < lone.size(); begin += kChunk) {
    const auto chunk = lone.subspan(begin, std::min(kChunk, lone.size() - begin));
    const bool done = in_blocks(group(chunk, inputs), deadline, [&](size_t from, int count) {
      kernel.embed(encoder, described_[from].data(), count, a);
      kernel.layer(encoder.layers[0], false, a, nullptr, count, b, c);
      kernel.layer(encoder.layers[1], true, c, nullptr, count, b, a);
      for (int k = 0; k < count; ++k)
        for (int32_t at = latest_[from + k]; at >= 0; at = earlier_[at]) collect(chunk[at], a[k], heads);
    });
    if (!done) return false;
  }
  return true;
}

bool Encoding::exchange_linked(const Encoder& encoder, const Inputs& inputs, Heads heads,
                               const Deadline& deadline) {
  const Kernels& kernel = kernels();
  const std::span linked(grid_.linked);
  Hidden a[kBlock], b[kBlock], c[kBlock];
  Description x[kBlock] = {};
  return in_blocks(linked.size(), deadline,
                   [&](size_t begin, int count) {
                     for (int k = 0; k < count; ++k) describe(linked[begin + k], inputs, x[k]);
                     kernel.embed(encoder, x->data(), count, &sent_[begin]);
                   }) &&
         in_blocks(linked.size(), deadline,
                   [&](size_t begin, int count) {
                     gather(linked.subspan(begin, count), sent_, a);
                     kernel.layer(encoder.layers[0], false, &sent_[begin], a, count, b, &received_[begin]);
                   }) &&
         in_blocks(linked.size(), deadline, [&](size_t begin, int count) {
           gather(linked.subspan(begin, count), received_, a);
           kernel.layer(encoder.layers[1], true, &received_[begin], a, count, b, c);
           for (int k = 0; k < count; ++k) collect(linked[begin + k], c[k], heads);
         });
}

bool Encoding::run(const Encoder& encoder, const Inputs& inputs, Heads heads, const Deadline& deadline) {
  std::fill(row_sum.begin(), row_sum.end(), Hidden());
  std::fill(column_sum.begin(), column_sum.end(), Hidden());
  return stream_lone(encoder, inputs, heads, deadline) && exchange_linked(encoder, inputs, heads, deadline);
}

}  // namespace enpda
