// One pair and the state of its shares, from two graphs to candidates, arcs and blocks of slots.

namespace shares {

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

}  // namespace shares
