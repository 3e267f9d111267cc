#include "bounds/lifted.hpp"

#include <algorithm>
#include <string>

#include "base/errors.hpp"

namespace enpda {
namespace {

class Builder {
 public:
  Builder(Lifted& out, size_t most) : out_(out), most_(most) { out_.start.push_back(0); }
  void add(int32_t variable, double coefficient) {
    out_.index.push_back(variable);
    out_.value.push_back(coefficient);
  }
  [[noreturn]] void refuse() const {
    throw InputError("the programme has more entries than the " + std::to_string(most_) +
                     " that are accepted");
  }
  void close(double upper) {
    if (out_.index.size() > most_) refuse();
    out_.start.push_back(static_cast<int32_t>(out_.index.size()));
    out_.upper.push_back(upper);
  }

 private:
  Lifted& out_;
  size_t most_;
};

// What the rows of an association edge take to be written.
constexpr double kSecondsPerEdge = 6e-8;

// An association edge as one of its candidates sees it.
struct Link {
  int32_t line;  // of the other candidate: its row or its column
  int32_t edge;  // variable
};

}  // namespace

std::optional<Lifted> lift(const Pair& pair, Lifting lifting, size_t most, const Deadline& deadline) {
  Lifted out;
  std::vector<int32_t> variable(pair.cells(), -1);
  Watch watch(deadline, pair.patience());
  for (Cell c : pair.candidates) {
    if (watch.expired()) return std::nullopt;
    bool any = false;
    pair.for_each_neighbour(c, [&](Cell) { any = true; });
    if (!any) continue;
    variable[c] = static_cast<int32_t>(out.candidates.size());
    out.candidates.push_back(c);
  }
  Builder row(out, most);
  // Matching: every row and every column at most once.
  std::vector<std::vector<int32_t>> of_row(pair.n), of_column(pair.m);
  for (size_t x = 0; x < out.candidates.size(); ++x) {
    of_row[pair.row(out.candidates[x])].push_back(static_cast<int32_t>(x));
    of_column[pair.column(out.candidates[x])].push_back(static_cast<int32_t>(x));
  }
  for (const auto* side : {&of_row, &of_column})
    for (const auto& line : *side) {
      if (watch.expired()) return std::nullopt;
      if (line.size() < 2) continue;
      for (int32_t x : line) row.add(x, 1);
      row.close(1);
    }
  const auto first = static_cast<int32_t>(out.candidates.size());
  for (Cell c : out.candidates) {
    const size_t neighbours =
        static_cast<size_t>(pair.source.degree(pair.row(c))) * pair.target.degree(pair.column(c));
    if (watch.expired() ||
        (neighbours > 10'000 && deadline.remaining() < kSecondsPerEdge * static_cast<double>(neighbours)))
      return std::nullopt;
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
      }
    });
    // Every edge variable is in four rows of the aggregated form.
    if (lifting == Lifting::aggregated && 2 * out.ends.size() > most) row.refuse();
  }
  if (lifting == Lifting::mccormick) return out;
  // Per candidate: the edge variables by the source neighbour and by the target neighbour they lead to.
  std::vector<size_t> start(out.candidates.size() + 1, 0);
  for (int32_t a : out.ends) ++start[a + 1];
  for (size_t a = 0; a < out.candidates.size(); ++a) start[a + 1] += start[a];
  std::vector<int32_t> end_of(out.ends.size());  // indices into `ends`, those of one candidate together
  auto next = start;
  for (size_t k = 0; k < out.ends.size(); ++k) end_of[next[out.ends[k]]++] = static_cast<int32_t>(k);
  std::vector<Link> links;
  for (size_t a = 0; a < out.candidates.size(); ++a) {
    if (watch.expired()) return std::nullopt;
    for (const bool rows : {true, false}) {
      links.clear();
      for (size_t at = start[a]; at < start[a + 1]; ++at) {
        const Cell other = out.candidates[out.ends[end_of[at] ^ 1]];
        links.push_back({rows ? pair.row(other) : pair.column(other), first + end_of[at] / 2});
      }
      std::ranges::stable_sort(links, {}, &Link::line);
      for (size_t k = 0; k < links.size(); ++k) {
        row.add(links[k].edge, 1);
        if (k + 1 < links.size() && links[k + 1].line == links[k].line) continue;
        row.add(static_cast<int32_t>(a), -1);
        row.close(0);
      }
    }
  }
  return out;
}

}  // namespace enpda
