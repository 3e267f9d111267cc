// What a GPU and a host compiler are told alike: threads, sums over them, sizes and weights of the network.

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

// As `enpda/gpu/kernel.py` lays them out, inputs first.
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

}  // namespace shares
