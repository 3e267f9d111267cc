// The network that shares profit out, for many pairs at once: a block of threads takes one pair after the other, from
// labels and edges to a mapping, a bound and its witness, so that no pair waits for another. Assignments are solved
// exactly and in integers: the bound is as valid as the compiled core's. Degrees go up to four. NVRTC compiles this
// text for a GPU; a host compiler reads the same text with one thread a block.
//
// Candidates are numbered as cells are, row by row. Each has a 4 x 4 block of slots: its k-th edge in the source
// against its l-th edge in the target. An arc is a slot with a twin: the same association edge seen from its other
// end.

#if defined(__CUDACC__)
#ifndef BLOCK_THREADS  // whoever compiles it sets them
#define BLOCK_THREADS 256
#define BLOCKS_EACH 4
#define UNROLLED 2
#endif
#define FUNCTION __device__ inline
#define LANES 32
#define SYNC_BLOCK() __syncthreads()
#define SYNC_WARP() __syncwarp()
#define PRAGMA(text) _Pragma(#text)
#define UNROLL_BY(count) PRAGMA(unroll count)
#define UNROLL UNROLL_BY(UNROLLED)
#else
#define FUNCTION inline
#define LANES 1
#define SYNC_BLOCK() ((void)0)
#define SYNC_WARP() ((void)0)
#define UNROLL
#endif

