#include "pair/constraint.hpp"

#include "bindings/common.hpp"

namespace enpda {
namespace {

using RingState =
    std::tuple<std::vector<Ring>, std::vector<Ring>, std::vector<uint8_t>, std::vector<uint8_t>>;

}  // namespace

void bind_constraint(nb::module_& module) {
  nb::class_<WholeRings>(module, "WholeRings", "Rings, and per edge whether it counts with a whole one only.")
      .def(nb::init<>())
      .def_rw("rings_a", &WholeRings::rings_a)
      .def_rw("rings_b", &WholeRings::rings_b)
      .def_rw("marked_a", &WholeRings::marked_a)
      .def_rw("marked_b", &WholeRings::marked_b)
      .def("__getstate__",
           [](const WholeRings& r) { return RingState(r.rings_a, r.rings_b, r.marked_a, r.marked_b); })
      .def("__setstate__", [](WholeRings& self, const RingState& state) {
        const auto& [rings_a, rings_b, marked_a, marked_b] = state;
        new (&self) WholeRings{rings_a, rings_b, marked_a, marked_b};
      });
  nb::class_<Fragments>(module, "Fragments", "How many fragments at most (0: any number), of how many nodes.")
      .def(nb::init<>())
      .def_rw("most", &Fragments::most)
      .def_rw("least", &Fragments::least)
      .def("__getstate__", [](const Fragments& f) { return std::tuple(f.most, f.least); })
      .def("__setstate__", [](Fragments& self, const std::tuple<int, int>& state) {
        new (&self) Fragments{std::get<0>(state), std::get<1>(state)};
      });
  nb::class_<Constraint>(module, "Constraint", "Whole rings, and number and size of fragments.")
      .def(nb::init<>())
      .def_rw("rings", &Constraint::rings)
      .def_rw("fragments", &Constraint::fragments)
      .def_prop_ro("none", &Constraint::none)
      .def("__getstate__", [](const Constraint& c) { return std::tuple(c.rings, c.fragments); })
      .def("__setstate__", [](Constraint& self, const std::tuple<WholeRings, Fragments>& state) {
        new (&self) Constraint{std::get<0>(state), std::get<1>(state)};
      });
  module.def(
      "retain",
      [](const Graph& a, const Graph& b, Vector<int32_t> image, const Terms& terms,
         const Constraint& constraint) {
        check_terms(terms, a, b);
        check_constraint(constraint, a, b);
        Mapping kept(image.data(), image.data() + image.size());
        auto edges = retained_edges(a, b, terms, constraint, kept);
        const Score s = retain(a, b, terms, constraint, kept);
        return std::tuple(array(std::move(kept)), array(std::move(edges)), s.edges, s.nodes);
      },
      "a"_a, "b"_a, "image"_a, "terms"_a, "constraint"_a,
      "What a constraint leaves of a mapping: image, indices of a's edges, size, nodes.");
}

}  // namespace enpda
