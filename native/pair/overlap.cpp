#include "pair/overlap.hpp"

#include <algorithm>
#include <vector>

namespace enpda {

template <class Number>
bool multiset_overlap(const Histogram& a, const Histogram& b, std::span<const int32_t> match,
                      const Cells& cells, std::span<Number> common, const Deadline& deadline) {
  std::fill(common.begin(), common.end(), Number{0});
  Watch watch(deadline, 128);
  std::vector<Histogram::Entry> holders;  // of a key, by their columns' positions
  for (size_t k = 0; k < match.size(); ++k) {
    if (match[k] < 0) continue;
    holders.assign(b.entries.begin() + b.start[match[k]], b.entries.begin() + b.start[match[k] + 1]);
    if (!cells.full()) {
      for (auto& entry : holders) entry.node = cells.position(entry.node);
      std::ranges::sort(holders, {}, &Histogram::Entry::node);
    }
    for (int x = a.start[k]; x < a.start[k + 1]; ++x) {
      if (watch.expired()) return false;
      const auto [i, count] = a.entries[x];
      const int begin = cells.begin(i), end = begin + cells.width(i);
      Number* row = common.data() + cells.first(i) - begin;
      auto y = begin == 0 ? holders.begin()
                          : std::ranges::lower_bound(holders, begin, {}, &Histogram::Entry::node);
      for (; y != holders.end() && y->node < end; ++y)
        row[y->node] += static_cast<Number>(std::min(count, y->count));
    }
  }
  return true;
}

template bool multiset_overlap(const Histogram&, const Histogram&, std::span<const int32_t>, const Cells&,
                               std::span<int64_t>, const Deadline&);
template bool multiset_overlap(const Histogram&, const Histogram&, std::span<const int32_t>, const Cells&,
                               std::span<float>, const Deadline&);

}  // namespace enpda