namespace shares {

constexpr int W = 16, INPUTS = 10, ARC = 6;  // width, what is seen of a candidate and of an arc
constexpr int UNIT = 1 << 16;                // one preserved edge
constexpr int LIMIT = 1 << 20;               // of a share
constexpr int ABSENT = -(1 << 30);
constexpr int FAR = 0x7fffffff;
constexpr float MOST_SLACK = 4, MOST_GAP = 2, MOST_MOVE = 0.5f, MEMORY = 0.8f;

// As `learn/kernel.py` lays them out, inputs first.
struct Net {
  float embed[(W + INPUTS) * W], embed_bias[W];
  float own[W * W], own_bias[W], other[W * W], arc[ARC * W];
  float gather[4 * W * W], gather_bias[W], update[W * W], update_bias[W], scale[W], shift[W];
  float last_own[W * W], last_own_bias[W], last_other[W * W], last_arc[ARC * W], head[W];
  float score[W], score_bias;
};

// Graphs side by side: nodes of graph g are node_first[g] to node_first[g + 1], arcs lead to nodes of the same
// graph, counted from its first.
struct Graphs {
  const int *node_first, *label, *arc_first, *arc_to, *arc_label;
};

struct alignas(16) Vector {
  float at[W];
};

struct Worker {
  int thread, threads;
  FUNCTION int lane() const { return thread % LANES; }
  FUNCTION int warp() const { return thread / LANES; }
  FUNCTION int warps() const { return threads / LANES; }
  // On a GPU a thread has one unit of the network's width, and threads share candidates in groups of that width.
  FUNCTION int unit() const { return LANES > 1 ? thread % W : 0; }
  FUNCTION int unit_step() const { return LANES > 1 ? W : 1; }
  FUNCTION int group() const { return LANES > 1 ? thread / W : 0; }
  FUNCTION int groups() const { return LANES > 1 ? threads / W : 1; }
};

template <class T>
FUNCTION T smaller(T x, T y) {
  return x < y ? x : y;
}
template <class T>
FUNCTION T larger(T x, T y) {
  return x > y ? x : y;
}

FUNCTION int warp_min(int x) {
#if defined(__CUDACC__)
  return __reduce_min_sync(0xffffffffu, x);
#else
  return x;
#endif
}
FUNCTION int warp_max(int x) {
#if defined(__CUDACC__)
  return __reduce_max_sync(0xffffffffu, x);
#else
  return x;
#endif
}
FUNCTION unsigned long long warp_max(unsigned long long x) {
#if defined(__CUDACC__)
  for (int k = 16; k > 0; k /= 2) x = larger(x, __shfl_xor_sync(0xffffffffu, x, k));
#endif
  return x;
}
FUNCTION long long warp_sum(long long x) {
#if defined(__CUDACC__)
  for (int k = 16; k > 0; k /= 2) x += __shfl_xor_sync(0xffffffffu, x, k);
#endif
  return x;
}
FUNCTION void add_to(int* sum, int x) {
#if defined(__CUDACC__)
  atomicAdd(sum, x);
#else
  *sum += x;
#endif
}
FUNCTION int rounded(float x) {
#if defined(__CUDACC__)
  return __float2int_rn(x);
#else
  return static_cast<int>(__builtin_lrintf(x));
#endif
}
FUNCTION unsigned int bits_of(float x) {
#if defined(__CUDACC__)
  return __float_as_uint(x);
#else
  return __builtin_bit_cast(unsigned int, x);
#endif
}
FUNCTION float exponential(float x) {
#if defined(__CUDACC__)
  return expf(x);
#else
  return __builtin_expf(x);
#endif
}
FUNCTION float root(float x) {
#if defined(__CUDACC__)
  return sqrtf(x);
#else
  return __builtin_sqrtf(x);
#endif
}

// One pair as its two graphs show it.
struct View {
  int n, m;
  const int *label_a, *label_b, *arcs_a, *arcs_b;  // the latter: where the arcs of a node begin
  Graphs g;
  FUNCTION View(const Graphs& graphs, int a, int b) : g(graphs) {
    const int first_a = g.node_first[a], first_b = g.node_first[b];
    n = g.node_first[a + 1] - first_a;
    m = g.node_first[b + 1] - first_b;
    label_a = g.label + first_a;
    label_b = g.label + first_b;
    arcs_a = g.arc_first + first_a;
    arcs_b = g.arc_first + first_b;
  }
  // Calls f(slot, row, column) for every association edge of a cell.
  template <class F>
  FUNCTION void for_each_arc(int i, int j, F&& f) const {
    for (int x = arcs_a[i]; x < arcs_a[i + 1]; ++x)
      for (int y = arcs_b[j]; y < arcs_b[j + 1]; ++y) {
        if (g.arc_label[x] != g.arc_label[y]) continue;
        const int k = g.arc_to[x], l = g.arc_to[y];
        if (label_a[k] == label_b[l]) f(4 * (x - arcs_a[i]) + y - arcs_b[j], k, l);
      }
  }
  FUNCTION int arcs(int i, int j) const {
    int count = 0;
    if (label_a[i] == label_b[j]) for_each_arc(i, j, [&](int, int, int) { ++count; });
    return count;
  }
};

struct alignas(16) Seen {  // of a candidate; the last two stay empty
  float at[INPUTS + 2];
};
struct alignas(16) SeenArc {
  float at[ARC + 2];
};

// The state of one pair: most of it in a workspace that the block keeps, the outer assignment in fast memory if it
// fits there.
struct State {
  int n, m, candidates, arcs;
  int *number, *row, *column, *arc_start, *edge_start;  // of cells, and of candidates
  int *row_first, *row_arcs, *row_edges, *in_column;    // of rows, and of columns
  int *share, *twin, *gap, *value, *dimension;          // of slots, and of candidates
  int *arc, *twin_arc, *head;                           // of arcs: slot, number of the twin, candidate of the twin
  float *used, *drift, *say;                            // of arcs
  float* speaks;                                        // of candidates: how much it counts in its row and column
  Seen* seen;
  SeenArc* seen_arc;
  Vector *hidden, *inner, *own, *other, *heard, *row_part, *column_part, *row_mean, *column_mean;
  int *weight, *u, *v, *middle_u, *middle_v, *column_of, *row_of;  // of the outer assignment
  int *distance, *key, *reached, *parent, *list_own, *list_other, *most_u, *most_v;
  int *count, *row_used, *column_used;

