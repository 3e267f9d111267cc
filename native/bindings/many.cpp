#include "solve/many.hpp"

#include "base/errors.hpp"
#include "bindings/common.hpp"
#include "solve/screen.hpp"

namespace enpda {
namespace {

using Graphs = std::vector<const Graph*>;

// Graphs from arrays that hold one after the other; `nodes` and `edges` say where each begins and the last
// one ends.
std::vector<Graph> make_graphs(Vector<int64_t> nodes, Vector<int64_t> labels, Vector<int64_t> edges,
                               Vector<int64_t> ends, Vector<int64_t> edge_labels) {
  const auto rises = [](std::span<const int64_t> offsets, size_t last) {
    return !offsets.empty() && offsets.front() == 0 && offsets.back() == static_cast<int64_t>(last) &&
           std::is_sorted(offsets.begin(), offsets.end());
  };
  if (nodes.size() != edges.size() || !rises(view(nodes), labels.size()) ||
      !rises(view(edges), edge_labels.size()) || ends.size() != 2 * edge_labels.size())
    throw InputError("graphs in arrays need offsets that rise from 0 to the lengths of their arrays");
  std::vector<Graph> out;
  out.reserve(nodes.size() - 1);
  const nb::gil_scoped_release release;
  for (size_t k = 0; k + 1 < nodes.size(); ++k) {
    const auto part = [&](const Vector<int64_t>& array, const Vector<int64_t>& offsets, int64_t width) {
      const auto begin = static_cast<size_t>(width * offsets(k));
      return view(array).subspan(begin, static_cast<size_t>(width * offsets(k + 1)) - begin);
    };
    out.emplace_back(part(labels, nodes, 1), part(ends, edges, 2), part(edge_labels, edges, 1));
  }
  return out;
}

void check_pairs(const Graphs& first, const Graphs& second, const Matrix<int32_t>& pairs) {
  if (pairs.size() != 2 * pairs.shape(0)) throw InputError("pairs must have two columns");
  for (size_t k = 0; k < pairs.shape(0); ++k)
    if (pairs(k, 0) < 0 || pairs(k, 1) < 0 || static_cast<size_t>(pairs(k, 0)) >= first.size() ||
        static_cast<size_t>(pairs(k, 1)) >= second.size())
      throw InputError("a pair names a graph that does not exist");
}

// A pool whose tasks keep their graphs alive.
class Holder {
 public:
  explicit Holder(size_t threads) : pool_(threads) {}

  void submit(nb::object a, nb::object b, nb::handle_t<SolveOptions> options, double time_limit) {
    if (!options.is(given_)) {
      taken_ = std::make_shared<const SolveOptions>(nb::cast<const SolveOptions&>(options));
      given_ = nb::borrow(options);
    }
    Task task{nb::cast<const Graph*>(a), nb::cast<const Graph*>(b), taken_, time_limit};
    held_.push_back({std::move(a), std::move(b)});
    pool_.submit(std::move(task));
  }
  Solution next() {
    Interruptible call(-1, false);
    Solution out;
    bool done = false;
    try {
      const nb::gil_scoped_release release;
      done = pool_.next(out, call.deadline);
    } catch (...) {
      held_.pop_front();
      throw;
    }
    call.check();
    if (done) held_.pop_front();
    return out;
  }
  size_t pending() const { return pool_.pending(); }

