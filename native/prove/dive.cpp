#include "prove/dive.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace enpda {
namespace {

// On the slowest of random pairs, none of them of the test sets, these find nearly all mappings that are
// there to be found: surer choices take more steps, less sure ones decide wrongly.
constexpr float kSure = 0.6f;
constexpr int64_t kIterations = 40;
constexpr double kSecondsPerByte = 5e-9;  // of a copy of the shares, in memory that is fresh

// Lines that are decided, and what the relaxation would decide next.
class Decided {
 public:
  explicit Decided(const Pair& pair) : pair_(pair), row_(pair.n), column_(pair.m) {}

  // Every candidate that it chose most of the time; the likeliest one where there is none.
  std::vector<Choice> next(const Ascent& ascent) {
    std::vector<Choice> sure;
    std::optional<Choice> likeliest;
    float most = -1;
    const auto& cells = ascent.survivors();
    for (size_t k = 0; k < cells.size(); ++k) {
      const Choice choice{pair_.row(cells[k]), pair_.column(cells[k])};
      if (row_[choice.row] || column_[choice.column]) continue;
      const float usage = ascent.usage()[k];
      if (usage > most) {
        most = usage;
        likeliest = choice;
      }
      if (usage >= kSure) sure.push_back(decide(choice));
    }
    if (sure.empty() && likeliest) sure.push_back(decide(*likeliest));
    return sure;
  }

 private:
  Choice decide(Choice choice) {
    row_[choice.row] = column_[choice.column] = 1;
    return choice;
  }

  const Pair& pair_;
  std::vector<uint8_t> row_, column_;
};

}  // namespace

void dive(const Pair& pair, const Ascent& from, const RltOptions& rlt, const Deadline& deadline,
          const std::function<void(const Mapping&)>& improved) {
  RltOptions mine = rlt;
  mine.record = false;
  mine.network.reset();
  mine.patience = 0;
  Decided decided(pair);
  int known = from.known();
  std::optional<Ascent> deepest;
  const double copying = kSecondsPerByte * static_cast<double>(from.bytes());
  while (!deadline.expired() && deadline.remaining() > copying) {
    const Ascent& parent = deepest ? *deepest : from;
    const auto choices = decided.next(parent);
    if (choices.empty()) return;
    Ascent child(parent, choices, mine);
    const auto end = child.run(known, kIterations);
    if (child.met_size() > known) {
      known = child.met_size();
      improved(child.met());
    }
    if (end != Ascent::End::iterations) return;
    deepest.emplace(std::move(child));
  }
}

}  // namespace enpda
