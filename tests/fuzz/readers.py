"""Files and JSON from anywhere: damaged ones are refused with an `InputError`, soon, and nothing else comes out."""

from __future__ import annotations

import gzip
import io
import json
import random
import resource
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import enpda
import enpda_verify
from enpda import Constraints, Graph, InputError, Library, Match, Rules
from enpda.io.pairs import read_pairs
from enpda.result.certificate import Certificate
from enpda.solve.policy import shipped

from .campaign import Case, Found, Tally
from .mutants import mutate

MEMORY = 1 << 30
"""Bytes that reading a few kilobytes may take on top of what is there."""
SLOWEST = 20.0
"""Seconds of processor time for one file."""

SMILES = [
    "CC(=O)Oc1ccccc1C(=O)O",
    "CN1C=NC2=C1C(=O)N(C(=O)N2C)C",
    "C[C@H](N)C(=O)O",
    "F/C=C/F",
    "[NH4+].[Cl-]",
    "c1cc[nH]c1",
]
NAMES = ["aspirin", "caffeine", "alanine", "difluoro", "salt", "pyrrole"]


def _read(path: Path) -> None:
    with enpda.read(path) as reader:
        for graph in reader:
            len(graph.edges)
    if any("\n" in reject.reason for reject in reader.rejects):
        raise Found(f"a reason of several lines: {reader.rejects}")


def _library(path: Path) -> None:
    library = Library.open(path)
    for k in range(min(len(library), 50)):
        len(library[k].edges)
    len(library.cores)


def _match(path: Path) -> None:
    Match.from_json(path.read_text(encoding="utf-8", errors="surrogateescape"))


def _of_dict(make: Callable[[Any], Any]) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        try:
            data = json.loads(path.read_bytes())
        except (ValueError, RecursionError):
            return  # no JSON: not the reader's business
        make(data)

    return read


def _certificate(path: Path) -> None:
    enpda.verify(path)
    Certificate.load(path)


def _policy(path: Path) -> None:
    enpda.match("CCO", "CCN", "core", policy=path)


def _corpus(folder: Path) -> Iterator[tuple[str, bytes, Callable[[Path], None]]]:
    """Yield suffix, content and reader of good files."""
    lines = [f"{smiles} {name}" for smiles, name in zip(SMILES, NAMES, strict=True)]
    yield ".smi", "\n".join(lines).encode(), _read
    yield ".smi.gz", gzip.compress("\n".join(lines).encode(), mtime=0), _read
    table = "\n".join(["smiles,name", *(f'"{s}",{n}' for s, n in zip(SMILES, NAMES, strict=True))])
    yield ".csv", table.encode(), _read
    yield ".tsv", table.replace(",", "\t").encode(), _read
    yield (
        ".csv",
        "\n".join(["a,b,name_a", *(f"{s},CCO,{n}" for s, n in zip(SMILES, NAMES, strict=True))]).encode(),
        _pairs,
    )
    from rdkit import Chem

    blocks = [
        Chem.MolToMolBlock(Chem.MolFromSmiles(s)) + f"> <name>\n{n}\n\n$$$$\n"
        for s, n in zip(SMILES, NAMES, strict=True)
    ]
    yield ".sdf", "".join(blocks).encode(), _read
    yield ".sdf", (Chem.MolToV3KMolBlock(Chem.MolFromSmiles(SMILES[0])) + "$$$$\n").encode(), _read
    yield (
        ".gml",
        b'graph [\n node [ id 0 label "6" ]\n node [ id 1 label "7" ]\n edge [ source 0 target 1 label 2 ]\n]\n',
        _read,
    )
    import networkx as nx

    network = nx.path_graph(5)
    nx.set_node_attributes(network, 6, "label")
    nx.set_edge_attributes(network, 1, "label")
    yield ".graphml", "\n".join(nx.generate_graphml(network)).encode(), _read
    dataset = {"A": "1,2\n2,1\n3,4\n4,3\n", "graph_indicator": "1\n1\n2\n2\n", "node_labels": "0\n1\n0\n1\n"}
    yield ".zip", _zipped({f"D/D_{key}.txt": text.encode() for key, text in dataset.items()}), _read
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"smiles": SMILES, "name": NAMES}), sink)
    yield ".parquet", bytes(sink.getvalue()), _read
    Library.build(SMILES, folder / "library.enpda")
    yield ".enpda", (folder / "library.enpda").read_bytes(), _library
    rules = Rules(atoms="element+ring", bonds="any", forbidden=[(0, 0)], weights={1: 2, 2: 3, 12: 1})
    for options in ({}, {"rules": rules}, {"constraints": Constraints(rings="all", min_fragment=3)}):
        match = enpda.match(SMILES[0], SMILES[2], "exact", **options)
        yield ".match.json", match.to_json().encode(), _match
        yield ".json", match.certificate.to_json().encode(), _certificate
    yield ".json.gz", gzip.compress(match.certificate.to_json().encode(), mtime=0), _certificate
    yield ".rules.json", json.dumps(rules.to_dict()).encode(), _of_dict(Rules.from_dict)
    constraints = Constraints(rings="all", max_fragments=2, min_fragment=3, stereo=True)
    yield ".constraints.json", json.dumps(constraints.to_dict()).encode(), _of_dict(Constraints.from_dict)
    yield ".graph.json", json.dumps(Graph.from_smiles(SMILES[0]).to_dict()).encode(), _of_dict(Graph.from_dict)
    yield ".safetensors", shipped("shares-1").read_bytes(), _policy


