// The one exception of the core that speaks to a user; Python sees it as enpda.InputError.
#pragma once

#include <stdexcept>

namespace enpda {

struct InputError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

}  // namespace enpda
