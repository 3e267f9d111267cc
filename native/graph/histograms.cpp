#include "graph/histograms.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "base/random.hpp"

namespace enpda {

Histogram::Histogram(int nodes, std::span<const Item> items)
    : nodes_(static_cast<uint32_t>(nodes)), entries_(static_cast<uint32_t>(items.size())) {
  constexpr int kByte = std::numeric_limits<uint8_t>::max();
  small_ = nodes <= kByte + 1 && items.size() <= std::numeric_limits<uint16_t>::max();
  for (size_t i = 0; i < items.size(); ++i) {
    keys_ += i == 0 || items[i].key != items[i - 1].key;
    small_ = small_ && items[i].count <= kByte;
  }
  data_ = std::make_unique_for_overwrite<std::byte[]>(size_of(kParts));
  auto* key = part<uint64_t>(kKeys);
  auto begin = [&](size_t k, size_t at) {
    if (small_)
      part<uint16_t>(kStart)[k] = static_cast<uint16_t>(at);
    else
      part<uint32_t>(kStart)[k] = static_cast<uint32_t>(at);
  };
  if (!small_) std::fill_n(part<int64_t>(kTotals), nodes, 0);
  size_t k = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const auto& [own, node, count] = items[i];
    if (i == 0 || own != items[i - 1].key) {
      key[k] = own;
      begin(k++, i);
    }
    if (small_) {
      part<Small>(kEntries)[i] = {static_cast<uint8_t>(node), static_cast<uint8_t>(count)};
    } else {
      part<Entry>(kEntries)[i] = {node, count};
      part<int64_t>(kTotals)[node] += count;
    }
  }
  begin(k, items.size());
}

std::span<const Histogram::Entry> Histogram::holders(size_t k, std::vector<Entry>& room) const {
  if (!small_) {
    const auto* start = part<uint32_t>(kStart);
    return {part<Entry>(kEntries) + start[k], start[k + 1] - start[k]};
  }
  const auto* start = part<uint16_t>(kStart);
  room.clear();
  for (int x = start[k]; x < start[k + 1]; ++x) {
    const Small& e = part<Small>(kEntries)[x];
    room.push_back({e.node, e.count});
  }
  return room;
}

std::span<const int64_t> Histogram::totals(std::vector<int64_t>& room) const {
  if (!small_) return {part<int64_t>(kTotals), nodes_};
  room.assign(nodes_, 0);
  for (const Small& e : std::span(part<Small>(kEntries), entries_)) room[e.node] += e.count;
  return room;
}

size_t Histograms::bytes() const {
  return sizeof(Histograms) + signatures.capacity() * sizeof(signatures[0]) + neighbour_labels.bytes() +
         incident_labels.bytes() + paths2.bytes() + paths3.bytes() + incident_signatures.bytes();
}

namespace {

struct Count {
  uint64_t key;
  int64_t count;
};
// One multiset a node: distinct keys with their counts.
class Bags {
 public:
  explicit Bags(int nodes) { start_.reserve(nodes + 1); }
  std::span<const Count> of(int v) const {
    return std::span(counts_).subspan(start_[v], start_[v + 1] - start_[v]);
  }
  size_t items() const { return counts_.size(); }
  void add(Count c) { counts_.push_back(c); }
  void reserve(size_t most) { reserve_if_large(counts_, most); }
  size_t bytes() const { return counts_.capacity() * sizeof(Count); }
  void close() { start_.push_back(counts_.size()); }  // the node is complete

  Histogram transposed() const {
    using Item = Histogram::Item;
    std::vector<Item> items;
    items.reserve(counts_.size());
    const int n = static_cast<int>(start_.size()) - 1;
    for (int v = 0; v < n; ++v)
      for (const Count& c : of(v)) items.push_back({c.key, v, c.count});
    std::sort(items.begin(), items.end(),
              [](const Item& x, const Item& y) { return x.key != y.key ? x.key < y.key : x.node < y.node; });
    return Histogram(n, items);
  }

 private:
  std::vector<Count> counts_;
  std::vector<size_t> start_ = {0};
};

// Counts keys by open addressing: dense graphs bring millions of paths with few distinct keys.
class Counter {
 public:
  void add(uint64_t key, int64_t count) {
    if (2 * (used_.size() + 1) > slots_.size()) grow();
    const size_t k = find(key);
    if (!slots_[k].used) {
      slots_[k] = {key, 0, true};
      used_.push_back(k);
    }
    slots_[k].count += count;
  }

  // Moves the counts that are not zero to the next node of `bags`.
  void move_to(Bags& bags) {
    for (size_t k : used_) {
      if (slots_[k].count != 0) bags.add({slots_[k].key, slots_[k].count});
      slots_[k].used = false;
    }
    used_.clear();
    bags.close();
  }

 private:
  struct Slot {
    uint64_t key;
    int64_t count;
    bool used;
  };

