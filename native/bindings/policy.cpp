#include "propose/policy.hpp"

#include "bindings/common.hpp"
#include "rlt/network.hpp"

namespace enpda {
namespace {

template <class Network>
std::shared_ptr<const Network> network_of(const std::map<std::string, In<float>>& arrays) {
  Weights weights;
  for (const auto& [name, values] : arrays) {
    std::vector<int64_t> shape;
    for (size_t k = 0; k < values.ndim(); ++k) shape.push_back(static_cast<int64_t>(values.shape(k)));
    weights[name] = {std::move(shape), std::span(values.data(), values.size())};
  }
  return std::make_shared<const Network>(weights);
}

}  // namespace

void bind_policy(nb::module_& module) {
  nb::class_<Policy>(module, "Policy", "The learned policy's weights; every name and shape is checked.")
      .def(nb::new_(&network_of<Policy>), "weights"_a);
  nb::class_<ShareNetwork>(
      module, "ShareNetwork",
      "The weights of a network that shares profit out; every name and shape is checked.")
      .def(nb::new_(&network_of<ShareNetwork>), "weights"_a);
  nb::class_<PolicyParts>(module, "PolicyParts",
                          "What of the rounds is learned, and whether they price columns.")
      .def(
          "__init__",
          [](PolicyParts* self, bool initializer, bool dynamics, bool prices) {
            new (self) PolicyParts{initializer, dynamics, prices};
          },
          "initializer"_a = true, "dynamics"_a = true, "prices"_a = true)
      .def_ro("initializer", &PolicyParts::initializer)
      .def_ro("dynamics", &PolicyParts::dynamics)
      .def_ro("prices", &PolicyParts::prices)
      .def("__repr__", [](const PolicyParts& p) {
        auto word = [](bool x) { return x ? std::string("True") : std::string("False"); };
        return "PolicyParts(initializer=" + word(p.initializer) + ", dynamics=" + word(p.dynamics) +
               ", prices=" + word(p.prices) + ")";
      });
}

}  // namespace enpda
