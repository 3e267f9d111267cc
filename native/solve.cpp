#include "solve.hpp"

#include <limits>
#include <optional>

namespace enpda {
namespace {

// One pair on its way; rows are the source's nodes.
class Way {
 public:
  Way(const Pair& pair, const SolveOptions& options, const Deadline& deadline, const OnImprove& on_improve,
      Solution& out)
      : pair_(pair), options_(options), deadline_(deadline), on_improve_(on_improve), out_(out) {}

  void go() {
    for (size_t k = 0; k < options_.searches.size() && open(); ++k) {
      const bool better = look(options_.searches[k]);
      // Once the bound has given up, only a better mapping can make it go on.
      if (options_.bound && open() && (better || !hopeless_)) {
        const bool last = k > 0 || options_.searches.size() == 1;
        ascend(last ? std::numeric_limits<int32_t>::max() : options_.first_iterations);
      }
    }
    if (ascent_) {
      out_.rlt = ascent_->upper();
      out_.known = ascent_->known();
      out_.iterations = ascent_->iterations();
      if (options_.rlt.record && out_.rlt >= 0) out_.stages = ascent_->stages();
    }
  }

  bool cut() const { return cut_; }

 private:
  bool open() const { return out_.score.edges < upper_ && !(deadline_.expired() && out_.score.edges >= 0); }

  bool look(const SearchOptions& search_options) {
    const bool first = out_.score.edges < 0;
    OnImprove listener;
    if (on_improve_)
      listener = [&](const Event& event) {
        if (event.score > out_.score) on_improve_(event);
      };
    SearchResult found = search(pair_, search_options, out_.caps, upper_, deadline_, listener);
    cut_ = cut_ || found.cut;
    if (first) out_.prices = std::move(found.prices);
    upper_ = std::min(upper_, out_.caps.upper());
    for (const Event& event : found.trace)
      if (event.score > out_.score) out_.trace.push_back(event);
    return adopt(found.score, std::move(found.image));
  }

  void ascend(int64_t iterations) {
    if (!ascent_) {
      if (!Split::fits(pair_, deadline_)) return;
      ascent_.emplace(pair_, options_.rlt, deadline_);
    }
    const auto end = ascent_->run(out_.score.edges, iterations);
    hopeless_ = end == Ascent::End::hopeless;
    cut_ = cut_ || end == Ascent::End::deadline;
    if (ascent_->upper() >= 0) upper_ = std::min(upper_, ascent_->upper());
    if (ascent_->met_size() > out_.score.edges) {
      Mapping image = ascent_->met();
      strip(pair_.source, pair_.target, image);
      const Score met = score(pair_.source, pair_.target, image);
      const Event event{deadline_.elapsed(), met, Operator::bound, 0};
      out_.trace.push_back(event);
      if (on_improve_) on_improve_(event);
      adopt(met, std::move(image));
    }
  }

  bool adopt(Score score, Mapping image) {
    if (!(score > out_.score)) return false;
    const bool larger = score.edges > out_.score.edges;
    out_.score = score;
    out_.image = std::move(image);
    return larger;
  }

  const Pair& pair_;
  const SolveOptions& options_;
  const Deadline& deadline_;
  const OnImprove& on_improve_;
  Solution& out_;
  int64_t upper_ = std::numeric_limits<int32_t>::max();
  std::optional<Ascent> ascent_;
  bool hopeless_ = false, cut_ = false;
};

// The same proof with rows and columns exchanged.
void transpose(const Pair& pair, Stage& stage) {
  for (size_t e = 0; e < stage.a.size(); ++e) {
    stage.a[e] = pair.column(stage.a[e]) * pair.n + pair.row(stage.a[e]);
    stage.b[e] = pair.column(stage.b[e]) * pair.n + pair.row(stage.b[e]);
  }
  std::swap(stage.u, stage.v);
}

}  // namespace

Solution solve(const Graph& a, const Graph& b, const SolveOptions& options, const Deadline& deadline,
               const OnImprove& on_improve) {
  Pair::check_size(a, b);
  const bool forwards = source_first(a, b);
  const Pair pair(forwards ? a : b, forwards ? b : a, deadline);
  Solution out;
  out.caps.edge = edge_cap(a, b);
  out.caps.histogram = histogram_cap(a, b);
  out.image.assign(pair.n, -1);
  out.prices.assign(pair.m, 0.0f);
  Way way(pair, options, deadline, on_improve, out);
  way.go();
  if (!forwards) {
    out.image = inverse(out.image, pair.m);
    for (Stage& stage : out.stages) transpose(pair, stage);
  }
  const bool late = deadline.expired();
  out.interrupted = deadline.cancelled();
  out.time_limit = !out.interrupted && (late || way.cut());
  out.seconds = deadline.elapsed();
  return out;
}

}  // namespace enpda