  // Places everything for a pair of this size; returns what it takes of the slow memory, in units of 256 bytes.
  FUNCTION long long lay(unsigned long long slow, unsigned long long fast, int fast_bytes, int rows, int columns,
                       int many_candidates, int many_arcs) {
    n = rows;
    m = columns;
    candidates = many_candidates;
    arcs = many_arcs;
    unsigned long long at = fast;
    auto take = [&](auto*& pointer, long long many) {
      at = (at + 15) / 16 * 16;
      pointer = reinterpret_cast<decltype(+pointer)>(at);
      at += many * static_cast<long long>(sizeof(*pointer));
    };
    auto take_all = [&](long long many, auto*&... pointers) { (take(pointers, many), ...); };
    auto outer = [&] {
      take_all(static_cast<long long>(n) * m, weight);
      take_all(n, u, column_of, most_u);
      take_all(m, v, row_of, most_v);
      take_all(n > m ? n : m, distance, key, reached, parent, list_own, list_other);
    };
    outer();
    const bool fits = fast != 0 && static_cast<long long>(at - fast) <= fast_bytes;
    at = slow;
    if (!fits) outer();
    const long long c = candidates;
    take_all(static_cast<long long>(n) * m, number);
    take_all(c, row, column, value, dimension, count);
    take_all(c, speaks);
    take_all(c + 1, arc_start, edge_start);
    take_all(n + 1, row_first, row_arcs, row_edges);
    take_all(16 * c, share, twin, gap);
    take_all(arcs, arc, twin_arc, head);
    take_all(arcs, used, drift, say);
    take_all(arcs, seen_arc);
    take_all(c, seen);
    take_all(c, hidden, inner, own, other, heard);
    take_all(n, row_part, row_mean);
    take_all(m, column_part, column_mean);
    take_all(n, middle_u, row_used);
    take_all(m, middle_v, column_used, in_column);
    return static_cast<long long>(at - slow + 255) / 256;
  }
};

// Candidates and arcs in their order, every edge shared in halves.
FUNCTION void build(const Worker& t, const View& pair, const State& s) {
  const int n = s.n, m = s.m, candidates = s.candidates, arcs = s.arcs;
  for (int c = t.thread; c < n * m; c += t.threads) {
    s.number[c] = pair.arcs(c / m, c % m);
    s.weight[c] = 0;
  }
  SYNC_BLOCK();
  for (int i = t.thread; i < n; i += t.threads) {
    int live = 0, sum = 0;
    for (int j = 0; j < m; ++j) {
      live += s.number[i * m + j] > 0;
      sum += s.number[i * m + j];
    }
    s.row_first[i + 1] = live;
    s.row_arcs[i + 1] = sum;
    s.u[i] = 0;
    s.column_of[i] = -1;
  }
  for (int j = t.thread; j < m; j += t.threads) {
    int live = 0;
    for (int i = 0; i < n; ++i) live += s.number[i * m + j] > 0;
    s.in_column[j] = live;
    s.v[j] = 0;
    s.row_of[j] = -1;
  }
  SYNC_BLOCK();
  if (t.thread == 0) {
    s.row_first[0] = s.row_arcs[0] = 0;
    for (int i = 0; i < n; ++i) {
      s.row_first[i + 1] += s.row_first[i];
      s.row_arcs[i + 1] += s.row_arcs[i];
    }
  }
  SYNC_BLOCK();
  for (int i = t.thread; i < n; i += t.threads) {
    int next = s.row_first[i], arc = s.row_arcs[i];
    for (int j = 0; j < m; ++j) {
      const int many = s.number[i * m + j];
      s.number[i * m + j] = many > 0 ? next : -1;
      if (many == 0) continue;
      s.row[next] = i;
      s.column[next] = j;
      s.arc_start[next++] = arc;
      arc += many;
    }
    if (i == n - 1) s.arc_start[next] = arc;
  }
  SYNC_BLOCK();
  for (int c = t.thread; c < candidates; c += t.threads) {
    for (int k = 0; k < 16; ++k) s.twin[16 * c + k] = -1, s.share[16 * c + k] = ABSENT;
    int at = s.arc_start[c], rows = 0, columns = 0;
    const int i = s.row[c], j = s.column[c];
    pair.for_each_arc(i, j, [&](int slot, int k, int l) {
      // The twin's slot: this edge's places among the edges of its other ends.
      int x = pair.arcs_a[k], y = pair.arcs_b[l];
      while (pair.g.arc_to[x] != i) ++x;
      while (pair.g.arc_to[y] != j) ++y;
      s.twin[16 * c + slot] = 16 * s.number[k * m + l] + 4 * (x - pair.arcs_a[k]) + y - pair.arcs_b[l];
      s.share[16 * c + slot] = UNIT / 2;
      s.arc[at++] = 16 * c + slot;
      rows |= 1 << slot / 4;
      columns |= 1 << slot % 4;
    });
    auto ones = [](int x) { return (x & 1) + (x >> 1 & 1) + (x >> 2 & 1) + (x >> 3); };
    s.dimension[c] = smaller(ones(rows), ones(columns));
    for (int k = 0; k < W; ++k) s.hidden[c].at[k] = 0;
    for (float& x : s.seen[c].at) x = 0;
  }
  SYNC_BLOCK();
  for (int k = t.thread; k < arcs; k += t.threads) {
    const int twin = s.twin[s.arc[k]];
    int at = s.arc_start[twin / 16];
    while (s.arc[at] != twin) ++at;
    s.twin_arc[k] = at;
    s.head[k] = twin / 16;
    s.drift[k] = s.used[k] = 0;
  }
  SYNC_BLOCK();
  // Edges are the arcs that lead to a later candidate.
  for (int i = t.thread; i < n; i += t.threads) {
    int sum = 0;
    for (int c = s.row_first[i]; c < s.row_first[i + 1]; ++c)
      for (int k = s.arc_start[c]; k < s.arc_start[c + 1]; ++k) sum += s.head[k] > c;
    s.row_edges[i + 1] = sum;
  }
  SYNC_BLOCK();
  if (t.thread == 0) {
    s.row_edges[0] = 0;
    for (int i = 0; i < n; ++i) s.row_edges[i + 1] += s.row_edges[i];
  }
  SYNC_BLOCK();
  for (int i = t.thread; i < n; i += t.threads) {
    int sum = s.row_edges[i];
    for (int c = s.row_first[i]; c < s.row_first[i + 1]; ++c) {
      s.edge_start[c] = sum;
      for (int k = s.arc_start[c]; k < s.arc_start[c + 1]; ++k) sum += s.head[k] > c;
    }
  }
  SYNC_BLOCK();
}

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

// What the network sees.
FUNCTION void see(const Worker& t, const State& s) {
  constexpr float SCALE = 1.0f / UNIT;
  for (int c = t.thread; c < s.candidates; c += t.threads) {
    const int i = s.row[c], j = s.column[c];
    const bool chosen = s.column_of[i] == j;
    float* x = s.seen[c].at;
    x[0] = SCALE * static_cast<float>(s.value[c]);
    x[1] = smaller(SCALE * static_cast<float>(s.middle_u[i] + s.middle_v[j] - s.value[c]), MOST_SLACK);
    x[2] = chosen ? 1.0f : 0.0f;
    x[3] = SCALE * static_cast<float>(s.middle_u[i]);
    x[4] = SCALE * static_cast<float>(s.middle_v[j]);
    x[5] = 0.25f * static_cast<float>(s.dimension[c]);
    x[6] = 0.125f * static_cast<float>(s.arc_start[c + 1] - s.arc_start[c]);
    x[7] = 8.0f / static_cast<float>(7 + s.row_first[i + 1] - s.row_first[i]);
    x[8] = 8.0f / static_cast<float>(7 + s.in_column[j]);
    x[9] = x[2] + MEMORY * x[9];
    s.speaks[c] = exponential(-2.0f * x[1]);  // those that may be chosen speak for their row and column
    const int slots = chosen ? matching(s, c) : 0;
    for (int k = s.arc_start[c]; k < s.arc_start[c + 1]; ++k)
      s.used[k] = static_cast<float>(slots >> (s.arc[k] & 15) & 1);
  }
  SYNC_BLOCK();
  for (int k = t.thread; k < s.arcs; k += t.threads) {
    const int slot = s.arc[k];
    const float used = s.used[k], theirs = s.used[s.twin_arc[k]], drift = used - theirs + MEMORY * s.drift[k];
    s.drift[k] = drift;
    s.seen_arc[k] = {{SCALE * static_cast<float>(s.share[slot]) - 0.5f,
                      smaller(SCALE * static_cast<float>(s.gap[slot]), MOST_GAP), used,
                      smaller(SCALE * static_cast<float>(s.gap[s.twin[slot]]), MOST_GAP), theirs, drift, 0, 0}};
  }
  SYNC_BLOCK();
}

// One column of a matrix that is stored inputs first.
template <int K>
struct Column {
  float at[K];
  FUNCTION Column(const float* matrix, int w) {
    for (int k = 0; k < K; ++k) at[k] = matrix[k * W + w];
  }
  FUNCTION float dot(const float* x) const {
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += at[k] * x[k];
    return sum;
  }
};

FUNCTION float rectified(float x) {
  return x > 0 ? x : 0;
}

// The parts of a step. What they read and write never overlaps, so that a thread can load one candidate while it
// computes another; on an H200 that gains 2 %.

// out = relu(bias + hidden part + input part).
FUNCTION void embed(const Worker& t, int w, const Net& net, int count, const Vector* __restrict__ hidden,
                  const Seen* __restrict__ seen, Vector* __restrict__ out) {
  const Column<W> before(net.embed, w);
  const Column<INPUTS> now(net.embed + W * W, w);
  const float bias = net.embed_bias[w];
  UNROLL
  for (int c = t.group(); c < count; c += t.groups()) {
    const Vector h = hidden[c];
    const Seen x = seen[c];
    out[c].at[w] = rectified(bias + before.dot(h.at) + now.dot(x.at));
  }
}

// What candidates say of themselves and to others.
FUNCTION void speak(const Worker& t, int w, const float* own_matrix, const float* own_bias, const float* other_matrix,
                  int count, const Vector* __restrict__ in, Vector* __restrict__ own, Vector* __restrict__ other) {
  const Column<W> mine(own_matrix, w), theirs(other_matrix, w);
  const float bias = own_bias[w];
  UNROLL
  for (int c = t.group(); c < count; c += t.groups()) {
    const Vector x = in[c];
    own[c].at[w] = bias + mine.dot(x.at);
    other[c].at[w] = theirs.dot(x.at);
  }
}

// The mean of those that speak for one line: of a row, whose candidates follow each other, or of a column.
FUNCTION void average(const Worker& t, int w, const State& s, const float* __restrict__ speaks,
                    const Vector* __restrict__ in, Vector* __restrict__ row_mean, Vector* __restrict__ column_mean) {
  for (int i = t.group(); i < s.n; i += t.groups()) {
    float sum = 0, total = 1e-6f;
    UNROLL
    for (int c = s.row_first[i]; c < s.row_first[i + 1]; ++c) {
      total += speaks[c];
      sum += speaks[c] * in[c].at[w];
    }
    row_mean[i].at[w] = sum / total;
  }
  const int* __restrict__ number = s.number;
  for (int j = t.group(); j < s.m; j += t.groups()) {
    float sum = 0, total = 1e-6f;
    UNROLL
    for (int i = 0; i < s.n; ++i) {
      const int c = number[i * s.m + j];
      const float weight = c < 0 ? 0.0f : speaks[c];
      total += weight;
      sum += weight * (c < 0 ? 0.0f : in[c].at[w]);
    }
    column_mean[j].at[w] = sum / total;
  }
}

// What a candidate hears along its arcs.
FUNCTION void hear(const Worker& t, int w, const Net& net, int count, const int* __restrict__ starts,
                 const int* __restrict__ head, const SeenArc* __restrict__ seen, const Vector* __restrict__ own,
                 const Vector* __restrict__ other, Vector* __restrict__ out) {
  const Column<ARC> along(net.arc, w);
  for (int c = t.group(); c < count; c += t.groups()) {
    const float mine = own[c].at[w];
    const int end = starts[c + 1];
    float sum = 0;
    UNROLL
    for (int k = starts[c]; k < end; ++k) {
      const SeenArc x = seen[k];
      sum += rectified(mine + other[head[k]].at[w] + along.dot(x.at));
    }
    out[c].at[w] = sum;
  }
}

FUNCTION void combine(const Worker& t, int w, const Net& net, int count, const int* __restrict__ row,
                    const int* __restrict__ column, const Vector* __restrict__ row_part,
                    const Vector* __restrict__ column_part, const Vector* __restrict__ inner,
                    const Vector* __restrict__ heard, Vector* __restrict__ out) {
  const Column<W> from_inner(net.gather, w), from_heard(net.gather + W * W, w);
  const float bias = net.gather_bias[w];
  UNROLL
  for (int c = t.group(); c < count; c += t.groups()) {
    const Vector x = inner[c], y = heard[c];
    const float lines = row_part[row[c]].at[w] + column_part[column[c]].at[w];
    out[c].at[w] = rectified(bias + lines + from_inner.dot(x.at) + from_heard.dot(y.at));
  }
}

FUNCTION void update(const Worker& t, int w, const Net& net, int count, const Vector* __restrict__ hidden,
                   const Vector* __restrict__ in, Vector* __restrict__ out) {
  const Column<W> matrix(net.update, w);
  const float bias = net.update_bias[w];
  UNROLL
  for (int c = t.group(); c < count; c += t.groups()) {
    const Vector x = in[c];
    out[c].at[w] = hidden[c].at[w] + bias + matrix.dot(x.at);
  }
}

FUNCTION void normalise(const Worker& t, const Net& net, int count, const Vector* __restrict__ in,
                      Vector* __restrict__ out) {
  for (int c = t.thread; c < count; c += t.threads) {
    Vector x = in[c];
    float sum = 0, square = 0;
    for (int k = 0; k < W; ++k) sum += x.at[k], square += x.at[k] * x.at[k];
    const float mean = sum / W;
    const float factor = 1.0f / root(larger(square / W - mean * mean, 0.0f) + 1e-5f);
    for (int k = 0; k < W; ++k) x.at[k] = (x.at[k] - mean) * factor * net.scale[k] + net.shift[k];
    out[c] = x;
  }
}

FUNCTION void judge(const Worker& t, const Net& net, int count, const int* __restrict__ arc,
                  const int* __restrict__ head, const SeenArc* __restrict__ seen, const Vector* __restrict__ own,
                  const Vector* __restrict__ other, float* __restrict__ out) {
  for (int k = t.thread; k < count; k += t.threads) {
    const SeenArc x = seen[k];
    const Vector mine = own[arc[k] / 16], theirs = other[head[k]];
    float sum = 0;
    for (int w = 0; w < W; ++w) {
      float part = mine.at[w] + theirs.at[w];
      for (int j = 0; j < ARC; ++j) part += x.at[j] * net.last_arc[j * W + w];
      sum += rectified(part) * net.head[w];
    }
    out[k] = sum;
  }
}

// One step of the network: what it says of every arc, and the candidates' new hidden state.
FUNCTION void step(const Worker& t, const Net& net, const State& s) {
  const int count = s.candidates;
  auto for_units = [&](auto&& part) {
    for (int w = t.unit(); w < W; w += t.unit_step()) part(w);
    SYNC_BLOCK();
  };
  for_units([&](int w) { embed(t, w, net, count, s.hidden, s.seen, s.inner); });
  for_units([&](int w) {
    speak(t, w, net.own, net.own_bias, net.other, count, s.inner, s.own, s.other);
    average(t, w, s, s.speaks, s.inner, s.row_mean, s.column_mean);
  });
  for_units([&](int w) {
    const Column<W> row(net.gather + 2 * W * W, w), column(net.gather + 3 * W * W, w);
    for (int i = t.group(); i < s.n; i += t.groups()) s.row_part[i].at[w] = row.dot(s.row_mean[i].at);
    for (int j = t.group(); j < s.m; j += t.groups()) s.column_part[j].at[w] = column.dot(s.column_mean[j].at);
    hear(t, w, net, count, s.arc_start, s.head, s.seen_arc, s.own, s.other, s.heard);
  });
  for_units([&](int w) {
    combine(t, w, net, count, s.row, s.column, s.row_part, s.column_part, s.inner, s.heard, s.own);
  });
  for_units([&](int w) { update(t, w, net, count, s.hidden, s.own, s.other); });
  normalise(t, net, count, s.other, s.hidden);
  SYNC_BLOCK();
  for_units([&](int w) {
    speak(t, w, net.last_own, net.last_own_bias, net.last_other, count, s.hidden, s.own, s.other);
  });
  judge(t, net, s.arcs, s.arc, s.head, s.seen_arc, s.own, s.other, s.say);
  SYNC_BLOCK();
}

// Moves the shares as the network says.
FUNCTION void divide(const Worker& t, const State& s) {
  for (int k = t.thread; k < s.arcs; k += t.threads) {
    const int slot = s.arc[k], twin = s.twin[slot];
    if (twin / 16 < slot / 16) continue;
    const float push = s.say[k] - s.say[s.twin_arc[k]];
    const float z = exponential(-2.0f * (push < 0 ? -push : push));
    const float size = MOST_MOVE * (1.0f - z) / (1.0f + z);
    const float whole =
        static_cast<float>(s.share[slot]) + static_cast<float>(UNIT) * (push < 0 ? -size : size);
    s.share[slot] = rounded(smaller(larger(whole, static_cast<float>(UNIT - LIMIT)), static_cast<float>(LIMIT)));
    s.share[twin] = UNIT - s.share[slot];
  }
  SYNC_BLOCK();
}

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

// What comes out of each pair, pair after pair.
struct Results {
  long long* bound;                               // in units
  int* image;                                     // of rows
  int *u, *v, *a, *b, *share;                     // the bound's witness: of rows, columns and edges
  const long long *row_at, *column_at, *edge_at;  // where a pair's part begins
};

FUNCTION void solve(const Worker& t, const Net& net, const View& pair, const State& s, int steps, int number,
                  const Results& out, long long* told) {
  build(t, pair, s);
  const int n = s.n, m = s.m;
  int *u = out.u + out.row_at[number], *v = out.v + out.column_at[number];
  int *a = out.a + out.edge_at[number], *b = out.b + out.edge_at[number], *share = out.share + out.edge_at[number];
  for (int c = t.thread; c < s.candidates; c += t.threads) {
    int e = s.edge_start[c];
    for (int x = s.arc_start[c]; x < s.arc_start[c + 1]; ++x) {
      const int d = s.head[x];
      if (d < c) continue;
      a[e] = s.row[c] * m + s.column[c];
      b[e++] = s.row[d] * m + s.column[d];
    }
  }
  long long best = -1;
  for (int k = 0;; ++k) {
    for (int c = t.thread; c < s.candidates; c += t.threads) {
      assign_inner(s, c);
      s.weight[s.row[c] * m + s.column[c]] = s.value[c];
    }
    SYNC_BLOCK();
    const long long bound = assign_outer(t, s, told);
    if (best < 0 || bound < best) {
      best = bound;
      for (int i = t.thread; i < n; i += t.threads) u[i] = s.u[i];
      for (int j = t.thread; j < m; j += t.threads) v[j] = s.v[j];
      for (int c = t.thread; c < s.candidates; c += t.threads) {
        int e = s.edge_start[c];
        for (int x = s.arc_start[c]; x < s.arc_start[c + 1]; ++x)
          if (s.head[x] > c) share[e++] = s.share[s.arc[x]];
      }
    }
    if (k == steps) break;
    see(t, s);
    step(t, net, s);
    divide(t, s);
  }
  float* score = s.speaks;  // no longer needed
  for (int c = t.thread; c < s.candidates; c += t.threads) {
    float sum = net.score_bias;
    for (int k = 0; k < W; ++k) sum += s.hidden[c].at[k] * net.score[k];
    score[c] = sum;
  }
  SYNC_BLOCK();
  if (t.warp() == 0) {
    grow(t, s, score, out.image + out.row_at[number]);
    if (t.lane() == 0) out.bound[number] = best;
  }
  SYNC_BLOCK();
}

}  // namespace shares

