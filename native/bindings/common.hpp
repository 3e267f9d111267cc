// What the binding files share: numpy arrays in and out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <span>
#include <vector>

#include "base/deadline.hpp"

namespace enpda {

namespace nb = nanobind;
using namespace nb::literals;

// One function a file, called by module.cpp.
void bind_graph(nb::module_& module);
void bind_constraint(nb::module_& module);
void bind_policy(nb::module_& module);
void bind_rounds(nb::module_& module);
void bind_bounds(nb::module_& module);
void bind_rlt(nb::module_& module);
void bind_search(nb::module_& module);
void bind_batch(nb::module_& module);
void bind_many(nb::module_& module);
void bind_peers(nb::module_& module);
void bind_shares(nb::module_& module);
void bind_kernel(nb::module_& module);

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

// A deadline that signals end as well. What a handler raises is kept for `check`, which needs the GIL; Ctrl-C
// too, unless the caller wants to return what it has (then it only cancels).
class Interruptible {
 public:
  Interruptible(double time_limit, bool keeps_result) : deadline(time_limit) {
    deadline.poll([this, keeps_result] {
      nb::gil_scoped_acquire locked;
      if (PyErr_CheckSignals() == 0) return false;
      if (keeps_result && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
        PyErr_Clear();
      } else {
        failure = std::make_exception_ptr(nb::python_error());
      }
      return true;
    });
  }
  void check() const {
    if (failure) std::rethrow_exception(failure);
  }

  Deadline deadline;
  std::exception_ptr failure;
};

// Runs work(deadline) without the GIL; Ctrl-C ends it and is raised.
template <class Work>
auto interruptibly(double time_limit, Work&& work) {
  Interruptible call(time_limit, false);
  auto result = [&] {
    nb::gil_scoped_release release;
    return work(call.deadline);
  }();
  call.check();
  return result;
}

}  // namespace enpda
