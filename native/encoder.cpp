#include "encoder.hpp"

#include <algorithm>

#include "exponential.hpp"
#include "simd.hpp"

namespace enpda {
namespace {

constexpr int kBlock = 24;  // cells at a time: their vectors and a layer's weights stay in the first cache

struct Kernels {
  void (*embed)(const Encoder& encoder, const float* x, int cells, Hidden* out);
  void (*layer)(const Layer& l, bool last, const Hidden* x, const Hidden* linked, int cells, Hidden* middle,
                Hidden* out);
  void (*average)(const Hidden* from, const int32_t* slots, int count, Hidden& out);
  void (*add)(const Hidden& x, Hidden& row, Hidden& column);
  float (*product)(const Hidden& a, const Hidden& b);
};

namespace plain {
constexpr int kLanes = 4, kTile = 3;
#include "encoder_kernels.hpp"
}  // namespace plain

#if ENPDA_HAS_CLONES
#pragma GCC push_options
#pragma GCC target("avx2,fma")
namespace avx2 {
constexpr int kLanes = 8, kTile = 3;
#include "encoder_kernels.hpp"
}  // namespace avx2
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512dq,avx2,fma")
namespace avx512 {
constexpr int kLanes = 16, kTile = 6;
#include "encoder_kernels.hpp"
}  // namespace avx512
#pragma GCC pop_options
#endif

const Kernels& kernels() {
#if ENPDA_HAS_CLONES
  static const Kernels& chosen =
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") ? avx512::kernels
      : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")        ? avx2::kernels
                                                                               : plain::kernels;
  return chosen;
#else
  return plain::kernels;
#endif
}

// Calls f(block) for blocks of cells until the deadline strikes.
template <class F>
bool in_blocks(std::span<const Cell> cells, const Deadline& deadline, F&& f) {
  for (size_t begin = 0; begin < cells.size(); begin += kBlock) {
    if (deadline.expired()) return false;
    f(cells.subspan(begin, std::min<size_t>(kBlock, cells.size() - begin)), begin);
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

float dot(const Hidden& a, const Hidden& b) {
  return kernels().product(a, b);
}

// A block's tiles are whole, so arrays reach one block further than the cells.
Encoding::Encoding(const Pair& pair, const Grid& grid)
    : row_sum(pair.n),
      column_sum(pair.m),
      pair_(pair),
      grid_(grid),
      sent_(grid.linked.size() + kBlock),
      received_(grid.linked.size() + kBlock) {
  for (auto& plane : local) plane.resize(pair.compatible.size());
}

void Encoding::describe(std::span<const Cell> cells, const Inputs& in, float* out) const {
  for (Cell c : cells) {
    std::copy_n(grid_.features.data() + static_cast<size_t>(c) * kFeatures, kFeatures, out);
    if (in.soft != nullptr) {
      const int i = pair_.row(c), j = c - i * pair_.m;
      out[kFeatures] = in.soft[c];
      out[kFeatures + 1] = in.marginal[c] * in.inverse_scale;
      out[kFeatures + 2] = in.prices[j];
      out[kFeatures + 3] = in.demand[j];
      out[kFeatures + 4] = in.entropy[i];
    }
    out += kMaxInputs;
  }
}

void Encoding::collect(std::span<const Cell> cells, const Hidden* x, std::span<const Hidden* const> heads) {
  const Kernels& k = kernels();
  for (Cell c : cells) {
    const int i = pair_.row(c), j = c - i * pair_.m;
    k.add(*x, row_sum[i], column_sum[j]);
    for (size_t h = 0; h < heads.size(); ++h) local[h][c] = k.product(*x, *heads[h]);
    ++x;
  }
}

void Encoding::gather(std::span<const Cell> cells, const Hidden* from, Hidden* out) {
  for (Cell c : cells) {
    neighbours_.clear();
    pair_.for_each_neighbour(c, [&](Cell d) { neighbours_.push_back(grid_.slot[d]); });
    kernels().average(from, neighbours_.data(), static_cast<int>(neighbours_.size()), *out++);
  }
}

bool Encoding::run(const Encoder& encoder, const Inputs& inputs, std::span<const Hidden* const> heads,
                   const Deadline& deadline) {
  const Kernels& kernel = kernels();
  const Layer &first = encoder.layers[0], &last = encoder.layers[1];
  float x[kBlock * kMaxInputs] = {};
  Hidden a[kBlock], b[kBlock], c[kBlock];
  std::fill(row_sum.begin(), row_sum.end(), Hidden());
  std::fill(column_sum.begin(), column_sum.end(), Hidden());
  const bool streamed = in_blocks(grid_.lone, deadline, [&](std::span<const Cell> cells, size_t) {
    const int count = static_cast<int>(cells.size());
    describe(cells, inputs, x);
    kernel.embed(encoder, x, count, a);
    kernel.layer(first, false, a, nullptr, count, b, c);
    kernel.layer(last, true, c, nullptr, count, b, a);
    collect(cells, a, heads);
  });
  return streamed &&
         in_blocks(grid_.linked, deadline,
                   [&](std::span<const Cell> cells, size_t begin) {
                     describe(cells, inputs, x);
                     kernel.embed(encoder, x, static_cast<int>(cells.size()), &sent_[begin]);
                   }) &&
         in_blocks(grid_.linked, deadline,
                   [&](std::span<const Cell> cells, size_t begin) {
                     gather(cells, sent_.data(), a);
                     kernel.layer(first, false, &sent_[begin], a, static_cast<int>(cells.size()), b,
                                  &received_[begin]);
                   }) &&
         in_blocks(grid_.linked, deadline, [&](std::span<const Cell> cells, size_t begin) {
           gather(cells, received_.data(), a);
           kernel.layer(last, true, &received_[begin], a, static_cast<int>(cells.size()), b, c);
           collect(cells, c, heads);
         });
}

}  // namespace enpda
