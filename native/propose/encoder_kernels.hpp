// The encoder's weights and the loops over them, compiled for several instruction sets.
#pragma once

#include <cstdint>

namespace enpda {

constexpr int kWidth = 64;
constexpr int kLayers = 2;
constexpr int kMaxInputs = 11;

struct alignas(64) Hidden {
  float at[kWidth] = {};
};

// Weights are input-major, so that a kernel reads the 64 outputs of one input together.
struct Layer {
  Hidden own[kWidth], linked[kWidth], first_bias;  // on a cell's vector and on its neighbours' mean
  Hidden second[kWidth], second_bias;
  Hidden scale, shift;  // of the normalisation; the last layer's are left to the heads
};

struct Encoder {
  int inputs = 0;
  Hidden input[kMaxInputs], input_bias;
  Layer layers[kLayers];
};

constexpr int kBlock = 24;  // cells at a time: their vectors and a layer's weights stay in the first cache

// Arrays of cells must have room for a whole block.
struct Kernels {
  void (*embed)(const Encoder& encoder, const float* x, int cells, Hidden* out);
  // `linked` are the means of the neighbours' vectors, null when there are none; `middle` is scratch.
  void (*layer)(const Layer& l, bool last, const Hidden* x, const Hidden* linked, int cells, Hidden* middle,
                Hidden* out);
  // out = factor * sum of the vectors in these slots; out += factor * x.
  void (*add_up)(const Hidden* from, const int32_t* slots, int count, float factor, Hidden& out);
  void (*add)(const Hidden& x, float factor, Hidden& out);
  float (*product)(const Hidden& a, const Hidden& b);
};

// For the best instruction set of this machine.
const Kernels& kernels();

}  // namespace enpda
