// Caps by name, as people see them.
#pragma once

#include <string>

#include "bindings/common.hpp"
#include "bounds/caps.hpp"

namespace enpda {

// In the order of the table; needs the GIL.
inline nb::typed<nb::dict, std::string, int64_t> by_name(const Caps& caps) {
  nb::typed<nb::dict, std::string, int64_t> result;
  for (size_t k = 0; k < kCaps.size(); ++k)
    if (caps.values()[k] >= 0) result[kCaps[k].name] = caps.values()[k];
  return result;
}

}  // namespace enpda
