#include "propose/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/exponential.hpp"
#include "base/random.hpp"
#include "base/simd.hpp"
#include "pair/features.hpp"

namespace enpda {
namespace {

constexpr float kWeights[kFeatures] = {5.0f, 1.5f, 2.0f, 1.0f, 1.5f, 1.0f};
constexpr float kBias = -1.0f, kIncompatible = -8.0f, kUnmatched = -1.0f;
constexpr float kStep = 0.5f, kMaxPrice = 20.0f, kDrift = 0.1f;
constexpr int kLanes = 8;

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

void softmax(const Cells& cells, State& s, const Deadline& deadline) {
  Watch watch(deadline, 64);
  for (int i = 0; i < s.n && !watch.expired(); ++i) {
    const Cell row = cells.first(i);
    s.unmatched[i] =
        softmax_row(s.bids.data() + row, s.unmatched_logit[i], s.soft.data() + row, cells.width(i));
  }
}

// Eq. 5 for one row: bids += step * (marginal / scale - price), with the drift of incompatible cells.
ENPDA_CLONES void bid_row(float* __restrict bids, const float* __restrict marginal,
                          const uint8_t* __restrict compatible, const float* __restrict prices,
                          float inverse_scale, int m) {
  for (int j = 0; j < m; ++j)
    bids[j] += kStep * (marginal[j] * inverse_scale - prices[j]) - (compatible[j] ? 0.0f : kDrift);
}

// The same with a learned correction of the marginals and a learned factor of the step.
ENPDA_CLONES void learned_bid_row(float* __restrict bids, const float* __restrict marginal,
                                  const uint8_t* __restrict compatible, const float* __restrict prices,
                                  float inverse_scale, int m, const float* __restrict correction,
                                  const float* __restrict correction_column, float correction_row,
                                  const float* __restrict step, const float* __restrict step_column,
                                  float step_row) {
  for (int j = 0; j < m; ++j) {
    const float c = tanh_plain(correction[j] + correction_column[j] + correction_row);
    const float a = step_factor(step[j] + step_column[j] + step_row);
    bids[j] += kStep * a * (marginal[j] * inverse_scale + c - prices[j]) - (compatible[j] ? 0.0f : kDrift);
  }
}

// Of a row of S and its unmatched mass. With p = exp(z - top) / sum, -log p is -log(max p) + (top - z): one
// logarithm a row, and nothing cancels.
ENPDA_CLONES float entropy_row(const float* __restrict bids, float unmatched_logit,
                               const float* __restrict soft, float unmatched, int m) {
  float top = unmatched_logit, most = unmatched;
  for (int j = 0; j < m; ++j) {
    top = bids[j] > top ? bids[j] : top;
    most = soft[j] > most ? soft[j] : most;
  }
  float sums[kLanes] = {unmatched * (top - unmatched_logit)};
  int j = 0;
  for (; j + kLanes <= m; j += kLanes)
    for (int l = 0; l < kLanes; ++l) sums[l] += soft[j + l] * (top - bids[j + l]);
  for (int l = 0; j < m; ++j, ++l) sums[l] += soft[j] * (top - bids[j]);
  float sum = -std::log(most);
  for (float s : sums) sum += s;
  return sum;
}

}  // namespace

Start prepare(const Pair& pair, const std::shared_ptr<const Policy>& policy, const PolicyParts& parts,
              bool noisy, const Deadline& deadline) {
  Start start;
  start.parts = parts;
  const bool learned = policy != nullptr && (parts.initializer || parts.dynamics) && Policy::fits(pair);
  std::vector<float>& bids = start.bids;
  if (!lengthen(bids, pair.compatible.size(), deadline)) {
    start.bids = {};
    start.complete = false;
    return start;
  }
  for (size_t c = 0; c < bids.size(); ++c) bids[c] = kBias + (pair.compatible[c] ? 0.0f : kIncompatible);
  std::vector<float> plane;
  start.complete = lengthen(plane, bids.size(), deadline);
  if (learned) start.grid.features.resize(bids.size() * kFeatures);
  for (int k = 0; k < kFeatures; ++k) {
    start.complete = start.complete && !deadline.expired() && feature_plane(pair, k, plane, deadline);
    if (!start.complete) break;
    for (size_t c = 0; c < bids.size(); ++c) bids[c] += kWeights[k] * plane[c];
    if (learned)
      for (size_t c = 0; c < bids.size(); ++c) start.grid.features[c * kFeatures + k] = plane[c];
  }
  start.unmatched_logit.assign(pair.n, kUnmatched);
  if (!learned || !start.complete) return start;
  start.complete =
      find_links(pair, true, start.grid.merged, deadline) &&
      (!noisy || find_links(pair, false, start.grid.whole, deadline)) &&
      (!parts.initializer || add_initial(*policy, pair, start.grid, bids, start.unmatched_logit, deadline));
  if (start.complete && parts.dynamics) start.policy = policy;
  return start;
}

bool State::allocate(size_t cells, const Deadline& deadline) {
  return lengthen(bids, cells, deadline) && lengthen(soft, cells, deadline);
}

void begin_state(const Pair& pair, const Start& start, const Noise& noise, const Deadline& deadline,
                 State& s) {
  s.n = pair.n;
  s.m = pair.m;
  s.bids = start.bids;
  s.noisy = noise.scale > 0;
  if (!s.noisy) s.margin = start.margin;  // noise is meant to lead elsewhere
  if (s.noisy) {
    Random random(mix(noise.seed, 0x6e6f697365), noise.stream);  // not the generator of the stream's search
    for (float& z : s.bids) z += noise.scale * static_cast<float>(random.gumbel());
  }
  s.soft.resize(s.bids.size());
  s.unmatched_logit = start.unmatched_logit;
  s.unmatched.resize(s.n);
  s.prices = start.prices;
  s.prices.resize(s.m, 0.0f);
  s.demand.assign(s.m, 0.0f);
  softmax(pair.grid, s, deadline);
}

State initial_state(const Pair& pair, const Start& start, const Noise& noise, const Deadline& deadline) {
  State state;
  begin_state(pair, start, noise, deadline, state);
  return state;
}

namespace {

// A vec(S) on candidates, doubled. With stored lists, or on a thin grid, one gather per candidate; otherwise
// as the product M * sum over edge labels of Aa (M * S) Ab^T, which visits edges of either side and never a
// pair of edges.
bool marginal_of(const Pair& pair, const State& s, std::vector<float>& marginal, const Deadline& deadline) {
  if (pair.stores_lists() || !pair.grid.full()) {
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
            if (pair.worth(x, y) > 0 && legal[y.to]) sum += row[y.to];
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

// What the policy says of a state at the start of a round.
bool consult(Advice& advice, const State& s, const std::vector<float>& marginal, float inverse_scale,
             std::vector<float>& entropy, const Deadline& deadline) {
  const float scale = 1.0f / std::max(std::log(static_cast<float>(s.m) + 1.0f), 1.0f);
  for (int i = 0; i < s.n; ++i) {
    const size_t row = static_cast<size_t>(i) * s.m;
    entropy[i] = scale * entropy_row(s.bids.data() + row, s.unmatched_logit[i], s.soft.data() + row,
                                     s.unmatched[i], s.m);
  }
  return advice.update(
      {s.soft.data(), marginal.data(), inverse_scale, s.prices.data(), s.demand.data(), entropy.data()},
      deadline);
}

}  // namespace

int run_rounds(const Pair& pair, const Start& start, State& s, int rounds, const Deadline& deadline) {
  const Cells& cells = pair.grid;
  std::vector<float> marginal, entropy, ordered(s.m);  // columns as the grid orders them
  if (!lengthen(marginal, s.bids.size(), deadline)) return 0;
  std::optional<Advice> advice;
  if (start.policy && rounds > 0) {
    advice.emplace(*start.policy, pair, start.grid, !s.noisy);
    entropy.resize(s.n);
  }
  for (int t = 0; t < rounds; ++t) {
    if (!marginal_of(pair, s, marginal, deadline)) return t;
    double squares = 0;
    for (Cell c : pair.candidates) squares += static_cast<double>(marginal[c]) * marginal[c];
    if (deadline.expired()) return t;
    const double count = static_cast<double>(pair.candidates.size());
    const float scale = count > 0 ? std::max(static_cast<float>(std::sqrt(squares / count)), 1e-6f) : 1.0f;
    std::fill(ordered.begin(), ordered.end(), -1.0f);
    for (int i = 0; i < s.n; ++i) {
      const float* row = s.soft.data() + cells.first(i);
      float* sum = ordered.data() + cells.begin(i);
      for (int k = 0; k < cells.width(i); ++k) sum[k] += row[k];
    }
    for (int j = 0; j < s.m; ++j) s.demand[j] = ordered[cells.position(j)];
    if (deadline.expired()) return t;
    if (advice && !consult(*advice, s, marginal, 1.0f / scale, entropy, deadline)) return t;
    for (int j = 0; start.parts.prices && j < s.m; ++j) {
      const float step = advice ? kStep * step_factor(advice->price_step[j]) : kStep;
      s.prices[j] = std::clamp(s.prices[j] + step * s.demand[j], 0.0f, kMaxPrice);
    }
    for (int j = 0; j < s.m; ++j) ordered[cells.position(j)] = s.prices[j];
    for (int i = 0; i < s.n; ++i) {
      const Cell row = cells.first(i);
      if (advice) {
        const Scores &c = advice->correction, &a = advice->bid_step;
        learned_bid_row(s.bids.data() + row, marginal.data() + row, pair.compatible.data() + row,
                        s.prices.data(), 1.0f / scale, s.m, c.own->data() + row, c.column.data(), c.row[i],
                        a.own->data() + row, a.column.data(), a.row[i]);
        s.unmatched_logit[i] += kStep * tanh_plain(advice->unmatched[i]);
      } else {
        bid_row(s.bids.data() + row, marginal.data() + row, pair.compatible.data() + row,
                ordered.data() + cells.begin(i), 1.0f / scale, cells.width(i));
      }
    }
    softmax(pair.grid, s, deadline);
    if (deadline.expired()) return t + 1;
  }
  return rounds;
}

}  // namespace enpda
