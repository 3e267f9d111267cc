#include "bindings/common.hpp"
#include "prove/optima.hpp"
#include "prove/tree.hpp"
#include "solve/agreement.hpp"

namespace enpda {
namespace {

struct Proven {
  int64_t upper = -1, bound = -1, iterations = 0, nodes = 0;
  int known = -1;
  bool cut = false;  // whether the time limit ended it
  std::vector<int32_t> survivors;
  Mapping met;
  std::vector<Record> records;
};

// The bound alone, without any search: the ascent, and the tree above it when `nodes` is positive.
Proven prove(const Graph& a, const Graph& b, int known, const RltOptions& options, int64_t iterations,
             const BranchOptions& tree_options, int64_t nodes, const Terms& terms,
             const Constraint& constraint, const Deadline& deadline) {
  const Pair pair(a, b, deadline, terms, constraint);
  Proven result;
  result.known = known;
  result.met.assign(pair.n, -1);
  result.cut = !pair.complete();
  if (result.cut || !Shares::fits(pair, deadline)) return result;
  Ascent ascent(pair, options, deadline);
  const auto end = ascent.run(known, iterations);
  result.upper = ascent.upper();
  result.bound = ascent.bound();
  result.iterations = ascent.iterations();
  result.known = ascent.known();
  for (Cell c : ascent.survivors()) result.survivors.push_back(pair.place(c));
  if (ascent.met_size() >= 0) result.met = ascent.met();
  if (end == Ascent::End::hopeless && nodes > 0) {
    Tree tree(pair, std::move(ascent), options, tree_options, deadline);
    tree.run(known, nodes, std::numeric_limits<int64_t>::max(),
             [&](const Mapping& met) { result.met = met; });
    result.upper = tree.upper();
    result.known = tree.known();
    result.nodes = tree.nodes();
    result.records = tree.records();
  } else if (options.record && result.upper >= 0) {
    result.records.push_back({ascent.stages(), {}});
  }
  judge(pair, result.met);
  result.cut = deadline.expired() || end == Ascent::End::deadline;
  return result;
}

// A read-only view into a stage, which it keeps alive: a stage of a large pair has millions of entries.
template <auto Member>
nb::ndarray<nb::numpy, const int32_t> borrowed(nb::handle self) {
  const auto& values = nb::cast<const Stage&>(self).*Member;
  return nb::ndarray<nb::numpy, const int32_t>(values.data(), {values.size()}, self);
}

}  // namespace

void bind_rlt(nb::module_& module) {
  constexpr auto copied = nb::rv_policy::automatic;  // arrays from `array` own their memory already
  module.attr("RLT_UNIT") = kUnit;
  nb::class_<Stage>(module, "Stage", "Shares of the live association edges, and potentials of both sides.")
      .def_prop_ro("a", &borrowed<&Stage::a>)
      .def_prop_ro("b", &borrowed<&Stage::b>)
      .def_prop_ro("share", &borrowed<&Stage::share>)
      .def_prop_ro("row", &borrowed<&Stage::u>)
      .def_prop_ro("column", &borrowed<&Stage::v>)
      .def_prop_ro(
          "pieces",
          [](const Stage& s) {
            std::vector<std::tuple<bool, std::vector<int32_t>, Share>> result;
            for (const PricedPiece& p : s.pieces)
              result.emplace_back(p.piece->of_source, p.piece->edges, p.price);
            return result;
          },
          "Edges of the first or the second graph that cannot all be preserved, with their price.");
  nb::class_<RltOptions>(module, "RltOptions")
      .def(nb::init<>())
      .def_rw("target", &RltOptions::target)
      .def_rw("patience", &RltOptions::patience)
      .def_rw("far", &RltOptions::far)
      .def_rw("give_up_ratio", &RltOptions::give_up_ratio)
      .def_rw("record", &RltOptions::record)
      .def_rw("watch", &RltOptions::watch)
      .def_rw("momentum", &RltOptions::momentum)
      .def_rw("step", &RltOptions::step)
      .def_rw("aim", &RltOptions::aim)
      .def_rw("first_sweeps", &RltOptions::first_sweeps)
      .def_rw("sweep_period", &RltOptions::sweep_period)
      .def_rw("first_fraction", &RltOptions::first_fraction)
      .def_rw("fraction", &RltOptions::fraction)
      .def_rw("worth_fixing", &RltOptions::worth_fixing)
      .def_rw("network", &RltOptions::network, nb::arg().none())
      .def_rw("learned_steps", &RltOptions::learned_steps)
      .def_rw("propose", &RltOptions::propose)
      .def_rw("margin", &RltOptions::margin);
  module.def(
      "enumerate_optima",
      [](const Graph& a, const Graph& b, int size, size_t limit, double time_limit, const Terms& terms,
         const Constraint& constraint, bool by_edges) {
        const Optima found = interruptibly(time_limit, [&](const Deadline& deadline) {
          const Pair pair(a, b, deadline, terms, constraint);
          if (!pair.complete() || !Shares::fits(pair, deadline)) return Optima();
          return enumerate_optima(pair, size, limit, by_edges, RltOptions(), deadline);
        });
        return std::tuple(found.images, found.complete);
      },
      "a"_a, "b"_a, "size"_a, "limit"_a, "time_limit"_a, "terms"_a = Terms(), "constraint"_a = Constraint(),
      "by_edges"_a = false,
      "Images of every mapping with the optimal size, as far as symmetry or their shared edges tell them "
      "apart; "
      "and whether that is all.");
  module.def(
      "agreeing_part",
      [](const Graph& a, const Graph& b, int most, double time_limit, const Terms& terms,
         const Constraint& constraint) {
        Agreement found = interruptibly(time_limit, [&](const Deadline& deadline) {
          return agreeing_part(Pair(a, b, deadline, terms, constraint), most, deadline);
        });
        return std::tuple(array(std::move(found.image)), found.complete);
      },
      "a"_a, "b"_a, "most"_a, "time_limit"_a, "terms"_a = Terms(), "constraint"_a = Constraint(),
      "The largest common part whose edges keep their distances, up to a difference, and whose pieces are "
      "not "
      "farther apart than that; and whether it is certain.");
  nb::class_<Child>(module, "Child")
      .def_ro("row", &Child::row)
      .def_ro("column", &Child::column)
      .def_ro("record", &Child::record)
      .def_ro("like_row", &Child::like_row)
      .def_ro("like_column", &Child::like_column)
      .def_prop_ro("automorphism", [](const Child& c) { return array(c.automorphism); }, copied);
  nb::class_<Record>(module, "Record", "What the proof of one node rests on.")
      .def_ro("stages", &Record::stages)
      .def_ro("children", &Record::children);
  nb::class_<BranchOptions>(module, "BranchOptions")
      .def(nb::init<>())
      .def_rw("patience", &BranchOptions::patience)
      .def_rw("memory", &BranchOptions::memory)
      .def_rw("most_memory", &BranchOptions::most_memory)
      .def_rw("record_memory", &BranchOptions::record_memory)
      .def_rw("automorphism_steps", &BranchOptions::automorphism_steps)
      .def_rw("threads", &BranchOptions::threads);
  nb::class_<Proven>(module, "Proven")
      .def_ro("upper", &Proven::upper)
      .def_ro("bound", &Proven::bound)
      .def_ro("known", &Proven::known)
      .def_ro("iterations", &Proven::iterations)
      .def_ro("cut", &Proven::cut)
      .def_ro("nodes", &Proven::nodes)
      .def_ro("records", &Proven::records)
      .def_prop_ro("recorded", [](const Proven& r) { return !r.records.empty(); })
      .def_prop_ro(
          "survivors", [](const Proven& r) { return array(r.survivors); }, copied)
      .def_prop_ro("met", [](const Proven& r) { return array(r.met); }, copied);
  module.def(
      "prove",
      [](const Graph& a, const Graph& b, int known, const RltOptions& rlt, int64_t iterations,
         const BranchOptions& tree, int64_t nodes, double time_limit, const Terms& terms,
         const Constraint& constraint) {
        return interruptibly(time_limit, [&](const Deadline& deadline) {
          return prove(a, b, known, rlt, iterations, tree, nodes, terms, constraint, deadline);
        });
      },
      "a"_a, "b"_a, "known"_a, "rlt"_a, "iterations"_a, "tree"_a, "nodes"_a, "time_limit"_a,
      "terms"_a = Terms(), "constraint"_a = Constraint(),
      "The RLT-1 bound by dual ascent and, when nodes are allowed, by branching; a is the source whatever "
      "the "
      "sizes.");
}

}  // namespace enpda
