#include "terms.hpp"

#include <algorithm>
#include <string>

#include "errors.hpp"

namespace enpda {
namespace {

template <class T>
std::vector<T> transposed(const std::vector<T>& values, size_t rows, size_t columns) {
  std::vector<T> result(values.size());
  if (values.empty()) return result;
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) result[j * rows + i] = values[i * columns + j];
  return result;
}

}  // namespace

void check_terms(const Terms& terms, const Graph& a, const Graph& b) {
  auto fits = [](size_t entries, size_t rows, size_t columns, const char* what) {
    if (entries != 0 && entries != rows * columns)
      throw InputError(std::string(what) + " has " + std::to_string(entries) + " entries, not " +
                       std::to_string(rows) + " x " + std::to_string(columns));
  };
  fits(terms.allowed.size(), a.size(), b.size(), "allowed");
  fits(terms.worth.size(), a.edge_labels.size(), b.edge_labels.size(), "worth");
  if (!std::ranges::all_of(terms.worth, [](int32_t w) { return w >= 0 && w <= Terms::kMaxWorth; }))
    throw InputError("worth must be whole numbers from 0 to " + std::to_string(Terms::kMaxWorth));
}

Terms exchanged(const Terms& terms, const Graph& a, const Graph& b) {
  return {transposed(terms.allowed, a.size(), b.size()),
          transposed(terms.worth, a.edge_labels.size(), b.edge_labels.size())};
}

}  // namespace enpda
