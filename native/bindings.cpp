// The compiled module's table of contents: the only file that knows Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "assignment.hpp"
#include "bounds/caps.hpp"
#include "errors.hpp"
#include "features.hpp"
#include "isomorphism.hpp"
#include "search/operators.hpp"
#include "simd.hpp"

namespace nb = nanobind;
using namespace enpda;
using namespace nb::literals;

namespace {

template <class T, class... Shape>
using In = nb::ndarray<const T, Shape..., nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = In<T, nb::ndim<1>>;
template <class T>
using Matrix = In<T, nb::ndim<2>>;

template <class T>
std::span<const T> view(const Vector<T>& x) {
  return {x.data(), x.size()};
}

// A numpy array that owns the vector's memory.
template <class T>
nb::ndarray<nb::numpy, T> array(std::vector<T> values, std::initializer_list<size_t> shape) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(owned->data(), shape, owner);
}

template <class T>
nb::ndarray<nb::numpy, T> array(std::vector<T> values) {
  const size_t size = values.size();
  return array(std::move(values), {size});
}

void raise_input_error(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    PyErr_SetString(nb::module_::import_("enpda.errors").attr("InputError").ptr(), error.what());
  }
}

// The state after `rounds` rounds, a as source whatever the sizes: what the theorems speak of.
State rounds_of(const Graph& a, const Graph& b, int rounds, float noise, uint64_t seed, int64_t max_stored) {
  const Deadline forever;
  const Pair pair(a, b, forever, max_stored);
  State state = initial_state(pair, analytic_bids(pair, forever), {noise, seed, 0}, forever);
  run_rounds(pair, state, rounds, forever);
  return state;
}

template <class T>
auto assign_matrix(const Matrix<T>& w) {
  const int n = static_cast<int>(w.shape(0)), m = static_cast<int>(w.shape(1));
  Assignment<T> r;
  {
    nb::gil_scoped_release release;
    r = assign<T>(std::span<const T>(w.data(), w.size()), n, m, Deadline());
  }
  return std::tuple(r.value, array(r.column), array(r.row_potential), array(r.column_potential));
}

// Runs the search so that Ctrl-C ends it with what it has, and so that an exception of the callback (or of
// another signal handler) ends it and reaches the caller.
SearchResult search_from_python(const Graph& a, const Graph& b, const SearchOptions& options,
                                double time_limit, const std::optional<nb::callable>& on_improve) {
  Deadline deadline(time_limit);
  std::exception_ptr failure;
  deadline.poll([&] {
    nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() == 0) return false;
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
      PyErr_Clear();
    } else {
      failure = std::make_exception_ptr(nb::python_error());
    }
    return true;
  });
  OnImprove listener;
  if (on_improve)
    listener = [&](const Event& e) {
      nb::gil_scoped_acquire locked;
      if (failure) return;
      try {
        (*on_improve)(e.seconds, e.score.edges, e.found_by, e.stream);
      } catch (nb::python_error&) {
        failure = std::current_exception();
        deadline.cancel();
      }
    };
  SearchResult result;
  {
    nb::gil_scoped_release release;
    result = search(a, b, options, deadline, listener);
  }
  if (failure) std::rethrow_exception(failure);
  return result;
}

}  // namespace

