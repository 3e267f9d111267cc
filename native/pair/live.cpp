#include "pair/live.hpp"

namespace enpda {

std::vector<std::vector<int32_t>> Live::parts() const {
  std::vector<std::vector<int32_t>> near(cell.size()), result;
  for (size_t e = 0; e < first.size(); ++e)
    if (!dead[e]) {
      near[first[e]].push_back(second[e]);
      near[second[e]].push_back(first[e]);
    }
  std::vector<uint8_t> reached(cell.size(), 0);
  for (size_t a = 0; a < cell.size(); ++a) {
    if (reached[a] || near[a].empty()) continue;
    reached[a] = 1;
    std::vector<int32_t> part = {static_cast<int32_t>(a)};
    for (size_t head = 0; head < part.size(); ++head)
      for (int32_t b : near[part[head]])
        if (!reached[b]) {
          reached[b] = 1;
          part.push_back(b);
        }
    result.push_back(std::move(part));
  }
  return result;
}

bool Live::keep(const std::vector<uint8_t>& kept) const {
  bool any = false;
  for (size_t e = 0; e < first.size(); ++e)
    if (!dead[e] && !kept[first[e]]) dead[e] = any = true;
  return any;
}

}  // namespace enpda
