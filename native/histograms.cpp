#include "histograms.hpp"

#include <algorithm>

#include "random.hpp"

namespace enpda {
namespace {

struct Count {
  uint64_t key;
  int64_t count;
};
using Bag = std::vector<Count>;  // a multiset: distinct keys with their counts

// Counts keys by open addressing: dense graphs bring millions of paths with few distinct keys.
class Counter {
 public:
  void add(uint64_t key, int64_t count) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = find(key);
    if (!slot.used) {
      slot = {key, 0, true};
      ++used_;
    }
    slot.count += count;
  }

  // The counts that are not zero; empties the counter.
  Bag take() {
    Bag bag;
    for (Slot& slot : slots_) {
      if (slot.used && slot.count != 0) bag.push_back({slot.key, slot.count});
      slot.used = false;
    }
    used_ = 0;
    return bag;
  }

 private:
  struct Slot {
    uint64_t key;
    int64_t count;
    bool used;
  };

  Slot& find(uint64_t key) {
    size_t k = mix(key) & (slots_.size() - 1);
    while (slots_[k].used && slots_[k].key != key) k = (k + 1) & (slots_.size() - 1);
    return slots_[k];
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size(), Slot{0, 0, false});
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.used) find(slot.key) = slot;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(32, Slot{0, 0, false});
  size_t used_ = 0;
};

Histogram transpose(const std::vector<Bag>& bags) {
  struct Item {
    uint64_t key;
    int32_t node;
    int64_t count;
  };
  std::vector<Item> items;
  Histogram h;
  h.total.resize(bags.size());
  for (size_t v = 0; v < bags.size(); ++v) {
    int64_t total = 0;
    for (const Count& c : bags[v]) {
      items.push_back({c.key, static_cast<int32_t>(v), c.count});
      total += c.count;
    }
    h.total[v] = total;
  }
  std::stable_sort(items.begin(), items.end(), [](const Item& x, const Item& y) { return x.key < y.key; });
  for (size_t i = 0; i < items.size(); ++i) {
    if (i == 0 || items[i].key != items[i - 1].key) {
      h.keys.push_back(items[i].key);
      h.start.push_back(static_cast<int32_t>(i));
    }
    h.entries.push_back({items[i].node, items[i].count});
  }
  h.start.push_back(static_cast<int32_t>(items.size()));
  return h;
}

}  // namespace

