// The solver's entry under libFuzzer: bytes become a question, and brute force judges the answer.
#include <cstdio>
#include <cstdlib>

#include "question.hpp"

namespace {

void need(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "FINDING: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace enpda;
  const fuzz::Question q = fuzz::question(data, size);
  const auto a = q.a.graph(), b = q.b.graph();
  const Deadline deadline(q.a.labels.size() > 8 || q.b.labels.size() > 8 ? 0.02 : q.limit);
  int heard = -1;
  const Solution found = solve(*a, *b, q.options, deadline, [&](const Event& event, const Mapping&) {
    need(event.score.edges >= heard, "an improvement is none");
    heard = event.score.edges;
  });
  const BareProblem problem = fuzz::bare(q);
  const BareScore counted = bare_score(problem, found.image);
  need(counted.worth == found.score.edges && counted.nodes == found.score.nodes,
       "a mapping counts otherwise");
  need(found.score.edges <= found.upper(), "a size is above its bound");
  need(q.limit >= 0 || !found.interrupted, "interrupted by nobody");
  if (problem.rows > 8 || problem.columns > 8) return 0;
  const BareScore best = brute_force(problem);
  need(found.score.edges <= best.worth, "a size is above the optimum");
  need(best.worth <= found.upper(), "a bound is below the optimum");
  if (found.score.edges == best.worth) {
    need(found.score.nodes <= best.nodes, "more nodes than the most");
    need(found.most_nodes < 0 || best.nodes <= found.most_nodes, "a bound is below the most nodes");
  }
  // A tree that may not hold its nodes, or an ascent that may not go on, ends without a proof.
  const SolveOptions usual;
  const bool proves = q.options.branch && q.options.most_gap < 0 &&
                      q.options.tree.memory == usual.tree.memory &&
                      q.options.most_iterations == usual.most_iterations;
  if (proves && q.limit < 0 && q.options.min_size == 0)
    need(found.score.edges == found.upper(), "no proof without a limit");
  return 0;
}
