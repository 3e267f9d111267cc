#include "lifted.hpp"

#include <array>
#include <map>

namespace enpda {
namespace {

class Builder {
 public:
  explicit Builder(Lifted& out) : out_(out) { out_.start.push_back(0); }
  void add(int32_t variable, double coefficient) {
    out_.index.push_back(variable);
    out_.value.push_back(coefficient);
  }
  void close(double upper) {
    out_.start.push_back(static_cast<int32_t>(out_.index.size()));
    out_.upper.push_back(upper);
  }

 private:
  Lifted& out_;
};

}  // namespace

Lifted lift(const Pair& pair, Lifting lifting) {
  Lifted out;
  std::vector<int32_t> variable(pair.cells(), -1);
  for (Cell c : pair.candidates) {
    bool any = false;
    pair.for_each_neighbour(c, [&](Cell) { any = true; });
    if (!any) continue;
    variable[c] = static_cast<int32_t>(out.candidates.size());
    out.candidates.push_back(c);
  }
  Builder row(out);
  // Matching: every row and every column at most once.
  std::vector<std::vector<int32_t>> of_row(pair.n), of_column(pair.m);
  for (size_t x = 0; x < out.candidates.size(); ++x) {
    of_row[pair.row(out.candidates[x])].push_back(static_cast<int32_t>(x));
    of_column[pair.column(out.candidates[x])].push_back(static_cast<int32_t>(x));
  }
  for (const auto* side : {&of_row, &of_column})
    for (const auto& line : *side) {
      if (line.size() < 2) continue;
      for (int32_t x : line) row.add(x, 1);
      row.close(1);
    }
  const auto first = static_cast<int32_t>(out.candidates.size());
  // Per candidate: the edge variables by the source neighbour and by the target neighbour they lead to.
  using Groups = std::map<std::array<int32_t, 3>, std::vector<int32_t>>;
  Groups groups;
  for (Cell c : out.candidates)
    pair.for_each_worth(c, [&](Cell d, int worth) {
      if (d < c) return;
      out.worth.push_back(worth);
      const int32_t y = first + static_cast<int32_t>(out.ends.size() / 2);
      const int32_t a = variable[c], b = variable[d];
      out.ends.insert(out.ends.end(), {a, b});
      if (lifting == Lifting::mccormick) {
        for (int32_t x : {a, b}) {
          row.add(y, 1);
          row.add(x, -1);
          row.close(0);
        }
        row.add(a, 1);
        row.add(b, 1);
        row.add(y, -1);
        row.close(1);
      } else {
        groups[{a, 0, pair.row(d)}].push_back(y);
        groups[{a, 1, pair.column(d)}].push_back(y);
        groups[{b, 0, pair.row(c)}].push_back(y);
        groups[{b, 1, pair.column(c)}].push_back(y);
      }
    });
  for (const auto& [key, members] : groups) {
    for (int32_t y : members) row.add(y, 1);
    row.add(key[0], -1);
    row.close(0);
  }
  return out;
}

}  // namespace enpda
