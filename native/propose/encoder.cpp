#include "propose/encoder.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/random.hpp"
#include "graph/isomorphism.hpp"

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

namespace {

// The first node that each is like: of the same colour when colours begin with labels and paths, which is all
// that the policy sees.
std::vector<int32_t> first_alike(const Graph& g, const Histograms& h) {
  std::vector<uint64_t> mark(g.size(), 0);
  std::vector<Histogram::Entry> room;
  for (const Histogram* paths : {&h.paths2, &h.paths3}) {
    const auto keys = paths->keys();
    for (size_t k = 0; k < keys.size(); ++k)
      for (const auto& [node, count] : paths->holders(k, room))
        mark[node] += mix(keys[k], static_cast<uint64_t>(count));
  }
  const auto colour = refined_colours(g, mark);
  std::vector<int32_t> order(g.size()), first(g.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int x, int y) { return colour[x] != colour[y] ? colour[x] < colour[y] : x < y; });
  for (size_t k = 0; k < order.size(); ++k)
    first[order[k]] = k > 0 && colour[order[k]] == colour[order[k - 1]] ? first[order[k - 1]] : order[k];
  return first;
}

std::vector<float> counts(const std::vector<int32_t>& first) {
  std::vector<float> count(first.size(), 0.0f);
  for (int32_t v : first) count[v] += 1;
  return count;
}

}  // namespace

bool find_links(const Pair& pair, bool merge, Links& links, const Deadline& deadline) {
  links.row.resize(pair.n);
  links.column.resize(pair.m);
  std::iota(links.row.begin(), links.row.end(), 0);
  std::iota(links.column.begin(), links.column.end(), 0);
  if (merge && pair.terms.allowed.empty()) {  // labels do not tell who may meet whom otherwise
    const Histograms *a = pair.source.histograms(deadline), *b = pair.target.histograms(deadline);
    if (a == nullptr || b == nullptr) return false;
    links.row = first_alike(pair.source, *a);
    links.column = first_alike(pair.target, *b);
  }
  links.row_count = counts(links.row);
  links.column_count = counts(links.column);
  links.slot.assign(pair.compatible.size(), -1);
  Watch watch(deadline, pair.patience());
  for (Cell c : pair.candidates) {
    const int i = pair.row(c), j = pair.column(c);
    if (links.row[i] != i || links.column[j] != j) {  // it comes after the one that stands for it
      links.slot[c] = links.slot[links.row[i] * pair.m + links.column[j]];
      continue;
    }
    int degree = 0;
    pair.for_each_neighbour(c, [&](Cell) { ++degree; });
    if (degree > 0) {
      links.slot[c] = static_cast<int32_t>(links.linked.size());
      links.linked.push_back(c);
      links.share.push_back(1.0f / static_cast<float>(degree));
    }
    if (watch.expired()) return false;
  }
  links.lone.reserve(links.slot.size() - links.linked.size());
  for (int i = 0; i < pair.n; ++i)
    for (int j = 0; j < pair.m && links.row[i] == i; ++j)
      if (const Cell c = i * pair.m + j; links.slot[c] < 0 && links.column[j] == j) links.lone.push_back(c);
  return true;
}

// A block's tiles are whole, so arrays reach one block further than the cells.
Encoding::Encoding(const Pair& pair, const Grid& grid, bool merged)
    : row_sum(pair.n),
      column_sum(pair.m),
      pair_(pair),
      features_(grid.features),
      links_(merged ? grid.merged : grid.whole),
      sent_(links_.linked.size() + kBlock),
      received_(links_.linked.size() + kBlock),
      described_(std::min(links_.lone.size(), kChunk) + kBlock),
      seen_(size_t{1} << kHashBits) {
  for (auto& plane : local) plane.resize(pair.compatible.size());
  latest_.reserve(std::min(links_.lone.size(), kChunk));
  earlier_.reserve(latest_.capacity());
}

void Encoding::describe(Cell c, const Inputs& in, Description& out) const {
  std::copy_n(features_.data() + static_cast<size_t>(c) * kFeatures, kFeatures, out.begin());
  if (in.soft == nullptr) return;
  const int i = pair_.row(c), j = pair_.column(c);
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
  for (size_t k = 0; k < links_.linked.size(); ++k) {
    neighbours_.clear();
    pair_.for_each_neighbour(links_.linked[k], [&](Cell d) { neighbours_.push_back(links_.slot[d]); });
    kernels().add_up(sent_.data(), neighbours_.data(), static_cast<int>(neighbours_.size()), links_.share[k],
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
    const int32_t* slots = links_.slot.data() + static_cast<size_t>(i) * pair_.m;
    const auto arcs = pair_.source.arcs(i);
    arcs_.assign(arcs.begin(), arcs.end());
    std::ranges::sort(arcs_, {}, &Arc::label);
    for (auto x = arcs_.begin(); x != arcs_.end();) {
      if (deadline.expired()) return false;
      for (int j = 0; j < pair_.m; ++j) {
        neighbours_.clear();
        for (const Arc& y : pair_.target.arcs(j))
          if (pair_.worth(*x, y) > 0 && slots[y.to] >= 0) neighbours_.push_back(slots[y.to]);
        kernel.add_up(sent_.data(), neighbours_.data(), static_cast<int>(neighbours_.size()), 1.0f,
                      through_[j]);
      }
      for (const int32_t label = x->label; x != arcs_.end() && x->label == label; ++x) {
        const int32_t* to = links_.slot.data() + static_cast<size_t>(x->to) * pair_.m;
        for (int j = 0; j < pair_.m; ++j)
          if (to[j] >= 0 && links_.linked[to[j]] == x->to * pair_.m + j)  // not one that it stands for
            kernel.add(through_[j], links_.share[to[j]], received_[to[j]]);
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
  const int i = pair_.row(c), j = pair_.column(c);
  kernel.add(x, links_.column_count[j], row_sum[i]);
  kernel.add(x, links_.row_count[i], column_sum[j]);
  for (size_t h = 0; h < heads.size(); ++h) local[h][c] = kernel.product(x, *heads[h]);
}

bool Encoding::stream_lone(const Encoder& encoder, const Inputs& inputs, Heads heads,
                           const Deadline& deadline) {
  const Kernels& kernel = kernels();
  const std::span lone(links_.lone);
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
  const std::span linked(links_.linked);
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
  if (!stream_lone(encoder, inputs, heads, deadline) || !exchange_linked(encoder, inputs, heads, deadline))
    return false;
  spread(heads);
  return true;
}

void Encoding::spread(Heads heads) {
  const size_t m = static_cast<size_t>(pair_.m);
  for (int j = 0; j < pair_.m; ++j) column_sum[j] = column_sum[links_.column[j]];
  for (int i = 0; i < pair_.n; ++i) {
    const int like = links_.row[i];
    row_sum[i] = row_sum[like];
    for (size_t h = 0; h < heads.size(); ++h) {
      const float* from = local[h].data() + static_cast<size_t>(like) * m;
      float* to = local[h].data() + static_cast<size_t>(i) * m;
      for (size_t j = 0; j < m; ++j) to[j] = from[links_.column[j]];
    }
  }
}

}  // namespace enpda
