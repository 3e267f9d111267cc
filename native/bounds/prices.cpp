#include "bounds/prices.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/errors.hpp"

namespace enpda {
namespace {

// U(alpha) and its slope to the right: the row's cheapest price among its best columns decides the slope.
struct Line {
  double value = 0, slope = 0;
};

class Repair {
 public:
  Repair(const Pair& pair, std::span<const int64_t> doubled, std::span<const float> prices,
         const Deadline& deadline)
      : pair_(pair), doubled_(doubled), prices_(prices), watch_(deadline, 4096) {}

  Line at(double alpha) {
    Line line;
    for (float p : prices_) line.slope += p;
    line.value = alpha * line.slope;
    for_each_row([&](std::span<const Cell> cells) {
      double best = 0, price = 0;
      for (Cell c : cells) {
        const double p = prices_[pair_.column(c)];
        const double left = 0.5 * static_cast<double>(doubled_[c]) - alpha * p;
        if (left > best || (left == best && p < price)) {
          best = left;
          price = p;
        }
      }
      line.value += best;
      line.slope -= price;
    });
    return line;
  }

  // Where every priced column is too dear: beyond it U only rises.
  double last() const {
    double most = 0;
    for (Cell c : pair_.candidates)
      if (const double p = prices_[pair_.column(c)]; p > 0)
        most = std::max(most, 0.5 * static_cast<double>(doubled_[c]) / p);
    return most;
  }

  // The exact minimum: two tangents enclose it, their crossing replaces one of them.
  double least() {
    double low = 0, high = last();
    Line left = at(low), right = at(high);
    if (left.slope >= 0 || high == 0) return low;
    for (int k = 0; k < 200 && !watch_.expired(); ++k) {
      const double crossing =
          low + (right.value - left.value - right.slope * (high - low)) / (left.slope - right.slope);
      if (!(crossing > low && crossing < high)) break;
      const Line middle = at(crossing);
      const double touch = left.value + left.slope * (crossing - low);
      if (middle.slope < 0) {
        low = crossing;
        left = middle;
      } else {
        high = crossing;
        right = middle;
      }
      if (middle.value <= touch + 1e-12 * std::abs(touch)) return crossing;
    }
    return left.value < right.value ? low : high;
  }

  // {0, 1} and 127 quantiles of weight / price over candidates where both are positive.
  std::vector<double> grid() const {
    std::vector<double> ratios, scales = {0, 1};
    for (Cell c : pair_.candidates)
      if (const double p = prices_[pair_.column(c)]; p > 0 && doubled_[c] > 0)
        ratios.push_back(0.5 * static_cast<double>(doubled_[c]) / p);
    std::sort(ratios.begin(), ratios.end());
    for (int k = 0; k < 127 && !ratios.empty(); ++k) {
      const double place = static_cast<double>(k) / 126 * static_cast<double>(ratios.size() - 1);
      const auto below = static_cast<size_t>(place);
      const auto above = std::min(below + 1, ratios.size() - 1);
      scales.push_back(ratios[below] +
                       (place - static_cast<double>(below)) * (ratios[above] - ratios[below]));
    }
    std::sort(scales.begin(), scales.end());
    scales.erase(std::unique(scales.begin(), scales.end()), scales.end());
    return scales;
  }

  // Rounds the scaled prices to integers first and repairs afterwards, so that feasibility is exact.
  PriceBound potentials(double alpha) {
    PriceBound result;
    result.scale = alpha;
    result.row.assign(pair_.n, 0);
    result.column.resize(pair_.m);
    for (int j = 0; j < pair_.m; ++j)
      result.column[j] = std::llround(std::min(alpha * prices_[j], 1e9) * static_cast<double>(kPriceUnit));
    for_each_row([&](std::span<const Cell> cells) {
      int64_t& row = result.row[pair_.row(cells[0])];
      for (Cell c : cells)
        row = std::max(row, doubled_[c] * (kPriceUnit / 2) - result.column[pair_.column(c)]);
    });
    int64_t sum = 0;
    for (int64_t x : result.row) sum += x;
    for (int64_t x : result.column) sum += x;
    result.value = watch_.expired() ? -1 : sum / kPriceUnit;
    return result;
  }

  bool expired() { return watch_.expired(); }

 private:
  template <class F>
  void for_each_row(F&& f) {
    const auto& all = pair_.candidates;
    for (size_t begin = 0; begin < all.size() && !watch_.expired();) {
      size_t end = begin;
      const int i = pair_.row(all[begin]);
      while (end < all.size() && pair_.row(all[end]) == i) ++end;
      f(std::span(all).subspan(begin, end - begin));
      begin = end;
    }
  }

  const Pair& pair_;
  std::span<const int64_t> doubled_;
  std::span<const float> prices_;
  Watch watch_;
};

}  // namespace

PriceBound repaired_prices(Evidence& given, Scales scales) {
  const Pair& pair = *given.pair;
  const std::span<const float> prices = *given.prices;
  if (prices.size() != static_cast<size_t>(pair.m) ||
      !std::all_of(prices.begin(), prices.end(), [](float p) { return p >= 0 && std::isfinite(p); }))
    throw InputError("prices must be " + std::to_string(pair.m) +
                     " non-negative numbers, one per target node");
  const auto& doubled = given.doubled();
  if (doubled.size() != pair.compatible.size()) return {};
  Repair repair(pair, doubled, prices, given.deadline);
  if (scales == Scales::exact) return repair.potentials(repair.least());
  PriceBound best;
  for (double alpha : repair.grid()) {
    PriceBound next = repair.potentials(alpha);
    if (next.value >= 0 && (best.value < 0 || next.value < best.value)) best = std::move(next);
    if (repair.expired()) break;
  }
  return best;
}

int64_t price_cap(Evidence& given) {
  return repaired_prices(given, Scales::exact).value;
}

}  // namespace enpda
