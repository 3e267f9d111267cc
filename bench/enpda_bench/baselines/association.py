"""The association graph of a pair as a list: which candidates support which."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from enpda.graph import Graph


def association(a: Graph, b: Graph) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return both ends of every edge of the association graph, once; candidate (i, j) is i * len(b) + j."""
    m = len(b)
    u, v = a.edges.reshape(-1, 2).T
    x, y = b.edges.reshape(-1, 2).T
    alike = a.edge_labels[:, None] == b.edge_labels[None, :]
    ends = []
    for s, t in ((x, y), (y, x)):
        fits = alike & (a.labels[u][:, None] == b.labels[s]) & (a.labels[v][:, None] == b.labels[t])
        e, f = np.nonzero(fits)
        ends.append((u[e] * m + s[f], v[e] * m + t[f]))
    return np.concatenate([e[0] for e in ends]), np.concatenate([e[1] for e in ends])
