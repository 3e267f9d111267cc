#include "bounds/cap.hpp"

#include "base/sorted.hpp"
#include "pair/overlap.hpp"

namespace enpda {
namespace {

// The overlap of incident signatures on compatible cells, 0 elsewhere.
std::vector<int64_t> incident_weights(const Pair& pair, const Deadline& deadline) {
  if (deadline.expired()) return {};
  const Histograms *a = pair.source.histograms(deadline), *b = pair.target.histograms(deadline);
  if (a == nullptr || b == nullptr) return {};
  std::vector<int64_t> weight(pair.compatible.size());
  if (!multiset_overlap(a->incident_signatures, b->incident_signatures,
                        match_sorted(a->signatures, b->signatures), pair.grid, std::span(weight), deadline))
    return {};
  for (size_t c = 0; c < weight.size(); ++c)
    if (!pair.compatible[c]) weight[c] = 0;
  return weight;
}

}  // namespace

const std::vector<int64_t>& Evidence::doubled() {
  if (!doubled_) doubled_ = incident_weights(*pair, deadline);
  return *doubled_;
}

}  // namespace enpda
