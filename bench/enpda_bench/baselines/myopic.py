"""myopic-mces, the integer programme of a distance of molecules (Kretschmer and others, 2025), by its mapping."""

from __future__ import annotations

import time

from enpda.graph import Graph
from enpda_bench.baselines.answer import Answer, answered

Bonds = dict[tuple[int, int], tuple[int, int]]


def run(a: Graph, b: Graph, seconds: float) -> Answer:
    """Run myopic-mces with CBC; what it proves is its own distance, in which bonds of any order may meet.

    It reads SMILES and compares elements: graphs whose labels are no atoms are beyond it. Only the solver knows the
    limit, not the writing of the programme, and a solver that is cut short gives no mapping.
    """
    import cbcbox
    from myopic_mces.myopic_mces import MCES

    if (mine := _smiles(a)) is None or (theirs := _smiles(b)) is None:
        return Answer(0, False, 0.0, failure="it takes molecules only, and these labels are not those of atoms")
    solver = {"msg": False, "threads": 1, "path": cbcbox.cbc_bin_path(), "timeLimit": max(seconds, 1e-3)}
    begin = time.perf_counter()
    _, _, _, mode, bonds = MCES(mine[0], theirs[0], -1, solver_options=solver, structure=True)
    spent = time.perf_counter() - begin
    if mode != 1:
        return Answer(0, False, spent, failure=f"no mapping within {seconds:g} s")
    image = {mine[1][i]: theirs[1][j] for i, j in ends_of(bonds, a, b, mine[1], theirs[1]).items()}
    return answered(a, b, image, False, spent)


def _smiles(graph: Graph) -> tuple[str, list[int]] | None:
    """Return a SMILES and, for each of its atoms, the node; none where labels are no atoms."""
    from rdkit import Chem

    try:
        mol = graph.to_mol()
        text = Chem.MolToSmiles(mol)
        read = Chem.MolFromSmiles(text)
    except Exception:  # RDKit raises several kinds
        return None
    if read is None or read.GetNumAtoms() != len(graph):
        return None
    order = list(mol.GetPropsAsDict(includePrivate=True, includeComputed=True)["_smilesAtomOutputOrder"])
    return text, [int(k) for k in order]


def ends_of(bonds: Bonds, a: Graph, b: Graph, of_a: list[int], of_b: list[int]) -> dict[int, int]:
    """Turn matched bonds into matched atoms: an atom goes where all its bonds allow it to go.

    Atoms of several bonds are determined; an end of a single bond takes what its neighbour leaves, and a bond alone
    whichever way elements allow.
    """
    choices: dict[int, set[int]] = {}
    for here, there in bonds.items():
        for end in here:
            fits = {x for x in there if a.labels[of_a[end]] == b.labels[of_b[x]]}
            choices[end] = choices[end] & fits if end in choices else fits
    image: dict[int, int] = {}
    while choices:
        end = min(choices, key=lambda x: (len(choices[x]), x))
        if possible := choices.pop(end):
            image[end] = min(possible)
            for other in choices.values():
                other.discard(image[end])
    return image
