// The compiled module's table of contents.
#include "base/errors.hpp"
#include "base/simd.hpp"
#include "bindings/common.hpp"

namespace {

using enpda::InputError;
namespace nb = nanobind;

void raise_input_error(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    PyErr_SetString(nb::module_::import_("enpda.errors").attr("InputError").ptr(), error.what());
  }
}

}  // namespace

NB_MODULE(_core, module) {
  module.doc() = "The compiled core of enpda.";
  nb::set_leak_warnings(false);  // graphs held by a caller's globals at exit are not our news to tell
  nb::register_exception_translator(raise_input_error);
  enpda::bind_graph(module);
  enpda::bind_constraint(module);
  enpda::bind_policy(module);
  enpda::bind_rounds(module);
  enpda::bind_bounds(module);
  enpda::bind_rlt(module);
  enpda::bind_search(module);
  enpda::bind_batch(module);
  enpda::bind_many(module);
  enpda::bind_peers(module);
  enpda::bind_shares(module);
  enpda::bind_kernel(module);
  module.def("build_info", [] {
    return std::tuple(std::string(__VERSION__), static_cast<long>(__cplusplus), ENPDA_HAS_CLONES != 0);
  });
}
