// What a cap is: a cheap upper bound on the size of every mapping, exact in integers, with what a verifier
// needs to derive it again. Each has a file of its own here, and a line in caps.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/deadline.hpp"
#include "pair/pair.hpp"

namespace enpda {

// What a cap may look at. What several of them need is made when the first one asks.
class Evidence {
 public:
  // The graphs alone, for caps that take no time.
  Evidence(const Graph& left, const Graph& right, const Terms& given_terms, const Deadline& until)
      : a(left), b(right), terms(given_terms), deadline(until) {}
  // A pair, and the prices of a proposal if there are any: one non-negative number per target node.
  Evidence(const Pair& given, std::optional<std::span<const float>> given_prices, const Deadline& until)
      : Evidence(given.source, given.target, given.terms, until) {
    pair = &given;
    prices = given_prices;
  }

  // Twice the incident weights of Eq. 7 of the pair's cells; empty when the deadline struck.
  const std::vector<int64_t>& doubled();

  const Graph &a, &b;
  const Terms& terms;
  const Deadline& deadline;
  const Pair* pair = nullptr;
  std::optional<std::span<const float>> prices;

 private:
  std::optional<std::vector<int64_t>> doubled_;
};

// Named numbers, lists and tables, as a certificate holds them.
using Witness = std::vector<
    std::pair<std::string, std::variant<int64_t, std::vector<int64_t>, std::vector<std::vector<int64_t>>>>>;

struct Cap {
  enum class Needs { graphs, pair, prices };  // each includes those before

  const char* name;  // in Match.bounds
  const char* kind;  // of its witness, as the verifier calls it; none: it is shown, and proves nothing
  Needs needs;
  bool knows_worths;              // whether it holds where edges have worths
  int64_t (*value)(Evidence&);    // -1: the deadline struck first
  Witness (*witness)(Evidence&);  // null without a kind

  bool proves() const { return *kind != '\0'; }
  bool allowed_by(const Terms& terms) const { return knows_worths || terms.worth.empty(); }
};

}  // namespace enpda
