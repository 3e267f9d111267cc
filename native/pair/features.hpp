// The six structural features of a candidate: label, degree, and multiset similarities of neighbour labels,
// incident edge labels, labelled simple 2-paths and 3-paths.
#pragma once

#include <span>
#include <vector>

#include "graph/histograms.hpp"
#include "pair/pair.hpp"

namespace enpda {

constexpr int kFeatures = 6;

// Writes feature k of every cell, incompatible ones included; `plane` has one entry for each. False when the
// deadline struck before the graphs' histograms were ready.
bool feature_plane(const Pair& pair, int k, std::span<float> plane, const Deadline& deadline);

}  // namespace enpda
