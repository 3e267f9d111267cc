// Where to branch, and into what: the line that the relaxation is least sure of, one child per kind of
// partner.
#pragma once

#include <cstdint>
#include <vector>

#include "rlt/ascent.hpp"

namespace enpda {

// One way to decide a line. With a cell that it is like it is left out: an automorphism of the other graph,
// which leaves earlier decisions alone, takes it to a sibling or to a cell that was deleted.
struct Child {
  int32_t row = -1, column = -1;            // -1: unmatched
  int32_t record = -1;                      // of its node in a proof; -1 while it has none
  int32_t like_row = -1, like_column = -1;  // when it is left out
  std::vector<int32_t> automorphism;

  bool left_out() const { return like_row >= 0; }
};

// What was decided on the way to a node, as marks that an automorphism must respect: 0 free, -1 unmatched,
// any other number a decision of its own.
struct Decisions {
  Decisions() = default;
  explicit Decisions(const Pair& pair) : row(pair.n, 0), column(pair.m, 0) {}
  void add(Choice choice) {
    const auto [i, j] = choice;
    choices.push_back(choice);
    const auto number = static_cast<int32_t>(choices.size());
    if (i >= 0) row[i] = j < 0 ? -1 : number;
    if (j >= 0) column[j] = i < 0 ? -1 : number;
  }

  std::vector<int32_t> row, column;
  std::vector<Choice> choices;  // in order
};

// The children of the line to branch on, the most promising first and "unmatched" last. A line with one
// partner is chosen only when there is no other. Looking for automorphisms ends with the deadline and after a
// few hundred: whatever is not known to be alike is a child of its own.
std::vector<Child> ways_to_branch(const Pair& pair, Ascent& ascent, const Decisions& decisions, int steps,
                                  const Deadline& deadline);

}  // namespace enpda
