#include "solve/solve.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/errors.hpp"
#include "prove/dive.hpp"
#include "solve/total.hpp"

namespace enpda {
namespace {

constexpr int64_t kEndless = std::numeric_limits<int32_t>::max();
constexpr int64_t kForever = std::numeric_limits<int64_t>::max();
constexpr double kSteps = 2;  // of annealing, in the time of a unit of work
// The bound comes first on pairs of so many cells, and of its sweeps and steps every second one has a
// mapping.
constexpr int kMostLeaning = 10'000, kRound = 2;
constexpr int64_t kScreening = 12;    // iterations: the first sweeps
constexpr int kMostPoints = 1 << 30;  // that edges and nodes together may be worth

// One pair on its way; rows are the source's nodes.
class PairSolver {
 public:
  PairSolver(const Pair& pair, const SolveOptions& options, const Deadline& deadline,
             const OnImprove& on_improve, Solution& out)
      : pair_(pair),
        options_(options),
        deadline_(deadline),
        on_improve_(on_improve),
        out_(out),
        held_(deadline),
        rlt_(options.rlt) {
    const bool huge = static_cast<int64_t>(pair.n) * pair.m > options.last_cells;
    last_ = options.searches.size() - 1;
    longest_ = huge && last_ > 0 ? last_ - 1 : last_;
    // A search that was asked for alone, with a policy or another decoder begins as it was asked for.
    if (options.bound && options.turn > 0 && last_ > 0 && !options.propose_first &&
        !options.searches.front().policy && options.searches.front().decoder == Decoder::growth &&
        pair.cells() <= kMostLeaning) {
      rlt_.round = kRound;
      if (options.min_size > 0) rlt_.flat = 0;  // a question may be answered by the last of the first sweeps
    }
  }

  void run() {
    // A bound alone may answer a threshold question, in less time than a first mapping takes.
    upper_ = std::min(upper_, out_.caps.upper());
    if (options_.bound && options_.min_size > 0 && open()) {
      bound(kScreening);
      // If not, a search must not end at the first mapping that meets this bound: another one may have more
      // nodes.
      if (open()) upper_ = out_.caps.upper();
    }
    if (options_.bound && options_.propose_first && open()) bound(options_.rlt.first_sweeps);
    if (rlt_.round > 0 && open()) lean();
    for (size_t k = 0; open() && (k <= last_ || goes_on()); ++k) {
      search_with(k);
      if (tree_ && k <= last_ && known() > ascent_->known() && open()) regrow_tree();
      const int64_t work = turn(k);
      if (options_.bound && open())
        bound(k >= last_ ? options_.most_iterations : k == 0 ? options_.first_iterations : kEndless, work);
      if (options_.branch && open()) branch(work);
    }
    if (out_.score.edges == upper_ && !enough() && (options_.most_nodes || options_.min_total > 0)) fill();
    if (tree_) {
      out_.branch = tree_->upper();
      out_.known = tree_->known();
      out_.nodes = tree_->nodes();
      out_.records = tree_->records();
      if (out_.records.empty() && out_.branch >= out_.rlt && !tree_->root_stages().empty())
        out_.records.push_back({tree_->root_stages(), {}});
    } else if (ascent_) {
      note_ascent();
      out_.known = ascent_->known();
      if (out_.rlt >= 0) out_.records.push_back({ascent_->stages(), {}});
    }
  }

  bool cut() const { return cut_; }

 private:
  bool open() const {
    if (upper_ < options_.min_size) return false;
    if (!searched_ && rlt_.round == 0) return true;  // who asks for a search gets one
    return out_.score.edges < upper_ && !enough() && (!searched_ || !deadline_.expired());
  }
  // A threshold question is answered by a mapping.
  bool enough() const {
    return options_.min_size > 0 && out_.score.edges >= options_.min_size &&
           out_.score.edges + out_.score.nodes >= options_.min_total;
  }
  // Whether more searches make sense after those that were asked for: as long as there is a bound to share
  // the time with.
  bool goes_on() const {
    if (options_.turn == 0) return false;
    if (tree_ || (ascent_ && !hopeless_)) return true;
    return options_.search_on && deadline_.remaining() < std::numeric_limits<double>::infinity();
  }
  // What the bounds may do after a search.
  int64_t turn(size_t k) const {
    if (options_.turn == 0) return kForever;
    const int after = static_cast<int>(k + 1) - static_cast<int>(last_);
    double work = static_cast<double>(options_.turn);
    if (after > 0) work = std::max(work, annealing_steps(options_.searches[longest_], pair_) / kSteps);
    return static_cast<int64_t>(std::min(work * std::pow(after < 0 ? 10.0 : 2.0, after), 1e18));
  }
  // The first sweeps take less time than features and rounds, and what they say of candidates makes as good a
  // first mapping.
  void lean() {
    if (!ascent_) bound(rlt_.first_sweeps);
    if (!ascent_ || ascent_->upper() < 0) return;
    out_.caps.close();
    leaning_ = ascent_->leaning();
    leaning_->image = out_.image;
    out_.prices = leaning_->prices;
  }
  // Mappings up to this size are of no interest to a bound.
  int known() const { return std::max(out_.score.edges, options_.min_size - 1); }

