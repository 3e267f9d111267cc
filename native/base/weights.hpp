// Tensors by name, checked: what a file of weights holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace enpda {

struct Tensor {
  std::vector<int64_t> shape;
  std::span<const float> values;
};
using Weights = std::map<std::string, Tensor>;

// Takes tensors by name and notices what nobody asked for. Throws InputError when one is missing, unknown, of
// another shape or not finite.
class WeightReader {
 public:
  explicit WeightReader(const Weights& weights) : weights_(weights) {}

  bool has(const std::string& name) const { return weights_.contains(name); }
  std::span<const float> take(const std::string& name, const std::vector<int64_t>& shape);
  template <class Row>
  void vector(const std::string& name, Row& out) {
    std::ranges::copy(take(name, {static_cast<int64_t>(std::size(out.at))}), out.at);
  }
  // A matrix over several groups of inputs, each of which goes to its own array, input-major.
  template <class Row>
  void matrix(const std::string& name, std::initializer_list<std::span<Row>> groups) {
    constexpr int64_t kOutputs = std::size(decltype(Row::at){});
    int64_t inputs = 0;
    for (const auto& group : groups) inputs += static_cast<int64_t>(group.size());
    const auto values = take(name, {kOutputs, inputs});
    size_t at = 0;
    for (const auto& group : groups)
      for (Row& row : group) {
        for (int64_t k = 0; k < kOutputs; ++k) row.at[k] = values[static_cast<size_t>(k * inputs) + at];
        ++at;
      }
  }
  void finish() const;

 private:
  const Weights& weights_;
  std::set<std::string> taken_;
};

}  // namespace enpda
