#include "pair/alignment.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "base/errors.hpp"
#include "pair/pair.hpp"

namespace enpda {
namespace {

constexpr size_t kMostBits = size_t{1} << 33;  // 1 GB
constexpr size_t kMostCells = std::numeric_limits<uint32_t>::max();

// Numbers the arcs of marked edges; -1 for all others.
std::vector<int32_t> numbered(const Graph& g, std::span<const uint8_t> marked, size_t& count) {
  std::vector<int32_t> number(g.arc.size(), -1);
  count = 0;
  for (size_t e = 0; e < marked.size(); ++e) {
    if (!marked[e]) continue;
    number[g.arc_between(g.edges[e].u, g.edges[e].v)] = static_cast<int32_t>(count++);
    number[g.arc_between(g.edges[e].v, g.edges[e].u)] = static_cast<int32_t>(count++);
  }
  return number;
}

// A ring with its arcs: from node k to the next, and from node k to the one before.
struct Walk {
  const Ring* ring;
  std::vector<int32_t> on, back;
};

std::vector<Walk> walks(const Graph& g, const std::vector<Ring>& rings) {
  std::vector<Walk> result;
  for (const Ring& ring : rings) {
    Walk& walk = result.emplace_back(Walk{&ring, {}, {}});
    for (size_t k = 0, size = ring.size(); k < size; ++k) {
      walk.on.push_back(g.arc_between(ring[k], ring[(k + 1) % size]));
      walk.back.push_back(g.arc_between(ring[k], ring[(k + size - 1) % size]));
    }
  }
  return result;
}

}  // namespace

bool Alignments::find(const Pair& pair, const Deadline& deadline) {
  const Graph &source = pair.source, &target = pair.target;
  size_t rows = 0, columns = 0;
  row_ = numbered(source, pair.constraint.rings.marked_a, rows);
  column_ = numbered(target, pair.constraint.rings.marked_b, columns);
  if (rows * columns > kMostBits)
    throw InputError("the graphs have " + std::to_string(rows / 2) + " and " + std::to_string(columns / 2) +
                     " edges that count with whole rings only; at most " + std::to_string(kMostBits / 4) +
                     " pairs of them are accepted");
  bits_.resize(rows);
  auto carry = [&](int32_t arc, int32_t other) {
    if (row_[arc] < 0 || column_[other] < 0) return;
    auto& bits = bits_[row_[arc]];
    if (bits.empty()) bits.resize(columns / 64 + 1);
    bits[column_[other] >> 6] |= uint64_t{1} << (column_[other] & 63);
  };
  const auto left_rings = walks(source, pair.constraint.rings.rings_a);
  const auto right_rings = walks(target, pair.constraint.rings.rings_b);
  Watch watch(deadline, 256);
  for (const Walk& left : left_rings)
    for (const Walk& right : right_rings) {
      if (watch.expired()) return false;
      const size_t size = left.ring->size();
      if (right.ring->size() != size) continue;
      for (size_t shift = 0; shift < size; ++shift) {
        if (size > 64 && watch.expired()) return false;
        for (const bool backwards : {false, true}) {
          auto place = [&](size_t k) { return backwards ? (shift + size - k) % size : (shift + k) % size; };
          const auto& arcs = backwards ? right.back : right.on;
          const size_t first = cells_.size();
          bool fits = true;
          for (size_t k = 0; k < size && fits; ++k) {
            const Cell c = pair.cell((*left.ring)[k], (*right.ring)[place(k)]);
            fits = c >= 0 && pair.compatible[c] &&
                   pair.worth(source.arc[left.on[k]], target.arc[arcs[place(k)]]) > 0;
            cells_.push_back(c);
          }
          if (!fits) {
            cells_.resize(first);
            continue;
          }
          if (cells_.size() > kMostCells) throw InputError("too many ways to lay rings onto rings");
          start_.push_back(static_cast<uint32_t>(cells_.size()));
          const auto& opposite = backwards ? right.on : right.back;
          for (size_t k = 0; k < size; ++k) {
            carry(left.on[k], arcs[place(k)]);
            carry(left.back[(k + 1) % size], opposite[place((k + 1) % size)]);
          }
        }
      }
    }
  return true;
}

}  // namespace enpda