  // The search of this number. Where the network says most mappings are found soonest, but not all: the last
  // search begins as it would alone, after the one before it has done so, too. Beyond it, by turns, with
  // other seeds.
  void search_with(size_t k) {
    const auto& searches = options_.searches;
    // On its way the relaxation learns more than the network could say at its beginning.
    if (k > 0 && proposal_) proposal_ = ascent_->leaning();
    const Start* proposal = proposal_ ? &*proposal_ : nullptr;
    if (k == 0 && leaning_) return search_with(searches[k], &*leaning_);
    if (k < last_ || (k <= longest_ && options_.propose_first)) return search_with(searches[k], proposal);
    if (k == last_ && k > 0 && proposal) search_with(searches[k - 1], nullptr);
    if (searched_ && !open()) return;
    if (k == last_ && k <= longest_) return search_with(searches[k], nullptr);
    if (k == last_) return;
    SearchOptions more = searches[longest_];
    more.seed = mix(more.seed, k);
    search_with(more, (k - last_) % 2 == 1 ? proposal : nullptr);
  }

  void search_with(const SearchOptions& search_options, const Start* given) {
    const bool first = !searched_;
    searched_ = true;
    OnImprove listener;
    if (on_improve_)
      listener = [&](const Event& event, const Mapping& image) {
        if (event.score > out_.score) on_improve_(event, image);
      };
    const bool stop_there = options_.min_size > 0 && options_.min_total == 0;
    const int64_t stop = stop_there ? std::min<int64_t>(upper_, options_.min_size) : upper_;
    SearchResult found = search(pair_, search_options, out_.caps, stop, deadline_, listener, given);
    cut_ = cut_ || found.cut;
    if (first) out_.prices = std::move(found.prices);
    upper_ = std::min(upper_, out_.caps.upper());
    for (const Event& event : found.trace)
      if (event.score > out_.score) out_.trace.push_back(event);
    if (found.score > out_.score) {
      out_.score = found.score;
      out_.image = std::move(found.image);
    }
  }

  void bound(int64_t iterations, int64_t work = kForever) {
    if (tree_) return;
    if (!ascent_) {
      if (!Shares::fits(pair_, deadline_)) return;
      ascent_.emplace(pair_, rlt_, deadline_);
      held_.add(ascent_->bytes());
    }
    // Once it has given up, only a larger mapping can make it go on.
    if (hopeless_ && ascent_->known() >= known()) return;
    const int64_t before = ascent_->iterations(), worked = ascent_->work();
    const bool proposes = rlt_.network && !options_.propose_first && !ascent_->learned();
    const auto end = run(proposes ? std::min(iterations, ascent_->sweeps_left()) : iterations, work);
    if (!proposes || end == Ascent::End::flat) return;
    if (proposal_ && open()) search_with(options_.searches.front(), &*proposal_);
    const int64_t left = iterations - (ascent_->iterations() - before);
    if (open() && !hopeless_ && left > 0) run(left, work - (ascent_->work() - worked));
  }

  Ascent::End run(int64_t iterations, int64_t work) {
    const auto end = ascent_->run(known(), iterations, work);
    if (auto proposal = ascent_->proposal()) proposal_ = std::move(proposal);
    hopeless_ = end == Ascent::End::hopeless;
    cut_ = cut_ || end == Ascent::End::deadline;
    note_ascent();
    if (ascent_->met_size() > out_.score.edges) improve(ascent_->met());
    return end;
  }

  void note_ascent() {
    out_.rlt = ascent_->upper();
    out_.iterations = ascent_->iterations();
    if (out_.rlt >= 0) upper_ = std::min(upper_, out_.rlt);
  }

