#include "optima.hpp"

#include <set>

namespace enpda {

Optima enumerate_optima(const Pair& pair, int size, size_t limit, const RltOptions& options,
                        const Deadline& deadline) {
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
    if (ascent.decided()) {
      Mapping image(pair.n, -1);
      for (Cell c : ascent.survivors()) image[pair.row(c)] = pair.column(c);
      if (judge(pair, image).edges >= size) found.insert(std::move(image));
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
    const Choice choice{child.row, child.column};
    decisions.add(choice);
    enter(Ascent(level.ascent, {&choice, 1}, rlt), std::move(decisions));
  }
  result.complete = stack.empty() && !deadline.expired();
  result.images.assign(found.begin(), found.end());
  return result;
}

}  // namespace enpda
