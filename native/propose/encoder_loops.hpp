// The encoder's inner loops, included by encoder_kernels.cpp once for each instruction set, inside a
// namespace with kLanes (floats in a vector register) and kTile x kPart (cells x vectors of output at a time,
// as many as there are registers for): on purpose without a guard. What happens to a cell never depends on
// the cells beside it.

typedef float Vector __attribute__((vector_size(kLanes * 4)));
typedef float Four __attribute__((vector_size(16)));
constexpr int kVectors = kWidth / kLanes;  // of one hidden vector

inline Vector load(const float* p) {
  return *reinterpret_cast<const Vector*>(p);
}
inline void store(float* p, Vector v) {
  *reinterpret_cast<Vector*>(p) = v;
}

// The sum of a vector's quarters, half a register at a time: left to itself, the compiler goes through
// memory.
template <class V>
inline Four fold(V v) {
  if constexpr (sizeof(V) == 64)
    return fold(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15));
  else if constexpr (sizeof(V) == 32)
    return __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
  else
    return v;
}

// The sums of four vectors.
inline Four sums(const Vector (&v)[4]) {
  const Four a = fold(v[0]), b = fold(v[1]), c = fold(v[2]), d = fold(v[3]);
  const Four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cd = __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

// total[r] += x[r] W for a tile of cells and the outputs of one part.
inline void accumulate(Vector (&total)[kTile][kPart], const float* x, int stride, int depth, const float* w) {
  for (int k = 0; k < depth; ++k, w += kWidth) {
    Vector row[kPart];
#pragma GCC unroll 4
    for (int p = 0; p < kPart; ++p) row[p] = load(w + p * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kTile; ++r) {
      const Vector in = x[r * stride + k] - Vector{};
#pragma GCC unroll 4
      for (int p = 0; p < kPart; ++p) total[r][p] += in * row[p];
    }
  }
}

// out = bias (+ base) + x W (+ y V), for whole tiles.
inline void dense(const Hidden& bias, const Hidden* base, const float* x, int stride, int depth,
                  const Hidden* w, const Hidden* y, const Hidden* v, int cells, Hidden* out) {
  for (int c = 0; c < cells; c += kTile)
    for (int begin = 0; begin < kWidth; begin += kPart * kLanes) {
      Vector total[kTile][kPart];
#pragma GCC unroll 8
      for (int r = 0; r < kTile; ++r)
#pragma GCC unroll 4
        for (int p = 0; p < kPart; ++p) {
          total[r][p] = load(bias.at + begin + p * kLanes);
          if (base != nullptr) total[r][p] += load(base[c + r].at + begin + p * kLanes);
        }
      accumulate(total, x + c * stride, stride, depth, w->at + begin);
      if (y != nullptr) accumulate(total, y[c].at, kWidth, kWidth, v->at + begin);
#pragma GCC unroll 8
      for (int r = 0; r < kTile; ++r)
#pragma GCC unroll 4
        for (int p = 0; p < kPart; ++p) store(out[c + r].at + begin + p * kLanes, total[r][p]);
    }
}

inline void activate(Hidden* x, int cells) {
  for (int c = 0; c < cells; ++c)
    for (float& at : x[c].at) at = silu(at);
}

// Four cells at a time share their sums' last steps, the square root and the division.
inline void normalise(Hidden* x, int cells, const Layer* affine) {
  for (int c = 0; c < cells; c += 4) {
    Vector total[4] = {}, squares[4] = {};
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r)
      for (int p = 0; p < kVectors; ++p) total[r] += load(x[c + r].at + p * kLanes);
    const Four mean = sums(total) / kWidth;
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r)
      for (int p = 0; p < kVectors; ++p) {
        const Vector v = load(x[c + r].at + p * kLanes) - mean[r];
        squares[r] += v * v;
      }
    Four deviation = sums(squares) / kWidth + 1e-5f;
    for (int r = 0; r < 4; ++r) deviation[r] = __builtin_sqrtf(deviation[r]);
    const Four inverse = 1.0f / deviation;
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r)
      for (int p = 0; p < kVectors; ++p) {
        Vector v = (load(x[c + r].at + p * kLanes) - mean[r]) * inverse[r];
        if (affine != nullptr)
          v = v * load(affine->scale.at + p * kLanes) + load(affine->shift.at + p * kLanes);
        store(x[c + r].at + p * kLanes, v);
      }
  }
}

void embed(const Encoder& encoder, const float* x, int cells, Hidden* out) {
  dense(encoder.input_bias, nullptr, x, kMaxInputs, encoder.inputs, encoder.input, nullptr, nullptr, cells,
        out);
  activate(out, cells);
}

void layer(const Layer& l, bool last, const Hidden* x, const Hidden* linked, int cells, Hidden* middle,
           Hidden* out) {
  dense(l.first_bias, nullptr, x->at, kWidth, kWidth, l.own, linked, l.linked, cells, middle);
  activate(middle, cells);
  dense(l.second_bias, x, middle->at, kWidth, kWidth, l.second, nullptr, nullptr, cells, out);
  normalise(out, cells, last ? nullptr : &l);
}

void add_up(const Hidden* from, const int32_t* slots, int count, float factor, Hidden& out) {
  Vector total[kVectors] = {};
  for (int k = 0; k < count; ++k)
    for (int p = 0; p < kVectors; ++p) total[p] += load(from[slots[k]].at + p * kLanes);
  for (int p = 0; p < kVectors; ++p) store(out.at + p * kLanes, total[p] * factor);
}

void add(const Hidden& x, float factor, Hidden& out) {
  for (int p = 0; p < kVectors; ++p)
    store(out.at + p * kLanes, load(out.at + p * kLanes) + load(x.at + p * kLanes) * factor);
}

float product(const Hidden& a, const Hidden& b) {
  Vector total{};
  for (int p = 0; p < kVectors; ++p) total += load(a.at + p * kLanes) * load(b.at + p * kLanes);
  const Four four = fold(total);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

constexpr Kernels table{embed, layer, add_up, add, product};
