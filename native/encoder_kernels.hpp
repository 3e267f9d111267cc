// The encoder's inner loops, included by encoder.cpp once for each instruction set, inside a namespace with
// kLanes (floats in a vector register) and kTile (cells at a time, as many as accumulators fit in registers):
// on purpose without a guard. What happens to a cell never depends on the cells beside it.

typedef float Vector __attribute__((vector_size(kLanes * 4)));
constexpr int kVectors = kWidth / kLanes;           // of one hidden vector
constexpr int kPart = kVectors < 4 ? kVectors : 4;  // vectors of output at a time

inline Vector load(const float* p) {
  return *reinterpret_cast<const Vector*>(p);
}
inline void store(float* p, Vector v) {
  *reinterpret_cast<Vector*>(p) = v;
}

inline float sum(Vector v) {
  alignas(64) float at[kLanes];
  store(at, v);
  for (int half = kLanes / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l) at[l] += at[l + half];
  return at[0];
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
  float* at = x->at;
  for (int k = 0; k < cells * kWidth; ++k) at[k] = silu(at[k]);
}

inline void normalise(Hidden* x, int cells, const Layer* affine) {
  for (int c = 0; c < cells; ++c) {
    Vector v[kVectors], total{};
    for (int p = 0; p < kVectors; ++p) total += v[p] = load(x[c].at + p * kLanes);
    const float mean = sum(total) / kWidth;
    Vector squares{};
    for (int p = 0; p < kVectors; ++p) {
      v[p] -= mean;
      squares += v[p] * v[p];
    }
    const float inverse = 1.0f / __builtin_sqrtf(sum(squares) / kWidth + 1e-5f);
    for (int p = 0; p < kVectors; ++p) {
      v[p] *= inverse;
      if (affine != nullptr)
        v[p] = v[p] * load(affine->scale.at + p * kLanes) + load(affine->shift.at + p * kLanes);
      store(x[c].at + p * kLanes, v[p]);
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

void average(const Hidden* from, const int32_t* slots, int count, Hidden& out) {
  Vector total[kVectors] = {};
  for (int k = 0; k < count; ++k)
    for (int p = 0; p < kVectors; ++p) total[p] += load(from[slots[k]].at + p * kLanes);
  const float share = 1.0f / static_cast<float>(count);
  for (int p = 0; p < kVectors; ++p) store(out.at + p * kLanes, total[p] * share);
}

void add(const Hidden& x, Hidden& row, Hidden& column) {
  for (int p = 0; p < kVectors; ++p) {
    const Vector v = load(x.at + p * kLanes);
    store(row.at + p * kLanes, load(row.at + p * kLanes) + v);
    store(column.at + p * kLanes, load(column.at + p * kLanes) + v);
  }
}

float product(const Hidden& a, const Hidden& b) {
  Vector total{};
  for (int p = 0; p < kVectors; ++p) total += load(a.at + p * kLanes) * load(b.at + p * kLanes);
  return sum(total);
}

constexpr Kernels kernels{embed, layer, average, add, product};
