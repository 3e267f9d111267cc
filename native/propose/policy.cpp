#include "propose/policy.hpp"

#include <algorithm>
#include <cmath>

namespace enpda {
namespace {

class Reader : public WeightReader {
 public:
  using WeightReader::WeightReader;

  void encoder(const std::string& part, int inputs, Encoder& out) {
    const std::string name = part + ".encoder.";
    out.inputs = inputs;
    matrix<Hidden>(name + "input.weight", {std::span(out.input).first(inputs)});
    vector(name + "input.bias", out.input_bias);
    for (int k = 0; k < kLayers; ++k) {
      const std::string prefix = name + "layers." + std::to_string(k) + ".";
      Layer& layer = out.layers[k];
      matrix<Hidden>(prefix + "first.weight", {layer.own, layer.linked});
      vector(prefix + "first.bias", layer.first_bias);
      matrix<Hidden>(prefix + "second.weight", {layer.second});
      vector(prefix + "second.bias", layer.second_bias);
      vector(prefix + "norm.weight", layer.scale);
      vector(prefix + "norm.bias", layer.shift);
    }
  }
  void head(const std::string& name, const Encoder& encoder, Head& out) {
    const auto values = take(name + ".weight", {1, 4 * kWidth});
    out.bias = take(name + ".bias", {1})[0];
    const Layer& last = encoder.layers[kLayers - 1];
    double shift = 0;
    size_t at = 0;
    for (Hidden* group : {&out.own, &out.row, &out.column, &out.grand})
      for (int k = 0; k < kWidth; ++k, ++at) {
        group->at[k] = values[at] * last.scale.at[k];
        shift += static_cast<double>(values[at]) * last.shift.at[k];
      }
    out.bias += static_cast<float>(shift);
  }
};

float dot(const Hidden& a, const Hidden& b) {
  return kernels().product(a, b);
}

float share(size_t count) {
  return 1.0f / static_cast<float>(std::max<size_t>(count, 1));
}

Hidden sum(const Hidden& a, const Hidden& b) {
  Hidden out;
  for (int k = 0; k < kWidth; ++k) out.at[k] = a.at[k] + b.at[k];
  return out;
}

Hidden grand_mean(const Encoding& e) {
  Hidden out;
  for (const Hidden& row : e.row_sum)
    for (int k = 0; k < kWidth; ++k) out.at[k] += row.at[k];
  const float scale = share(e.row_sum.size() * e.column_sum.size());
  for (float& x : out.at) x *= scale;
  return out;
}

// out[k] = constant + weights . mean of `count` vectors.
void project(const std::vector<Hidden>& sums, size_t count, const Hidden& weights, float constant,
             std::vector<float>& out) {
  out.resize(sums.size());
  for (size_t k = 0; k < sums.size(); ++k) out[k] = constant + dot(weights, sums[k]) * share(count);
}

// Heads are linear: a context is never built, each part of it is projected where it has the fewest copies.
void score(const Head& head, const Encoding& e, const Hidden& grand, Scores& out) {
  project(e.row_sum, e.column_sum.size(), head.row, dot(head.grand, grand) + head.bias, out.row);
  project(e.column_sum, e.row_sum.size(), head.column, 0, out.column);
}

// The mean of a head over a row: its own vectors' mean is the row's, its columns' mean the grand one.
void score_rows(const Head& head, const Encoding& e, const Hidden& grand, std::vector<float>& out) {
  const float constant = dot(sum(head.column, head.grand), grand) + head.bias;
  project(e.row_sum, e.column_sum.size(), sum(head.own, head.row), constant, out);
}

void score_columns(const Head& head, const Encoding& e, const Hidden& grand, std::vector<float>& out) {
  const float constant = dot(sum(head.row, head.grand), grand) + head.bias;
  project(e.column_sum, e.row_sum.size(), sum(head.own, head.column), constant, out);
}

}  // namespace

Policy::Policy(const Weights& weights) {
  Reader reader(weights);
  reader.encoder("initial", kFeatures, initial);
  reader.encoder("dynamic", kMaxInputs, dynamic);
  reader.head("initial.bid", initial, initial_bid);
  reader.head("initial.unmatched", initial, initial_unmatched);
  reader.head("dynamic.correction", dynamic, correction);
  reader.head("dynamic.bid_step", dynamic, bid_step);
  reader.head("dynamic.price_step", dynamic, price_step);
  reader.head("dynamic.unmatched", dynamic, unmatched);
  reader.finish();
}

bool Policy::fits(const Pair& pair) {
  if (!pair.grid.full()) return false;  // it was trained on whole rows and columns
  const size_t vectors =
      2 * pair.candidates.size() + static_cast<size_t>(pair.n) + 2 * static_cast<size_t>(pair.m);
  const size_t numbers = vectors * kWidth + pair.compatible.size() * (kFeatures + 4);
  return numbers * sizeof(float) <= size_t{1} << 30;
}

bool add_initial(const Policy& policy, const Pair& pair, const Grid& grid, std::vector<float>& bids,
                 std::vector<float>& unmatched_logit, const Deadline& deadline) {
  Encoding encoding(pair, grid, true);
  const Hidden* own = &policy.initial_bid.own;
  if (!encoding.run(policy.initial, {}, std::span(&own, 1), deadline)) return false;
  const Hidden grand = grand_mean(encoding);
  Scores bid;
  score(policy.initial_bid, encoding, grand, bid);
  for (int i = 0; i < pair.n; ++i)
    for (int j = 0; j < pair.m; ++j) {
      const size_t c = static_cast<size_t>(i) * pair.m + j;
      bids[c] += encoding.local[0][c] + bid.row[i] + bid.column[j];
    }
  std::vector<float> unmatched;
  score_rows(policy.initial_unmatched, encoding, grand, unmatched);
  for (int i = 0; i < pair.n; ++i) unmatched_logit[i] += unmatched[i];
  return true;
}

Advice::Advice(const Policy& policy, const Pair& pair, const Grid& grid, bool merged)
    : policy_(policy), encoding_(pair, grid, merged) {
  correction.own = &encoding_.local[0];
  bid_step.own = &encoding_.local[1];
}

bool Advice::update(const Inputs& inputs, const Deadline& deadline) {
  const Hidden* own[] = {&policy_.correction.own, &policy_.bid_step.own};
  if (!encoding_.run(policy_.dynamic, inputs, own, deadline)) return false;
  const Hidden grand = grand_mean(encoding_);
  score(policy_.correction, encoding_, grand, correction);
  score(policy_.bid_step, encoding_, grand, bid_step);
  score_columns(policy_.price_step, encoding_, grand, price_step);
  score_rows(policy_.unmatched, encoding_, grand, unmatched);
  return true;
}

}  // namespace enpda
