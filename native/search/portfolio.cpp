#include "search/portfolio.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <span>

#include "base/threads.hpp"
#include "bounds/prices.hpp"
#include "search/fragments.hpp"
#include "search/refine.hpp"
#include "search/rings.hpp"

namespace enpda {
namespace {

// Of the time that is left, how much set-up and again the rounds may take: on a huge pair the decoder needs
// more than half of it, most of that for fresh memory.
double share(const Pair& pair) {
  return pair.compatible.size() > 1'000'000 ? 0.25 : 0.5;
}

// What a proposal still takes for every cell of a huge pair, in seconds: before its features are known, from
// its first bids on, from its rounds on, and for its mapping. Most of it is fresh memory.
constexpr double kToBegin = 12e-9, kToMap = 8e-9, kToRound = 4e-9, kToDecode = 2e-9;

// Of the first annealing of a stream.
double first_steps(const SearchOptions& options, const Pair& pair) {
  const double thousands = std::min(static_cast<double>(pair.candidates.size()) / 1000, 4.0);
  return static_cast<double>(options.anneal.steps) * std::pow(thousands, options.anneal_exponent);
}

// One proposal and its search. Streams share nothing but the pair and the reasons to stop.
class Stream {
 public:
  Stream(const Pair& pair, const SearchOptions& options, const Start& start, int rounds, int number,
         Stop& stop)
      : pair_(pair),
        options_(options),
        random_(options.seed, 1 + static_cast<uint64_t>(number)),
        incumbent_(stop, number),
        work_(pair) {
    if (!ready(kToMap) || !(ready_ = state_.allocate(start.bids.size(), stop.deadline))) return;
    const float noise = options.noisy[number] ? options.noise : 0.0f;
    // A mapping from unfinished rounds is better than none.
    const Deadline part(stop.deadline, share(pair));
    begin_state(pair, start, {noise, options.seed, static_cast<uint64_t>(number)}, part, state_);
    if (!ready(kToRound)) return;
    cut_ = run_rounds(pair, start, state_, rounds, part) < rounds;
    if (!ready(kToDecode)) return;
    const bool known = !start.image.empty() && noise == 0;
    work_.assign(known ? start.image : decode(options.decoder, pair, state_, stop.deadline));
    incumbent_.offer(work_, Operator::proposal);
  }

  void run() {
    if (!ready_) return;
    AnnealOptions schedule = options_.anneal;
    double steps = first_steps(options_, pair_);
    for (int r = 0; r < options_.discrete && !incumbent_.done(); ++r) {
      if (r > 0) restart(r);
      if (r > 0 || options_.anneal_first) {
        schedule.steps = static_cast<int64_t>(steps);
        anneal(work_, schedule, random_, incumbent_);
        steps = std::min(steps * options_.anneal_growth, 1e15);  // a thousand restarts must not overflow
      }
      refine(work_, options_.passes, incumbent_);
    }
    for (int r = 0; r < options_.constructive && !incumbent_.done(); ++r) {
      grow();
      refine(work_, options_.passes, incumbent_);
    }
    if (options_.neighbourhood.steps > 0 && !incumbent_.done()) {
      work_.assign(incumbent_.image());
      search_neighbourhood(work_, state_.soft, options_.neighbourhood, random_, incumbent_);
    }
    if (options_.passes > 0 && !incumbent_.done()) {
      work_.assign(incumbent_.image());
      refine(work_, options_.passes, incumbent_);
      lay_rings(work_, options_.passes, incumbent_);
      if (!pair_.constraint.fragments.none()) {
        if (!openings_) openings_.emplace(pair_, state_.soft);
        regrow(work_, state_.soft, *openings_, 10 * options_.discrete, random_, incumbent_);
      }
    }
  }

  const State& state() const { return state_; }
  bool cut() const { return cut_ || !ready_; }  // whether the clock ended the rounds
  const Incumbent& incumbent() const { return incumbent_; }

 private:
  // Whether there is time for the next arrays of a huge pair; without it, the stream ends without a mapping.
  bool ready(double seconds_per_cell) {
    return ready_ = pair_.worth_beginning(incumbent_.deadline(), seconds_per_cell);
  }

  // By turns: a noisy projection, a fresh growth, the best mapping with a few random exchanges.
  void restart(int r) {
    switch (r % 3) {
      case 0:
        return project(r);
      case 1:
        return grow();
      default:
        return perturb(r);
    }
  }

  // One assignment of log S + sigma * Gumbel, sigma rising from 0.25 to 1.5 over the restarts.
  void project(int r) {
    if (!pair_.worth_beginning(incumbent_.deadline(), kSecondsToAssign)) return;
    const double sigma = 0.25 + 1.25 * r / std::max(options_.discrete - 1, 1);
    std::vector<double> weight(state_.soft.size(), -1.0);
    Watch watch(incumbent_.deadline(), 4096);
    // Shifted so that every compatible cell is worth more than staying unmatched.
    for (Cell c : pair_.candidates) {
      if (watch.expired()) return;
      weight[c] = 1e3 + std::log(std::max(state_.soft[c], 1e-12f)) + sigma * random_.gumbel();
    }
    work_.assign(assign_cells(pair_, weight, incumbent_.deadline()));
  }

  void grow() {
    if (!openings_) openings_.emplace(pair_, state_.soft);
    work_.clear();
    construct(work_, state_.soft, *openings_, {}, random_, incumbent_);
  }

