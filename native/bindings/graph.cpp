#include "graph/graph.hpp"

#include "base/errors.hpp"
#include "bindings/common.hpp"
#include "graph/isomorphism.hpp"
#include "graph/rings.hpp"
#include "pair/mapping.hpp"
#include "pair/pair.hpp"
#include "pair/terms.hpp"

namespace enpda {
void bind_graph(nb::module_& module) {
  constexpr auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<Graph>(module, "Graph", "A simple undirected graph with interned integer labels.")
      .def(
          "__init__",
          [](Graph* self, Vector<int64_t> labels, Vector<int64_t> ends, Vector<int64_t> edge_labels) {
            nb::gil_scoped_release release;
            new (self) Graph(view(labels), view(ends), view(edge_labels));
          },
          "labels"_a, "ends"_a, "edge_labels"_a)
      .def("__len__", &Graph::size)
      .def_prop_ro(
          "size", [](const Graph& g) { return g.edges.size(); }, "Number of edges.")
      .def_prop_ro("max_degree", &Graph::max_degree)
      .def_prop_ro("nbytes", &Graph::bytes, "Memory that the graph and what was made of it hold at present.")
      .def_prop_ro("invariant_hash", &Graph::invariant_hash, unlocked)
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
      .def(
          "ring_systems", [](const Graph& g) { return array(ring_systems(g)); },
          "Per edge the number of its ring system; -1 on no cycle.")
      .def(
          "describe_ring_systems",
          [](const Graph& g, double time_limit) {
            std::vector<std::tuple<std::vector<int32_t>, std::vector<int32_t>, bool, double>> out;
            const auto found = interruptibly(
                time_limit, [&](const Deadline& deadline) { return describe_ring_systems(g, deadline); });
            for (const RingSystem& s : found) out.emplace_back(s.nodes, s.edges, s.single, s.cycles);
            return out;
          },
          "time_limit"_a,
          "Of each ring system its nodes (of a single ring in order), edges, whether it is a single ring, "
          "and "
          "the "
          "shortest cycles of its nodes.")
      .def("components", [](const Graph& g) { return array(components(g)); });

  module.def(
      "graph_of_orders",
      [](Vector<int64_t> labels, Matrix<double> orders) {
        const size_t n = labels.size();
        if (orders.shape(0) != n || orders.shape(1) != n)
          throw InputError("orders must have a row and a column a node");
        std::vector<int64_t> ends, edge_labels;
        for (size_t i = 0; i < n; ++i)
          for (size_t j = i + 1; j < n; ++j)
            if (const double order = orders(i, j); order != 0) {
              ends.insert(ends.end(), {static_cast<int64_t>(i), static_cast<int64_t>(j)});
              edge_labels.push_back(order == 1.5 ? 12 : static_cast<int64_t>(order));
            }
        return Graph(view(labels), ends, edge_labels);
      },
      "labels"_a, "orders"_a,
      "A molecule by the orders of its bonds, as a symmetric matrix: those of aromatic ones are 1.5.");

  nb::class_<Terms>(module, "Terms", "Which nodes may meet, and what pairs of edge labels are worth.")
      .def(
          "__init__",
          [](Terms* self, const std::optional<Matrix<uint8_t>>& allowed,
             const std::optional<Matrix<int32_t>>& worth) {
            new (self) Terms();
            if (allowed)
              self->allowed = {{allowed->data(), allowed->size()}, allowed->shape(0), allowed->shape(1)};
            if (worth) self->worth.assign(worth->data(), worth->data() + worth->size());
          },
          "allowed"_a = nb::none(), "worth"_a = nb::none(),
          "`allowed` by nodes of a and b, `worth` by their distinct edge labels in ascending order.")
      .def_prop_ro("plain", &Terms::plain);
  module.attr("MAX_WORTH") = Terms::kMaxWorth;

  module.def("isomorphic", &isomorphic, "a"_a, "b"_a, unlocked);
  module.def("source_first", &source_first, "a"_a, "b"_a, unlocked,
             "Whether the core takes a as the source (rows) of the pair.");

  module.def(
      "check",
      [](const Graph& a, const Graph& b, Vector<int32_t> image, const Terms& terms) {
        const Score s = check(a, b, terms, view(image));
        return std::tuple(s.edges, s.nodes);
      },
      "a"_a, "b"_a, "image"_a, "terms"_a = Terms(),
      "Recounts a mapping; raises InputError when it is not legal.");
  module.def(
      "strip",
      [](const Graph& a, const Graph& b, Vector<int32_t> image, const Terms& terms) {
        check_terms(terms, a, b);
        Mapping kept(image.data(), image.data() + image.size());
        strip(a, b, terms, kept);
        return array(std::move(kept));
      },
      "a"_a, "b"_a, "image"_a, "terms"_a = Terms(), "Keeps only endpoints of preserved edges.");
  module.def(
      "preserved_edges",
      [](const Graph& a, const Graph& b, Vector<int32_t> image, const Terms& terms) {
        check_terms(terms, a, b);
        return array(preserved_edges(a, b, terms, view(image)));
      },
      "a"_a, "b"_a, "image"_a, "terms"_a = Terms(), "Indices of a's edges that the mapping preserves.");
}

}  // namespace enpda
