// Inner and outer assignments, exactly and in integers.

namespace shares {

// The best value of two rows on each pair of columns: 01, 02, 03 and their complements 23, 13, 12.
struct Halves {
  int low[3], high[3];
};

FUNCTION Halves halves(const int* x, const int* y) {
  Halves h;
  for (int k = 0; k < 3; ++k) h.low[k] = larger(x[0] + y[k + 1], x[k + 1] + y[0]);
  h.high[0] = larger(x[2] + y[3], x[3] + y[2]);
  h.high[1] = larger(x[1] + y[3], x[3] + y[1]);
  h.high[2] = larger(x[1] + y[2], x[2] + y[1]);
  return h;
}

// Per column of a row, the best that the other three rows can do without it.
FUNCTION void without(const int* partner, const Halves& rest, int* out) {
  out[0] = larger(larger(partner[1] + rest.high[0], partner[2] + rest.high[1]), partner[3] + rest.high[2]);
  out[1] = larger(larger(partner[0] + rest.high[0], partner[2] + rest.low[2]), partner[3] + rest.low[1]);
  out[2] = larger(larger(partner[0] + rest.high[1], partner[1] + rest.low[2]), partner[3] + rest.low[0]);
  out[3] = larger(larger(partner[0] + rest.high[2], partner[1] + rest.low[1]), partner[2] + rest.low[0]);
}

FUNCTION void load(const int* share, int raw[4][4], int kept[4][4]) {
  for (int r = 0; r < 4; ++r)
    for (int k = 0; k < 4; ++k) {
      raw[r][k] = share[4 * r + k];
      kept[r][k] = larger(raw[r][k], 0);
    }
}

// A candidate's inner assignment: its value, and per slot how far the best matching with it stays behind.
FUNCTION void assign_inner(const State& s, int c) {
  int raw[4][4], kept[4][4], rest[4];
  load(s.share + 16 * c, raw, kept);
  const Halves top = halves(kept[0], kept[1]), bottom = halves(kept[2], kept[3]);
  int value = 0;
  for (int k = 0; k < 3; ++k)
    value = larger(value, larger(top.low[k] + bottom.high[k], top.high[k] + bottom.low[k]));
  s.value[c] = value;
  for (int r = 0; r < 4; ++r) {
    without(kept[r ^ 1], r < 2 ? bottom : top, rest);
    for (int k = 0; k < 4; ++k) s.gap[16 * c + 4 * r + k] = value - raw[r][k] - rest[k];
  }
}

// The slots of one optimal matching, as bits.
FUNCTION int matching(const State& s, int c) {
  constexpr int LEFT[6] = {0, 0, 0, 2, 1, 1}, RIGHT[6] = {1, 2, 3, 3, 3, 2};
  int raw[4][4], kept[4][4];
  load(s.share + 16 * c, raw, kept);
  int best = -1, chosen = 0;
  for (int k = 0; k < 6; ++k) {
    int sum = 0, slots = 0;
    for (int half = 0; half < 2; ++half) {
      const int other = (k + 3) % 6, r = 2 * half;
      const int p = half == 0 ? LEFT[k] : LEFT[other], q = half == 0 ? RIGHT[k] : RIGHT[other];
      const int straight = kept[r][p] + kept[r + 1][q], crossed = kept[r][q] + kept[r + 1][p];
      const int x = straight >= crossed ? p : q, y = straight >= crossed ? q : p;
      sum += larger(straight, crossed);
      if (kept[r][x] > 0) slots |= 1 << (4 * r + x);
      if (kept[r + 1][y] > 0) slots |= 1 << (4 * (r + 1) + y);
    }
    if (sum > best) best = sum, chosen = slots;
  }
  return chosen;
}

// One side's view of the outer assignment, so that rows and columns share their algorithms.
struct Side {
  int own, other, own_stride, other_stride;
  const int* weight;
  int *own_potential, *other_potential, *own_match, *other_match, *scratch;
};

// Shortest alternating path from an unmatched line with a positive potential, by one warp.
FUNCTION void augment(const Worker& t, const State& s, const Side& side, int start) {
  const int lane = t.lane();
  for (int k = lane; k < side.other; k += LANES) {
    s.distance[k] = FAR;
    s.key[k] = 0;  // FAR once scanned
  }
  SYNC_WARP();
  int line = start, end_other = -1, end_own = start, depth = 0, dummy = FAR, owns = 0, others = 0;
  for (;;) {
    if (lane == 0) {
      s.list_own[owns] = line;
      s.reached[line] = depth;
    }
    ++owns;
    const int base = depth + side.own_potential[line];
    if (base < dummy) dummy = base, end_own = line;
    int nearest = FAR;
    for (int k = lane; k < side.other; k += LANES) {
      const int through =
          base + side.other_potential[k] - side.weight[line * side.own_stride + k * side.other_stride];
      if (through < s.distance[k]) {
        s.distance[k] = through;
        s.parent[k] = line;
      }
      nearest = smaller(nearest, larger(s.distance[k], s.key[k]));
    }
    nearest = warp_min(nearest);
    if (dummy <= nearest) break;
    depth = nearest;
    int code = FAR;  // among equals prefer the end of the path
    for (int k = lane; k < side.other; k += LANES)
      if (larger(s.distance[k], s.key[k]) == nearest)
        code = smaller(code, (side.other_match[k] < 0 ? 0 : 1 << 20) + k);
    code = warp_min(code);
    const int at = code & ((1 << 20) - 1);
    if (code < 1 << 20) {
      end_other = at;
      break;
    }
    if (lane == 0) {
      s.list_other[others] = at;
      s.key[at] = FAR;
    }
    ++others;
    line = side.other_match[at];
    SYNC_WARP();
  }
  SYNC_WARP();
  const int length = end_other >= 0 ? depth : dummy;
  for (int k = lane; k < owns; k += LANES) {
    const int x = s.list_own[k];
    side.own_potential[x] -= length - s.reached[x];
  }
  for (int k = lane; k < others; k += LANES) {
    const int x = s.list_other[k];
    side.other_potential[x] += length - s.distance[x];
  }
  if (lane == 0 && (end_other >= 0 || end_own != start)) {
    int at = end_other;
    if (at < 0) {
      at = side.own_match[end_own];
      side.own_match[end_own] = -1;
    }
    for (;;) {
      const int from = s.parent[at], previous = side.own_match[from];
      side.own_match[from] = at;
      side.other_match[at] = from;
      if (from == start) break;
      at = previous;
    }
  }
  SYNC_WARP();
}

// How far each potential of one side can fall with the sum still optimal, by one warp.
FUNCTION void decrease(const Worker& t, const Side& side, int* most) {
  const int lane = t.lane();
  auto slack = [&](int x, int y) {
    return side.own_potential[x] + side.other_potential[y] -
           side.weight[x * side.own_stride + y * side.other_stride];
  };
  for (int x = lane; x < side.own; x += LANES) {
    int least = side.own_potential[x];
    for (int y = 0; y < side.other; ++y)
      if (side.other_match[y] < 0) least = smaller(least, slack(x, y));
    most[x] = least;
    side.scratch[x] = 0;  // FAR once settled
  }
  SYNC_WARP();
  for (int settled = 0; settled < side.own; ++settled) {
    int nearest = FAR;
    for (int x = lane; x < side.own; x += LANES) nearest = smaller(nearest, larger(most[x], side.scratch[x]));
    nearest = warp_min(nearest);
    if (nearest == FAR) return;
    int at = FAR;
    for (int x = lane; x < side.own; x += LANES)
      if (larger(most[x], side.scratch[x]) == nearest) at = smaller(at, x);
    at = warp_min(at);
    const int y = side.own_match[at];
    SYNC_WARP();
    if (lane == 0) side.scratch[at] = FAR;
    if (y >= 0)
      for (int x = lane; x < side.own; x += LANES) most[x] = smaller(most[x], nearest + slack(x, y));
    SYNC_WARP();
  }
}

// The outer assignment, from the potentials and the matching of the one before; returns its value to all threads.
FUNCTION long long assign_outer(const Worker& t, const State& s, long long* told) {
  const int n = s.n, m = s.m;
  for (int i = t.warp(); i < n; i += t.warps()) {
    int best = 0;
    for (int j = t.lane(); j < m; j += LANES) best = larger(best, s.weight[i * m + j] - s.v[j]);
    best = warp_max(best);
    if (t.lane() == 0) {
      s.u[i] = best;
      const int j = s.column_of[i];
      if (j >= 0 && best + s.v[j] != s.weight[i * m + j]) s.column_of[i] = s.row_of[j] = -1;
    }
  }
  SYNC_BLOCK();
  for (int j = t.warp(); j < m; j += t.warps()) {
    if (s.row_of[j] >= 0 || s.v[j] == 0) continue;
    int least = 0;
    for (int i = t.lane(); i < n; i += LANES) least = larger(least, s.weight[i * m + j] - s.u[i]);
    least = warp_max(least);
    SYNC_WARP();
    if (t.lane() == 0) s.v[j] = least;
  }
  SYNC_BLOCK();
  const Side rows{n, m, m, 1, s.weight, s.u, s.v, s.column_of, s.row_of, s.key};
  const Side columns{m, n, 1, m, s.weight, s.v, s.u, s.row_of, s.column_of, s.distance};
  if (t.warp() == 0) {
    for (int i = 0; i < n; ++i)
      if (s.column_of[i] < 0 && s.u[i] > 0) augment(t, s, rows, i);
    for (int j = 0; j < m; ++j)
      if (s.row_of[j] < 0 && s.v[j] > 0) augment(t, s, columns, j);
    long long sum = 0;
    for (int i = t.lane(); i < n; i += LANES) sum += s.u[i];
    for (int j = t.lane(); j < m; j += LANES) sum += s.v[j];
    sum = warp_sum(sum);
    if (t.lane() == 0) *told = sum;
  }
  SYNC_BLOCK();
  if (t.warp() == 0) decrease(t, rows, s.most_u);
  if (t.warp() == 1 % t.warps()) decrease(t, columns, s.most_v);
  SYNC_BLOCK();
  for (int i = t.thread; i < n; i += t.threads) {
    const int j = s.column_of[i];
    s.middle_u[i] = (2 * s.u[i] - s.most_u[i] + (j >= 0 ? s.most_v[j] : 0) + 1) / 2;
  }
  for (int j = t.thread; j < m; j += t.threads) {
    const int i = s.row_of[j];
    s.middle_v[j] = (2 * s.v[j] - s.most_v[j] + (i >= 0 ? s.most_u[i] : 0) + 1) / 2;
  }
  const long long value = *told;
  SYNC_BLOCK();
  return value;
}

}  // namespace shares
