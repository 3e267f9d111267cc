#include <nanobind/stl/array.h>

#include "bindings/common.hpp"
#include "peers/brute.hpp"
#include "peers/mcsplit.hpp"

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
  nb::class_<BareProblem>(module, "BareProblem", "Two tiny graphs for `brute_force`: plain lists, no labels.")
      .def(nb::init<int, int, std::vector<uint8_t>, std::vector<std::array<int, 2>>,
                    std::vector<std::array<int, 2>>, std::vector<int>>(),
           "rows"_a, "columns"_a, "allowed"_a, "edges_a"_a, "edges_b"_a, "worth"_a)
      .def_ro("allowed", &BareProblem::allowed)
      .def_rw("rings_a", &BareProblem::rings_a)
      .def_rw("rings_b", &BareProblem::rings_b)
      .def_rw("marked_a", &BareProblem::marked_a)
      .def_rw("marked_b", &BareProblem::marked_b)
      .def_rw("max_fragments", &BareProblem::max_fragments)
      .def_rw("min_fragment", &BareProblem::min_fragment);
  module.def(
      "brute_force",
      [](const BareProblem& problem) {
        const BareScore best = brute_force(problem);
        return std::tuple(best.worth, best.nodes);
      },
      "problem"_a, nb::call_guard<nb::gil_scoped_release>(),
      "The most worth of any mapping of two tiny graphs, and the most nodes among those mappings.");
  module.def(
      "bare_score",
      [](const BareProblem& problem, const std::vector<int>& image) {
        const BareScore found = bare_score(problem, image);
        return std::tuple(found.worth, found.nodes);
      },
      "problem"_a, "image"_a, "What counts of one mapping: worth and nodes; -1 when it is none.");
}

}  // namespace enpda
