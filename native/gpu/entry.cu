// What the host calls, and what comes out of each pair.

namespace shares {

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
