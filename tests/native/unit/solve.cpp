#include "solve/solve.hpp"

#include <stdexcept>

#include "base/errors.hpp"
#include "unit.hpp"

using namespace enpda;

namespace {

template <class Error>
bool refused(const Graph& a, const Graph& b, const SolveOptions& options, const Solution& found) {
  try {
    recount(a, b, options, found);
  } catch (const Error&) {
    return true;
  }
  return false;
}

}  // namespace

TEST("what is found passes when it is counted again, and any false claim does not") {
  const std::vector<int64_t> labels{6, 6, 8}, other{6, 6, 7}, edge_labels(2, 1);
  const std::vector<int64_t> ends{0, 1, 1, 2};
  const Graph a(labels, ends, edge_labels), b(other, ends, edge_labels);
  const SolveOptions options;
  const Solution found = solve(a, b, options, Deadline());
  CHECK(found.score == (Score{1, 2}));
  CHECK(!refused<std::exception>(a, b, options, found));

  Solution larger = found, low = found, few = found, wrong = found, idle = found;
  larger.score.edges = 2;
  CHECK(refused<std::logic_error>(a, b, options, larger));
  low.rlt = 0;
  CHECK(refused<std::logic_error>(a, b, options, low));
  few.most_nodes = 1;
  CHECK(refused<std::logic_error>(a, b, options, few));
  wrong.image[2] = 2;
  CHECK(refused<InputError>(a, b, options, wrong));
  idle.image = {0, -1, -1};
  CHECK(refused<InputError>(a, b, options, idle));

  SolveOptions fragments;  // one of three nodes at least: nothing is left
  fragments.constraint.fragments.least = 3;
  CHECK(refused<std::logic_error>(a, b, fragments, found));
}

TEST("a pair that the first sweeps decide has no search, and others have the same size with one") {
  const std::vector<int64_t> labels(5, 0), edge_labels(5, 0);
  const Graph ring(labels, std::vector<int64_t>{0, 1, 1, 2, 2, 3, 3, 4, 4, 0}, edge_labels);
  const Graph path(labels, std::vector<int64_t>{0, 1, 1, 2, 2, 3, 3, 4}, std::vector<int64_t>(4, 0));
  SolveOptions options;
  options.searches.assign(2, SearchOptions());
  options.bound = options.branch = true;
  options.turn = 1'000'000;
  const Solution sooner = solve(ring, path, options, Deadline());
  CHECK(sooner.score.edges == 4);
  CHECK(sooner.upper() == 4);
  for (const Event& event : sooner.trace) CHECK(event.found_by == Operator::bound);
  options.searches.pop_back();  // one that was asked for alone is made
  const Solution searched = solve(ring, path, options, Deadline());
  CHECK(searched.score == sooner.score);
  CHECK(searched.trace.front().found_by == Operator::proposal);
}