// Paths are counted without enumerating them: the 2-paths of r are the 1-paths of its neighbours less those
// that return to r; the 3-paths are the 2-paths of its neighbours less those through r and those that end in
// r (one per ordered triangle). Distinct keys and triangles, not paths, set the cost, so dense unlabelled
// graphs stay cheap.
std::optional<Histograms> make_histograms(const Graph& g, const Deadline& deadline) {
  const int n = g.size();
  auto label_of = [&](int v) { return g.node_labels[g.node_class[v]]; };
  Histograms result;
  auto& signatures = result.signatures;
  for (const Arc& x : g.arc) signatures.emplace_back(g.edge_labels[x.label], label_of(x.to));
  std::sort(signatures.begin(), signatures.end());
  signatures.erase(std::unique(signatures.begin(), signatures.end()), signatures.end());

  // Hashes of one step along an arc, and of the same step walked back.
  std::vector<uint64_t> step(g.arc.size()), back(g.arc.size());
  auto hash_of = [&](const Arc& x, int end) {
    return mix(static_cast<uint64_t>(g.edge_labels[x.label]), static_cast<uint64_t>(label_of(end)));
  };
  std::vector<Bag> neighbours(n), incident(n), exact(n), one(n), two(n), three(n);
  Counter counter;
  auto count = [&](int v, auto&& key) {
    for (int k = g.offset[v]; k < g.offset[v + 1]; ++k) counter.add(key(k), 1);
    return counter.take();
  };
  Watch watch(deadline, 16);
  for (int v = 0; v < n; ++v) {
    if (watch.expired()) return std::nullopt;
    for (int k = g.offset[v]; k < g.offset[v + 1]; ++k) {
      step[k] = hash_of(g.arc[k], g.arc[k].to);
      back[k] = hash_of(g.arc[k], v);
    }
    neighbours[v] = count(v, [&](int k) { return static_cast<uint64_t>(label_of(g.arc[k].to)); });
    incident[v] = count(v, [&](int k) { return static_cast<uint64_t>(g.edge_labels[g.arc[k].label]); });
    exact[v] = count(v, [&](int k) {
      const std::pair signature(g.edge_labels[g.arc[k].label], label_of(g.arc[k].to));
      return static_cast<uint64_t>(std::lower_bound(signatures.begin(), signatures.end(), signature) -
                                   signatures.begin());
    });
    one[v] = count(v, [&](int k) { return step[k]; });
  }
  for (int r = 0; r < n; ++r) {
    if (watch.expired()) return std::nullopt;
    for (int k = g.offset[r]; k < g.offset[r + 1]; ++k) {
      for (const Count& c : one[g.arc[k].to]) counter.add(mix(step[k], c.key), c.count);
      counter.add(mix(step[k], back[k]), -1);
    }
    two[r] = counter.take();
  }
  constexpr size_t kMostEntries = 4'000'000;
  size_t entries = 0;
  std::vector<int32_t> arc_to(n, -1);  // the arc from r to each of its neighbours
  for (int r = 0; r < n; ++r) {
    if (deadline.expired()) return std::nullopt;
    for (int k = g.offset[r]; k < g.offset[r + 1]; ++k) arc_to[g.arc[k].to] = k;
    for (int k = g.offset[r]; k < g.offset[r + 1]; ++k) {
      const int x = g.arc[k].to;
      for (const Count& c : two[x]) counter.add(mix(step[k], c.key), c.count);
      // x -> r -> y for every other neighbour y of r.
      for (const Count& c : one[r]) counter.add(mix(step[k], mix(back[k], c.key)), -c.count);
      counter.add(mix(step[k], mix(back[k], step[k])), 1);
      // x -> b -> r closes a triangle.
      for (int l = g.offset[x]; l < g.offset[x + 1]; ++l)
        if (const int closing = arc_to[g.arc[l].to]; closing >= 0)
          counter.add(mix(step[k], mix(step[l], back[closing])), -1);
    }
    for (int k = g.offset[r]; k < g.offset[r + 1]; ++k) arc_to[g.arc[k].to] = -1;
    three[r] = counter.take();
    // Labels on every node of a dense graph make degree^3 kinds of paths: then this feature is left out
    // (constant).
    if ((entries += three[r].size()) > kMostEntries) {
      for (Bag& bag : three) bag = {};
      break;
    }
  }
  // A sort is not interrupted half-way, so it is only begun when it can end in time.
  auto turned = [&](const std::vector<Bag>& bags, Histogram& into) {
    constexpr double kSecondsPerItem = 1.5e-7;
    size_t items = 0;
    for (const Bag& bag : bags) items += bag.size();
    if (deadline.expired() || deadline.remaining() < kSecondsPerItem * static_cast<double>(items))
      return false;
    into = transpose(bags);
    return true;
  };
  if (turned(neighbours, result.neighbour_labels) && turned(incident, result.incident_labels) &&
      turned(exact, result.incident_signatures) && turned(two, result.paths2) && turned(three, result.paths3))
    return result;
  return std::nullopt;
}

bool multiset_overlap(const Histogram& a, const Histogram& b, std::span<const int32_t> match, int m,
                      std::span<int64_t> common, const Deadline& deadline) {
  std::fill(common.begin(), common.end(), 0);
  Watch watch(deadline, 128);
  for (size_t k = 0; k < match.size(); ++k) {
    const int other = match[k];
    if (other < 0) continue;
    for (int x = a.start[k]; x < a.start[k + 1]; ++x) {
      if (watch.expired()) return false;
      const auto [i, count] = a.entries[x];
      int64_t* row = common.data() + static_cast<size_t>(i) * m;
      for (int y = b.start[other]; y < b.start[other + 1]; ++y)
        row[b.entries[y].node] += std::min(count, b.entries[y].count);
    }
  }
  return true;
}

}  // namespace enpda
