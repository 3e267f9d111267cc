#include "../assignment.hpp"
#include "../bounds/caps.hpp"
#include "common.hpp"

namespace enpda {
namespace {

template <class T>
auto assign_matrix(const Matrix<T>& w) {
  const int n = static_cast<int>(w.shape(0)), m = static_cast<int>(w.shape(1));
  Assignment<T> r;
  {
    nb::gil_scoped_release release;
    r = assign<T>(std::span<const T>(w.data(), w.size()), n, m, Deadline());
  }
  return std::tuple(r.value, array(r.column), array(r.row_potential), array(r.column_potential));
}

}  // namespace

void bind_bounds(nb::module_& module) {
  constexpr auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  module.def("assign", &assign_matrix<double>, "weight"_a);
  module.def("assign", &assign_matrix<int64_t>, "weight"_a,
             "Maximum-weight partial assignment: value, column per row, row and column potentials.");

  module.def(
      "caps",
      [](const Graph& a, const Graph& b) {
        const Deadline forever;
        return std::tuple(edge_cap(a, b), histogram_cap(a, b), assignment_cap(Pair(a, b, forever), forever));
      },
      "a"_a, "b"_a, unlocked, "Edge, histogram and assignment cap.");
}

}  // namespace enpda
