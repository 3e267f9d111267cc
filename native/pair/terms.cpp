#include "pair/terms.hpp"

#include <algorithm>
#include <string>

#include "base/errors.hpp"

namespace enpda {
namespace {

std::vector<int32_t> transposed(const std::vector<int32_t>& values, size_t rows, size_t columns) {
  std::vector<int32_t> result(values.size());
  if (values.empty()) return result;
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) result[j * rows + i] = values[i * columns + j];
  return result;
}

}  // namespace

void check_terms(const Terms& terms, const Graph& a, const Graph& b) {
  if (!terms.allowed.empty() && (terms.allowed.rows() != static_cast<size_t>(a.size()) ||
                                 terms.allowed.columns() != static_cast<size_t>(b.size())))
    throw InputError("allowed has " + std::to_string(terms.allowed.rows()) + " x " +
                     std::to_string(terms.allowed.columns()) + " entries, not " + std::to_string(a.size()) +
                     " x " + std::to_string(b.size()));
  if (!terms.worth.empty() && terms.worth.size() != a.edge_labels.size() * b.edge_labels.size())
    throw InputError("worth has " + std::to_string(terms.worth.size()) + " entries, not " +
                     std::to_string(a.edge_labels.size()) + " x " + std::to_string(b.edge_labels.size()));
  if (!std::ranges::all_of(terms.worth, [](int32_t w) { return w >= 0 && w <= Terms::kMaxWorth; }))
    throw InputError("worth must be whole numbers from 0 to " + std::to_string(Terms::kMaxWorth));
}

Terms exchanged(const Terms& terms, const Graph& a, const Graph& b) {
  return {terms.allowed.exchanged(), transposed(terms.worth, a.edge_labels.size(), b.edge_labels.size())};
}

}  // namespace enpda