def _pairs(path: Path) -> None:
    read_pairs(path)


def _zipped(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


# fmt: off
TOKENS = [
    b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\r", b"\n", b'"', b",", b"[", b"{", b"9" * 30, b"-1", b"1e400", b"NaN",
    b"true", b"null", b"%", b"(", b"1" * 5000, b"[" * 3000, b"C" * 3000, b"\\ud800", b"\xef\xbb\xbf", b"M  END",
    b"$$$$", b"2147483648", b"18446744073709551616", b"&amp;", b"<!DOCTYPE x [<!ENTITY a 'aaaa'>]>", b"\x1b[31m",
]
# fmt: on


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Change some bytes: flip, cut, copy, insert, repeat, or replace a number."""
    result = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        at = rng.randrange(len(result) + 1)
        upto = min(at + rng.choice([1, 2, 8, 64, 1000]), len(result))
        kind = rng.randrange(8)
        if kind < 2 and result:
            result[at - 1] ^= 1 << rng.randrange(8)
        elif kind == 2:
            del result[at:upto]
        elif kind == 3:
            result[at:at] = result[rng.randrange(len(result) + 1) :][: rng.choice([1, 8, 200])]
        elif kind < 6:
            result[at : at + rng.choice([0, 1, 4])] = rng.choice(TOKENS)
        elif kind == 6:
            result[at:at] = result[at:upto] * rng.choice([2, 10, 100])
        else:
            result[at:upto] = bytes(rng.randrange(256) for _ in range(upto - at))
        del result[1 << 18 :]
    return bytes(result)


def _changed(rng: random.Random, suffix: str, data: bytes) -> bytes:
    """Damage a file: as bytes, or what is packed inside, or as JSON."""
    kind = rng.random()
    if suffix.endswith(".gz") and kind < 0.5:
        return gzip.compress(_changed(rng, suffix.removesuffix(".gz"), gzip.decompress(data)), mtime=0)
    if suffix == ".zip" and kind < 0.8:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        name = rng.choice(sorted(members))
        members[name] = damaged(rng, members[name] * rng.choice([1, 1, 1, 1000]))
        return _zipped(members)
    if suffix.endswith(".json") and kind < 0.7:
        content = json.loads(data)
        for _ in range(rng.choice([1, 1, 2, 4])):
            if content:
                mutate(rng, content, {})
        if "seal" in content and rng.random() < 0.8:
            content["seal"] = enpda_verify.seal(content)
        return json.dumps(content).encode()
    return damaged(rng, data)


def make() -> Case:
    """Return a case over good files of every kind, with a limit on the memory of this process."""
    place = tempfile.TemporaryDirectory(prefix="enpda-fuzz-")
    folder = Path(place.name)
    corpus = list(_corpus(folder))
    for number, (suffix, data, read) in enumerate(corpus):
        path = folder / f"good{number}{suffix}"
        path.write_bytes(data)
        read(path)  # all that is imported is imported, and good files are read
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))

    def case(rng: random.Random, tally: Tally, place: object = place) -> None:  # the folder lives as long as the case
        suffix, data, read = rng.choice(corpus)
        path = folder / f"case{suffix}"
        path.write_bytes(_changed(rng, suffix, data))
        tally.counts[f"files {suffix}"] += 1
        begin = time.process_time()
        try:
            read(path)
            tally.counts["read"] += 1
        except InputError as error:
            tally.counts["refused"] += 1
            if "\n" in str(error):
                raise Found(f"a reason of several lines: {error}") from None
        spent = time.process_time() - begin
        tally.most("slowest file, s", spent)
        if spent > SLOWEST:
            raise Found(f"{suffix}: {spent:.1f} s")

    return case