#if defined(__CUDACC__)

// Candidates and arcs of every pair, a block each.
extern "C" __global__ void measure(const int* node_first, const int* label, const int* arc_first, const int* arc_to,
                                   const int* arc_label, const int* source, const int* target, int pairs,
                                   int* candidates, int* arcs) {
  const shares::Graphs graphs{node_first, label, arc_first, arc_to, arc_label};
  for (int p = blockIdx.x; p < pairs; p += gridDim.x) {
    const shares::View pair(graphs, source[p], target[p]);
    int live = 0, sum = 0;
    for (int c = threadIdx.x; c < pair.n * pair.m; c += blockDim.x) {
      const int many = pair.arcs(c / pair.m, c % pair.m);
      live += many > 0;
      sum += many;
    }
    shares::add_to(candidates + p, live);
    shares::add_to(arcs + p, sum);
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_THREADS, BLOCKS_EACH)
    share_out(const int* node_first, const int* label, const int* arc_first, const int* arc_to, const int* arc_label,
          const int* source, const int* target, const int* order, int pairs, int steps, const float* weights,
          char* workspace, int memory, int fast_bytes, const int* candidates, const int* arcs, int* next,
          long long* bound, int* image, int* u, int* v, int* a, int* b, int* share, const long long* row_at,
          const long long* column_at, const long long* edge_at) {
  extern __shared__ char fast[];
  __shared__ shares::Net net;
  __shared__ shares::State state;
  __shared__ long long told;
  __shared__ int mine;
  for (int k = threadIdx.x; k < static_cast<int>(sizeof(net) / sizeof(float)); k += blockDim.x)
    reinterpret_cast<float*>(&net)[k] = weights[k];
  const shares::Graphs graphs{node_first, label, arc_first, arc_to, arc_label};
  const shares::Results out{bound, image, u, v, a, b, share, row_at, column_at, edge_at};
  const shares::Worker worker{static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) {
      const int at = atomicAdd(next, 1);
      mine = at < pairs ? order[at] : -1;
      if (at < pairs) {
        const shares::View pair(graphs, source[mine], target[mine]);
        state.lay(reinterpret_cast<unsigned long long>(workspace) + 256ull * memory * blockIdx.x,
                  reinterpret_cast<unsigned long long>(fast), fast_bytes, pair.n, pair.m, candidates[mine],
                  arcs[mine]);
      }
    }
    __syncthreads();
    if (mine < 0) return;
    shares::solve(worker, net, shares::View(graphs, source[mine], target[mine]), state, steps, mine, out, &told);
  }
}

#endif
