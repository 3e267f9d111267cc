// One counter-based generator for the whole core: draw k of a stream is a pure function of (seed, stream, k),
// so results depend neither on threads nor on the order in which streams run.
#pragma once

#include <cmath>
#include <cstdint>

namespace enpda {

// SplitMix64's finaliser: a bijection of 64-bit words with full avalanche.
inline uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

inline uint64_t mix(uint64_t a, uint64_t b) {
  return mix(mix(a) ^ (b * 0xd6e8feb86659fd93ULL + 0x2545f4914f6cdd1dULL));
}

// 32 random bits to {0, ..., bound - 1}, by multiplication; the bias is below bound / 2^32.
inline uint32_t scale(uint32_t bits, uint32_t bound) {
  return static_cast<uint32_t>((uint64_t{bits} * bound) >> 32);
}

class Random {
 public:
  explicit Random(uint64_t seed, uint64_t stream = 0) : key_(mix(seed, stream)) {}

  uint64_t next() { return mix(key_ + 0x9e3779b97f4a7c15ULL * ++counter_); }
  uint32_t bits() { return static_cast<uint32_t>(next() >> 32); }
  // Uniform in {0, ..., bound - 1}; bound > 0.
  uint32_t below(uint32_t bound) { return scale(bits(), bound); }
  // Uniform in the open interval (0, 1).
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1.0p-53; }
  double gumbel() { return -std::log(-std::log(uniform())); }

 private:
  uint64_t key_, counter_ = 0;
};

}  // namespace enpda
