#include "../peers/mcsplit.hpp"
#include "common.hpp"

namespace enpda {

void bind_peers(nb::module_& module) {
  module.def(
      "mcsplit",
      [](const Graph& a, const Graph& b, double time_limit) {
        auto found = interruptibly(time_limit, [&](const Deadline& d) { return mcsplit(a, b, d); });
        return std::tuple(array(std::move(found.image)), found.finished, found.nodes);
      },
      "a"_a, "b"_a, "time_limit"_a,
      "The largest common induced subgraph by McSplit: image, whether finished, nodes of the search tree.");
}

}  // namespace enpda
