#include "base/weights.hpp"

#include <cmath>

#include "base/errors.hpp"

namespace enpda {
namespace {

std::string text(std::span<const int64_t> shape) {
  std::string out = "(";
  for (size_t k = 0; k < shape.size(); ++k) out += (k > 0 ? ", " : "") + std::to_string(shape[k]);
  return out + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

std::span<const float> WeightReader::take(const std::string& name, const std::vector<int64_t>& shape) {
  const auto found = weights_.find(name);
  if (found == weights_.end())
    throw InputError("the policy lacks the tensor " + name + " of shape " + text(shape));
  const Tensor& tensor = found->second;
  if (tensor.shape != shape)
    throw InputError("the policy's tensor " + name + " has shape " + text(tensor.shape) + "; expected " +
                     text(shape));
  if (!std::ranges::all_of(tensor.values, [](float x) { return std::isfinite(x); }))
    throw InputError("the policy's tensor " + name + " has an entry that is not finite");
  taken_.insert(name);
  return tensor.values;
}

void WeightReader::finish() const {
  for (const auto& [name, tensor] : weights_)
    if (!taken_.contains(name)) throw InputError("the policy has no use for the tensor " + name);
}

}  // namespace enpda
