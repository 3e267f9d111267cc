#include "rlt/network.hpp"

#include <algorithm>
#include <cmath>

#include "base/exponential.hpp"
#include "base/simd.hpp"

namespace enpda {
namespace {

using Vector = ShareNetwork::Vector;
using Part = ShareNetwork::Part;
constexpr int kW = ShareNetwork::kWidth, kParts = ShareNetwork::kParts;
constexpr float kMostSlack = 4.0f, kMostGap = 2.0f;  // beyond, all are alike
constexpr float kMostMove = 0.5f;                    // edges, from one copy to the other
constexpr float kMemory = 0.8f;                      // of what was chosen and used
constexpr int kTile = 6;  // candidates at a time: their sums and one row of weights fill the registers

// out[c] += sum over k of x[c * stride + k] * w[k].
template <int K, int Tile>
[[gnu::always_inline]] inline void multiply_tile(const float* x, int stride, const Vector* w, Vector* out) {
  Part sum[Tile][kParts];
  for (int t = 0; t < Tile; ++t)
    for (int p = 0; p < kParts; ++p) sum[t][p] = out[t].part[p];
  for (int k = 0; k < K; ++k)
    for (int t = 0; t < Tile; ++t) {
      const float factor = x[t * stride + k];
      for (int p = 0; p < kParts; ++p) sum[t][p] += factor * w[k].part[p];
    }
  for (int t = 0; t < Tile; ++t)
    for (int p = 0; p < kParts; ++p) out[t].part[p] = sum[t][p];
}

template <int K>
[[gnu::always_inline]] inline void multiply(const float* x, int stride, const Vector* w, size_t count,
                                            Vector* out) {
  size_t c = 0;
  for (; c + kTile <= count; c += kTile) multiply_tile<K, kTile>(x + c * stride, stride, w, out + c);
  for (; c < count; ++c) multiply_tile<K, 1>(x + c * stride, stride, w, out + c);
}

[[gnu::always_inline]] inline void rectify(Part& x) {
  x = x > 0.0f ? x : Part{};
}

[[gnu::always_inline]] inline void rectify(Vector* x, size_t count) {
  for (size_t c = 0; c < count; ++c)
    for (int p = 0; p < kParts; ++p) rectify(x[c].part[p]);
}

[[gnu::always_inline]] inline void fill(const Vector& bias, size_t count, Vector* out) {
  for (size_t c = 0; c < count; ++c) out[c] = bias;
}

// What a candidate says along an arc.
[[gnu::always_inline]] inline void along(const Vector& own, const Vector& other, const float* x,
                                         const Vector* w, Part* out) {
  for (int p = 0; p < kParts; ++p) out[p] = own.part[p] + other.part[p];
  for (int k = 0; k < ShareNetwork::kArcInputs; ++k)
    for (int p = 0; p < kParts; ++p) out[p] += x[k] * w[k].part[p];
  for (int p = 0; p < kParts; ++p) rectify(out[p]);
}

[[gnu::always_inline]] inline float total(const Part& x) {
  return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
}

// The arcs' inputs from both copies of an edge.
[[gnu::always_inline]] inline void arc_inputs(const float* mine, const float* theirs, float drift,
                                              float* out) {
  out[0] = mine[0] - 0.5f;
  out[1] = std::min(mine[1], kMostGap);
  out[2] = mine[2];
  out[3] = std::min(theirs[1], kMostGap);
  out[4] = theirs[2];
  out[5] = drift;
}

struct Arrays {
  const Reading& reading;
  const std::vector<int32_t>&a, &b, &row, &column;
  Vector *hidden, *inner, *own, *other, *heard, *row_mean, *column_mean;
  size_t rows, columns;
  const float *inputs, *drift;
  float *weight, *row_weight, *column_weight, *shares;
};

// What the two ends of an association edge say to each other.
[[gnu::always_inline]] inline void both_ways(const Arrays& s, size_t e, const Vector* arc, Part* x1,
                                             Part* x2) {
  const int32_t a = s.a[e], b = s.b[e];
  float forth[ShareNetwork::kArcInputs], back[ShareNetwork::kArcInputs];
  const float *first = s.reading.a.data() + Reading::kArc * e,
              *second = s.reading.b.data() + Reading::kArc * e;
  arc_inputs(first, second, s.drift[e], forth);
  arc_inputs(second, first, -s.drift[e], back);
  along(s.own[a], s.other[b], forth, arc, x1);
  along(s.own[b], s.other[a], back, arc, x2);
}

[[gnu::always_inline]] inline void means(const Arrays& s, const std::vector<int32_t>& place, const Vector* w,
                                         float* weights, Vector* mean, size_t count, size_t candidates) {
  std::fill_n(weights, count, 1e-6f);
  std::fill_n(s.own, count, Vector());
  for (size_t c = 0; c < candidates; ++c) {
    weights[place[c]] += s.weight[c];
    for (int p = 0; p < kParts; ++p) s.own[place[c]].part[p] += s.weight[c] * s.inner[c].part[p];
  }
  for (size_t k = 0; k < count; ++k)
    for (int p = 0; p < kParts; ++p) s.own[k].part[p] /= weights[k];
  std::fill_n(mean, count, Vector());
  multiply<kW>(s.own->at, kW, w, count, mean);
}

ENPDA_CLONES void run(const ShareNetwork& net, const Arrays& s) {
  const size_t count = s.row.size(), edges = s.a.size();
  const float* x = s.inputs;
  for (size_t c = 0; c < count; ++c) s.weight[c] = exp_negative(-2.0f * x[ShareNetwork::kInputs * c + 1]);
  for (const auto& layer : net.layers) {
    fill(net.embed_bias, count, s.inner);
    multiply<kW>(s.hidden->at, kW, net.embed, count, s.inner);
    multiply<ShareNetwork::kInputs>(x, ShareNetwork::kInputs, net.embed + kW, count, s.inner);
    rectify(s.inner, count);
    means(s, s.row, layer.row, s.row_weight, s.row_mean, s.rows, count);
    means(s, s.column, layer.column, s.column_weight, s.column_mean, s.columns, count);
    fill(layer.own_bias, count, s.own);
    multiply<kW>(s.inner->at, kW, layer.own, count, s.own);
    std::fill_n(s.other, count, Vector());
    multiply<kW>(s.inner->at, kW, layer.other, count, s.other);
    std::fill_n(s.heard, count, Vector());
    for (size_t e = 0; e < edges; ++e) {
      const int32_t a = s.a[e], b = s.b[e];
      Part x1[kParts], x2[kParts];
      both_ways(s, e, layer.arc, x1, x2);
      for (int p = 0; p < kParts; ++p) s.heard[a].part[p] += x1[p];
      for (int p = 0; p < kParts; ++p) s.heard[b].part[p] += x2[p];
    }
    for (size_t c = 0; c < count; ++c)
      for (int p = 0; p < kParts; ++p)
        s.own[c].part[p] =
            layer.gather_bias.part[p] + s.row_mean[s.row[c]].part[p] + s.column_mean[s.column[c]].part[p];
    multiply<kW>(s.inner->at, kW, layer.gather, count, s.own);
    multiply<kW>(s.heard->at, kW, layer.heard, count, s.own);
    rectify(s.own, count);
    for (size_t c = 0; c < count; ++c)
      for (int p = 0; p < kParts; ++p) s.hidden[c].part[p] += layer.update_bias.part[p];
    multiply<kW>(s.own->at, kW, layer.update, count, s.hidden);
    for (size_t c = 0; c < count; ++c) {
      Part sum{}, square{};
      for (int p = 0; p < kParts; ++p) {
        const Part h = s.hidden[c].part[p];
        sum += h;
        square += h * h;
      }
      const float mean = total(sum) / kW;
      const float factor = 1.0f / std::sqrt(std::max(total(square) / kW - mean * mean, 0.0f) + 1e-5f);
      for (int p = 0; p < kParts; ++p)
        s.hidden[c].part[p] =
            (s.hidden[c].part[p] - mean) * factor * layer.scale.part[p] + layer.shift.part[p];
    }
  }
  const auto& last = net.last;
  fill(last.own_bias, count, s.own);
  multiply<kW>(s.hidden->at, kW, last.own, count, s.own);
  std::fill_n(s.other, count, Vector());
  multiply<kW>(s.hidden->at, kW, last.other, count, s.other);
  for (size_t e = 0; e < edges; ++e) {
    Part x1[kParts], x2[kParts], push{};
    both_ways(s, e, last.arc, x1, x2);
    for (int p = 0; p < kParts; ++p) push += (x1[p] - x2[p]) * last.head.part[p];
    s.shares[e] = total(push);
  }
  for (size_t e = 0; e < edges; ++e) {
    const float z = exp_negative(-2.0f * std::abs(s.shares[e]));
    const float moved = std::copysign(kMostMove * (1.0f - z) / (1.0f + z), s.shares[e]);
    s.shares[e] = s.reading.a[Reading::kArc * e] + moved;
  }
}

}  // namespace

Sharing::Sharing(const ShareNetwork& net, const Shares& shares) : net_(net) {
  const size_t count = shares.candidates(), rows = shares.outer().rows(), columns = shares.outer().columns();
  for (auto* list : {&hidden_, &inner_, &own_, &other_, &heard_})
    list->resize(std::max({count, rows, columns}));
  row_.resize(rows);
  column_.resize(columns);
  weight_.resize(count);
  row_weight_.resize(rows);
  column_weight_.resize(columns);
  inputs_.resize(ShareNetwork::kInputs * count);
  drift_.resize(shares.edges());
  moved_.resize(shares.edges());
}

void Sharing::step(Shares& shares) {
  shares.read(reading_);
  const float* from = reading_.candidate.data();
  for (float* to = inputs_.data(); to < inputs_.data() + inputs_.size();
       to += ShareNetwork::kInputs, from += Reading::kCandidate) {
    std::copy_n(from, Reading::kCandidate, to);
    to[Reading::kSlack] = std::min(from[Reading::kSlack], kMostSlack);
    to[Reading::kCandidate] = from[Reading::kChosen] + kMemory * to[Reading::kCandidate];
  }
  for (size_t e = 0; e < drift_.size(); ++e) {
    const size_t at = Reading::kArc * e + Reading::kUsed;
    drift_[e] = reading_.a[at] - reading_.b[at] + kMemory * drift_[e];
  }
  run(net_,
      {reading_,       shares.first_owner(), shares.second_owner(), shares.rows(),         shares.columns(),
       hidden_.data(), inner_.data(),        own_.data(),           other_.data(),         heard_.data(),
       row_.data(),    column_.data(),       row_.size(),           column_.size(),        inputs_.data(),
       drift_.data(),  weight_.data(),       row_weight_.data(),    column_weight_.data(), moved_.data()});
  shares.divide(moved_);
}

void Sharing::scores(std::span<float> out) const {
  for (size_t c = 0; c < out.size(); ++c) {
    float sum = net_.last.score_bias;
    for (int k = 0; k < kW; ++k) sum += hidden_[c].at[k] * net_.last.score.at[k];
    out[c] = sum;
  }
}

ShareNetwork::ShareNetwork(const Weights& weights) {
  WeightReader reader(weights);
  reader.matrix<Vector>("embed.weight", {embed});
  reader.vector("embed.bias", embed_bias);
  while (reader.has("own." + std::to_string(layers.size()) + ".weight")) {
    const std::string k = "." + std::to_string(layers.size());
    Layer& layer = layers.emplace_back();
    reader.matrix<Vector>("own" + k + ".weight", {layer.own});
    reader.vector("own" + k + ".bias", layer.own_bias);
    reader.matrix<Vector>("other" + k + ".weight", {layer.other});
    reader.matrix<Vector>("arc" + k + ".weight", {layer.arc});
    reader.matrix<Vector>("gather" + k + ".weight", {layer.gather, layer.heard, layer.row, layer.column});
    reader.vector("gather" + k + ".bias", layer.gather_bias);
    reader.matrix<Vector>("update" + k + ".weight", {layer.update});
    reader.vector("update" + k + ".bias", layer.update_bias);
    reader.vector("norm" + k + ".weight", layer.scale);
    reader.vector("norm" + k + ".bias", layer.shift);
  }
  reader.matrix<Vector>("last_own.weight", {last.own});
  reader.vector("last_own.bias", last.own_bias);
  reader.matrix<Vector>("last_other.weight", {last.other});
  reader.matrix<Vector>("last_arc.weight", {last.arc});
  std::ranges::copy(reader.take("head.weight", {1, kWidth}), last.head.at);
  std::ranges::copy(reader.take("score.weight", {1, kWidth}), last.score.at);
  last.score_bias = reader.take("score.bias", {1})[0];
  reader.finish();
}

}  // namespace enpda
