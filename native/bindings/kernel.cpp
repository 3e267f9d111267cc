// What the GPU's kernel works on, and the kernel itself on processors: the same text, compiled for one thread
// a block.
#include <algorithm>
#include <atomic>

#include "base/errors.hpp"
#include "base/threads.hpp"
#include "bindings/common.hpp"
#include "gpu/shares.cu"
#include "graph/graph.hpp"

namespace enpda {
namespace {

// Labels of several graphs as numbers that agree between them.
class Numbers {
 public:
  template <class Labels>
  Numbers(const std::vector<const Graph*>& graphs, Labels&& labels) {
    for (const Graph* g : graphs) all_.insert(all_.end(), labels(*g).begin(), labels(*g).end());
    std::ranges::sort(all_);
    all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
  }
  int operator()(int64_t label) const {
    return static_cast<int>(std::ranges::lower_bound(all_, label) - all_.begin());
  }

 private:
  std::vector<int64_t> all_;
};

auto pack(const std::vector<const Graph*>& graphs) {
  const Numbers nodes(graphs, [](const Graph& g) -> auto& { return g.node_labels; });
  const Numbers edges(graphs, [](const Graph& g) -> auto& { return g.edge_labels; });
  std::vector<int32_t> node_first{0}, label, arc_first{0}, arc_to, arc_label;
  std::vector<int> node_number, edge_number;
  for (const Graph* g : graphs) {
    node_number.clear();
    for (int64_t x : g->node_labels) node_number.push_back(nodes(x));
    edge_number.clear();
    for (int64_t x : g->edge_labels) edge_number.push_back(edges(x));
    for (int v = 0; v < g->size(); ++v) {
      label.push_back(node_number[g->node_class[v]]);
      for (const Arc& arc : g->arcs(v)) {
        arc_to.push_back(arc.to);
        arc_label.push_back(edge_number[arc.label]);
      }
      arc_first.push_back(static_cast<int32_t>(arc_to.size()));
    }
    node_first.push_back(static_cast<int32_t>(label.size()));
  }
  return std::tuple(array(std::move(node_first)), array(std::move(label)), array(std::move(arc_first)),
                    array(std::move(arc_to)), array(std::move(arc_label)));
}

// Where each pair's part begins, and where the last ends.
template <class Size>
std::vector<long long> starts(size_t pairs, Size&& size) {
  std::vector<long long> start{0};
  for (size_t p = 0; p < pairs; ++p) start.push_back(start.back() + size(p));
  return start;
}

// Of graphs as `pack` lays them out, and every pair's source and target among them.
using Packed = std::tuple<Vector<int32_t>, Vector<int32_t>, Vector<int32_t>, Vector<int32_t>, Vector<int32_t>,
                          Vector<int32_t>, Vector<int32_t>>;

auto share_out(const Packed& packed, int steps, Vector<float> weights, size_t threads) {
  if (weights.size() != sizeof(shares::Net) / sizeof(float))
    throw InputError("the network has " + std::to_string(weights.size()) + " numbers; the kernel expects " +
                     std::to_string(sizeof(shares::Net) / sizeof(float)));
  const auto& [node_first, label, arc_first, arc_to, arc_label, source, target] = packed;
  const shares::Graphs graphs{node_first.data(), label.data(), arc_first.data(), arc_to.data(),
                              arc_label.data()};
  const size_t pairs = source.size();
  shares::Net net;
  std::copy_n(weights.data(), weights.size(), net.embed);
  const int *from = source.data(), *to = target.data();
  auto view_of = [&](size_t p) { return shares::View(graphs, from[p], to[p]); };
  std::vector<int> candidates(pairs), arcs(pairs);
  std::vector<long long> row_at, column_at, edge_at, bound(pairs);
  std::vector<int32_t> image, u, v, a, b, share;
  {
    const nb::gil_scoped_release release;
    for (size_t p = 0; p < pairs; ++p) {
      const shares::View pair = view_of(p);
      for (int c = 0; c < pair.n * pair.m; ++c) {
        const int many = pair.arcs(c / pair.m, c % pair.m);
        candidates[p] += many > 0;
        arcs[p] += many;
      }
    }
    row_at = starts(pairs, [&](size_t p) { return view_of(p).n; });
    column_at = starts(pairs, [&](size_t p) { return view_of(p).m; });
    edge_at = starts(pairs, [&](size_t p) { return arcs[p] / 2; });
    for (auto* list : {&image, &u}) list->resize(row_at.back());
    v.resize(column_at.back());
    for (auto* list : {&a, &b, &share}) list->resize(edge_at.back());
    const shares::Results out{bound.data(), image.data(), u.data(),      v.data(),         a.data(),
                              b.data(),     share.data(), row_at.data(), column_at.data(), edge_at.data()};
    std::atomic<size_t> next{0};
    run_on_threads(std::min(threads, std::max<size_t>(pairs, 1)) - 1, Deadline(), [&] {
      std::vector<char> memory;
      for (size_t p; (p = next++) < pairs;) {
        const shares::View pair = view_of(p);
        shares::State state;
        memory.resize(256 * static_cast<size_t>(state.lay(0, 0, 0, pair.n, pair.m, candidates[p], arcs[p])) +
                      16);
        const auto begin = (reinterpret_cast<unsigned long long>(memory.data()) + 15) / 16 * 16;
        state.lay(begin, 0, 0, pair.n, pair.m, candidates[p], arcs[p]);
        long long told = 0;
        shares::solve({0, 1}, net, pair, state, steps, static_cast<int>(p), out, &told);
      }
    });
  }
  return std::tuple(array(std::vector<int64_t>(bound.begin(), bound.end())), array(std::move(image)),
                    array(std::move(u)), array(std::move(v)), array(std::move(a)), array(std::move(b)),
                    array(std::move(share)), array(std::vector<int64_t>(edge_at.begin(), edge_at.end())));
}

}  // namespace

void bind_kernel(nb::module_& module) {
  module.def("pack", &pack, "graphs"_a,
             "Graphs side by side: first nodes, labels, first arcs, heads and labels of arcs.");
  module.def(
      "shares_memory",
      [](int n, int m, int candidates, int arcs) {
        return shares::State().lay(0, 0, 0, n, m, candidates, arcs);
      },
      "n"_a, "m"_a, "candidates"_a, "arcs"_a,
      "What the kernel's state of one pair takes, in units of 256 bytes.");
  module.def("share_out", &share_out, "packed"_a, "steps"_a, "weights"_a, "threads"_a = 1,
             "The GPU's kernel on processors: bounds in units, images, potentials of rows and columns, edges "
             "(two places and a share) and where those of each pair begin.");
}

}  // namespace enpda
