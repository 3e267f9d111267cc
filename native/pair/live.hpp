// What a relaxation has left of a pair, for those who take away what no mapping can use, and lines that ought
// to be decided first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pair/cells.hpp"

namespace enpda {

class Pair;

struct Live {
  const Pair& pair;
  std::span<const Cell> cell;              // of the candidates
  std::span<const int32_t> first, second;  // candidates at both ends of every association edge
  std::span<const Cell> taking_part;       // chosen for certain
  std::vector<int32_t>& open_rings;        // the pair's alignments that can still be closed
  std::vector<uint8_t>& dead;              // per association edge

  // Candidates that hang together by live edges, each such part in one list.
  std::vector<std::vector<int32_t>> parts() const;
  // Deletes the edges of candidates that are not kept; returns whether there were any.
  bool keep(const std::vector<uint8_t>& kept) const;
};

// Lines that a constraint wants decided first, since it sees what the relaxation does not. Decisions are
// positive where a line was matched.
struct Urgent {
  const Pair& pair;
  std::span<const int32_t> decided_row, decided_column;
  std::vector<uint8_t> row, column;
};

}  // namespace enpda
