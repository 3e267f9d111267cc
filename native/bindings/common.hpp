// What the binding files share: numpy arrays in and out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <vector>

namespace enpda {

namespace nb = nanobind;
using namespace nb::literals;

// One function a file, called by bindings.cpp.
void bind_graph(nb::module_& module);
void bind_rounds(nb::module_& module);
void bind_bounds(nb::module_& module);
void bind_search(nb::module_& module);

template <class T, class... Shape>
using In = nb::ndarray<const T, Shape..., nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = In<T, nb::ndim<1>>;
template <class T>
using Matrix = In<T, nb::ndim<2>>;

template <class T>
std::span<const T> view(const Vector<T>& x) {
  return {x.data(), x.size()};
}

// A numpy array that owns the vector's memory.
template <class T>
nb::ndarray<nb::numpy, T> array(std::vector<T> values, std::initializer_list<size_t> shape) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(owned->data(), shape, owner);
}

template <class T>
nb::ndarray<nb::numpy, T> array(std::vector<T> values) {
  const size_t size = values.size();
  return array(std::move(values), {size});
}

}  // namespace enpda
