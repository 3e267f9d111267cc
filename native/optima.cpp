#include "optima.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace enpda {
namespace {

// Nodes that a mapping of these candidates can have at most.
int most_nodes(const Pair& pair, const std::vector<Cell>& candidates) {
  std::vector<uint8_t> rows(pair.n), columns(pair.m);
  int used_rows = 0, used_columns = 0;
  for (Cell c : candidates) {
    used_rows += !std::exchange(rows[pair.row(c)], 1);
    used_columns += !std::exchange(columns[pair.column(c)], 1);
  }
  return std::min(used_rows, used_columns);
}

}  // namespace

Optima enumerate_optima(const Pair& pair, int size, size_t limit, const RltOptions& options,
                        const Deadline& deadline, std::optional<int> beyond) {
  constexpr int kAutomorphismSteps = 64;
  struct Level {
    Ascent ascent;
    Decisions decisions;
    std::vector<Child> children;
    size_t next = 0;
  };
  RltOptions rlt = options;
  rlt.collect = true;  // the bound keeps what reaches `size`, and a mapping that it meets closes nothing
  rlt.record = false;
  std::set<Mapping> found;
  Optima result;
  if (size == 0) {
    result.images.emplace_back(pair.n, -1);
    result.complete = true;
    return result;
  }
  std::vector<Level> stack;
  // Looks at one node; its children, if it has any, wait on the stack.
  auto enter = [&](Ascent ascent, Decisions decisions) {
    constexpr int64_t kIterations = 40;
    if (ascent.run(size - 1, kIterations) == Ascent::End::closed) return;
    ascent.settle();
    if (ascent.upper() < size) return;
    if (beyond && most_nodes(pair, ascent.survivors()) <= *beyond) return;
    if (ascent.decided()) {
      Mapping image(pair.n, -1);
      for (Cell c : ascent.survivors()) image[pair.row(c)] = pair.column(c);
      const Score score = judge(pair, image);
      if (score.edges < size || (beyond && score.nodes <= *beyond)) return;
      if (beyond) beyond = score.nodes;
      found.insert(std::move(image));
      return;
    }
    auto children = ways_to_branch(pair, ascent, decisions, kAutomorphismSteps, deadline);
    stack.push_back({std::move(ascent), std::move(decisions), std::move(children), 0});
  };
  enter(Ascent(pair, rlt, deadline), Decisions(pair));
  while (!stack.empty() && found.size() < limit && !deadline.expired()) {
    Level& level = stack.back();
    if (level.next == level.children.size()) {
      stack.pop_back();
      continue;
    }
    const Child& child = level.children[level.next++];
    if (child.left_out()) continue;
    Decisions decisions = level.decisions;
    decisions.add(child.row, child.column);
    enter(Ascent(level.ascent, child.row, child.column, rlt), std::move(decisions));
  }
  result.complete = stack.empty() && !deadline.expired();
  result.images.assign(found.begin(), found.end());
  return result;
}

}  // namespace enpda
