// Work shared by threads, as Python's main thread needs it.
#pragma once

#include <cstddef>
#include <functional>

#include "base/deadline.hpp"

namespace enpda {

// Runs `work` on the calling thread and up to `others` more. The first exception cancels and is thrown again
// when all have stopped; meanwhile the calling thread keeps asking the deadline, which is where Ctrl-C
// arrives.
void run_on_threads(size_t others, const Deadline& deadline, const std::function<void()>& work);

}  // namespace enpda