NB_MODULE(_core, module) {
  module.doc() = "The compiled core of enpda.";
  nb::set_leak_warnings(false);  // graphs held by a caller's globals at exit are not our news to tell
  nb::register_exception_translator(raise_input_error);
  constexpr auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  constexpr auto copied = nb::rv_policy::automatic;  // arrays from `array` own their memory already

  nb::class_<Graph>(module, "Graph", "A simple undirected graph with interned integer labels.")
      .def(
          "__init__",
          [](Graph* self, Vector<int64_t> labels, Vector<int64_t> ends, Vector<int64_t> edge_labels) {
            new (self) Graph(view(labels), view(ends), view(edge_labels));
          },
          "labels"_a, "ends"_a, "edge_labels"_a)
      .def("__len__", &Graph::size)
      .def_prop_ro("invariant_hash", &Graph::invariant_hash)
      .def("labels",
           [](const Graph& g) {
             std::vector<int64_t> out;
             for (int c : g.node_class) out.push_back(g.node_labels[c]);
             return array(std::move(out));
           })
      .def("edges",
           [](const Graph& g) {
             std::vector<int64_t> out;
             for (const Edge& e : g.edges) out.insert(out.end(), {e.u, e.v});
             return array(std::move(out), {g.edges.size(), 2});
           })
      .def("edge_labels",
           [](const Graph& g) {
             std::vector<int64_t> out;
             for (const Edge& e : g.edges) out.push_back(g.edge_labels[e.label]);
             return array(std::move(out));
           })
      .def("components", [](const Graph& g) { return array(components(g)); });

  module.def("isomorphic", &isomorphic, "a"_a, "b"_a, unlocked);

  nb::class_<State>(module, "State", "Bids, prices and soft assignment of a pair.")
      .def_prop_ro(
          "bids", [](const State& s) { return array(s.bids, {size_t(s.n), size_t(s.m)}); }, copied)
      .def_prop_ro(
          "soft", [](const State& s) { return array(s.soft, {size_t(s.n), size_t(s.m)}); }, copied)
      .def_prop_ro(
          "unmatched", [](const State& s) { return array(s.unmatched); }, copied)
      .def_prop_ro(
          "prices", [](const State& s) { return array(s.prices); }, copied)
      .def_prop_ro("demand", [](const State& s) { return array(s.demand); }, copied);
  module.def("run_rounds", &rounds_of, "a"_a, "b"_a, "rounds"_a, "noise"_a = 0.0f, "seed"_a = 0,
             "max_stored"_a = Pair::kMaxStored, unlocked);

  module.def(
      "features",
      [](const Graph& a, const Graph& b) {
        const Deadline forever;
        const Pair pair(a, b, forever);
        std::vector<float> out(kFeatures * pair.compatible.size());
        for (int k = 0; k < kFeatures; ++k)
          feature_plane(pair, k, std::span(out).subspan(k * pair.compatible.size(), pair.compatible.size()),
                        forever);
        return array(std::move(out), {kFeatures, size_t(pair.n), size_t(pair.m)});
      },
      "a"_a, "b"_a, "The six features, one plane each.");
  module.def(
      "association_edges",
      [](const Graph& a, const Graph& b, int64_t max_stored) {
        const Pair pair(a, b, Deadline(), max_stored);
        std::vector<int64_t> out;
        for (Cell c : pair.candidates)
          pair.for_each_neighbour(c, [&](Cell d) {
            if (c < d) out.insert(out.end(), {c, d});
          });
        const size_t count = out.size() / 2;
        return array(std::move(out), {count, 2});
      },
      "a"_a, "b"_a, "max_stored"_a = Pair::kMaxStored,
      "Edges of the association graph as pairs of cells i * m + j.");
  module.def("assign", &assign_matrix<double>, "weight"_a);
  module.def("assign", &assign_matrix<int64_t>, "weight"_a,
             "Maximum-weight partial assignment: value, column per row, row and column potentials.");

  nb::enum_<Decoder>(module, "Decoder")
      .value("hungarian", Decoder::hungarian)
      .value("growth", Decoder::growth);
  module.def(
      "caps",
      [](const Graph& a, const Graph& b) {
        const Deadline forever;
        return std::tuple(edge_cap(a, b), histogram_cap(a, b), assignment_cap(Pair(a, b, forever), forever));
      },
      "a"_a, "b"_a, unlocked, "Edge, histogram and assignment cap.");

  module.def(
      "check",
      [](const Graph& a, const Graph& b, Vector<int32_t> image) {
        const Score s = check(a, b, view(image));
        return std::tuple(s.edges, s.nodes);
      },
      "a"_a, "b"_a, "image"_a, "Recounts a mapping; raises InputError when it is not legal.");
  module.def(
      "preserved_edges",
      [](const Graph& a, const Graph& b, Vector<int32_t> image) {
        return array(preserved_edges(a, b, view(image)));
      },
      "a"_a, "b"_a, "image"_a, "Indices of a's edges that the mapping preserves.");

  nb::enum_<Operator>(module, "Operator")
      .value("proposal", Operator::proposal)
      .value("construct", Operator::construct)
      .value("refine", Operator::refine)
      .value("anneal", Operator::anneal)
      .value("neighbourhood", Operator::neighbourhood);
  nb::class_<AnnealOptions>(module, "AnnealOptions")
      .def_rw("steps", &AnnealOptions::steps)
      .def_rw("hot", &AnnealOptions::hot)
      .def_rw("cold", &AnnealOptions::cold)
      .def_rw("guided", &AnnealOptions::guided);
  nb::class_<NeighbourhoodOptions>(module, "NeighbourhoodOptions")
      .def_rw("steps", &NeighbourhoodOptions::steps)
      .def_rw("hot", &NeighbourhoodOptions::hot)
      .def_rw("cold", &NeighbourhoodOptions::cold);
  nb::class_<SearchOptions>(module, "SearchOptions")
      .def(nb::init<>())
      .def_rw("rounds", &SearchOptions::rounds)
      .def_rw("decoder", &SearchOptions::decoder)
      .def_rw("noisy", &SearchOptions::noisy)
      .def_rw("noise", &SearchOptions::noise)
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
  nb::class_<SearchResult>(module, "SearchResult")
      .def_prop_ro(
          "image", [](const SearchResult& r) { return array(r.image); }, copied)
      .def_prop_ro(
          "prices", [](const SearchResult& r) { return array(r.prices); }, copied)
      .def_prop_ro(
          "caps",
          [](const SearchResult& r) { return std::tuple(r.caps.edge, r.caps.histogram, r.caps.assignment); })
      .def_prop_ro("trace",
                   [](const SearchResult& r) {
                     std::vector<std::tuple<double, int, Operator, int>> out;
                     for (const Event& e : r.trace)
                       out.emplace_back(e.seconds, e.score.edges, e.found_by, e.stream);
                     return out;
                   })
      .def_ro("time_limit", &SearchResult::time_limit)
      .def_ro("interrupted", &SearchResult::interrupted)
      .def_ro("seconds", &SearchResult::seconds);
  module.def(
      "run_operator",
      [](Operator which, const Graph& a, const Graph& b, Vector<int32_t> start,
         const SearchOptions& options) {
        const auto r = run_operator(which, a, b, Mapping(start.data(), start.data() + start.size()), options,
                                    Deadline());
        return std::tuple(array(r.end), array(r.best), r.start.edges, r.best_score.edges);
      },
      "which"_a, "a"_a, "b"_a, "start"_a, "options"_a,
      "One search operator alone: end, best, start size, best size.");
  module.def("audit_moves", &audit_moves, "a"_a, "b"_a, "moves"_a, "seed"_a, unlocked);
  module.def("search", &search_from_python, "a"_a, "b"_a, "options"_a, "time_limit"_a,
             "on_improve"_a = nb::none());

  module.def("build_info", [] {
    return std::tuple(std::string(__VERSION__), static_cast<long>(__cplusplus), ENPDA_HAS_CLONES != 0);
  });
}
