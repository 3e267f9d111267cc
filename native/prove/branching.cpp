#include "prove/branching.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "graph/isomorphism.hpp"

namespace enpda {

namespace {

constexpr double kUrgent = 100;  // times as much as any other line

// What an automorphism must respect: decisions, and who may meet whom.
std::vector<int32_t> marks_of(const std::vector<int32_t>& decisions, const std::vector<int32_t>& kind) {
  if (kind.empty()) return decisions;
  const int32_t kinds = 1 + *std::max_element(kind.begin(), kind.end());
  std::vector<int32_t> marks(kind.size());
  for (size_t v = 0; v < kind.size(); ++v) marks[v] = (decisions[v] + 1) * kinds + kind[v];
  return marks;
}

}  // namespace

std::vector<Child> ways_to_branch(const Pair& pair, Ascent& ascent, const Decisions& decisions, int steps,
                                  const Deadline& deadline) {
  const auto slack = ascent.slacks();
  const auto& cells = ascent.survivors();
  const auto row_marks = marks_of(decisions.row, pair.row_kind);
  const auto column_marks = marks_of(decisions.column, pair.column_kind);
  const auto source = refined_colours(pair.source, row_marks);
  const auto target = refined_colours(pair.target, column_marks);
  // Children of a line: one per colour of the other side, and "unmatched".
  std::vector<std::vector<size_t>> of_row(pair.n), of_column(pair.m);
  for (size_t k = 0; k < cells.size(); ++k) {
    of_row[pair.row(cells[k])].push_back(k);
    of_column[pair.column(cells[k])].push_back(k);
  }
  auto kinds = [&](const std::vector<size_t>& line, bool rows) {
    std::vector<uint64_t> colours;
    for (size_t k : line)
      colours.push_back(rows ? target[pair.column(cells[k])] : source[pair.row(cells[k])]);
    std::sort(colours.begin(), colours.end());
    return static_cast<size_t>(std::unique(colours.begin(), colours.end()) - colours.begin());
  };
  const auto& usage = ascent.usage();
  Urgent urgent{pair, decisions.row, decisions.column, std::vector<uint8_t>(pair.n),
                std::vector<uint8_t>(pair.m)};
  pair.constraint.each([&](const auto& kind) { kind.urge(urgent); });
  double best_score = -1;
  bool by_row = true;
  int line = -1;
  for (const bool rows : {true, false}) {
    const auto& lines = rows ? of_row : of_column;
    for (size_t x = 0; x < lines.size(); ++x) {
      // A decided line has nothing left to decide.
      if (lines[x].empty() || (rows ? decisions.row : decisions.column)[x] != 0) continue;
      // How undecided the relaxation is about the line, for each child it costs. The fewest children,
      // whatever the line, took a thousand times as many nodes.
      double spread = lines[x].size() > 1 ? 1e-6 : 0;
      for (size_t k : lines[x]) spread += usage[k] * (1 - usage[k]);
      double value = spread / static_cast<double>(kinds(lines[x], rows) + 1);
      if ((rows ? urgent.row : urgent.column)[x]) value *= kUrgent;
      if (value > best_score) {
        best_score = value;
        by_row = rows;
        line = static_cast<int>(x);
      }
    }
  }
  if (line < 0) throw std::logic_error("a node without a choice was not closed by its own mapping");
  const Graph& other = by_row ? pair.target : pair.source;
  const auto& colour = by_row ? target : source;
  const auto& marks = by_row ? column_marks : row_marks;
  auto matches = [&](int y) { return by_row ? pair.matches(line, y) : pair.matches(y, line); };
  auto members = by_row ? of_row[line] : of_column[line];
  std::sort(members.begin(), members.end(),
            [&](size_t x, size_t y) { return std::pair(slack[x], x) < std::pair(slack[y], y); });
  auto across = [&](size_t k) { return by_row ? pair.column(cells[k]) : pair.row(cells[k]); };
  std::vector<uint8_t> live(other.size(), 0);
  for (size_t k : members) live[across(k)] = 1;
  // What was deleted takes its whole orbit with it; otherwise one representative of each orbit is enough.
  std::map<uint64_t, std::vector<int>> models;
  for (int y = 0; y < other.size(); ++y)
    if (!live[y] && matches(y)) models[colour[y]].push_back(y);
  std::vector<Child> children;
  int tries = 300;
  for (size_t k : members) {
    const int y = across(k);
    Child child;
    child.row = by_row ? line : y;
    child.column = by_row ? y : line;
    auto& alike = models[colour[y]];
    for (int model : alike) {
      if (tries-- <= 0 || deadline.expired()) break;
      child.automorphism = find_automorphism(other, marks, y, model, steps);
      if (child.automorphism.empty()) continue;
      if (!keeps(pair.constraint, child.automorphism, !by_row)) {
        child.automorphism.clear();
        continue;
      }
      child.like_row = by_row ? line : model;
      child.like_column = by_row ? model : line;
      break;
    }
    if (child.automorphism.empty()) alike.push_back(y);
    children.push_back(std::move(child));
  }
  children.push_back({by_row ? line : -1, by_row ? -1 : line, -1, -1, -1, {}});
  return children;
}

}  // namespace enpda
