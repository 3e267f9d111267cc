// On what terms two graphs are compared, besides equal node labels: which nodes may meet, and what a pair of
// edge labels is worth when it does.
#pragma once

#include <cstdint>
#include <vector>

#include "graph.hpp"

namespace enpda {

struct Terms {
  // A preserved edge counts at most this much: shares of it must fit the bound's integers.
  static constexpr int32_t kMaxWorth = 16;

  std::vector<uint8_t> allowed;  // |a| x |b| cells; empty: every cell with equal labels
  std::vector<int32_t> worth;    // |a.edge_labels| x |b.edge_labels|; empty: 1 where labels are equal, else 0

  bool plain() const { return allowed.empty() && worth.empty(); }
  bool allows(const Graph& b, int i, int j) const {
    return allowed.empty() || allowed[static_cast<size_t>(i) * b.size() + j] != 0;
  }
  // Of one of a's edge labels and one of b's, as classes.
  int32_t worth_of(const Graph& a, int left, const Graph& b, int right) const {
    return worth.empty() ? a.edge_labels[left] == b.edge_labels[right]
                         : worth[static_cast<size_t>(left) * b.edge_labels.size() + right];
  }
};

// Throws InputError unless the arrays fit the graphs and every worth is from 0 to kMaxWorth.
void check_terms(const Terms& terms, const Graph& a, const Graph& b);

// The same terms with the graphs exchanged.
Terms exchanged(const Terms& terms, const Graph& a, const Graph& b);

}  // namespace enpda
