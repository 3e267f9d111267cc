#include "../graph.hpp"

#include "../isomorphism.hpp"
#include "../mapping.hpp"
#include "../pair.hpp"
#include "common.hpp"

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
      .def("components", [](const Graph& g) { return array(components(g)); });

  module.def("isomorphic", &isomorphic, "a"_a, "b"_a, unlocked);
  module.def("source_first", &source_first, "a"_a, "b"_a, unlocked,
             "Whether the core takes a as the source (rows) of the pair.");

  module.def(
      "check",
      [](const Graph& a, const Graph& b, Vector<int32_t> image) {
        const Score s = check(a, b, view(image));
        return std::tuple(s.edges, s.nodes);
      },
      "a"_a, "b"_a, "image"_a, "Recounts a mapping; raises InputError when it is not legal.");
  module.def(
      "strip",
      [](const Graph& a, const Graph& b, Vector<int32_t> image) {
        Mapping kept(image.data(), image.data() + image.size());
        strip(a, b, kept);
        return array(std::move(kept));
      },
      "a"_a, "b"_a, "image"_a, "Keeps only endpoints of preserved edges.");
  module.def(
      "preserved_edges",
      [](const Graph& a, const Graph& b, Vector<int32_t> image) {
        return array(preserved_edges(a, b, view(image)));
      },
      "a"_a, "b"_a, "image"_a, "Indices of a's edges that the mapping preserves.");
}

}  // namespace enpda
