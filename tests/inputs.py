"""Inputs as people have them: what it is, how enpda is called, and what comes of it.

`tests/io/test_inputs.py` runs every one, and holds the table in docs/inputs.md against this list.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

ASPIRIN, CAFFEINE, IBUPROFEN = "CC(=O)Oc1ccccc1C(=O)O", "Cn1c(=O)c2c(ncn2C)n(C)c1=O", "CC(C)Cc1ccc(cc1)C(C)C(=O)O"
DRUGS = {"aspirin": ASPIRIN, "caffeine": CAFFEINE, "ibuprofen": IBUPROFEN}
NAMES = "['aspirin', 'caffeine', 'ibuprofen']"


@dataclass(frozen=True)
class Case:
    """One input: in words, the call (Python, or a command), and what it gives or says."""

    kind: str
    call: str
    outcome: str

    @property
    def command(self) -> bool:
        return self.call.startswith(("enpda ", "cat "))


def files(folder: Path) -> None:
    """Write the files that the calls name."""
    import networkx as nx
    from rdkit import Chem

    def put(name: str, text: str) -> None:
        (folder / name).write_text(text, encoding="utf-8")

    rows = list(DRUGS.items())
    put("drugs.smi", "".join(f"{smiles} {name}\n" for name, smiles in rows))
    put("names-first.txt", "".join(f"{name}\t{smiles}\n" for name, smiles in rows))
    put("drugs.csv", "name,smiles\n" + "".join(f"{name},{smiles}\n" for name, smiles in rows))
    put("compounds.csv", "compound,structure\n" + "".join(f"{name},{smiles}\n" for name, smiles in rows))
    put("pubchem.csv", "CID,CanonicalSMILES\n" + "".join(f"{k},{smiles}\n" for k, (_, smiles) in enumerate(rows, 2244)))
    put("excel.csv", "ID;Molecular weight;SMILES\n" + "".join(f"{name};180,2;{smiles}\n" for name, smiles in rows))
    put("odd.csv", "code,what\n" + "".join(f"{name},{smiles}\n" for name, smiles in rows))
    put("headless.csv", "".join(f"{name},{smiles}\n" for name, smiles in rows))
    put("inchi.csv", "name,inchi\n" + "".join(f'{n},"{Chem.MolToInchi(Chem.MolFromSmiles(s))}"\n' for n, s in rows))
    put("some-bad.csv", f"name,smiles\nring,C1CC\nempty,\nvalence,C(C)(C)(C)(C)C\naspirin,{ASPIRIN}\n")
    put("all-bad.csv", "name,smiles\na,C1CC\nb,xyz\nc,\nd,C(\n")
    put("empty.csv", "name,smiles\n")
    put("empty.smi", "")
    put("sheet.xlsx", "PK")
    put("drugs.dat", "".join(f"{smiles} {name}\n" for name, smiles in rows))
    put("aspirin.mol", Chem.MolToMolBlock(Chem.MolFromSmiles(ASPIRIN)))
    blocks = []
    for name, smiles in rows:
        mol = Chem.MolFromSmiles(smiles)
        mol.SetProp("_Name", name)
        blocks.append(Chem.MolToMolBlock(mol) + "$$$$\n")
    put("drugs.sdf", "".join(blocks))
    nx.write_gml(friends(), folder / "friends.gml")
    nx.write_graphml(friends(), folder / "friends.graphml")


def friends() -> Any:
    """Return three people, of whom one knows the two others."""
    import networkx as nx

    graph = nx.Graph([("ann", "bob"), ("bob", "cleo")])
    nx.set_node_attributes(graph, {"ann": "cook", "bob": "cook", "cleo": "smith"}, "job")
    return graph


def names(folder: Path) -> dict[str, Any]:
    """Return what the calls speak of."""
    import igraph as ig
    import networkx as nx
    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import rustworkx as rx
    import scipy.sparse as sp
    from rdkit import Chem
    from rdkit.Chem import PandasTools

    import enpda

    frame = pd.DataFrame({"name": list(DRUGS), "smiles": list(DRUGS.values())})
    molecules = frame.rename(columns={"smiles": "text"})
    molecules["ROMol"] = [Chem.MolFromSmiles(smiles) for smiles in DRUGS.values()]
    mol = Chem.MolFromSmiles(ASPIRIN)
    tuples, masses, double = nx.path_graph(2), nx.path_graph(2), nx.MultiGraph()
    nx.set_node_attributes(tuples, ("C", 3), "label")
    nx.set_node_attributes(masses, 12.011, "label")
    double.add_edge(0, 1, label=1)
    double.add_edge(0, 1, label=2)
    return {
        **{"ig": ig, "rx": rx, "sp": sp, "friends": friends(), "tuples": tuples, "masses": masses, "double": double},
        **{"enpda": enpda, "Chem": Chem, "nx": nx, "np": np, "pd": pd, "pl": pl, "pa": pa, "PandasTools": PandasTools},
        **{"ids": lambda items, **how: enpda.Library.of(items, **how).ids, "df": frame, "romols": molecules},
        **{"aspirin": ASPIRIN, "caffeine": CAFFEINE, "drugs": DRUGS, "mol": mol, "block": Chem.MolToMolBlock(mol)},
        **{"inchi": Chem.MolToInchi(mol), "folder": folder, "smiles": list(DRUGS.values())},
    }


TEXT = [
    Case("SMILES", "enpda.match(aspirin, caffeine).optimal", "True"),
    Case("InChI", "enpda.match(inchi, aspirin).size", "13"),
    Case("mol block", "enpda.match(block, aspirin).size", "13"),
    Case("RDKit Mol", "enpda.match(mol, aspirin).size", "13"),
    Case("SMILES with blanks around it", "enpda.match(f' {aspirin}\\n', aspirin).size", "13"),
    Case("SMILES with a ring left open", "enpda.match('C1CC', aspirin)", "not a SMILES: 'C1CC' (unclosed ring)"),
    Case("SMILES with a stray bracket", "enpda.match('CC)', aspirin)", "(extra close parentheses at character 3)"),
    Case("SMILES with an accent", "enpda.match('Cé', aspirin)", "'é' at character 2 is not ASCII"),
    Case(
        "carbon with five bonds", "enpda.Graph.from_smiles('C(C)(C)(C)(C)C').oddity", "Explicit valence for atom # 0 C"
    ),
    Case("no text at all", "enpda.match('', aspirin)", "the SMILES is empty"),
    Case("bytes", "enpda.match(b'CCO', aspirin)", "got b'CCO'"),
]

LISTS = [
    Case("list of SMILES", "ids(smiles)", "['0', '1', '2']"),
    Case("tuple, generator, numpy array", "ids(np.array(smiles))", "['0', '1', '2']"),
    Case("list of (name, SMILES)", "ids(list(drugs.items()))", NAMES),
    Case("list of (SMILES, name)", "ids([(s, n) for n, s in drugs.items()])", NAMES),
    Case("dictionary name -> SMILES", "ids(drugs)", NAMES),
    Case("dictionary name -> Mol", "ids({'a': mol, 'b': mol})", "['a', 'b']"),
    Case("list with a None in it", "enpda.Library.of([mol, None]).rejects[0].reason", "there is no molecule: None"),
    Case(
        "list of graphs and molecules",
        "ids([mol, enpda.Graph([6, 8], [(0, 1)], name='CO'), aspirin])",
        "['0', 'CO', '2']",
    ),
    Case("list in which nothing can be used", "ids(['C1CC', 'x'])", "no record can be used\n  line 1: not a SMILES"),
    Case("one molecule instead of a list", "ids(mol)", "one graph is not many: put it into a list"),
    Case("empty list", "ids([])", "[]"),
    Case("RDKit's SDMolSupplier", "ids(Chem.SDMolSupplier('drugs.sdf'))", NAMES),
    Case("RDKit's ForwardSDMolSupplier", "ids(Chem.ForwardSDMolSupplier('drugs.sdf'))", NAMES),
    Case("RDKit's SmilesMolSupplier", "ids(Chem.SmilesMolSupplier('drugs.smi', titleLine=False))", NAMES),
]

FRAMES = [
    Case("pandas DataFrame", "ids(df)", NAMES),
    Case(
        "pandas DataFrame, other titles", "ids(df.rename(columns={'smiles': 'structure', 'name': 'compound'}))", NAMES
    ),
    Case(
        "pandas DataFrame, titles of its own",
        "ids(df.rename(columns={'smiles': 'x', 'name': 'y'}), smiles='x', name='y')",
        NAMES,
    ),
    Case(
        "pandas DataFrame without such a column",
        "ids(df[['name']])",
        "no column with SMILES (called smiles, canonical_smiles",
    ),
    Case("pandas DataFrame, names in its index", "ids(df.set_index('name'))", NAMES),
    Case("pandas DataFrame after a filter", "ids(df[['smiles']][1:])", "['1', '2']"),
    Case("pandas DataFrame with RDKit's molecules", "ids(romols)", NAMES),
    Case(
        "pandas DataFrame with a gap",
        "enpda.Library.of(df.replace(caffeine, np.nan)).rejects[0].reason",
        "the molecule is missing",
    ),
    Case("pandas DataFrame from an SDF", "ids(PandasTools.LoadSDF('drugs.sdf', idName='name'))", NAMES),
    Case("pandas Series", "ids(df['smiles'])", "['0', '1', '2']"),
    Case("pandas Series with an index", "ids(pd.Series(drugs))", NAMES),
    Case("polars DataFrame", "ids(pl.from_pandas(df))", NAMES),
    Case("polars Series", "ids(pl.Series(smiles))", "['0', '1', '2']"),
    Case("Arrow table", "ids(pa.Table.from_pandas(df))", NAMES),
    Case("all pairs of a DataFrame", "len(enpda.matrix(df).table)", "3"),
    Case("search in a DataFrame", "enpda.search(aspirin, df, k=1)[0].id", "aspirin"),
    Case("clusters of a DataFrame", "len(enpda.cluster(df, min_similarity=0.9))", "3"),
]

FILES = [
    Case("SMILES file", "ids('drugs.smi')", NAMES),
    Case("SMILES file, names first", "ids('names-first.txt')", NAMES),
    Case("pathlib.Path", "ids(folder / 'drugs.smi')", NAMES),
    Case("CSV", "ids('drugs.csv')", NAMES),
    Case(
        "a chemist's CSV: compound,structure",
        "enpda match compounds.csv:aspirin compounds.csv:ibuprofen",
        "molecules from column 'structure', names from column 'compound'",
    ),
    Case("PubChem's CSV", "ids('pubchem.csv')", "['2244', '2245', '2246']"),
    Case("a spreadsheet's CSV with semicolons", "ids('excel.csv')", NAMES),
    Case("CSV with titles of its own", "ids('odd.csv', smiles='what', name='code')", NAMES),
    Case(
        "the same on the command line",
        "enpda library build odd.csv -o odd.arrow --smiles-column what --id code",
        "odd.arrow: 3 graphs",
    ),
    Case(
        "CSV with such titles, untold",
        "enpda library build odd.csv -o odd.arrow",
        "say which with smiles=, on the command line --smiles-column",
    ),
    Case("CSV without titles", "ids('headless.csv')", NAMES),
    Case("CSV of InChI", "ids('inchi.csv')", NAMES),
    Case("CSV with bad rows", "[r.line for r in enpda.Library.of('some-bad.csv').rejects]", "[2, 3]"),
    Case("CSV of bad rows only", "enpda matrix all-bad.csv -o out", "line 2: not a SMILES: 'C1CC' (unclosed ring)"),
    Case("CSV with a header alone", "ids('empty.csv')", "there is no record in it"),
    Case("empty file", "ids('empty.smi')", "there is no record in it"),
    Case("Excel's .xlsx", "ids('sheet.xlsx')", "save the sheet as .csv"),
    Case("SDF", "ids('drugs.sdf')", NAMES),
    Case("mol file", "enpda match aspirin.mol drugs.sdf:aspirin --json", '"size": 13'),
    Case("a file whose suffix says nothing", "ids('drugs.dat', format='smi')", NAMES),
    Case("open file", "ids(open('drugs.csv', 'rb'))", NAMES),
    Case("standard input", "cat drugs.csv | enpda library build - -o piped.arrow", "piped.arrow: 3 graphs"),
    Case("SDF on standard input", "cat drugs.sdf | enpda library build - -o piped.arrow", "piped.arrow: 3 graphs"),
    Case("one of a file by its number", "enpda match drugs.smi:0 drugs.smi:2 --json", '"optimal": true'),
    Case(
        "one of a file by a name that is not there",
        "enpda match drugs.smi:morphine drugs.smi",
        "has no graph called 'morphine'",
    ),
    Case("a file that is not there", "enpda match nothing.sdf drugs.smi", "'nothing.sdf': no such file"),
]

GRAPHS = [
    Case("arrays", "enpda.match(enpda.Graph([1, 2], [(0, 1)]), enpda.Graph([2, 1], [(0, 1)])).mapping", "{0: 1, 1: 0}"),
    Case("networkx, nodes by name", "enpda.match(friends, friends).mapping['ann']", "ann"),
    Case("the same by number", "enpda.match(friends, friends).index_mapping[0]", "0"),
    Case("networkx, labels in words", "enpda.Graph.from_networkx(friends, node='job').label_names.values()", "'cook'"),
    Case("networkx, labels that are tuples", "enpda.match(tuples, tuples).size", "1"),
    Case("networkx, labels that are fractions", "enpda.Graph.from_networkx(masses)", "decimals="),
    Case("the same, rounded", "enpda.Graph.from_networkx(masses, decimals=1).size", "1"),
    Case("networkx, directed", "enpda.match(nx.DiGraph([(0, 1)]), friends)", "to_undirected()"),
    Case("networkx, two edges between two nodes", "enpda.match(double, friends)", "keep one of them"),
    Case("GML that networkx wrote", "enpda.match(next(enpda.read('friends.gml')), friends).mapping['bob']", "bob"),
    Case(
        "GraphML that networkx wrote", "enpda.match(next(enpda.read('friends.graphml')), friends).mapping['bob']", "bob"
    ),
    Case("igraph", "enpda.match(ig.Graph.Ring(5), ig.Graph.Full(4)).size", "3"),
    Case("rustworkx", "enpda.match(rx.generators.cycle_graph(5), rx.generators.complete_graph(4)).size", "3"),
    Case("SciPy's sparse matrix", "enpda.match(sp.eye_array(4, k=1) + sp.eye_array(4, k=-1), friends).size", "2"),
    Case("SciPy's sparse matrix, not symmetric", "enpda.match(sp.eye_array(4, k=1), friends)", "symmetric"),
    Case("list of networkx graphs", "ids([nx.Graph(name='a'), nx.path_graph(3)])", "['0', '1']"),
]

CASES = [*TEXT, *LISTS, *FRAMES, *FILES, *GRAPHS]
HEADINGS: dict[str, list[Case]] = {
    "A molecule": TEXT,
    "Lists and dictionaries": LISTS,
    "Data frames": FRAMES,
    "Files": FILES,
    "Graphs": GRAPHS,
}


def table() -> str:
    """Return the list as Markdown."""
    parts = []
    for heading, cases in HEADINGS.items():
        rows = [f"| {case.kind} | `{_cell(case.call)}` | `{_cell(case.outcome)}` |" for case in cases]
        parts.append(
            "\n".join([f"## {heading}\n", "| what you have | how to give it | what you get |", "|---|---|---|", *rows])
        )
    return "\n\n".join(parts)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
