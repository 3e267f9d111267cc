#include "propose/rounds.hpp"

#include "bindings/common.hpp"
#include "pair/features.hpp"

namespace enpda {
namespace {

// The state after `rounds` rounds, a as source whatever the sizes: what the theorems speak of.
State rounds_of(const Graph& a, const Graph& b, int rounds, float noise, uint64_t seed, int64_t max_stored,
                const std::shared_ptr<const Policy>& policy, const PolicyParts& parts) {
  const Deadline forever;
  const Pair pair(a, b, forever, {}, {}, max_stored, Pair::kMaxCells);
  const Start start = prepare(pair, policy, parts, noise > 0, forever);
  State state = initial_state(pair, start, {noise, seed, 0}, forever);
  run_rounds(pair, start, state, rounds, forever);
  return state;
}

}  // namespace

void bind_rounds(nb::module_& module) {
  constexpr auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  constexpr auto copied = nb::rv_policy::automatic;  // arrays from `array` own their memory already
  nb::class_<State>(module, "State", "Bids, prices and soft assignment of a pair.")
      .def_prop_ro(
          "bids", [](const State& s) { return array(s.bids, {size_t(s.n), size_t(s.m)}); }, copied)
      .def_prop_ro(
          "soft", [](const State& s) { return array(s.soft, {size_t(s.n), size_t(s.m)}); }, copied)
      .def_prop_ro(
          "unmatched_logit", [](const State& s) { return array(s.unmatched_logit); }, copied)
      .def_prop_ro(
          "unmatched", [](const State& s) { return array(s.unmatched); }, copied)
      .def_prop_ro(
          "prices", [](const State& s) { return array(s.prices); }, copied)
      .def_prop_ro("demand", [](const State& s) { return array(s.demand); }, copied);
  module.def("run_rounds", &rounds_of, "a"_a, "b"_a, "rounds"_a, "noise"_a = 0.0f, "seed"_a = 0,
             "max_stored"_a = Pair::kMaxStored, "policy"_a = nb::none(), "parts"_a = PolicyParts(), unlocked);

  module.def(
      "features",
      [](const Graph& a, const Graph& b) {
        const Deadline forever;
        const Pair pair(a, b, forever, {}, {}, Pair::kMaxStored, Pair::kMaxCells);
        std::vector<float> out(kFeatures * pair.compatible.size());
        for (int k = 0; k < kFeatures; ++k)
          feature_plane(pair, k, std::span(out).subspan(k * pair.compatible.size(), pair.compatible.size()),
                        forever);
        return array(std::move(out), {kFeatures, size_t(pair.n), size_t(pair.m)});
      },
      "a"_a, "b"_a, "The six features, one plane each.");
  module.def(
      "association_edges",
      [](const Graph& a, const Graph& b, int64_t max_stored, const Terms& terms) {
        const Pair pair(a, b, Deadline(), terms, {}, max_stored);
        std::vector<int64_t> out;
        for (Cell c : pair.candidates)
          pair.for_each_neighbour(c, [&](Cell d) {
            if (c < d) out.insert(out.end(), {pair.place(c), pair.place(d)});
          });
        const size_t count = out.size() / 2;
        return array(std::move(out), {count, 2});
      },
      "a"_a, "b"_a, "max_stored"_a = Pair::kMaxStored, "terms"_a = Terms(),
      "Edges of the association graph as pairs of cells i * m + j.");
}

}  // namespace enpda
