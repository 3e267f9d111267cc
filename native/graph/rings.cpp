#include "graph/rings.hpp"

#include <algorithm>

namespace enpda {
namespace {

// Edges are sorted, so both passes meet the arcs of a node in ascending order.
std::vector<int32_t> edge_of_arcs(const Graph& g) {
  std::vector<int32_t> edge_of(g.arc.size()), place(g.offset.begin(), g.offset.end() - 1);
  for (size_t e = 0; e < g.edges.size(); ++e) edge_of[place[g.edges[e].v]++] = static_cast<int32_t>(e);
  for (size_t e = 0; e < g.edges.size(); ++e) edge_of[place[g.edges[e].u]++] = static_cast<int32_t>(e);
  return edge_of;
}

// Looks for cycles along the edges of one ring system alone.
class Cycles {
 public:
  Cycles(const Graph& g, const std::vector<int32_t>& system)
      : g_(g), system_(edge_of_arcs(g)), distance_(g.size(), -1), ways_(g.size()), branch_(g.size()) {
    for (int32_t& e : system_) e = system[e];
  }

  // The nodes of a single ring in order.
  std::vector<int32_t> round(int first, int32_t system) const {
    std::vector<int32_t> order = {first};
    for (int before = -1, v = first;;) {
      int next = -1;
      for (int k = g_.offset[v]; k < g_.offset[v + 1] && next < 0; ++k)
        if (system_[k] == system && g_.arc[k].to != before) next = g_.arc[k].to;
      if (next == first) return order;
      order.push_back(next);
      before = v;
      v = next;
    }
  }

  // Of the shortest cycles through a node, breadth first: their number divided by their length. Ways are
  // counted by the root's neighbour that they begin with: a cycle is where two of different beginnings meet.
  double through(int root, int32_t system) {
    seen_.assign(1, root);
    distance_[root] = 0;
    ways_[root] = 1;
    branch_[root] = -1;
    int length = INT32_MAX;
    double count = 0;
    for (size_t at = 0; at < seen_.size(); ++at) {
      const int v = seen_[at];
      if (2 * distance_[v] + 1 > length) break;
      for (int k = g_.offset[v]; k < g_.offset[v + 1]; ++k) {
        if (system_[k] != system) continue;
        const int w = g_.arc[k].to;
        const int branch = v == root ? w : branch_[v];
        if (distance_[w] < 0) {
          distance_[w] = distance_[v] + 1;
          ways_[w] = ways_[v];
          branch_[w] = branch;
          seen_.push_back(w);
        } else if (w != root && (branch_[w] != branch || branch < 0) && distance_[w] >= distance_[v]) {
          // Ways of several beginnings to one node are taken together from there on: an estimate is enough.
          const int here = distance_[v] + distance_[w] + 1;
          if (here < length) length = here, count = 0;
          if (here == length) count += ways_[v] * ways_[w] / (distance_[w] == distance_[v] ? 2 : 1);
          if (distance_[w] > distance_[v]) ways_[w] += ways_[v], branch_[w] = -2;
        } else if (distance_[w] == distance_[v] + 1) {
          ways_[w] += ways_[v];
        }
      }
    }
    for (int v : seen_) distance_[v] = -1;
    return length == INT32_MAX ? 0 : count / length;
  }

 private:
  const Graph& g_;
  std::vector<int32_t> system_;  // per arc
  std::vector<int32_t> distance_;
  std::vector<double> ways_;
  std::vector<int32_t> branch_;
  std::vector<int32_t> seen_;
};

}  // namespace

std::vector<int32_t> ring_systems(const Graph& g) {
  struct Step {
    int32_t node, from;  // from: the node before, or -1
    int32_t next;        // the arc to look at
  };
  std::vector<int32_t> found(g.size(), -1), low(g.size()), system(g.edges.size(), -1);
  const auto edge_of = edge_of_arcs(g);
  std::vector<Step> stack;
  std::vector<int32_t> open;  // edges met and not yet in a system
  int32_t count = 0, systems = 0;
  for (int root = 0; root < g.size(); ++root) {
    if (found[root] >= 0) continue;
    found[root] = low[root] = count++;
    stack.push_back({root, -1, g.offset[root]});
    while (!stack.empty()) {
      Step& top = stack.back();
      if (top.next < g.offset[top.node + 1]) {
        const int v = top.node, k = top.next++, w = g.arc[k].to;
        if (w == top.from) continue;  // the graph is simple: one edge back
        if (found[w] < 0) {
          open.push_back(edge_of[k]);
          found[w] = low[w] = count++;
          stack.push_back({w, v, g.offset[w]});
        } else if (found[w] < found[v]) {
          open.push_back(edge_of[k]);
          low[v] = std::min(low[v], found[w]);
        }
        continue;
      }
      const int v = top.node, above = top.from;
      stack.pop_back();
      if (above < 0) continue;
      low[above] = std::min(low[above], low[v]);
      if (low[v] < found[above]) continue;
      // Nothing below reaches above this node: what was met since is one system, or a bridge.
      const int32_t first = edge_of[g.arc_between(above, v)];
      const bool bridge = open.back() == first;
      for (int32_t e = -1; e != first; open.pop_back()) {
        e = open.back();
        if (!bridge) system[e] = systems;
      }
      systems += !bridge;
    }
  }
  return system;
}

std::vector<RingSystem> describe_ring_systems(const Graph& g, const Deadline& deadline) {
  const auto system = ring_systems(g);
  std::vector<RingSystem> result;
  std::vector<int32_t> last(g.size(), -1);  // the last system that took the node: most are in one
  for (size_t e = 0; e < system.size(); ++e) {
    if (system[e] < 0) continue;
    if (result.size() <= static_cast<size_t>(system[e])) result.resize(system[e] + 1);
    RingSystem& own = result[system[e]];
    own.edges.push_back(static_cast<int32_t>(e));
    for (const int32_t v : {g.edges[e].u, g.edges[e].v})
      if (last[v] != system[e]) own.nodes.push_back(v), last[v] = system[e];
  }
  Cycles cycles(g, system);
  for (RingSystem& own : result) {
    const int32_t number = system[own.edges.front()];
    std::sort(own.nodes.begin(), own.nodes.end());
    own.nodes.erase(std::unique(own.nodes.begin(), own.nodes.end()), own.nodes.end());
    own.single = own.nodes.size() == own.edges.size();
    if (own.single) {
      own.nodes = cycles.round(own.nodes.front(), number);
      continue;
    }
    own.cycles = 0;
    for (int v : own.nodes) {
      if (deadline.expired()) return {};
      own.cycles += cycles.through(v, number);
    }
  }
  return result;
}

}  // namespace enpda
