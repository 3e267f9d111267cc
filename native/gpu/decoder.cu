// From the network's scores to a mapping.

namespace shares {

// Extends along preserved edges, always by the free candidate with most chosen neighbours, ties by score and then
// by cell; when there is none, opens the next component with the best free association edge. By one warp.
FUNCTION void grow(const Worker& t, const State& s, const float* score, int* image) {
  const int lane = t.lane(), n = s.n, m = s.m, candidates = s.candidates;
  for (int i = lane; i < n; i += LANES) s.row_used[i] = 0, image[i] = -1;
  for (int j = lane; j < m; j += LANES) s.column_used[j] = 0;
  for (int c = lane; c < candidates; c += LANES) s.count[c] = 0;
  SYNC_WARP();
  auto is_free = [&](int c) { return s.row_used[s.row[c]] == 0 && s.column_used[s.column[c]] == 0; };
  // Order-preserving bits of a score above those that prefer the smaller number.
  auto key = [](float x, int number) {
    const unsigned int bits = bits_of(x);
    const unsigned int ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return static_cast<unsigned long long>(ordered) << 24 | static_cast<unsigned int>(0xffffff - number);
  };
  auto choose = [&](int c) {
    if (lane == 0) {
      image[s.row[c]] = s.column[c];
      s.row_used[s.row[c]] = s.column_used[s.column[c]] = 1;
    }
    for (int k = s.arc_start[c] + lane; k < s.arc_start[c + 1]; k += LANES) ++s.count[s.head[k]];
    SYNC_WARP();
  };
  for (;;) {
    unsigned long long best = 0;
    for (int c = lane; c < candidates; c += LANES)
      if (s.count[c] > 0 && is_free(c))
        best = larger(best, static_cast<unsigned long long>(s.count[c]) << 56 | key(score[c], c));
    best = warp_max(best);
    if (best != 0) {
      choose(0xffffff - static_cast<int>(best & 0xffffff));
      continue;
    }
    for (int c = lane; c < candidates; c += LANES) {
      if (!is_free(c)) continue;
      for (int k = s.arc_start[c]; k < s.arc_start[c + 1]; ++k) {
        const int d = s.head[k];
        if (is_free(d)) best = larger(best, key(score[c] + score[d], c));
      }
    }
    best = warp_max(best);
    if (best == 0) return;
    const int c = 0xffffff - static_cast<int>(best & 0xffffff);
    unsigned long long partner = 0;
    for (int k = s.arc_start[c] + lane; k < s.arc_start[c + 1]; k += LANES) {
      const int d = s.head[k];
      if (is_free(d)) partner = larger(partner, key(score[c] + score[d], k - s.arc_start[c]));
    }
    partner = warp_max(partner);
    const int d = s.head[s.arc_start[c] + 0xffffff - static_cast<int>(partner & 0xffffff)];
    choose(c);
    choose(d);
  }
}

}  // namespace shares
