#include "pair/overlap.hpp"

#include <algorithm>
#include <vector>

namespace enpda {

template <class Number>
bool multiset_overlap(const Histogram& a, const Histogram& b, std::span<const int32_t> match,
                      const Cells& cells, std::span<Number> common, const Deadline& deadline) {
  std::fill(common.begin(), common.end(), Number{0});
  Watch watch(deadline, 128);
  std::vector<Histogram::Entry> own, room, moved;
  for (size_t k = 0; k < match.size(); ++k) {
    if (match[k] < 0) continue;
    auto holders = b.holders(match[k], room);  // by their columns' positions
    if (!cells.full()) {
      moved.assign(holders.begin(), holders.end());
      for (auto& entry : moved) entry.node = cells.position(entry.node);
      std::ranges::sort(moved, {}, &Histogram::Entry::node);
      holders = moved;
    }
    for (const auto& [i, count] : a.holders(k, own)) {
      if (watch.expired()) return false;
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