  size_t find(uint64_t key) const {
    size_t k = mix(key) & (slots_.size() - 1);
    while (slots_[k].used && slots_[k].key != key) k = (k + 1) & (slots_.size() - 1);
    return k;
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size(), Slot{0, 0, false});
    old.swap(slots_);
    for (size_t& k : used_) {
      const Slot slot = old[k];
      k = find(slot.key);
      slots_[k] = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(32, Slot{0, 0, false});
  std::vector<size_t> used_;
};

}  // namespace

// Paths are counted without enumerating them: the 2-paths of r are the 1-paths of its neighbours less those
// that return to r; the 3-paths are the 2-paths of its neighbours less those through r and those that end in
// r (one per ordered triangle). Distinct keys and triangles, not paths, set the cost, so dense unlabelled
// graphs stay cheap.
std::optional<Histograms> make_histograms(const Graph& g, const Deadline& deadline) {
  const int n = g.size();
  Histograms result;
  auto& signatures = result.signatures;
  auto signature = [&](const Arc& x, int end) {
    return std::pair(g.edge_labels[x.label], g.node_labels[g.node_class[end]]);
  };
  auto hash_of = [](const std::pair<int64_t, int64_t>& s) {
    return mix(static_cast<uint64_t>(s.first), static_cast<uint64_t>(s.second));
  };
  signatures.reserve(g.arc.size());
  for (const Arc& x : g.arc) signatures.push_back(signature(x, x.to));
  std::sort(signatures.begin(), signatures.end());
  signatures.erase(std::unique(signatures.begin(), signatures.end()), signatures.end());
  signatures.shrink_to_fit();
  std::vector<uint64_t> hash(signatures.size());
  std::transform(signatures.begin(), signatures.end(), hash.begin(), hash_of);

  // Of one step along an arc: its signature, its hash, and the hash of the same step walked back.
  std::vector<uint64_t> kind(g.arc.size()), step(g.arc.size()), back(g.arc.size());
  Bags neighbours(n), incident(n), one(n), two(n), three(n);
  Counter counter;
  auto count = [&](int v, Bags& bags, auto&& key) {
    for (int k = g.offset[v]; k < g.offset[v + 1]; ++k) counter.add(key(k), 1);
    counter.move_to(bags);
  };
  Watch watch(deadline, 16);
  for (int v = 0; v < n; ++v) {
    if (watch.expired()) return std::nullopt;
    for (int k = g.offset[v]; k < g.offset[v + 1]; ++k) {
      const auto at =
          std::lower_bound(signatures.begin(), signatures.end(), signature(g.arc[k], g.arc[k].to));
      kind[k] = static_cast<uint64_t>(at - signatures.begin());
      step[k] = hash[kind[k]];
      back[k] = hash_of(signature(g.arc[k], v));
    }
    count(v, neighbours, [&](int k) { return static_cast<uint64_t>(signatures[kind[k]].second); });
    count(v, incident, [&](int k) { return static_cast<uint64_t>(signatures[kind[k]].first); });
    count(v, one, [&](int k) { return kind[k]; });
  }
  // As many kinds of longer paths as shorter ones of the neighbours, and at most one more an arc.
  auto longer = [&](const Bags& shorter) {
    size_t most = g.arc.size();
    for (const Arc& x : g.arc) most += shorter.of(x.to).size();
    return most;
  };
  two.reserve(longer(one));
  Held held(deadline, two.bytes());
  for (int r = 0; r < n; ++r) {
    if (watch.expired()) return std::nullopt;
    for (int k = g.offset[r]; k < g.offset[r + 1]; ++k) {
      for (const Count& c : one.of(g.arc[k].to)) counter.add(mix(step[k], hash[c.key]), c.count);
      counter.add(mix(step[k], back[k]), -1);
    }
    counter.move_to(two);
  }
  constexpr size_t kMostEntries = 4'000'000;
  three.reserve(std::min(longer(two), 2 * kMostEntries));
  held.add(three.bytes());
  std::vector<int32_t> arc_to(n, -1);  // the arc from r to each of its neighbours
  for (int r = 0; r < n; ++r) {
    if (deadline.expired()) return std::nullopt;
    for (int k = g.offset[r]; k < g.offset[r + 1]; ++k) arc_to[g.arc[k].to] = k;
    for (int k = g.offset[r]; k < g.offset[r + 1]; ++k) {
      const int x = g.arc[k].to;
      for (const Count& c : two.of(x)) counter.add(mix(step[k], c.key), c.count);
      // x -> r -> y for every other neighbour y of r.
      for (const Count& c : one.of(r)) counter.add(mix(step[k], mix(back[k], hash[c.key])), -c.count);
      counter.add(mix(step[k], mix(back[k], step[k])), 1);
      // x -> b -> r closes a triangle.
      for (int l = g.offset[x]; l < g.offset[x + 1]; ++l)
        if (const int closing = arc_to[g.arc[l].to]; closing >= 0)
          counter.add(mix(step[k], mix(step[l], back[closing])), -1);
    }
    for (int k = g.offset[r]; k < g.offset[r + 1]; ++k) arc_to[g.arc[k].to] = -1;
    counter.move_to(three);
    // Labels on every node of a dense graph make degree^3 kinds of paths: then this feature is left out
    // (constant).
    if (three.items() > kMostEntries) {
      three = Bags(n);
      for (int v = 0; v < n; ++v) three.close();
      break;
    }
  }
  // A sort is not interrupted half-way, so it is only begun when it can end in time.
  auto turned = [&](const Bags& bags, Histogram& into) {
    constexpr double kSecondsPerItem = 1.5e-7;
    if (deadline.expired() || deadline.remaining() < kSecondsPerItem * static_cast<double>(bags.items()))
      return false;
    into = bags.transposed();
    return true;
  };
  if (turned(neighbours, result.neighbour_labels) && turned(incident, result.incident_labels) &&
      turned(one, result.incident_signatures) && turned(two, result.paths2) && turned(three, result.paths3))
    return result;
  return std::nullopt;
}

}  // namespace enpda
