// What the network sees of an evaluation, and how it moves the shares.

namespace shares {

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

}  // namespace shares
