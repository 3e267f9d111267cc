#include "prove/optima.hpp"

#include <algorithm>
#include <map>

namespace enpda {
namespace {

// The shared edges, as a's edge and the ends of b's; two mappings have the same ones when they differ only in
// which way round an edge lies that is a fragment of its own.
std::vector<int32_t> shared_edges(const Pair& pair, const Mapping& image) {
  std::vector<int32_t> key;
  for (int32_t e : retained_edges(pair.source, pair.target, pair.terms, pair.constraint, image)) {
    const auto [low, high] = std::minmax(image[pair.source.edges[e].u], image[pair.source.edges[e].v]);
    key.insert(key.end(), {e, low, high});
  }
  return key;
}

}  // namespace

Optima enumerate_optima(const Pair& pair, int size, size_t limit, bool by_edges, const RltOptions& options,
                        const Deadline& deadline) {
  const int automorphism_steps = by_edges ? 0 : 64;
  struct Level {
    Ascent ascent;
    Decisions decisions;
    std::vector<Child> children;
    size_t next = 0;
  };
  RltOptions rlt = options;
  rlt.collect = true;  // the bound keeps what reaches `size`, and a mapping that it meets closes nothing
  rlt.record = false;
  std::map<std::vector<int32_t>, Mapping> found;  // by what tells them apart
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
      if (judge(pair, image).edges < size) return;
      auto key = by_edges ? shared_edges(pair, image) : image;
      found.try_emplace(std::move(key), std::move(image));
      return;
    }
    auto children = ways_to_branch(pair, ascent, decisions, automorphism_steps, deadline);
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
  for (auto& [key, image] : found) result.images.push_back(std::move(image));
  return result;
}

}  // namespace enpda
