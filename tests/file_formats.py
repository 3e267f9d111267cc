"""Small files in every format that is read, and what they hold."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np

from enpda import Graph
from enpda.io import FORMATS, Reject, graph_files, read

DRUGS = {
    "aspirin": "CC(=O)Oc1ccccc1C(=O)O",
    "caffeine": "Cn1c(=O)c2c(ncn2C)n(C)c1=O",
    "paracetamol": "CC(=O)Nc1ccc(O)cc1",
    "ibuprofen": "CC(C)Cc1ccc(cc1)C(C)C(=O)O",
}
EXPECTED = [Graph.from_smiles(smiles) for smiles in DRUGS.values()]
TRIANGLE = Graph([6, 7, 8], [(0, 1), (1, 2), (0, 2)], [1, 2, 1])
PATH = Graph([1, 1, 2, 3], [(0, 1), (1, 2), (2, 3)], [5, 5, 6])


def smi(first: str = "smiles") -> bytes:
    rows = DRUGS.items() if first == "name" else ((smiles, name) for name, smiles in DRUGS.items())
    return "".join(f"{a}\t{b}\n" for a, b in rows).encode()


def csv(separator: str = ",", header: tuple[str, str] = ("Name", "SMILES")) -> bytes:
    rows = [header, *DRUGS.items()]
    return "".join(f"{i}{separator}{a}{separator}{b}\n" for i, (a, b) in enumerate(rows)).encode()


def mol_block(smiles: str, title: str = "") -> str:
    from rdkit import Chem

    mol = Chem.MolFromSmiles(smiles)
    mol.SetProp("_Name", title)
    return str(Chem.MolToMolBlock(mol))


def sdf() -> bytes:
    fields = ">  <note>\nfree text\n\n$$$$\n"
    return "".join(mol_block(smiles, name) + fields for name, smiles in DRUGS.items()).encode()


def gml(graph: Graph, quote: str = "", flags: str = "") -> bytes:
    nodes = "".join(f"  node [ id {k} label {quote}{label}{quote} ]\n" for k, label in enumerate(graph.labels))
    edges = "".join(
        f"  edge [ source {u} target {v} label {label} ]\n"
        for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels, strict=True)
    )
    return f'Creator "us"\n\ngraph [\n  {flags}\n  name "tiny"\n{nodes}{edges}]\n'.encode()


def graphml(*graphs: Graph, kind: str = "int", mode: str = "undirected") -> bytes:
    bodies = []
    for graph in graphs:
        nodes = [f'<node id="n{k}"><data key="a">{label}</data></node>' for k, label in enumerate(graph.labels)]
        edges = [
            f'<edge source="n{u}" target="n{v}"><data key="b">{label}</data></edge>'
            for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels, strict=True)
        ]
        name = '<data key="c">tiny</data>'
        bodies.append("\n".join([f'<graph edgedefault="{mode}">', name, *nodes, *edges, "</graph>"]))
    keys = "".join(
        f'<key id="{key}" for="{what}" attr.name="{title}" attr.type="{kind}"/>\n'
        for key, what, title, kind in (
            ("a", "node", "label", kind),
            ("b", "edge", "label", "int"),
            ("c", "graph", "name", "string"),
        )
    )
    body = "\n".join(bodies)
    return f'<?xml version="1.0"?>\n<graphml xmlns="{graph_files.NAMESPACE}">\n{keys}{body}\n</graphml>\n'.encode()


def tu_members(*graphs: Graph, name: str = "TOY") -> dict[str, str]:
    """Lay the graphs out as the TU collection does: vertices from 1, both directions of each edge."""
    starts = np.cumsum([1] + [len(graph) for graph in graphs]).tolist()
    ends = [graph.edges + start for graph, start in zip(graphs, starts, strict=False)]
    both = [(u, v) for rows in ends for a, b in rows.tolist() for u, v in ((a, b), (b, a))]
    return {
        f"{name}_A.txt": "".join(f"{u}, {v}\n" for u, v in both),
        f"{name}_graph_indicator.txt": "".join(f"{k + 1}\n" * len(graph) for k, graph in enumerate(graphs)),
        f"{name}_node_labels.txt": "".join(f"{label}\n" for graph in graphs for label in graph.labels),
        f"{name}_edge_labels.txt": "".join(f"{x}\n{x}\n" for graph in graphs for x in graph.edge_labels),
        f"{name}_graph_labels.txt": "1\n" * len(graphs),
    }


def zipped(members: dict[str, str], folder: str = "TOY/", compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as archive:
        for name, text in members.items():
            archive.writestr(folder + name, text)
    return data.getvalue()


def parquet_of(columns: dict[str, object]) -> bytes:
    import pyarrow
    import pyarrow.parquet

    data = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), data)
    return data.getvalue()


def drugs_parquet() -> bytes:
    return parquet_of({"id": list(DRUGS), "mass": [1.0] * len(DRUGS), "Smiles": list(DRUGS.values())})


MAKERS = {
    ".smi": smi,
    ".smiles": smi,
    ".txt": smi,
    ".inchi": smi,
    ".csv": csv,
    ".tsv": lambda: csv("\t"),
    ".sdf": sdf,
    ".sd": sdf,
    ".mol": sdf,
    ".parquet": drugs_parquet,
    ".gml": lambda: gml(TRIANGLE),
    ".graphml": lambda: graphml(TRIANGLE, PATH),
    ".zip": lambda: zipped(tu_members(TRIANGLE, PATH)),
}
GRAPHS = {".gml": [TRIANGLE], ".graphml": [TRIANGLE, PATH], ".zip": [TRIANGLE, PATH]}
NAMES = {".gml": ["tiny"], ".graphml": ["tiny", "tiny"], ".zip": ["TOY/0", "TOY/1"]}
TEXT = [suffix for suffix in FORMATS if suffix not in (".parquet", ".zip")]


def drain(path: Path, **options: str | int | None) -> tuple[list[Graph], list[Reject]]:
    reader = read(path, **options)  # type: ignore[arg-type]
    return list(reader), reader.rejects


def names_of(path: Path, **options: str | int | None) -> list[str | None]:
    graphs, rejects = drain(path, **options)
    assert rejects == []
    return [graph.name for graph in graphs]