  void branch(int64_t work) {
    if (!tree_) {
      const bool far =
          options_.most_gap >= 0 && upper_ - known() > int64_t{options_.most_gap} * pair_.least_worth();
      if (!hopeless_ || far) return;
      // A larger mapping is worth more to the bound than to a tree.
      for (int before = -1; before < out_.score.edges;) {
        before = out_.score.edges;
        dive(pair_, *ascent_, options_.rlt, deadline_, [&](const Mapping& met) { improve(met); });
        if (out_.score.edges > before) bound(kEndless, work);
        if (!open() || !hopeless_) return;
      }
      tree_.emplace(pair_, *ascent_, options_.rlt, options_.tree, deadline_);
    }
    const auto end = tree_->run(known(), kEndless, work, [&](const Mapping& met) { improve(met); });
    cut_ = cut_ || end == Tree::End::deadline;
    upper_ = std::min(upper_, tree_->upper());
  }

  // A tree that begins with a small mapping is a large tree: with a larger one the ascent goes on first,
  // which makes up for what was done.
  void regrow_tree() {
    tree_.reset();
    upper_ = out_.caps.upper();
    note_ascent();
  }

  // Mappings with nodes enough are many where there are any: a search finds them sooner than a bound does.
  void search_for_nodes(int nodes, const Start* given) {
    SearchOptions more = options_.searches[std::min<size_t>(longest_, 1)];
    more.seed = mix(more.seed, last_ + 1);
    const auto found = search(pair_, more, out_.caps, upper_, deadline_, {}, given, nodes);
    improve(found.image);
    cut_ = cut_ || found.cut;
  }

  // The size is proven: looks for the most nodes that a mapping of this size can have, or for as many as a
  // threshold question asks for.
  void fill() {
    const int most = std::min(pair_.n, 2 * out_.score.edges);
    out_.most_nodes = most;
    const int wanted = options_.most_nodes ? most : options_.min_total - out_.score.edges;
    if (out_.score.nodes >= wanted || wanted > most) return;
    search_for_nodes(wanted, nullptr);
    if (out_.score.nodes >= wanted || !Shares::fits(pair_, deadline_)) return;
    // Few points an edge bound nodes soonest, but fewer edges may make up for them by nodes; many do not.
    for (const int points : {1, 4, static_cast<int>(std::bit_ceil(most + 1u))})
      if (out_.score.edges > kMostPoints / points || bound_nodes(points, wanted)) return;
  }

  // The same by a relaxation in which an edge is worth so many nodes; false when mappings with fewer edges
  // are in the way.
  bool bound_nodes(int per_edge, int wanted) {
    const RltOptions rlt = counting_nodes(options_.rlt, per_edge);
    auto filled = [&] { return out_.score.nodes >= wanted; };
    const int edges = per_edge * out_.score.edges;
    const int least = options_.most_nodes ? 0 : wanted - 1;  // fewer are of no interest
    const int known = edges + std::max(out_.score.nodes, least);
    Ascent ascent(pair_, rlt, deadline_);
    auto end = Ascent::End::iterations;
    while (end == Ascent::End::iterations && !filled()) {
      end = ascent.run(known, kScreening);
      if (ascent.met_size() > known) improve(ascent.met());
    }
    int64_t upper = ascent.upper();
    bool closed = end == Ascent::End::closed;
    if (end == Ascent::End::hopeless && !filled()) {
      const Start start = ascent.leaning();
      search_for_nodes(wanted, &start);
      if (!filled()) dive(pair_, ascent, rlt, deadline_, [&](const Mapping& met) { improve(met); });
    }
    if (end == Ascent::End::hopeless && !filled()) {
      Tree tree(pair_, std::move(ascent), rlt, options_.tree, deadline_);
      auto turn = Tree::End::turn;
      while (turn == Tree::End::turn && tree.work() < options_.fill_work && !filled())
        turn = tree.run(known, 1, kForever, [&](const Mapping& met) { improve(met); });
      upper = tree.upper();
      closed = turn == Tree::End::proven;
      if (turn == Tree::End::deadline) end = Ascent::End::deadline;
    }
    cut_ = cut_ || end == Ascent::End::deadline;
    if (upper >= 0) out_.most_nodes = std::min(out_.most_nodes, upper - edges);
    return !closed || filled() || out_.most_nodes <= std::max(out_.score.nodes, least);
  }

