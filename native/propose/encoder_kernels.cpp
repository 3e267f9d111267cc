#include "propose/encoder_kernels.hpp"

#include "base/exponential.hpp"
#include "base/simd.hpp"

namespace enpda {
namespace {

namespace plain {
constexpr int kLanes = 4, kTile = 3, kPart = 4;
#include "propose/encoder_loops.hpp"
}  // namespace plain

#if ENPDA_HAS_CLONES
#pragma GCC push_options
#pragma GCC target("avx2,fma")
namespace avx2 {
constexpr int kLanes = 8, kTile = 3, kPart = 4;
#include "propose/encoder_loops.hpp"
}  // namespace avx2
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512dq,avx2,fma")
namespace avx512 {
constexpr int kLanes = 16, kTile = 6, kPart = 4;
#include "propose/encoder_loops.hpp"
}  // namespace avx512
#pragma GCC pop_options
#endif

}  // namespace

const Kernels& kernels() {
#if ENPDA_HAS_CLONES
  static const Kernels& chosen =
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") ? avx512::table
      : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")        ? avx2::table
                                                                               : plain::table;
  return chosen;
#else
  return plain::table;
#endif
}

}  // namespace enpda
