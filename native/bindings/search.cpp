#include "bindings/caps.hpp"
#include "bindings/common.hpp"
#include "search/operators.hpp"
#include "solve/solve.hpp"

namespace enpda {
namespace {

// Solves a pair so that Ctrl-C ends it with what it has, and so that an exception of the callback (or of
// another signal handler) ends it and reaches the caller.
Solution solve_from_python(const Graph& a, const Graph& b, const SolveOptions& options, double time_limit,
                           const std::optional<nb::callable>& on_improve) {
  Interruptible call(time_limit, true);
  OnImprove listener;
  if (on_improve)
    listener = [&](const Event& e, const Mapping& image) {
      nb::gil_scoped_acquire locked;
      if (call.failure) return;
      try {
        (*on_improve)(e.seconds, e.score.edges, e.found_by, e.stream, array(image));
      } catch (nb::python_error& error) {
        if (!error.matches(PyExc_KeyboardInterrupt)) call.failure = std::current_exception();
        call.deadline.cancel();
      }
    };
  Solution result;
  {
    nb::gil_scoped_release release;
    result = solve(a, b, options, call.deadline, listener);
    recount(a, b, options, result);
  }
  call.check();
  return result;
}

}  // namespace

void bind_search(nb::module_& module) {
  constexpr auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  constexpr auto copied = nb::rv_policy::automatic;  // arrays from `array` own their memory already
  nb::enum_<Decoder>(module, "Decoder")
      .value("hungarian", Decoder::hungarian)
      .value("growth", Decoder::growth);
  nb::enum_<Operator>(module, "Operator")
      .value("proposal", Operator::proposal)
      .value("construct", Operator::construct)
      .value("refine", Operator::refine)
      .value("anneal", Operator::anneal)
      .value("neighbourhood", Operator::neighbourhood)
      .value("rings", Operator::rings)
      .value("bound", Operator::bound);
  nb::class_<AnnealOptions>(module, "AnnealOptions")
      .def_rw("steps", &AnnealOptions::steps)
      .def_rw("hot", &AnnealOptions::hot)
      .def_rw("cold", &AnnealOptions::cold)
      .def_rw("guided", &AnnealOptions::guided);
  nb::class_<NeighbourhoodOptions>(module, "NeighbourhoodOptions")
      .def_rw("steps", &NeighbourhoodOptions::steps);
  nb::class_<SearchOptions>(module, "SearchOptions")
      .def(nb::init<>())
      .def_rw("rounds", &SearchOptions::rounds)
      .def_prop_rw(
          "policy", [](const SearchOptions& o) { return o.policy; },
          [](SearchOptions& o, std::shared_ptr<const Policy> policy) { o.policy = std::move(policy); },
          nb::for_setter(nb::arg("policy").none()))
      .def_rw("parts", &SearchOptions::parts)
      .def_rw("decoder", &SearchOptions::decoder)
      .def_rw("noisy", &SearchOptions::noisy)
      .def_rw("discrete", &SearchOptions::discrete)
      .def_rw("constructive", &SearchOptions::constructive)
      .def_rw("passes", &SearchOptions::passes)
      .def_rw("anneal_first", &SearchOptions::anneal_first)
      .def_rw("anneal", &SearchOptions::anneal)
      .def_rw("anneal_exponent", &SearchOptions::anneal_exponent)
      .def_rw("anneal_growth", &SearchOptions::anneal_growth)
      .def_rw("neighbourhood", &SearchOptions::neighbourhood)
      .def_rw("threads", &SearchOptions::threads)
      .def_rw("seed", &SearchOptions::seed);
  nb::class_<SolveOptions>(module, "SolveOptions")
      .def(nb::init<>())
      .def(
          "posed",
          [](SolveOptions self, const Terms& terms, const Constraint& constraint, int min_size,
             int min_total) {
            self.terms = terms;
            self.constraint = constraint;
            self.min_size = min_size;
            self.min_total = min_total;
            return self;
          },
          "terms"_a = Terms(), "constraint"_a = Constraint(), "min_size"_a = 0, "min_total"_a = 0,
          "The same about one pair: a copy.")
      .def_rw("terms", &SolveOptions::terms)
      .def_rw("constraint", &SolveOptions::constraint)
      .def_rw("searches", &SolveOptions::searches)
      .def_rw("last_cells", &SolveOptions::last_cells)
      .def_rw("bound", &SolveOptions::bound)
      .def_rw("first_iterations", &SolveOptions::first_iterations)
      .def_rw("most_iterations", &SolveOptions::most_iterations)
      .def_rw("propose_first", &SolveOptions::propose_first)
      .def_rw("rlt", &SolveOptions::rlt)
      .def_rw("min_size", &SolveOptions::min_size)
      .def_rw("min_total", &SolveOptions::min_total)
      .def_rw("most_nodes", &SolveOptions::most_nodes)
      .def_rw("fill_work", &SolveOptions::fill_work)
      .def_rw("branch", &SolveOptions::branch)
      .def_rw("full_grid", &SolveOptions::full_grid)
      .def_rw("most_gap", &SolveOptions::most_gap)
      .def_rw("turn", &SolveOptions::turn)
      .def_rw("search_on", &SolveOptions::search_on)
      .def_rw("tree", &SolveOptions::tree);
  nb::class_<Solution>(module, "Solution",
                       "What was found about one pair; its mapping has been counted again.")
      .def_prop_ro(
          "mapping",
          [](const Solution& s) {
            nb::typed<nb::dict, int, int> out;
            for (size_t i = 0; i < s.image.size(); ++i)
              if (s.image[i] >= 0) out[nb::int_(i)] = nb::int_(s.image[i]);
            return out;
          },
          "From nodes of the first graph to nodes of the second, in ascending order.")
      .def_prop_ro("score", [](const Solution& s) { return std::pair(s.score.edges, s.score.nodes); })
      .def_prop_ro("upper", &Solution::upper)
      .def_prop_ro(
          "image", [](const Solution& s) { return array(s.image); }, copied)
      .def_prop_ro(
          "prices", [](const Solution& s) { return array(s.prices); }, copied)
      .def_prop_ro("caps", [](const Solution& s) { return by_name(s.caps); })
      .def_ro("rlt", &Solution::rlt)
      .def_ro("branch", &Solution::branch)
      .def_ro("most_nodes", &Solution::most_nodes)
      .def_ro("known", &Solution::known)
      .def_ro("records", &Solution::records)
      .def_prop_ro("recorded", [](const Solution& r) { return !r.records.empty(); })
      .def_ro("iterations", &Solution::iterations)
      .def_ro("nodes", &Solution::nodes)
      .def_prop_ro("trace",
                   [](const Solution& s) {
                     std::vector<std::tuple<double, int, Operator, int>> out;
                     for (const Event& e : s.trace)
                       out.emplace_back(e.seconds, e.score.edges, e.found_by, e.stream);
                     return out;
                   })
      .def_ro("time_limit", &Solution::time_limit)
      .def_ro("interrupted", &Solution::interrupted)
      .def_ro("seconds", &Solution::seconds);
  module.def(
      "run_operator",
      [](Operator which, const Graph& a, const Graph& b, Vector<int32_t> start, const SearchOptions& options,
         const Terms& terms, const Constraint& constraint) {
        const auto r = run_operator(which, a, b, Mapping(start.data(), start.data() + start.size()), options,
                                    terms, constraint, Deadline());
        return std::tuple(array(r.end), array(r.best), r.start.edges, r.best_score.edges);
      },
      "which"_a, "a"_a, "b"_a, "start"_a, "options"_a, "terms"_a = Terms(), "constraint"_a = Constraint(),
      "One search operator alone: end, best, start size, best size.");
  module.def("audit_moves", &audit_moves, "a"_a, "b"_a, "moves"_a, "seed"_a, "terms"_a = Terms(), unlocked);
  module.def("solve", &solve_from_python, "a"_a, "b"_a, "options"_a, "time_limit"_a,
             "on_improve"_a = nb::none());
}

}  // namespace enpda
