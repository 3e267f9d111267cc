// The learned policy's encoder: a vector of 64 numbers for every cell of a pair, from two rounds of messages
// between ACG neighbours. Only what the heads read of the vectors is kept: a few scalars a cell, and the sums
// of rows and columns.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/deadline.hpp"
#include "pair/features.hpp"
#include "pair/pair.hpp"
#include "propose/encoder_kernels.hpp"

namespace enpda {

// The cells that are encoded. Those without ACG neighbours (`lone`: all incompatible ones, and some others)
// neither send nor receive, so their vectors are never stored. Of nodes that nothing in their graph tells
// apart (atoms of a phenyl ring, seen from its axis) one stands for all: the policy could not tell them apart
// either.
struct Links {
  std::vector<Cell> linked, lone;    // ascending
  std::vector<int32_t> slot;         // cell -> place among the linked ones, of the cell that stands for it
  std::vector<float> share;          // of each linked cell: 1 / its neighbours
  std::vector<int32_t> row, column;  // node -> the first one that it is like
  std::vector<float> row_count, column_count;  // nodes that are like this one, which is the first
};

// What an encoder must know of a pair, once for all its rounds and streams.
struct Grid {
  std::vector<float> features;  // cell-major
  Links merged;                 // nodes that are alike, merged
  Links whole;                  // every node for itself, for states with noise
};

// False when the deadline struck.
bool find_links(const Pair& pair, bool merge, Links& links, const Deadline& deadline);

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
  // Merged links are for states that treat nodes alike that are alike.
  Encoding(const Pair& pair, const Grid& grid, bool merged);
  // The dot products of `local` heads with each cell's vector, and the sums of all vectors. False when the
  // deadline struck: the outcome is then void.
  bool run(const Encoder& encoder, const Inputs& inputs, std::span<const Hidden* const> local,
           const Deadline& deadline);

  std::vector<float> local[2];  // per cell
  std::vector<Hidden> row_sum, column_sum;

 private:
  using Description = std::array<float, kMaxInputs>;
  using Heads = std::span<const Hidden* const>;

  void describe(Cell c, const Inputs& inputs, Description& out) const;
  // Describes lone cells, and those alike only once: on molecules a fifth of them are alike in every round,
  // and three of four before the first. Returns how many differ.
  size_t group(std::span<const Cell> cells, const Inputs& inputs);
  // Writes the mean vectors of the linked cells' neighbours to received_. False when the deadline struck.
  bool gather(const Deadline& deadline);
  bool gather_each(const Deadline& deadline);
  bool gather_through(const Deadline& deadline);
  void collect(Cell c, const Hidden& x, Heads heads);
  // Copies what was found of a node to those that it stands for.
  void spread(Heads heads);
  bool stream_lone(const Encoder& encoder, const Inputs& inputs, Heads heads, const Deadline& deadline);
  bool exchange_linked(const Encoder& encoder, const Inputs& inputs, Heads heads, const Deadline& deadline);

  const Pair& pair_;
  const std::vector<float>& features_;
  const Links& links_;
  std::vector<Hidden> sent_, received_;  // of linked cells: their vectors, and the means of their neighbours'
  std::vector<int32_t> neighbours_;      // slots, of one cell
  std::vector<Hidden> through_;          // per column, where neighbours are summed side by side
  std::vector<Arc> arcs_;                // of one source node, by label
  std::vector<Description> described_;   // lone cells that differ
  std::vector<int32_t> seen_;            // hash of a description -> its place
  std::vector<int32_t> latest_;          // for each description, the last cell that has it,
  std::vector<int32_t> earlier_;         // and for each cell, the one before it with the same; -1: none
};

}  // namespace enpda
