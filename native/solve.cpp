#include "solve.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace enpda {
namespace {

constexpr int64_t kEndless = std::numeric_limits<int32_t>::max();
constexpr int64_t kScreening = 12;  // iterations: the first sweeps

// Nodes of the common part as a second aim, an edge being worth more than all of them. The last bit of such a
// bound takes longer strides.
RltOptions filling(RltOptions rlt, int most) {
  rlt.record = false;
  rlt.splitter.reset();
  while (rlt.per_edge <= most) rlt.per_edge *= 2;
  rlt.patience = 150;
  rlt.step = 0.2;
  rlt.fraction = 0.5;
  return rlt;
}

// One pair on its way; rows are the source's nodes.
class Way {
 public:
  Way(const Pair& pair, const SolveOptions& options, const Deadline& deadline, const OnImprove& on_improve,
      Solution& out)
      : pair_(pair), options_(options), deadline_(deadline), on_improve_(on_improve), out_(out) {}

  void go() {
    const size_t count = options_.searches.size();
    // A bound alone may answer a threshold question, in less time than a first mapping takes.
    upper_ = std::min(upper_, out_.caps.upper());
    if (options_.bound && options_.min_size > 0 && open()) {
      ascend(kScreening);
      // If not, a search must not end at the first mapping that meets this bound: another one may have more
      // nodes.
      if (open()) upper_ = out_.caps.upper();
    }
    if (options_.bound && options_.propose_first && open()) ascend(options_.rlt.first_sweeps);
    for (size_t k = 0; k < count && open(); ++k) {
      look(options_.searches[k]);
      const bool last = k + 1 == count;
      if (options_.bound && open())
        ascend(last                                   ? options_.most_iterations
               : k < options_.first_iterations.size() ? options_.first_iterations[k]
                                                      : kEndless);
      if (options_.branch && open()) branch(last ? kEndless : options_.first_nodes);
    }
    if (searched_ && out_.score.edges == upper_ && !enough() &&
        (options_.most_nodes || options_.min_total > 0))
      fill();
    if (tree_) {
      out_.branch = tree_->upper();
      out_.known = tree_->known();
      out_.nodes = tree_->nodes();
      out_.records = tree_->records();
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
    if (!searched_) return true;
    return out_.score.edges < upper_ && !enough() && !deadline_.expired();
  }
  // A threshold question is answered by a mapping.
  bool enough() const {
    return options_.min_size > 0 && out_.score.edges >= options_.min_size &&
           out_.score.edges + out_.score.nodes >= options_.min_total;
  }
  // Mappings up to this size are of no interest to a bound.
  int known() const { return std::max(out_.score.edges, options_.min_size - 1); }

  void look(const SearchOptions& search_options) {
    const bool first = !searched_;
    searched_ = true;
    OnImprove listener;
    if (on_improve_)
      listener = [&](const Event& event) {
        if (event.score > out_.score) on_improve_(event);
      };
    const bool stop_there = options_.min_size > 0 && options_.min_total == 0;
    const int64_t stop = stop_there ? std::min<int64_t>(upper_, options_.min_size) : upper_;
    const Start* given = proposal_ ? &*proposal_ : nullptr;
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

  void ascend(int64_t iterations) {
    if (tree_) return;
    if (!ascent_) {
      if (!Split::fits(pair_, deadline_)) return;
      ascent_.emplace(pair_, options_.rlt, deadline_);
    }
    // Once it has given up, only a larger mapping can make it go on.
    if (hopeless_ && ascent_->known() >= known()) return;
    const auto end = ascent_->run(known(), iterations);
    if (auto proposal = ascent_->proposal()) proposal_ = std::move(proposal);
    hopeless_ = end == Ascent::End::hopeless;
    cut_ = cut_ || end == Ascent::End::deadline;
    note_ascent();
    if (ascent_->met_size() > out_.score.edges) improve(ascent_->met());
  }

  void note_ascent() {
    out_.rlt = ascent_->upper();
    out_.iterations = ascent_->iterations();
    if (out_.rlt >= 0) upper_ = std::min(upper_, out_.rlt);
  }

  void branch(int64_t nodes) {
    if (!tree_) {
      if (!hopeless_ || (options_.most_gap >= 0 && upper_ - known() > options_.most_gap)) return;
      tree_.emplace(pair_, std::move(*ascent_), options_.rlt, options_.tree, deadline_);
    }
    const auto end = tree_->run(known(), nodes, [&](const Mapping& met) { improve(met); });
    cut_ = cut_ || end == Tree::End::deadline;
    upper_ = std::min(upper_, tree_->upper());
  }

  // The size is proven: looks for the most nodes that a mapping of this size can have, or for as many as a
  // threshold question asks for.
  void fill() {
    const int edges = out_.score.edges;
    const int wanted = options_.most_nodes ? 0 : options_.min_total - edges;  // fewer are of no interest
    const int most = std::min(pair_.n, 2 * edges);
    out_.most_nodes = most;
    if (out_.score.nodes >= most || wanted > most || !Split::fits(pair_, deadline_)) return;
    const RltOptions rlt = filling(options_.rlt, most);
    auto points = [&](int nodes) { return edges * rlt.per_edge + nodes; };
    const int known = points(std::max(out_.score.nodes, wanted - 1));
    Ascent ascent(pair_, rlt, deadline_);
    bool late = ascent.run(known, kEndless) == Ascent::End::deadline;
    if (ascent.met_size() > known) improve(ascent.met());
    int64_t upper = ascent.upper();
    if (!late && upper > ascent.known() && !enough()) {
      Tree tree(pair_, std::move(ascent), rlt, options_.tree, deadline_);
      late = tree.run(known, options_.fill_nodes, [&](const Mapping& met) { improve(met); }) ==
             Tree::End::deadline;
      upper = tree.upper();
    }
    cut_ = cut_ || late;
    if (upper >= 0) out_.most_nodes = std::min<int64_t>(upper - points(0), most);
  }

  // A mapping that a bound met on its way.
  void improve(const Mapping& met) {
    Mapping image = met;
    const Score better = judge(pair_, image);
    if (!(better > out_.score)) return;
    out_.score = better;
    out_.image = std::move(image);
    out_.trace.push_back({deadline_.elapsed(), better, Operator::bound, 0});
    if (on_improve_) on_improve_(out_.trace.back());
  }

  const Pair& pair_;
  const SolveOptions& options_;
  const Deadline& deadline_;
  const OnImprove& on_improve_;
  Solution& out_;
  int64_t upper_ = std::numeric_limits<int32_t>::max();
  std::optional<Ascent> ascent_;
  std::optional<Tree> tree_;
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
  check_terms(options.terms, a, b);
  check_constraint(options.constraint, a, b);
  const bool forwards = source_first(a, b);
  const Graph &source = forwards ? a : b, &target = forwards ? b : a;
  Solution out;
  out.caps = quick_caps(a, b, options.terms);
  out.image.assign(source.size(), -1);
  out.prices.assign(target.size(), 0.0f);
  const int64_t cells = Pair::check_size(source, target, options.full_grid);
  const double kept = Pair::seconds_kept(source, target, cells);
  const Deadline work(deadline, std::max(0.0, deadline.remaining() - kept), Deadline::Seconds());
  bool cut = !Pair::worth_beginning(cells, work);
  if (!cut) {
    const Pair pair(source, target, work, forwards ? options.terms : exchanged(options.terms, a, b),
                    forwards ? options.constraint : exchanged(options.constraint), Pair::kMaxStored,
                    options.full_grid);
    cut = !pair.complete();
    if (!cut) {
      Way way(pair, options, work, on_improve, out);
      way.go();
      cut = way.cut() || work.expired();
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

}  // namespace enpda
