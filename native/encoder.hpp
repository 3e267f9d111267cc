// The learned policy's encoder: a vector of 64 numbers for every cell of a pair, from two rounds of messages
// between ACG neighbours. Only what the heads read of the vectors is kept: a few scalars a cell, and the sums
// of rows and columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "deadline.hpp"
#include "features.hpp"
#include "pair.hpp"

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

// What an encoder must know of a pair, once for all its rounds and streams. Cells without ACG neighbours
// (`lone`: all incompatible ones, and some others) neither send nor receive, so their vectors are never
// stored.
struct Grid {
  std::vector<Cell> linked, lone;  // ascending
  std::vector<int32_t> slot;       // cell -> place among the linked ones
  std::vector<float> features;     // cell-major
};

// False when the deadline struck.
bool find_links(const Pair& pair, Grid& grid, const Deadline& deadline);

// What a cell is described by: its features, and the state unless `soft` is null.
struct Inputs {
  const float *soft = nullptr, *marginal = nullptr;  // per cell
  float inverse_scale = 1;                           // of the marginals
  const float *prices = nullptr, *demand = nullptr;  // per column
  const float* entropy = nullptr;                    // per row
};

// Memory of one caller's encodings, kept from one to the next, and their outcome: vectors of the last layer
// before scale and shift.
class Encoding {
 public:
  Encoding(const Pair& pair, const Grid& grid);
  // The dot products of `local` heads with each cell's vector, and the sums of all vectors. False when the
  // deadline struck: the outcome is then void.
  bool run(const Encoder& encoder, const Inputs& inputs, std::span<const Hidden* const> local,
           const Deadline& deadline);

  std::vector<float> local[2];  // per cell
  std::vector<Hidden> row_sum, column_sum;

 private:
  void describe(std::span<const Cell> cells, const Inputs& inputs, float* out) const;
  void gather(std::span<const Cell> cells, const Hidden* from, Hidden* out);
  void collect(std::span<const Cell> cells, const Hidden* vectors, std::span<const Hidden* const> heads);

  const Pair& pair_;
  const Grid& grid_;
  std::vector<Hidden> sent_, received_;  // of linked cells, before and after the first layer
  std::vector<int32_t> neighbours_;      // slots, of one block
};

// The dot product in the lanes of the kernels.
float dot(const Hidden& a, const Hidden& b);

}  // namespace enpda
