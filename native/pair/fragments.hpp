// How many fragments a common part may have, and how small they may be.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.hpp"
#include "pair/live.hpp"
#include "pair/mapping.hpp"
#include "pair/terms.hpp"

namespace enpda {

struct Fragments {
  int most = 0;   // fragments; 0: any number
  int least = 0;  // nodes of a fragment

  bool none() const { return most <= 0 && least <= 2; }
  void check(const Graph&, const Graph&) const {}
  void exchange() {}
  // Of the preserved edges those of the best fragments that are large enough.
  void retain(const Graph& a, const Graph& b, const Terms& terms, std::span<const int32_t> image,
              std::vector<int32_t>& kept) const;
  // Deletes what does not hang together with those who take part, and what cannot become large enough;
  // returns whether there was any.
  bool prune(const Live& live) const;
  // How the one fragment goes on that has begun.
  void urge(Urgent& lines) const;
  bool kept_by(std::span<const int32_t>, bool) const { return true; }

 private:
  bool cut_off(const Live& live) const;
  bool too_small(const Live& live) const;
};

}  // namespace enpda