  // A mapping that a bound met on its way.
  void improve(const Mapping& met) {
    Mapping image = met;
    const Score better = judge(pair_, image);
    if (!(better > out_.score)) return;
    out_.score = better;
    out_.image = std::move(image);
    out_.trace.push_back({deadline_.elapsed(), better, Operator::bound, 0});
    if (on_improve_) on_improve_(out_.trace.back(), out_.image);
  }

  const Pair& pair_;
  const SolveOptions& options_;
  const Deadline& deadline_;
  const OnImprove& on_improve_;
  Solution& out_;
  size_t last_;     // the number of the last search that was asked for
  size_t longest_;  // of the longest that this pair gets
  int64_t upper_ = std::numeric_limits<int32_t>::max();
  std::optional<Ascent> ascent_;
  std::optional<Tree> tree_;
  Held held_;  // by the ascent
  RltOptions rlt_;
  std::optional<Start> leaning_;   // of the bound's first sweeps
  std::optional<Start> proposal_;  // of the bound's network
  bool hopeless_ = false, cut_ = false;
  bool searched_ = false;  // whether there was a search at all
};

// The same proof with rows and columns exchanged.
void transpose(const Pair& pair, Record& record) {
  for (Stage& stage : record.stages) {
    for (auto* list : {&stage.a, &stage.b})
      for (int32_t& c : *list) c = c % pair.m * pair.n + c / pair.m;
    std::swap(stage.u, stage.v);
    for (PricedPiece& p : stage.pieces)
      p.piece = std::make_shared<const Piece>(Piece{!p.piece->of_source, p.piece->edges});
  }
  for (Child& child : record.children) {
    std::swap(child.row, child.column);
    std::swap(child.like_row, child.like_column);
  }
}

}  // namespace

Solution solve(const Graph& a, const Graph& b, const SolveOptions& options, const Deadline& deadline,
               const OnImprove& on_improve) {
  if (options.searches.empty()) throw InputError("there must be a search");
  check_terms(options.terms, a, b);
  check_constraint(options.constraint, a, b);
  const bool forwards = source_first(a, b);
  const Graph &source = forwards ? a : b, &target = forwards ? b : a;
  Solution out;
  out.caps = quick_caps(a, b, options.terms);
  out.image.assign(source.size(), -1);
  out.prices.assign(target.size(), 0.0f);
  const int64_t cells = Pair::check_size(source, target, options.full_grid);
  const double kept = Pair::seconds_kept(source, target, options.terms, cells);
  const Deadline work(deadline, std::max(0.0, deadline.remaining() - kept), Deadline::Seconds());
  bool cut = !Pair::worth_beginning(cells, work);
  if (!cut) {
    const Pair pair(source, target, work, forwards ? options.terms : exchanged(options.terms, a, b),
                    forwards ? options.constraint : exchanged(options.constraint), Pair::kMaxStored,
                    options.full_grid);
    const Held held(work, pair.list_bytes());
    cut = !pair.complete();
    if (!cut) {
      OnImprove turned;
      if (on_improve && !forwards)
        turned = [&](const Event& event, const Mapping& image) {
          on_improve(event, inverse(image, target.size()));
        };
      PairSolver solver(pair, options, work, forwards ? on_improve : turned, out);
      solver.run();
      cut = solver.cut() || work.expired();
    }
    if (!forwards)
      for (Record& record : out.records) transpose(pair, record);
  }
  if (out.score.edges < 0) out.score = {};  // answered, or cut, without a mapping
  if (!forwards) out.image = inverse(out.image, target.size());
  out.interrupted = deadline.cancelled();
  out.time_limit = !out.interrupted && cut;
  out.seconds = deadline.elapsed();
  return out;
}

void recount(const Graph& a, const Graph& b, const SolveOptions& options, const Solution& found) {
  Score counted = check(a, b, options.terms, found.image);
  bool kept = true;
  if (!options.constraint.none()) {
    Mapping rest = found.image;
    counted = retain(a, b, options.terms, options.constraint, rest);
    kept = rest == found.image;
  }
  if (!kept || counted != found.score)
    throw std::logic_error("a mapping does not count what its search says");
  if (counted.edges > found.upper())
    throw std::logic_error("a bound is wrong: " + std::to_string(counted.edges) +
                           " edges found, but the bounds say " + std::to_string(found.upper()));
  if (counted.edges == found.upper() && found.most_nodes >= 0 && counted.nodes > found.most_nodes)
    throw std::logic_error("a bound is wrong: " + std::to_string(counted.nodes) +
                           " nodes found, but at most " + std::to_string(found.most_nodes) + " claimed");
}

}  // namespace enpda
