// Streams of proposals, each improved by the same operators; the best mapping of all wins.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bounds/caps.hpp"
#include "propose/decode.hpp"
#include "propose/policy.hpp"
#include "search/anneal.hpp"
#include "search/construct.hpp"
#include "search/incumbent.hpp"
#include "search/neighbourhood.hpp"

namespace enpda {

// The default is a bare proposal: one stream, one decode, no search.
struct SearchOptions {
  int rounds = 4;
  std::shared_ptr<const Policy> policy;  // of the rounds; none: analytic
  PolicyParts parts;
  Decoder decoder = Decoder::growth;  // of each stream's first mapping
  std::vector<uint8_t> noisy = {0};   // one entry a stream: whether its initial bids are perturbed
  float noise = 0.5f;                 // Gumbel scale of the perturbation
  int discrete = 0;            // restarts: the first mapping, then noisy projections, growths, perturbations
  int constructive = 0;        // further restarts by growth and refinement alone
  int passes = 0;              // moves of each refinement, at most
  bool anneal_first = true;    // whether the first mapping is annealed as well
  AnnealOptions anneal;        // of every discrete restart
  double anneal_exponent = 0;  // steps grow with this power of the candidates (of 1,000; at most 4,000 count)
  double anneal_growth = 1;    // each discrete restart anneals that many times longer than the one before
  NeighbourhoodOptions neighbourhood;
  int threads = 1;
  uint64_t seed = 0;
};

// Steps of annealing of all streams together, unless one of them ends early.
double annealing_steps(const SearchOptions& options, const Pair& pair);

struct SearchResult {
  Mapping image;  // over the source, stripped
  Score score{-1, -1};
  std::vector<float> prices;  // of stream 0, over the target
  std::vector<Event> trace;   // improvements of the overall best, in time order
  bool cut = false;           // whether the clock ended set-up or rounds early
};

// Stops when a mapping has `upper` edges, or as many as the caps allow, and so many nodes; computes the
// assignment cap, if that is still missing, after the first proposal. `on_improve` hears every improvement of
// the overall best; it is called from the searching threads, one at a time. Bids that are `given` are decoded
// as they are, without rounds.
SearchResult search(const Pair& pair, const SearchOptions& options, Caps& caps, int64_t upper,
                    const Deadline& deadline, const OnImprove& on_improve = {}, const Start* given = nullptr,
                    int nodes = 0);

}  // namespace enpda