 private:
  std::deque<std::pair<nb::object, nb::object>> held_;
  nb::object given_;  // options of the last task, and what was taken of them: most tasks have the same
  std::shared_ptr<const SolveOptions> taken_;
  Pool pool_;  // destroyed first: its threads read the graphs
};

}  // namespace

void bind_many(nb::module_& module) {
  module.def("graphs", &make_graphs, "nodes"_a, "labels"_a, "edges"_a, "ends"_a, "edge_labels"_a,
             "Many graphs from arrays that hold one after the other.");
  nb::class_<Holder>(module, "Pool", "Threads that solve pairs; solutions come in the order of submission.")
      .def(nb::init<size_t>(), "threads"_a)
      .def("submit", &Holder::submit, "a"_a, "b"_a, "options"_a, "time_limit"_a)
      .def("next", &Holder::next)
      .def("__len__", &Holder::pending);
  module.def(
      "solve_rows",
      [](const Graphs& first, const Graphs& second, Matrix<int32_t> pairs, Matrix<int32_t> question,
         const SolveOptions& options, double time_limit, size_t threads) {
        const size_t count = pairs.shape(0);
        check_pairs(first, second, pairs);
        if (question.size() != 2 * count)
          throw InputError("a question must have two columns and a row a pair");
        const auto rows = interruptibly(-1, [&](const Deadline& deadline) {
          return solve_rows(first, second, {pairs.data(), 2 * count}, {question.data(), 2 * count}, options,
                            time_limit, threads, deadline);
        });
        std::vector<int32_t> counts;
        std::vector<uint8_t> flags;
        std::vector<double> seconds;
        for (const Row& row : rows) {
          counts.insert(counts.end(), {row.size, row.nodes, row.upper, row.most_nodes});
          flags.insert(flags.end(), {row.optimal, row.time_limit});
          seconds.push_back(row.seconds);
        }
        const size_t done = rows.size();
        return std::tuple(array(std::move(counts), {done, 4}), array(std::move(flags), {done, 2}),
                          array(std::move(seconds)));
      },
      "first"_a, "second"_a, "pairs"_a, "question"_a, "options"_a, "time_limit"_a, "threads"_a,
      "Pairs (first, second), each with its least size and total (0: no question): size, "
      "nodes, upper, most nodes (-1: not computed); optimal, time_limit; seconds.");
  module.def(
      "bound_totals",
      [](const Graphs& first, const Graphs& second, Matrix<int32_t> pairs, Vector<int32_t> wanted,
         const SolveOptions& options, double time_limit, size_t threads) {
        const size_t count = pairs.shape(0);
        check_pairs(first, second, pairs);
        if (wanted.size() != count) throw InputError("every pair must have a total that is wanted");
        const auto totals = interruptibly(-1, [&](const Deadline& deadline) {
          return bound_totals(first, second, {pairs.data(), 2 * count}, {wanted.data(), count}, options,
                              time_limit, threads, deadline);
        });
        std::vector<int32_t> counts;
        std::vector<double> seconds;
        for (const auto& [total, spent] : totals) {
          counts.insert(counts.end(),
                        {static_cast<int32_t>(total.upper), total.best.edges, total.best.nodes});
          seconds.push_back(spent);
        }
        return std::tuple(array(std::move(counts), {totals.size(), 3}), array(std::move(seconds)));
      },
      "first"_a, "second"_a, "pairs"_a, "wanted"_a, "options"_a, "time_limit"_a, "threads"_a,
      "Pairs (first, second), each with the edges and nodes together that are wanted: a bound on them, edges "
      "and "
      "nodes of a mapping that was met; seconds.");
  module.def(
      "shared_nodes",
      [](const Graphs& first, const Graphs& second, Matrix<int32_t> pairs) {
        check_pairs(first, second, pairs);
        std::vector<int32_t> out(pairs.shape(0));
        for (size_t k = 0; k < out.size(); ++k)
          out[k] = shared_nodes(*first[pairs(k, 0)], *second[pairs(k, 1)]);
        return array(std::move(out));
      },
      "first"_a, "second"_a, "pairs"_a, "Nodes that each pair can share by their labels.");
  nb::class_<Screen>(module, "Screen", "What graphs can share by their counts alone, for very many pairs.")
      .def(
          "__init__",
          [](Screen* self, const Graphs& graphs) {
            const nb::gil_scoped_release release;
            new (self) Screen(graphs);
          },
          "graphs"_a)
      .def("__len__", &Screen::size)
      .def_prop_ro("nbytes", &Screen::bytes, "Memory that the counts hold.")
      .def(
          "caps",
          [](const Screen& self, const Graphs& others, size_t begin, size_t end) {
            if (begin > end || end > self.size()) throw InputError("no such graphs in the screen");
            const size_t width = end - begin;
            std::vector<int32_t> edges(others.size() * width), nodes(others.size() * width);
            interruptibly(-1, [&](const Deadline& deadline) {
              return self.caps(others, begin, end, edges, nodes, deadline);
            });
            return std::tuple(array(std::move(edges), {others.size(), width}),
                              array(std::move(nodes), {others.size(), width}));
          },
          "others"_a, "begin"_a, "end"_a,
          "Edges and nodes that each of the others can share at most with each graph of the range.");
}

}  // namespace enpda
