#include "propose/decode.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

#include "base/assignment.hpp"

namespace enpda {

Mapping assign_cells(const Pair& pair, std::span<const double> gain, const Deadline& deadline) {
  if (pair.grid.full()) return assign<double>(gain, pair.n, pair.m, deadline).column;
  Mapping image(pair.n, -1);
  std::vector<std::vector<int32_t>> rows(pair.source.node_labels.size());
  for (int i = 0; i < pair.n; ++i) rows[pair.source.node_class[i]].push_back(i);
  std::vector<double> block;
  for (const auto& group : rows) {
    const auto columns = pair.grid.columns(group.front());
    if (deadline.expired()) break;
    block.clear();
    for (int i : group) {
      const auto row = gain.subspan(pair.grid.first(i), columns.size());
      block.insert(block.end(), row.begin(), row.end());
    }
    const auto solved =
        assign<double>(block, static_cast<int>(group.size()), static_cast<int>(columns.size()), deadline);
    for (size_t k = 0; k < group.size(); ++k)
      if (solved.column[k] >= 0) image[group[k]] = columns[solved.column[k]];
  }
  return image;
}

Mapping decode_hungarian(const Pair& pair, const State& state, const Deadline& deadline) {
  if (!pair.worth_beginning(deadline, kSecondsToAssign)) return Mapping(pair.n, -1);
  // Gains over staying unmatched; a non-positive gain is the same as the dummy column.
  std::vector<double> gain(state.bids.size());
  for (int i = 0; i < pair.n; ++i)
    for (Cell c = pair.grid.first(i); c < pair.grid.first(i + 1); ++c)
      gain[c] = static_cast<double>(state.bids[c]) - state.unmatched_logit[i];
  return assign_cells(pair, gain, deadline);
}

namespace {

// Which cells score less than the best of their row or of their column by more than a margin.
std::vector<uint8_t> far_behind(const Pair& pair, std::span<const float> score, float margin) {
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  std::vector<float> row(pair.n, kLowest), column(pair.m, kLowest);
  for (Cell c : pair.candidates) {
    row[pair.row(c)] = std::max(row[pair.row(c)], score[c]);
    column[pair.column(c)] = std::max(column[pair.column(c)], score[c]);
  }
  std::vector<uint8_t> behind(pair.compatible.size(), 0);
  for (Cell c : pair.candidates)
    behind[c] = score[c] < std::max(row[pair.row(c)], column[pair.column(c)]) - margin;
  return behind;
}

}  // namespace

Mapping decode_growth(const Pair& pair, std::span<const float> score, const Deadline& deadline,
                      float margin) {
  Mapping image(pair.n, -1);
  std::vector<uint8_t> taken(pair.m, 0), waits;
  if (margin < kNoMargin) waits = far_behind(pair, score, margin);
  std::vector<int32_t> chosen_neighbours;
  if (!lengthen(chosen_neighbours, pair.compatible.size(), deadline)) return image;
  auto is_free = [&](Cell c) {
    return image[pair.row(c)] < 0 && !taken[pair.column(c)] && (waits.empty() || !waits[c]);
  };

  // Both queues are lazy: entries are never updated, and one that no longer tells the truth is dropped when
  // it surfaces. Smaller cells win ties, so that results do not depend on the order of insertion.
  struct Extension {
    int32_t count;
    float score;
    Cell cell;
    bool operator<(const Extension& o) const {
      return std::tie(count, score, o.cell) < std::tie(o.count, o.score, cell);
    }
  };
  struct Opening {
    float score;  // of the cell and its best free neighbour, when it was entered
    Cell cell, partner;
    bool operator<(const Opening& o) const { return score != o.score ? score < o.score : cell > o.cell; }
  };
  std::priority_queue<Extension> frontier;
  auto choose = [&](Cell c) {
    image[pair.row(c)] = pair.column(c);
    taken[pair.column(c)] = 1;
    pair.for_each_neighbour(c, [&](Cell d) {
      ++chosen_neighbours[d];
      if (is_free(d)) frontier.push({chosen_neighbours[d], score[d], d});
    });
  };
  auto opening = [&](Cell c) {
    Opening best{-std::numeric_limits<float>::infinity(), c, -1};
    pair.for_each_neighbour(c, [&](Cell d) {
      const float sum = score[c] + score[d];
      if (is_free(d) && (best.partner < 0 || sum > best.score)) best.score = sum, best.partner = d;
    });
    return best;
  };
  Watch watch(deadline, std::min(pair.patience(), 64));
  // On huge pairs an even sample of the candidates may open components: a scan of all would outlast the
  // growth.
  constexpr size_t kMostOpenings = 200'000, kMostVisits = 20'000'000;
  const size_t visits = pair.candidates.size() * pair.neighbours_each();
  const size_t stride = pair.candidates.size() / kMostOpenings + visits / kMostVisits + 1;
  auto grow = [&] {
    std::vector<Opening> start;
    for (size_t k = 0; k < pair.candidates.size() && !watch.expired(); k += stride)
      if (const Cell c = pair.candidates[k]; is_free(c))
        if (const Opening o = opening(c); o.partner >= 0) start.push_back(o);
    std::make_heap(start.begin(), start.end());
    size_t stale = 0;  // since those were left out
    while (!watch.expired()) {
      if (!frontier.empty()) {
        const Extension top = frontier.top();
        frontier.pop();
        if (top.count == chosen_neighbours[top.cell] && is_free(top.cell)) choose(top.cell);
        continue;
      }
      if (start.empty()) return;
      std::pop_heap(start.begin(), start.end());
      const Opening top = start.back();
      start.pop_back();
      if (!is_free(top.cell)) {
        // Most of them are at once, after a large component.
        if (++stale <= start.size() / 8) continue;
        stale = 0;
        std::erase_if(start, [&](const Opening& o) { return !is_free(o.cell); });
        std::make_heap(start.begin(), start.end());
        continue;
      }
      if (!is_free(top.partner)) {
        if (const Opening again = opening(top.cell); again.partner >= 0) {
          start.push_back(again);
          std::push_heap(start.begin(), start.end());
        }
        continue;
      }
      choose(top.cell);
      choose(top.partner);
    }
  };
  grow();
  if (waits.empty()) return image;
  waits.clear();  // their turn
  for (Cell c : pair.candidates)
    if (chosen_neighbours[c] > 0 && is_free(c)) frontier.push({chosen_neighbours[c], score[c], c});
  grow();
  return image;
}

Mapping decode(Decoder decoder, const Pair& pair, const State& state, const Deadline& deadline) {
  Mapping image = decoder == Decoder::hungarian ? decode_hungarian(pair, state, deadline)
                                                : decode_growth(pair, state.bids, deadline, state.margin);
  strip(pair.source, pair.target, pair.terms, image);
  return image;
}

}  // namespace enpda
