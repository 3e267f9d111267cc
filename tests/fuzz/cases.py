"""Random questions: tiny graphs of many shapes, small molecules, rules, constraints and options."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Any

from enpda import Constraints, Graph, Rules

Plain = tuple[list[int], list[tuple[int, int]], list[int]]
"""Node labels, edges and edge labels."""

SIZES = [0, 1, 2, 3, *[4] * 3, *[5] * 5, *[6] * 6, *[7] * 5, 8]
KINDS = [(1, 1), (1, 1), (1, 1), (1, 1), (2, 1), (1, 2), (2, 2), (3, 3)]
"""Labels of nodes and of edges that a pair has."""


def plain(rng: random.Random, most: int = 8, kinds: tuple[int, int] = (2, 2)) -> Plain:
    """Draw the parts of a graph: random, a tree, a ring, a star, a path, a clique, a prism, or several of them."""
    n = min(rng.choice(SIZES), most)
    node_kinds, edge_kinds = kinds
    pairs = [(u, v) for u in range(n) for v in range(u + 1, n)]
    shape = rng.choice(["random", "random", "random", "tree", "ring", "star", "path", "clique", "prism", "parts"])
    if shape == "random":
        density = rng.choice([0.2, 0.35, 0.5, 0.8])
        edges = [pair for pair in pairs if rng.random() < density]
    elif shape == "tree":
        edges = [(rng.randrange(v), v) for v in range(1, n)]
    elif shape == "ring":
        edges = [(v, v + 1) for v in range(n - 1)] + ([(0, n - 1)] if n > 2 else [])
        edges += [pair for pair in pairs if pair not in edges and rng.random() < 0.08]
    elif shape == "star":
        edges = [(0, v) for v in range(1, n)]
    elif shape == "path":
        edges = [(v, v + 1) for v in range(n - 1)]
    elif shape == "clique":
        edges = [pair for pair in pairs if rng.random() < 0.92]
    elif shape == "prism":  # two rings side by side, and what joins them
        half = n // 2
        edges = [pair for pair in pairs if pair[1] - pair[0] == half or (pair[1] - pair[0] == 1 and pair[1] != half)]
    else:  # two copies of one small part
        half = n // 2
        inside = [(u, v) for u in range(half) for v in range(u + 1, half) if rng.random() < 0.6]
        edges = inside + [(u + half, v + half) for u, v in inside]
    edges = sorted(edges)
    # The first label is the most frequent: more of it matches, and more has to be proven.
    labels = [min(rng.randrange(node_kinds), rng.randrange(node_kinds)) for _ in range(n)]
    return labels, edges, [min(rng.randrange(edge_kinds), rng.randrange(edge_kinds)) for _ in edges]


def relabelled(rng: random.Random, parts: Plain) -> Plain:
    """Renumber the nodes, and now and then change one thing."""
    labels, edges, edge_labels = parts
    place = list(range(len(labels)))
    rng.shuffle(place)
    new = [0] * len(labels)
    for v, at in enumerate(place):
        new[at] = labels[v]
    moved = sorted(
        ((min(place[u], place[v]), max(place[u], place[v])), label)
        for (u, v), label in zip(edges, edge_labels, strict=True)
    )
    if moved and rng.random() < 0.5:
        moved.pop(rng.randrange(len(moved)))
    if new and rng.random() < 0.3:
        new[rng.randrange(len(new))] = rng.choice(labels)
    return new, [edge for edge, _ in moved], [label for _, label in moved]


def plain_pair(rng: random.Random, most: int = 8) -> tuple[Plain, Plain]:
    """Draw two graphs, often alike."""
    kinds = rng.choice(KINDS)
    a = plain(rng, most, kinds)
    like = rng.random()
    b = a if like < 0.03 else relabelled(rng, a) if like < 0.25 else plain(rng, most, kinds)
    return a, b


# fmt: off
CORES = [
    "C", "C", "C", "O", "N", "CC", "CO", "CN", "C=O", "C#N", "CCC", "C=C", "C1CC1", "C1CCC1", "C1CCCC1", "C1CCCCC1",
    "c1ccccc1", "c1ccncc1", "c1ccoc1", "c1ccsc1", "c1cc[nH]c1", "c1c[nH]cn1", "c1ncccn1", "C1CC1C1CC1", "C1C2CC12",
    "C12C3C1C23", "C1CC2CC12", "C1OC1", "C1CCOCC1", "C1=CCC1", "C1=CC=CC1", "N1C=CC=C1", "CC(=O)O", "CC(N)=O",
    "[NH3+]C", "CC([O-])=O", "O=[N+]([O-])C", "S(=O)(=O)C", "[13CH3]C", "[2H]C", "ClC", "BrC", "FC(F)F", "C.C",
    "CC.CC", "C1CC1.C1CC1", "CO.O", "[Na+].[OH-]", "C1CC12CC2", "C1=CC1", "OP(O)O", "C[Si](C)C",
]
# fmt: on
SUBSTITUENTS = ["C", "C", "N", "O", "F", "Cl", "S", "Br"]
MOST_ATOMS = 8


def molecule(rng: random.Random) -> Graph:
    """Draw a molecule of at most eight atoms: a core, often with substituents."""
    return _grown(rng.choice(CORES), rng.randrange(64))


@lru_cache(maxsize=4096)
def _grown(core: str, seed: int) -> Graph:
    from rdkit import Chem, rdBase

    rng = random.Random(f"{core}:{seed}")
    mol = Chem.MolFromSmiles(core)
    with rdBase.BlockLogs():
        for _ in range(rng.randrange(4)):
            if mol.GetNumAtoms() >= MOST_ATOMS:
                break
            grown = Chem.RWMol(mol)
            new = grown.AddAtom(Chem.AtomFromSmiles(rng.choice(SUBSTITUENTS)))
            grown.GetAtomWithIdx(new).SetNoImplicit(False)
            order = rng.choice([Chem.BondType.SINGLE] * 3 + [Chem.BondType.DOUBLE])
            grown.AddBond(rng.randrange(new), new, order)
            try:
                Chem.SanitizeMol(grown)
            except Chem.MolSanitizeException:
                continue
            mol = grown.GetMol()
        order = list(range(mol.GetNumAtoms()))
        rng.shuffle(order)
        # Atoms in another order, and molecules as a reader makes them.
        return Graph.from_mol(Chem.MolFromSmiles(Chem.MolToSmiles(Chem.RenumberAtoms(mol, order), canonical=False)))


def rules(rng: random.Random, a: Graph, b: Graph) -> Rules:
    """Draw rules that two graphs can be asked about."""
    molecules = a.mol is not None and b.mol is not None
    given: dict[str, Any] = {}
    if rng.random() < 0.4:
        names = ["element", "ring", "degree"]
        names += ["charge", "isotope", "hydrogens", "aromatic", "valence"] if molecules else []
        given["atoms"] = rng.sample(names, rng.choice([0, 1, 1, 2])) or "any"
    if rng.random() < 0.3:
        given["bonds"] = "any"
    if rng.random() < 0.2:
        given["ring_bonds"] = True
    if molecules and "atoms" not in given and rng.random() < 0.2:
        given["equivalent"] = rng.sample(["[C,N]", "[O,S]", "[F,Cl,Br]", "[R]", "[#6]"], rng.choice([1, 2]))
    if rng.random() < 0.3:
        labels = sorted({*a.edge_labels.tolist(), *b.edge_labels.tolist()})
        by_order = molecules and rng.random() < 0.5 and set(labels) <= {1, 2, 3, 12}
        given["weights"] = "order" if by_order else {x: rng.choice([0, 1, 1, 2, 3, 5, 16]) for x in labels}
    if len(a) and len(b) and rng.random() < 0.4:
        cells = [(i, j) for i in range(len(a)) for j in range(len(b))]
        density = rng.choice([0.05, 0.2, 0.5])
        forbidden = [cell for cell in cells if rng.random() < density]
        kind = rng.random()
        if kind < 0.5:
            given["forbidden"] = forbidden
        elif kind < 0.7:
            given["compatible"] = [[(i, j) not in forbidden for j in range(len(b))] for i in range(len(a))]
        elif kind < 0.8:
            apart = set(forbidden)
            given["compatible"] = lambda i, j: (i, j) not in apart
        else:
            given["pinned"] = _pins(rng, a, b)
    return Rules(**given)


def _pins(rng: random.Random, a: Graph, b: Graph) -> dict[int, int]:
    """Draw one or two pairs that labels, at least, allow."""
    pins: dict[int, int] = {}
    for _ in range(rng.choice([1, 1, 2])):
        i, j = rng.randrange(len(a)), rng.randrange(len(b))
        if i not in pins and j not in pins.values() and a.labels[i] == b.labels[j]:
            pins[i] = j
    return pins


def constraints(rng: random.Random, a: Graph, b: Graph) -> Constraints:
    """Draw constraints that two graphs can be asked about."""
    molecules = a.mol is not None and b.mol is not None
    given: dict[str, Any] = {}
    if rng.random() < 0.5:
        given["rings"] = rng.choice(["all", "aromatic"] if molecules else ["all"])
    if rng.random() < 0.4:
        given["connected"] = True
    elif rng.random() < 0.4:
        given["max_fragments"] = rng.choice([1, 2, 2, 3])
    if rng.random() < 0.4:
        given["min_fragment"] = rng.choice([1, 2, 3, 3, 4, 5])
    return Constraints(**given)


METHODS = [
    "auto",
    "auto",
    "exact",
    "exact",
    "exact",
    "fast",
    "core",
    "analytic",
    "solver",
    "paper-fast",
    "paper-solver",
]
BOUNDS = [*["caps", "rlt", "rlt", "branch", "branch", "branch", "branch"], *["lp", "milp", "mccormick-lp"]]


def options(rng: random.Random, a: Graph, b: Graph, weighted: bool, constrained: bool) -> dict[str, Any]:
    """Draw what `match` is told besides."""
    given: dict[str, Any] = {"method": rng.choice(METHODS), "time_limit": None, "seed": rng.randrange(1000)}
    if rng.random() < 0.3:
        bound = rng.choice(BOUNDS)
        lifted = bound not in ("caps", "rlt", "branch")
        if not lifted or (not constrained and rng.random() < 0.1):
            given["bound"] = bound
    kind = rng.random()
    if kind < 0.12:
        given["min_size"] = rng.randrange(12)
    elif kind < 0.24 and not weighted:
        given["min_similarity"] = rng.choice([0.1, 0.25, 0.36, 0.5, 0.7, 0.9, 1.0])
    elif kind < 0.32:
        given["max_distance"] = rng.randrange(14)
    if rng.random() < 0.3 and (given["method"] in ("auto", "exact") or "bound" in given):
        given["most_nodes"] = True
    if rng.random() < 0.05:
        given["threads"] = 2
    if rng.random() < 0.1:
        given["rounds"] = rng.choice([0, 1, 8])
    if rng.random() < 0.1:
        given["decoder"] = rng.choice(["growth", "hungarian"])
    if rng.random() < 0.1:
        given["samples"] = rng.choice([1, 3])
    if given["method"] != "analytic" and rng.random() < 0.1:
        given["policy"] = rng.choice(["default", "paper", "none"])
    return given


def pair(rng: random.Random) -> tuple[Graph, Graph]:
    """Draw two graphs, one time in five molecules."""
    if rng.random() < 0.2:
        return molecule(rng), molecule(rng)
    a, b = plain_pair(rng)
    return Graph(*a), Graph(*b)
