// The tiny assignment inside a candidate: its incident source edges against its incident target edges, each
// used once, a share that is negative or absent never taken. Degrees up to four take a branch-free path over
// all 24 permutations; any other degree goes through the general assignment.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace enpda {

using Share = int32_t;
constexpr Share kAbsent = INT32_MIN / 2;  // there is no such arc

namespace small {  // 4 x 4 blocks, row-major

using Row = Share __attribute__((vector_size(16)));

inline Row load(const Share* p) {
  Row r;
  __builtin_memcpy(&r, p, sizeof r);
  return r;
}
inline void store(Share* p, Row r) {
  __builtin_memcpy(p, &r, sizeof r);
}
inline Row max(Row x, Row y) {
  return x > y ? x : y;
}

#if defined(__clang__)
#define ENPDA_PICK(x, a, b, c, d) __builtin_shufflevector(x, x, a, b, c, d)
#define ENPDA_PICK2(x, y, a, b, c, d) __builtin_shufflevector(x, y, a, b, c, d)
#else
#define ENPDA_PICK(x, a, b, c, d) __builtin_shuffle(x, Row{a, b, c, d})
#define ENPDA_PICK2(x, y, a, b, c, d) __builtin_shuffle(x, y, Row{a, b, c, d})
#endif

// The best value of two rows on each pair of columns: `low` holds the pairs 01, 02, 03 and `high` their
// complements 23, 13, 12; the last lane repeats the third.
struct Halves {
  Row low, high;
};

inline Halves halves(Row x, Row y) {
  return {max(ENPDA_PICK(x, 0, 0, 0, 0) + ENPDA_PICK(y, 1, 2, 3, 3),
              ENPDA_PICK(x, 1, 2, 3, 3) + ENPDA_PICK(y, 0, 0, 0, 0)),
          max(ENPDA_PICK(x, 2, 1, 1, 1) + ENPDA_PICK(y, 3, 3, 2, 2),
              ENPDA_PICK(x, 3, 3, 2, 2) + ENPDA_PICK(y, 2, 1, 1, 1))};
}

inline Share largest(Row x) {
  x = max(x, ENPDA_PICK(x, 2, 3, 0, 1));
  x = max(x, ENPDA_PICK(x, 1, 0, 3, 2));
  return x[0];
}

inline Share value_of(const Halves& top, const Halves& bottom) {
  return largest(max(top.low + bottom.high, top.high + bottom.low));
}

inline Share value(const Share* block) {
  const Row zero{};
  return value_of(halves(max(load(block), zero), max(load(block + 4), zero)),
                  halves(max(load(block + 8), zero), max(load(block + 12), zero)));
}

// Per column of a row, the best that the other three rows can do without it; `partner` is the row's companion
// and `rest` what the other two rows are worth on each pair of columns.
inline Row without(Row partner, const Halves& rest) {
  // Column s and the partner's column t leave the complement of {s, t} to the rest; t takes three values.
  const Row first = ENPDA_PICK(partner, 1, 0, 0, 0) + ENPDA_PICK(rest.high, 0, 0, 1, 2);
  const Row second = ENPDA_PICK(partner, 2, 2, 1, 1) + ENPDA_PICK2(rest.high, rest.low, 1, 6, 6, 5);
  const Row third = ENPDA_PICK(partner, 3, 3, 3, 2) + ENPDA_PICK2(rest.high, rest.low, 2, 5, 4, 4);
  return max(max(first, second), third);
}

// The value, and per slot the best value of a matching that contains it (garbage where there is no arc).
inline Share marginals(const Share* block, Share* out) {
  const Row zero{};
  const Row c0 = load(block), c1 = load(block + 4), c2 = load(block + 8), c3 = load(block + 12);
  const Row r0 = max(c0, zero), r1 = max(c1, zero), r2 = max(c2, zero), r3 = max(c3, zero);
  const Halves top = halves(r0, r1), bottom = halves(r2, r3);
  store(out, c0 + without(r1, bottom));
  store(out + 4, c1 + without(r0, bottom));
  store(out + 8, c2 + without(r3, top));
  store(out + 12, c3 + without(r2, top));
  return value_of(top, bottom);
}

#undef ENPDA_PICK
#undef ENPDA_PICK2

// The slots of one optimal matching, positive shares only; returns how many.
int matching(const Share* block, std::array<int, 4>& slots);

}  // namespace small

// Any degree: dense rows x columns blocks.
namespace general {

// Also writes optimal potentials, rows first.
Share value(const Share* block, int rows, int columns, Share* potentials);
// As above, but per slot only an upper bound on the best matching that contains it: value minus reduced cost.
Share marginals(const Share* block, int rows, int columns, Share* out);
// The same from potentials that are known.
Share marginals(const Share* block, int rows, int columns, const Share* potentials, Share* out);
std::vector<int> matching(const Share* block, int rows, int columns);

}  // namespace general

}  // namespace enpda
