"""Where the nodes of a graph go on paper; numpy only and deterministic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from enpda.graph import IntArray

FloatArray = npt.NDArray[np.float64]
Point = tuple[float, float]

MAX_STRESS = 300
"""Components up to this many nodes get full stress majorisation, larger ones a sparse one."""

MAX_SWEEPS = 150
WORK = 4_000_000  # node pairs over all sweeps: a third of a second
PIVOTS = 60
LARGE_SWEEPS = 40
LENIENCE = 1.15  # how much stress a likeness to the guide may cost
GOLDEN_ANGLE = np.pi * (3.0 - np.sqrt(5.0))


def place(
    components: Sequence[IntArray], edges: IntArray, guide: Mapping[int, Point] | None = None, aspect: float = 1.25
) -> FloatArray:
    """Give every node a point, with edges about one unit long and components side by side.

    Parameters
    ----------
    components : sequence of arrays of int
        Node numbers of each connected component; together all nodes.
    edges : array of int, shape (edges, 2)
        Rows of node numbers.
    guide : mapping of int to (float, float), optional
        Points that some nodes should be near, up to a shift of their component.
    aspect : float
        Width over height that the whole should have.
    """
    points = np.zeros((sum(map(len, components)), 2))
    number, local = np.zeros((2, len(points)), dtype=np.int64)
    for at, nodes in enumerate(components):
        number[nodes], local[nodes] = at, np.arange(len(nodes))
    owner = number[edges[:, 0]]
    ends = np.cumsum(np.bincount(owner, minlength=len(components)))[:-1]
    own_edges = np.split(local[edges[np.argsort(owner, kind="stable")]], ends)
    pairs = sum(len(nodes) ** 2 for nodes in components if len(nodes) <= MAX_STRESS)
    sweeps = min(MAX_SWEEPS, WORK // max(pairs, 1))
    for at, (nodes, own) in enumerate(zip(components, own_edges, strict=True)):
        held = {int(local[v]): xy for v, xy in (guide or {}).items() if number[v] == at}
        points[nodes] = _connected(len(nodes), own, held, sweeps)
    return packed(points, components, aspect)


def onto(points: FloatArray, guide: Mapping[int, Point]) -> FloatArray:
    """Move, turn and possibly mirror the points rigidly so that the guided ones come closest to their guide.

    Mirroring is fine for molecules too: wedges are put on a drawing afterwards.
    """
    nodes = list(guide)
    plane = points[:, 0] + 1j * points[:, 1]
    there = np.array([complex(*guide[v]) for v in nodes])
    plane, centre = plane - plane[nodes].mean(), there.mean()
    turn, mirror = np.vdot(plane[nodes], there - centre), np.vdot(plane[nodes].conj(), there - centre)
    if abs(mirror) > abs(turn) + 1e-9:
        plane, turn = plane.conj(), mirror
    plane = plane * (turn / abs(turn) if abs(turn) > 1e-9 else 1.0) + centre
    return np.column_stack([plane.real, plane.imag])


def turned(points: FloatArray, angle: float) -> FloatArray:
    """Turn the points about the origin, anticlockwise; radians."""
    cos, sin = np.cos(angle), np.sin(angle)
    return np.asarray(points @ np.array([[cos, sin], [-sin, cos]]))


def best_turn(sides: Sequence[FloatArray], width: float, height: float) -> float:
    """Find the angle by which several drawings, turned together, can be largest in boxes of this size.

    Only multiples of 30 degrees, which keep the bonds of a molecule in their usual directions, and none when
    little is gained.
    """

    def scale(angle: float) -> float:
        extents = [np.ptp(turned(points, angle), axis=0) + 1.5 for points in sides if len(points)]
        return min((min(width / x, height / y) for x, y in extents), default=0.0)

    angles = [0.0, *(sign * k * np.pi / 6 for k in (1, 2, 3) for sign in (1, -1))][:-1]
    best = max(angles, key=lambda angle: round(scale(angle), 6))
    return best if scale(best) > 1.15 * scale(0.0) else 0.0


def packed(points: FloatArray, components: Sequence[IntArray], aspect: float = 1.25) -> FloatArray:
    """Shift the components onto shelves, tallest first, one unit apart."""
    if not components:
        return points
    low = np.array([points[nodes].min(0) for nodes in components])
    size = np.array([points[nodes].max(0) for nodes in components]) - low + 1.0
    room = max(float(size[:, 0].max()), float(np.sqrt(size.prod(1).sum() * aspect)))
    moved = np.empty_like(points)
    x = top = shelf = 0.0
    for at in np.lexsort((np.arange(len(size)), -size[:, 0].round(6), -size[:, 1].round(6))).tolist():
        if x and x + size[at, 0] > room + 1e-6:
            x, top, shelf = 0.0, top + shelf, 0.0
        shelf = max(shelf, float(size[at, 1]))
        moved[components[at]] = points[components[at]] - low[at] + [x, -top - (shelf + size[at, 1]) / 2]
        x += float(size[at, 0])
    return moved


def _connected(n: int, edges: IntArray, held: Mapping[int, Point], sweeps: int) -> FloatArray:
    """Lay out one connected graph: classical scaling on hop distances, then stress majorisation."""
    if n < 3:
        points = np.zeros((n, 2))
        points[:, 0] = np.arange(n)
        return onto(points, held) if len(held) > 1 else points
    if n > MAX_STRESS:
        points = _large(n, edges)
        return onto(points, held) if len(held) > 1 else _lying(points)
    hops = _all_hops(n, edges)
    points = _relaxed(_scaled(hops) + _jitter(n), hops, sweeps)
    if len(held) > 1:
        start = onto(points, held)
        start[list(held)] = list(held.values())
        near = _relaxed(start, hops, sweeps)
        if _stress(near, hops) <= LENIENCE * _stress(points, hops):
            points = near
    points = points / _lengths(points, edges).mean()
    return onto(points, held) if len(held) > 1 else _lying(points)


def _jitter(n: int) -> FloatArray:
    """Small steps in all directions: twins (two leaves of one node) would coincide, and no force parts them then."""
    angle = GOLDEN_ANGLE * np.arange(n)
    return 0.1 * np.column_stack([np.cos(angle), np.sin(angle)])


def _lengths(points: FloatArray, edges: IntArray) -> FloatArray:
    step = points[edges[:, 0]] - points[edges[:, 1]]
    return np.asarray(np.hypot(step[:, 0], step[:, 1]))


def _all_hops(n: int, edges: IntArray) -> FloatArray:
    """Floyd-Warshall: n vector operations, whatever the density."""
    hops = np.full((n, n), np.inf)
    np.fill_diagonal(hops, 0.0)
    hops[edges[:, 0], edges[:, 1]] = hops[edges[:, 1], edges[:, 0]] = 1.0
    for k in range(n):
        np.minimum(hops, hops[:, k, None] + hops[None, k], out=hops)
    return hops


def _pivot_hops(n: int, edges: IntArray) -> tuple[FloatArray, list[int]]:
    """Hop distances to a few pivots, each the node farthest from those before it; shape (n, pivots)."""
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for u, v in edges.tolist():
        neighbours[u].append(v)
        neighbours[v].append(u)
    hops = np.zeros((n, PIVOTS))
    pivots = [0]
    for column in range(PIVOTS):
        distance = [-1] * n
        distance[pivots[-1]] = 0
        queue = [pivots[-1]]
        for u in queue:
            for v in neighbours[u]:
                if distance[v] < 0:
                    distance[v] = distance[u] + 1
                    queue.append(v)
        hops[:, column] = distance
        pivots.append(int(hops[:, : column + 1].min(1).argmax()))
    return hops, pivots[:-1]


def _scaled(hops: FloatArray) -> FloatArray:
    """Classical scaling (pivot MDS when there are fewer columns than rows).

    Orthogonal iteration from a fixed start instead of an eigensolver: in a degenerate eigenspace (any symmetric
    graph) the solver's choice would depend on the linear algebra library, a projection does not.
    """
    square = hops**2
    centred = -0.5 * (square - square.mean(0) - square.mean(1, keepdims=True) + square.mean())
    angle = GOLDEN_ANGLE * np.arange(1, len(hops) + 1)
    basis = np.column_stack([np.cos(angle), np.sin(angle)])
    length = np.ones(2)
    for _ in range(60):
        basis = centred @ (centred.T @ basis)
        length[0] = np.linalg.norm(basis[:, 0])
        basis[:, 0] /= max(length[0], 1e-9)
        basis[:, 1] -= basis[:, 0] * (basis[:, 0] @ basis[:, 1])
        length[1] = np.linalg.norm(basis[:, 1])
        basis[:, 1] /= max(length[1], 1e-9)
    return np.asarray(basis * length**0.25)


def _relaxed(points: FloatArray, hops: FloatArray, sweeps: int) -> FloatArray:
    """Stress majorisation with weights 1 / hops² (Gansner, Koren and North, 2004)."""
    n = len(points)
    far = hops + np.eye(n)
    weight = 1.0 / far**2 - np.eye(n)
    inverse = np.linalg.inv(np.diag(weight.sum(1)) - weight + 1.0 / n)
    pull = weight * far
    for _ in range(sweeps):
        distance = np.hypot(*(points.T[:, :, None] - points.T[:, None, :])) + np.eye(n)
        ratio = pull / np.maximum(distance, 1e-9)
        moved = inverse @ (ratio.sum(1)[:, None] * points - ratio @ points)
        shift = float(np.abs(moved - points).max())
        points = moved - moved.mean(0)
        if shift < 1e-6:
            break
    return points


def _large(n: int, edges: IntArray) -> FloatArray:
    """Stress only along edges and to pivots, which stand for the nodes near them (Ortmann et al., 2017)."""
    hops, pivots = _pivot_hops(n, edges)
    points = _scaled(hops)
    points = points / _lengths(points, edges).mean() + _jitter(n)
    region = np.bincount(hops.argmin(1), minlength=PIVOTS)
    weight = np.where(hops > 0, np.sqrt(region) / np.maximum(hops, 1.0) ** 2, 0.0)
    near, other = np.concatenate([edges, edges[:, ::-1]]).T
    total = (weight.sum(1) + np.bincount(near, minlength=n))[:, None]
    for _ in range(LARGE_SWEEPS):
        step = points.T[:, :, None] - points[pivots].T[:, None, :]
        ratio = weight * hops / np.maximum(np.hypot(*step), 1e-9)
        moved = weight @ points[pivots] + (ratio * step).sum(2).T
        step = points[near] - points[other]
        wish = points[other] + step / np.maximum(np.hypot(*step.T), 1e-9)[:, None]
        moved += np.column_stack([np.bincount(near, column, minlength=n) for column in wish.T])
        points = moved / total
    return np.asarray(points / _lengths(points, edges).mean())


def _stress(points: FloatArray, hops: FloatArray) -> float:
    far = hops + np.eye(len(hops))
    distance = np.hypot(*(points.T[:, :, None] - points.T[:, None, :])) + np.eye(len(hops))
    return float(((distance / far - 1.0) ** 2).sum())


def _lying(points: FloatArray) -> FloatArray:
    """Turn the long axis to the horizontal, unless there is none."""
    points = points - points.mean(0)
    (xx, xy), (_, yy) = (points.T @ points).tolist()
    if np.hypot(xx - yy, 2 * xy) < 0.05 * (xx + yy):
        return points
    return turned(points, -0.5 * np.arctan2(2 * xy, xx - yy))
