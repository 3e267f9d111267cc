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
    int degree = 0;
    pair.for_each_neighbour(c, [&](Cell) { ++degree; });
    if (degree > 0) {
      grid.slot[c] = static_cast<int32_t>(grid.linked.size());
      grid.linked.push_back(c);
      grid.share.push_back(1.0f / static_cast<float>(degree));
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

bool Encoding::gather_each(const Deadline& deadline) {
  Watch watch(deadline, std::max(pair_.patience() / 16, 1));
  for (size_t k = 0; k < grid_.linked.size(); ++k) {
    neighbours_.clear();
    pair_.for_each_neighbour(grid_.linked[k], [&](Cell d) { neighbours_.push_back(grid_.slot[d]); });
    kernels().add_up(sent_.data(), neighbours_.data(), static_cast<int>(neighbours_.size()), grid_.share[k],
                     received_[k]);
    if (watch.expired()) return false;
  }
  return true;
}

// As the product of marginals without stored lists: for every source node, first along the edges of the
// target, then along its own, which visits edges of either side and never a pair of edges.
bool Encoding::gather_through(const Deadline& deadline) {
  const Kernels& kernel = kernels();
  through_.resize(pair_.m);
  std::fill(received_.begin(), received_.end(), Hidden());
  for (int i = 0; i < pair_.n; ++i) {
    const int32_t* slots = grid_.slot.data() + static_cast<size_t>(i) * pair_.m;
    const auto arcs = pair_.source.arcs(i);
    arcs_.assign(arcs.begin(), arcs.end());
    std::ranges::sort(arcs_, {}, &Arc::label);
    for (auto x = arcs_.begin(); x != arcs_.end();) {
      if (deadline.expired()) return false;
      for (int j = 0; j < pair_.m; ++j) {
        neighbours_.clear();
        for (const Arc& y : pair_.target.arcs(j))
          if (pair_.same_label(*x, y) && slots[y.to] >= 0) neighbours_.push_back(slots[y.to]);
        kernel.add_up(sent_.data(), neighbours_.data(), static_cast<int>(neighbours_.size()), 1.0f,
                      through_[j]);
      }
      for (const int32_t label = x->label; x != arcs_.end() && x->label == label; ++x) {
        const int32_t* to = grid_.slot.data() + static_cast<size_t>(x->to) * pair_.m;
        for (int j = 0; j < pair_.m; ++j)
          if (to[j] >= 0) kernel.add(through_[j], grid_.share[to[j]], received_[to[j]]);
      }
    }
  }
  return true;
}

bool Encoding::gather(const Deadline& deadline) {
  const Graph &a = pair_.source, &b = pair_.target;
  const size_t each = pair_.candidates.size() * pair_.neighbours_each();
  const size_t through = 2 * (a.size() * a.edge_labels.size() * b.edges.size() + b.size() * a.edges.size());
  return each > 2 * through ? gather_through(deadline) : gather_each(deadline);
}

void Encoding::collect(Cell c, const Hidden& x, Heads heads) {
  const Kernels& kernel = kernels();
  const int i = pair_.row(c), j = c - i * pair_.m;
  kernel.add(x, 1.0f, row_sum[i]);
  kernel.add(x, 1.0f, column_sum[j]);
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
  Hidden middle[kBlock], out[kBlock];
  Description x[kBlock] = {};
  bool done = in_blocks(linked.size(), deadline, [&](size_t begin, int count) {
    for (int k = 0; k < count; ++k) describe(linked[begin + k], inputs, x[k]);
    kernel.embed(encoder, x->data(), count, &sent_[begin]);
  });
  done = done && gather(deadline) && in_blocks(linked.size(), deadline, [&](size_t begin, int count) {
           kernel.layer(encoder.layers[0], false, &sent_[begin], &received_[begin], count, middle,
                        &sent_[begin]);
         });
  return done && gather(deadline) && in_blocks(linked.size(), deadline, [&](size_t begin, int count) {
           kernel.layer(encoder.layers[1], true, &sent_[begin], &received_[begin], count, middle, out);
           for (int k = 0; k < count; ++k) collect(linked[begin + k], out[k], heads);
         });
}

bool Encoding::run(const Encoder& encoder, const Inputs& inputs, Heads heads, const Deadline& deadline) {
  std::fill(row_sum.begin(), row_sum.end(), Hidden());
  std::fill(column_sum.begin(), column_sum.end(), Hidden());
  return stream_lone(encoder, inputs, heads, deadline) && exchange_linked(encoder, inputs, heads, deadline);
}

}  // namespace enpda