  void perturb(int r) {
    work_.assign(incumbent_.image());
    const int most = std::max(2, std::min(8, pair_.n / 3));
    for (int k = 0; k < 2 + r % most; ++k) {
      const Cell c = pair_.candidates[random_.below(static_cast<uint32_t>(pair_.candidates.size()))];
      if (!work_.chosen(c)) apply(work_, plan(work_, c));
    }
  }

  const Pair& pair_;
  const SearchOptions& options_;
  Random random_;
  Incumbent incumbent_;
  SearchState work_;
  State state_;
  bool cut_ = false, ready_ = true;
  std::optional<Openings> openings_;
};

// Passes on what improves the best of all streams.
OnImprove overall_best(const OnImprove& listener, std::mutex& lock, Score& best) {
  if (!listener) return {};
  return [&](const Event& event, const Mapping& image) {
    const std::lock_guard guard(lock);
    if (!(event.score > best)) return;
    best = event.score;
    listener(event, image);
  };
}

// What is kept of a stream when it is done.
struct Outcome {
  Mapping image;
  Score score{-1, -1};
  std::vector<Event> events;
  bool cut = false;
};

std::vector<Event> merge(std::span<const Outcome> outcomes) {
  std::vector<Event> all, best;
  for (const Outcome& o : outcomes) all.insert(all.end(), o.events.begin(), o.events.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const Event& x, const Event& y) { return x.seconds < y.seconds; });
  for (const Event& e : all)
    if (best.empty() || e.score > best.back().score) best.push_back(e);
  return best;
}

}  // namespace

double annealing_steps(const SearchOptions& options, const Pair& pair) {
  const double count = std::max(options.discrete - (options.anneal_first ? 0 : 1), 0);
  const double growth = options.anneal_growth;
  const double lengths = growth > 1 ? (std::pow(growth, count) - 1) / (growth - 1) : count;
  return static_cast<double>(options.noisy.size()) * first_steps(options, pair) * lengths;
}

SearchResult search(const Pair& pair, const SearchOptions& options, Caps& caps, int64_t upper,
                    const Deadline& deadline, const OnImprove& on_improve, const Start* given, int nodes) {
  SearchResult result;
  auto without_mapping = [&] {
    result.image.assign(pair.n, -1);
    result.prices.assign(pair.m, 0.0f);
    result.score = {};
    result.cut = true;
    return std::move(result);
  };
  if (!pair.worth_beginning(deadline, kToBegin)) return without_mapping();
  std::mutex lock;
  Score heard{-1, -1};
  const OnImprove listener = overall_best(on_improve, lock, heard);
  auto enough = [&] { return Score{static_cast<int32_t>(std::min(upper, caps.upper())), nodes}; };
  Stop stop{deadline, enough(), listener};
  const bool noisy =
      std::any_of(options.noisy.begin(), options.noisy.end(), [](uint8_t flag) { return flag != 0; });
  const Start own =
      given ? Start() : prepare(pair, options.policy, options.parts, noisy, Deadline(deadline, share(pair)));
  if (!given && own.bids.size() != pair.compatible.size()) return without_mapping();
  const Start& start = given ? *given : own;
  const int rounds = given ? 0 : options.rounds;
  std::vector<Outcome> outcomes(pair.candidates.empty() ? 0 : options.noisy.size());
  // The first proposal comes before the caps that take time: a mapping is worth more than a bound.
  std::optional<Stream> first;
  if (!outcomes.empty()) first.emplace(pair, options, start, rounds, 0, stop);
  if (first) result.prices = first->state().prices;
  result.prices.resize(pair.m, 0.0f);
  Evidence evidence(pair, result.prices, deadline);
  caps.add(evidence);
  stop.enough = enough();
  if (first && first->incumbent().score() >= stop.enough) stop.first_proven = 0;

  std::atomic<size_t> next{0};
  auto finish = [&](Stream& stream, size_t k) {
    stream.run();
    outcomes[k] = {stream.incumbent().image(), stream.incumbent().score(), stream.incumbent().events(),
                   stream.cut()};
  };
  const size_t others =
      std::min(static_cast<size_t>(options.threads), std::max<size_t>(outcomes.size(), 1)) - 1;
  run_on_threads(others, deadline, [&] {
    for (size_t k = next++; k < outcomes.size(); k = next++) {
      if (stop.first_proven < static_cast<int>(k) ||
          (k > 0 && (deadline.expired() || !pair.worth_beginning(deadline, kToMap))))
        return;
      if (k == 0) {
        finish(*first, k);
        first.reset();
      } else {
        Stream stream(pair, options, start, rounds, static_cast<int>(k), stop);
        finish(stream, k);
      }
    }
  });

  // Streams after the first proven one may or may not have run: they do not count.
  const size_t counted = std::min(outcomes.size(), static_cast<size_t>(stop.first_proven.load()) + 1);
  result.image.assign(pair.n, -1);
  result.cut = !start.complete;
  for (size_t k = 0; k < counted; ++k) {
    result.cut = result.cut || outcomes[k].cut;
    if (outcomes[k].score > result.score) {
      result.score = outcomes[k].score;
      result.image = std::move(outcomes[k].image);
    }
  }
  if (result.score.edges < 0) result.score = {};  // no candidates: the empty mapping
  result.trace = merge(std::span(outcomes).first(counted));
  judge(pair, result.image);
  return result;
}

}  // namespace enpda
