#include "rounds.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "features.hpp"
#include "random.hpp"
#include "simd.hpp"

namespace enpda {
namespace {

constexpr float kWeights[kFeatures] = {5.0f, 1.5f, 2.0f, 1.0f, 1.5f, 1.0f};
constexpr float kBias = -1.0f, kIncompatible = -8.0f, kUnmatched = -1.0f;
constexpr float kStep = 0.5f, kMaxPrice = 20.0f, kDrift = 0.1f;
constexpr int kLanes = 8;

// exp(x) for x <= 0 within 2 ulp: plain arithmetic, so that loops over it vectorise and all machines agree.
inline float exp_negative(float x) {
  x = std::max(x, -87.0f);
  const float t = x * 1.44269504f;
  const float k = static_cast<float>(static_cast<int32_t>(t - 0.5f));  // round to nearest for t <= 0
  const float r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  return p * std::bit_cast<float>((static_cast<int32_t>(k) + 127) << 23);
}

// Row softmax over m bids and the unmatched logit; returns the unmatched mass. One idea a loop, so that each
// vectorises: measured on 37 x 41 and 300 x 300 cells, that halves the time of a round, and the AVX2 clone
// takes another sixth off it.
ENPDA_CLONES float softmax_row(const float* __restrict bids, float unmatched, float* __restrict soft, int m) {
  float tops[kLanes];
  for (float& t : tops) t = unmatched;
  int j = 0;
  for (; j + kLanes <= m; j += kLanes)
    for (int l = 0; l < kLanes; ++l) tops[l] = bids[j + l] > tops[l] ? bids[j + l] : tops[l];
  for (; j < m; ++j) tops[0] = bids[j] > tops[0] ? bids[j] : tops[0];
  float top = tops[0];
  for (float t : tops) top = t > top ? t : top;
  for (j = 0; j < m; ++j) soft[j] = exp_negative(bids[j] - top);
  float sums[kLanes] = {};
  for (j = 0; j + kLanes <= m; j += kLanes)
    for (int l = 0; l < kLanes; ++l) sums[l] += soft[j + l];
  for (int l = 0; j < m; ++j, ++l) sums[l] += soft[j];
  const float alone = exp_negative(unmatched - top);
  float sum = alone;
  for (float s : sums) sum += s;
  const float scale = 1.0f / sum;
  for (j = 0; j < m; ++j) soft[j] *= scale;
  return alone * scale;
}

void softmax(State& s, const Deadline& deadline) {
  Watch watch(deadline, 64);
  for (int i = 0; i < s.n && !watch.expired(); ++i) {
    const size_t row = static_cast<size_t>(i) * s.m;
    s.unmatched[i] = softmax_row(s.bids.data() + row, s.unmatched_logit[i], s.soft.data() + row, s.m);
  }
}

// Eq. 5 for one row: bids += step * (marginal / scale - price), with the drift of incompatible cells.
ENPDA_CLONES void bid_row(float* __restrict bids, const float* __restrict marginal,
                          const uint8_t* __restrict compatible, const float* __restrict prices,
                          float inverse_scale, int m) {
  for (int j = 0; j < m; ++j)
    bids[j] += kStep * (marginal[j] * inverse_scale - prices[j]) - (compatible[j] ? 0.0f : kDrift);
}

}  // namespace

std::vector<float> analytic_bids(const Pair& pair, const Deadline& deadline, bool& complete) {
  std::vector<float> bids(pair.compatible.size()), plane(bids.size());
  for (size_t c = 0; c < bids.size(); ++c) bids[c] = kBias + (pair.compatible[c] ? 0.0f : kIncompatible);
  for (int k = 0; k < kFeatures; ++k) {
    if (deadline.expired() || !feature_plane(pair, k, plane, deadline)) {
      complete = false;
      break;
    }
    for (size_t c = 0; c < bids.size(); ++c) bids[c] += kWeights[k] * plane[c];
  }
  return bids;
}

State initial_state(const Pair& pair, std::vector<float> bids, const Noise& noise, const Deadline& deadline) {
  State s;
  s.n = pair.n;
  s.m = pair.m;
  s.bids = std::move(bids);
  if (noise.scale > 0) {
    Random random(mix(noise.seed, 0x6e6f697365), noise.stream);  // not the generator of the stream's search
    for (float& z : s.bids) z += noise.scale * static_cast<float>(random.gumbel());
  }
  s.soft.resize(s.bids.size());
  s.unmatched_logit.assign(s.n, kUnmatched);
  s.unmatched.resize(s.n);
  s.prices.assign(s.m, 0.0f);
  s.demand.assign(s.m, 0.0f);
  softmax(s, deadline);
  return s;
}

namespace {

// A vec(S) on candidates, doubled. With stored lists one gather per candidate; without, as the product
// M * sum over edge labels of Aa (M * S) Ab^T, which visits edges of either side and never a pair of edges.
bool marginal_of(const Pair& pair, const State& s, std::vector<float>& marginal, const Deadline& deadline) {
  if (pair.stores_lists()) {
    Watch watch(deadline, pair.patience());
    for (Cell c : pair.candidates) {
      float sum = 0;
      pair.for_each_neighbour(c, [&](Cell d) { sum += s.soft[d]; });
      marginal[c] = 2 * sum;
      if (watch.expired()) return false;
    }
    return true;
  }
  const size_t m = static_cast<size_t>(pair.m);
  std::fill(marginal.begin(), marginal.end(), 0.0f);
  std::vector<float> through(m);
  for (int k = 0; k < pair.n; ++k) {
    if (deadline.expired()) return false;
    const float* row = s.soft.data() + k * m;
    const uint8_t* legal = pair.compatible.data() + k * m;
    int32_t label = -1;
    // Arcs of one label follow each other only by chance, so `through` is kept for the last label met.
    for (const Arc& x : pair.source.arcs(k)) {
      if (x.label != label) {
        label = x.label;
        for (int j = 0; j < pair.m; ++j) {
          float sum = 0;
          for (const Arc& y : pair.target.arcs(j))
            if (pair.same_label(x, y) && legal[y.to]) sum += row[y.to];
          through[j] = 2 * sum;
        }
      }
      float* out = marginal.data() + x.to * m;
      for (size_t j = 0; j < m; ++j) out[j] += through[j];
    }
  }
  for (size_t c = 0; c < marginal.size(); ++c)
    if (!pair.compatible[c]) marginal[c] = 0;
  return true;
}

}  // namespace

int run_rounds(const Pair& pair, State& s, int rounds, const Deadline& deadline) {
  std::vector<float> marginal(s.bids.size(), 0.0f);
  for (int t = 0; t < rounds; ++t) {
    if (!marginal_of(pair, s, marginal, deadline)) return t;
    double squares = 0;
    for (Cell c : pair.candidates) squares += static_cast<double>(marginal[c]) * marginal[c];
    const double count = static_cast<double>(pair.candidates.size());
    const float scale = count > 0 ? std::max(static_cast<float>(std::sqrt(squares / count)), 1e-6f) : 1.0f;
    std::fill(s.demand.begin(), s.demand.end(), -1.0f);
    for (int i = 0; i < s.n; ++i)
      for (int j = 0; j < s.m; ++j) s.demand[j] += s.soft[static_cast<size_t>(i) * s.m + j];
    for (int j = 0; j < s.m; ++j)
      s.prices[j] = std::clamp(s.prices[j] + kStep * s.demand[j], 0.0f, kMaxPrice);
    for (int i = 0; i < s.n; ++i) {
      const size_t row = static_cast<size_t>(i) * s.m;
      bid_row(s.bids.data() + row, marginal.data() + row, pair.compatible.data() + row, s.prices.data(),
              1.0f / scale, s.m);
    }
    softmax(s, deadline);
    if (deadline.expired()) return t + 1;
  }
  return rounds;
}

}  // namespace enpda
