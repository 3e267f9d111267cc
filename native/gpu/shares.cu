// The network that shares profit out, for many pairs at once: a block of threads takes one pair after the other, from
// labels and edges to a mapping, a bound and its witness, so that no pair waits for another. Assignments are solved
// exactly and in integers: the bound is as valid as the compiled core's. Degrees go up to four. NVRTC compiles this
// text for a GPU; a host compiler reads the same text with one thread a block.
//
// Candidates are numbered as cells are, row by row. Each has a 4 x 4 block of slots: its k-th edge in the source
// against its l-th edge in the target. An arc is a slot with a twin: the same association edge seen from its other
// end.

#include "gpu/device.cu"
#include "gpu/state.cu"
#include "gpu/assignment.cu"
#include "gpu/network.cu"
#include "gpu/decoder.cu"
#include "gpu/entry.cu"
