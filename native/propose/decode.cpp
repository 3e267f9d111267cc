#include "propose/decode.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
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

constexpr float kLowest = -std::numeric_limits<float>::infinity();

// A mapping that grows, and two queues of where it can go on. Both are lazy: entries are never updated, and
// one that no longer tells the truth is dropped when it surfaces. Smaller cells win ties, so that results do
// not depend on the order of insertion.
class Growth {
 public:
  Growth(const Pair& pair, std::span<const float> score, const Deadline& deadline)
      : pair_(pair),
        score_(score),
        watch_(deadline, std::min(pair.patience(), 64)),
        image_(pair.n, -1),
        taken_(pair.m, 0) {
    ready_ = lengthen(chosen_neighbours_, pair.compatible.size(), deadline);
    // On huge pairs an even sample of the candidates may open components: a scan of all would outlast the
    // growth.
    constexpr size_t kMostOpenings = 200'000, kMostVisits = 20'000'000;
    const size_t visits = pair.candidates.size() * pair.neighbours_each();
    stride_ = pair.candidates.size() / kMostOpenings + visits / kMostVisits + 1;
    while (std::gcd(stride_, static_cast<size_t>(pair.m)) > 1)
      ++stride_;  // or it would meet the same columns only
  }

  Mapping run(float margin) {
    if (!ready_) return std::move(image_);
    if (margin < kNoMargin) {
      wait(margin);
      openings_first();
      grow();
      willing_ = {};  // their turn
      for (Cell c : pair_.candidates)
        if (chosen_neighbours_[c] > 0 && is_free(c)) push(c);
    }
    openings();
    grow();
    return std::move(image_);
  }

 private:
  struct Extension {
    int32_t count;
    float score;
    Cell cell;
    bool operator<(const Extension& o) const {
      if (count != o.count) return count < o.count;
      return score != o.score ? score < o.score : cell > o.cell;
    }
  };
  struct Opening {
    float score;  // of the cell and its best free neighbour, when it was entered
    Cell cell, partner;
    bool operator<(const Opening& o) const { return score != o.score ? score < o.score : cell > o.cell; }
  };

  bool is_free(Cell c) const {
    return image_[pair_.row(c)] < 0 && !taken_[pair_.column(c)] &&
           (willing_.empty() || willing_[c] > kLowest);
  }

  // Cells that score less than the best of their row or of their column by more than a margin wait.
  void wait(float margin) {
    std::vector<float> row(pair_.n, kLowest), column(pair_.m, kLowest);
    for (Cell c : pair_.candidates) {
      float &x = row[pair_.row(c)], &y = column[pair_.column(c)];
      x = std::max(x, score_[c]);
      y = std::max(y, score_[c]);
    }
    willing_.assign(score_.size(), kLowest);
    for (Cell c : pair_.candidates) {
      const bool behind = score_[c] < std::max(row[pair_.row(c)], column[pair_.column(c)]) - margin;
      willing_[c] = behind ? kLowest : score_[c];
    }
  }

  // As long as nothing is chosen, whoever is willing is free.
  void openings_first() {
    for (size_t k = 0; k < pair_.candidates.size() && !watch_.expired(); k += stride_) {
      const Cell c = pair_.candidates[k];
      if (willing_[c] == kLowest) continue;
      Opening best{kLowest, c, -1};
      pair_.for_each_neighbour(c, [&](Cell d) {
        const bool better = willing_[d] > best.score;
        best.score = better ? willing_[d] : best.score;
        best.partner = better ? d : best.partner;
      });
      best.score += score_[c];
      if (best.partner >= 0) start_.push_back(best);
    }
  }

  void openings() {
    start_.clear();
    second_ = {};
    sorted_ = 0;
    at_a_time_ = 16;
    for (size_t k = 0; k < pair_.candidates.size() && !watch_.expired(); k += stride_)
      if (const Cell c = pair_.candidates[k]; is_free(c))
        if (const Opening o = opening(c); o.partner >= 0) start_.push_back(o);
  }

  Opening opening(Cell c) const {
    Opening best{kLowest, c, -1};
    pair_.for_each_neighbour(c, [&](Cell d) {
      const float sum = score_[c] + score_[d];
      if (is_free(d) && (best.partner < 0 || sum > best.score)) best.score = sum, best.partner = d;
    });
    return best;
  }

  void push(Cell c) { frontier_.push({chosen_neighbours_[c], score_[c], c}); }

  void choose(Cell c) {
    image_[pair_.row(c)] = pair_.column(c);
    taken_[pair_.column(c)] = 1;
    pair_.for_each_neighbour(c, [&](Cell d) {
      ++chosen_neighbours_[d];
      if (is_free(d)) push(d);
    });
  }

  void grow() {
    while (!watch_.expired()) {
      if (frontier_.empty()) {
        const Opening best = best_opening();
        if (best.partner < 0) return;
        choose(best.cell);
        choose(best.partner);
        continue;
      }
      const Extension top = frontier_.top();
      frontier_.pop();
      if (top.count == chosen_neighbours_[top.cell] && is_free(top.cell)) choose(top.cell);
    }
  }

  // The best ones stand at the end, in order, a few at a time: most others will not be free any more when it
  // is their turn. Whoever lost its partner waits in a heap for its turn by its next one.
  Opening best_opening() {
    while (!watch_.expired()) {
      if (sorted_ == 0 && !start_.empty()) sort_some();
      const bool again = !second_.empty() && (start_.empty() || start_.back() < second_.top());
      if (start_.empty() && !again) break;
      Opening top = again ? second_.top() : start_.back();
      if (again) {
        second_.pop();
      } else {
        start_.pop_back();
        --sorted_;
      }
      if (!is_free(top.cell)) continue;
      if (is_free(top.partner)) return top;
      top = opening(top.cell);
      if (top.partner >= 0) second_.push(top);
    }
    return {kLowest, -1, -1};
  }

  // Each time twice as many: however many there are, all of them are looked at a few times only.
  void sort_some() {
    std::erase_if(start_, [&](const Opening& o) { return !is_free(o.cell); });
    sorted_ = std::min(at_a_time_, start_.size());
    at_a_time_ *= 2;
    const auto first = start_.end() - static_cast<std::ptrdiff_t>(sorted_);
    if (first > start_.begin()) std::nth_element(start_.begin(), first, start_.end());
    std::sort(first, start_.end());
  }

  const Pair& pair_;
  const std::span<const float> score_;
  Watch watch_;
  bool ready_;
  size_t stride_;
  Mapping image_;
  std::vector<uint8_t> taken_;
  std::vector<float> willing_;  // the scores of those who do not wait; empty: nobody does
  std::vector<int32_t> chosen_neighbours_;
  std::priority_queue<Extension> frontier_;
  std::vector<Opening> start_;
  size_t sorted_ = 0;  // of them
  size_t at_a_time_ = 16;
  std::priority_queue<Opening> second_;
};

}  // namespace

Mapping decode_growth(const Pair& pair, std::span<const float> score, const Deadline& deadline,
                      float margin) {
  return Growth(pair, score, deadline).run(margin);
}

Mapping decode(Decoder decoder, const Pair& pair, const State& state, const Deadline& deadline) {
  Mapping image = decoder == Decoder::hungarian ? decode_hungarian(pair, state, deadline)
                                                : decode_growth(pair, state.bids, deadline, state.margin);
  strip(pair.source, pair.target, pair.terms, image);
  return image;
}

}  // namespace enpda
