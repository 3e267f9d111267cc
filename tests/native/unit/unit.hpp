// Unit tests of the core in a page: a test is a claim with a body, and a check that fails says where.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace unit {

struct Test {
  std::string claim;
  std::function<void()> body;
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

inline int& failures() {
  static int count = 0;
  return count;
}

struct Registered {
  Registered(const char* claim, std::function<void()> body) { tests().push_back({claim, std::move(body)}); }
};

inline void check(bool holds, const char* what, const char* file, int line) {
  if (holds) return;
  ++failures();
  std::fprintf(stderr, "%s:%d: %s does not hold\n", file, line, what);
}

}  // namespace unit

#define UNIT_JOINED(a, b) a##b
#define UNIT_JOIN(a, b) UNIT_JOINED(a, b)
// TEST("a claim") { ... }
#define TEST(claim)                                                                                     \
  static void UNIT_JOIN(unit_test_, __LINE__)();                                                        \
  static const unit::Registered UNIT_JOIN(unit_registered_, __LINE__)(claim,                            \
                                                                      UNIT_JOIN(unit_test_, __LINE__)); \
  static void UNIT_JOIN(unit_test_, __LINE__)()
#define CHECK(what) unit::check(static_cast<bool>(what), #what, __FILE__, __LINE__)
