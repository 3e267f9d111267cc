#include <exception>

#include "unit.hpp"

int main() {
  for (const unit::Test& test : unit::tests()) {
    const int before = unit::failures();
    try {
      test.body();
    } catch (const std::exception& error) {
      ++unit::failures();
      std::fprintf(stderr, "%s\n", error.what());
    }
    if (unit::failures() > before) std::fprintf(stderr, "FAILED: %s\n", test.claim.c_str());
  }
  std::printf("%zu claims, %d failures\n", unit::tests().size(), unit::failures());
  return unit::tests().empty() || unit::failures() > 0;
}
