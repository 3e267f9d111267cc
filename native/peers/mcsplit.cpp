#include "peers/mcsplit.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "base/errors.hpp"

namespace enpda {
namespace {

constexpr int kMostNodes = 5'000;  // the adjacency matrices are dense

// Nodes of both graphs that look alike from every matched pair: sections of two permutations.
struct Class {
  int left, right;  // where the sections begin
  int lefts, rights;
};

std::vector<int64_t> merged(const std::vector<int64_t>& x, const std::vector<int64_t>& y) {
  std::vector<int64_t> out;
  std::set_union(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(out));
  return out;
}

int place(const std::vector<int64_t>& sorted, int64_t label) {
  return static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), label) - sorted.begin());
}

// Nodes in the order in which they are tried: those of high degree first, unless the other graph is dense.
std::vector<int> tried_order(const Graph& g, const Graph& other) {
  const double n = other.size();
  const bool dense = 4.0 * static_cast<double>(other.edges.size()) > n * (n - 1);
  std::vector<int> order(g.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int x, int y) {
    return dense ? g.degree(x) < g.degree(y) : g.degree(x) > g.degree(y);
  });
  return order;
}

// A graph with nodes in the order of trying; 0 is no edge, labels count from 1, alike in both graphs.
struct Side {
  Side(const Graph& g, const Graph& other, const std::vector<int64_t>& labels)
      : order(tried_order(g, other)), size(g.size()), adjacent(static_cast<size_t>(size) * size, 0) {
    std::vector<int> at(size);
    for (int k = 0; k < size; ++k) at[order[k]] = k;
    for (const Edge& e : g.edges) {
      const int label = 1 + place(labels, g.edge_labels[e.label]);
      adjacent[static_cast<size_t>(at[e.u]) * size + at[e.v]] = label;
      adjacent[static_cast<size_t>(at[e.v]) * size + at[e.u]] = label;
    }
  }
  const int* row(int v) const { return adjacent.data() + static_cast<size_t>(v) * size; }

  std::vector<int> order;  // original node by place
  int size;
  std::vector<int> adjacent;
};

class Search {
 public:
  Search(const Graph& a, const Graph& b, const std::vector<int64_t>& edge_labels, const Deadline& deadline)
      : a_(a, b, edge_labels), b_(b, a, edge_labels), watch_(deadline, 256) {
    std::vector<Class> classes;
    for (const int64_t label : merged(a.node_labels, b.node_labels)) {
      Class fresh{static_cast<int>(left_.size()), static_cast<int>(right_.size()), 0, 0};
      fresh.lefts = gather(left_, a, a_, label);
      fresh.rights = gather(right_, b, b_, label);
      if (fresh.lefts > 0 && fresh.rights > 0) classes.push_back(fresh);
    }
    go(std::move(classes));
  }

  McSplitResult result() {
    McSplitResult out;
    out.image.assign(a_.size, -1);
    for (const auto& [v, w] : best_) out.image[a_.order[v]] = b_.order[w];
    out.finished = !stopped_;
    out.nodes = nodes_;
    return out;
  }

 private:
  static int gather(std::vector<int>& into, const Graph& g, const Side& side, int64_t label) {
    const size_t before = into.size();
    for (int k = 0; k < side.size; ++k)
      if (g.node_labels[g.node_class[side.order[k]]] == label) into.push_back(k);
    return static_cast<int>(into.size() - before);
  }

  void go(std::vector<Class> classes) {
    // Each turn matches one node in every way, then leaves it out for good.
    while (!(stopped_ = stopped_ || watch_.expired())) {
      ++nodes_;
      if (matched_.size() > best_.size()) best_ = matched_;
      size_t bound = matched_.size();
      for (const Class& c : classes) bound += static_cast<size_t>(std::min(c.lefts, c.rights));
      if (bound <= best_.size()) return;

      const int chosen = narrowest(classes);
      Class& c = classes[chosen];
      const auto first = left_.begin() + c.left;
      const auto found = std::min_element(first, first + c.lefts);
      const int v = *found;
      std::iter_swap(found, first + --c.lefts);
      const int rights = c.rights--;
      for (int w = -1; (w = next_above(c.right, rights, w)) >= 0 && !stopped_;) {
        std::iter_swap(std::find(right_.begin() + c.right, right_.begin() + c.right + rights, w),
                       right_.begin() + c.right + rights - 1);
        matched_.emplace_back(v, w);
        go(split(classes, v, w));
        matched_.pop_back();
      }
      c.rights = rights;
      if (c.lefts == 0) classes.erase(classes.begin() + chosen);
    }
  }

  // The class whose larger side is smallest; of several, the one that holds the first node.
  int narrowest(const std::vector<Class>& classes) const {
    int chosen = -1, least = std::numeric_limits<int>::max(), lowest = 0;
    for (int k = 0; k < static_cast<int>(classes.size()); ++k) {
      const Class& c = classes[k];
      const int width = std::max(c.lefts, c.rights);
      if (width > least) continue;
      const int low = *std::min_element(left_.begin() + c.left, left_.begin() + c.left + c.lefts);
      if (width < least || low < lowest) chosen = k, least = width, lowest = low;
    }
    return chosen;
  }

  int next_above(int begin, int count, int last) const {
    int next = std::numeric_limits<int>::max();
    for (int k = begin; k < begin + count; ++k)
      if (right_[k] > last) next = std::min(next, right_[k]);
    return next == std::numeric_limits<int>::max() ? -1 : next;
  }

  // What is left of every class once v meets w: nodes stay together that v and w see by the same label.
  std::vector<Class> split(const std::vector<Class>& classes, int v, int w) {
    const int *from_v = a_.row(v), *from_w = b_.row(w);
    std::vector<Class> out;
    out.reserve(2 * classes.size());
    for (const Class& c : classes) {
      sort_by(left_.begin() + c.left, c.lefts, from_v);
      sort_by(right_.begin() + c.right, c.rights, from_w);
      for (int l = 0, r = 0; l < c.lefts && r < c.rights;) {
        const int x = from_v[left_[c.left + l]], y = from_w[right_[c.right + r]];
        const int ls = x <= y ? run(left_.data() + c.left, l, c.lefts, from_v) : 0;
        const int rs = y <= x ? run(right_.data() + c.right, r, c.rights, from_w) : 0;
        if (x == y) out.push_back({c.left + l, c.right + r, ls, rs});
        l += ls, r += rs;
      }
    }
    return out;
  }

  // Strangers first, which are most; then neighbours by label.
  static void sort_by(std::vector<int>::iterator begin, int count, const int* label) {
    const auto near = std::partition(begin, begin + count, [&](int x) { return label[x] == 0; });
    std::sort(near, begin + count, [&](int x, int y) { return label[x] < label[y]; });
  }

  static int run(const int* node, int begin, int end, const int* label) {
    int k = begin;
    while (k < end && label[node[k]] == label[node[begin]]) ++k;
    return k - begin;
  }

  Side a_, b_;
  Watch watch_;
  std::vector<int> left_, right_;
  std::vector<std::pair<int, int>> matched_, best_;
  int64_t nodes_ = 0;
  bool stopped_ = false;
};

}  // namespace

McSplitResult mcsplit(const Graph& a, const Graph& b, const Deadline& deadline) {
  if (std::max(a.size(), b.size()) > kMostNodes)
    throw InputError("mcsplit takes graphs of up to " + std::to_string(kMostNodes) + " nodes; got " +
                     std::to_string(std::max(a.size(), b.size())));
  return Search(a, b, merged(a.edge_labels, b.edge_labels), deadline).result();
}

}  // namespace enpda
