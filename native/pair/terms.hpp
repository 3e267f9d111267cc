// On what terms two graphs are compared, besides equal node labels: which nodes may meet, and what a pair of
// edge labels is worth when it does.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "graph/graph.hpp"

namespace enpda {

// A matrix of truth values. Copies share it and the other way round is only another view of it: that of a
// large pair has 64 MB.
class Allowed {
 public:
  Allowed() = default;
  Allowed(std::span<const uint8_t> cells, size_t rows, size_t columns)
      : cells_(std::make_shared<const std::vector<uint8_t>>(cells.begin(), cells.end())),
        rows_(rows),
        columns_(columns),
        down_(columns),
        across_(1) {}

  bool empty() const { return rows_ * columns_ == 0; }
  size_t rows() const { return rows_; }
  size_t columns() const { return columns_; }
  bool operator()(size_t i, size_t j) const { return (*cells_)[i * down_ + j * across_] != 0; }
  Allowed exchanged() const {
    Allowed result = *this;
    std::swap(result.rows_, result.columns_);
    std::swap(result.down_, result.across_);
    return result;
  }

 private:
  std::shared_ptr<const std::vector<uint8_t>> cells_;
  size_t rows_ = 0, columns_ = 0;
  size_t down_ = 0, across_ = 0;  // steps to the next row and to the next column
};

struct Terms {
  // A preserved edge counts at most this much: shares of it must fit the bound's integers.
  static constexpr int32_t kMaxWorth = 16;

  Allowed allowed;             // |a| x |b| cells; empty: every cell with equal labels
  std::vector<int32_t> worth;  // |a.edge_labels| x |b.edge_labels|; empty: 1 where labels are equal, else 0

  bool plain() const { return allowed.empty() && worth.empty(); }
  bool allows(int i, int j) const { return allowed.empty() || allowed(i, j); }
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
