"""What the studies run on: which graphs of which public files, and digests that tell whether the files are the same."""

from __future__ import annotations

import gzip
import hashlib
import warnings
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from enpda.errors import InputError, InputWarning
from enpda.learn.planted import SETS
from enpda_bench.datasets import FILES

TU_PARTS = ("_A.txt", "_edge_labels.txt", "_graph_indicator.txt", "_node_labels.txt")
"""Members of a TU archive that make the graphs; another packing of the same graphs has the same digest."""

KNOWN = {
    "chembl_1907596.smi": "5eb499403685ed0dc6afd08859197d4fd9cb054f876d90df026f7c3581dfb319",
    "massspecgym.smi.gz": "d1d7cd15eb49e26bbd38cd9d7fb5ae623f94e44db7e150e40b41ad8e23df215a",
    "molhiv.csv.gz": "b72f0cf00cd1f45ae5c415f21aef10e69187e30dd24029ddb345fbca35b0d798",
    "pairs/aids_rdkit_test.csv": "8a753b20996c3e4608cd789a2fa9bb4cc26f6d6985310d57f8e59c59dc82b63b",
    "pairs/aids_test.csv": "92b3cafa9c95e9cb5ef71e69415f554e4287499ad646e73d4f4398c07f96f27d",
    "pairs/mcf7_rdkit_test.csv": "b6ea4dc265ab5bb36042ddd80040e7a63ae70f80b7cf3e65d314cd72da94358d",
    "pairs/mcf7_test.csv": "cefda6c2672fd7a2cce55397348cbc755cef8e82a0c9bfa71fa04ee2cb589bf6",
    "pairs/molhiv_test.csv": "a85bc66781e0210e82fcb2484cdab1fa299cfbdf70f847f753567f461b3c1fdb",
    "test_cluster1.smi": "6b58c1a29a4aa134805860c5091b2857dbdf75721c187a13c7967b7c1faba5dc",
    "tu/AIDS.zip": "481f97ae8d39cab7fe61bb4d6121334fdb9f587f6dc97c4f772217c2b77e947b",
    "tu/DD.zip": "b4457c6cac8cbd983a507a45dcd2e68d56bc6040de460e7eea5297b066b014ab",
    "tu/ENZYMES.zip": "eddb0ca0dc7a2f4362d00a86731bf7d52e3a5130490534b81a73ff80983e5752",
    "tu/IMDB-BINARY.zip": "ee623e808290866d5e04df61f8482f16d73f60189422e1ecad244c97cc7b6908",
    "tu/MCF-7_NCI83.zip": "36dcb393743bc846da9471fbe7713f894bf2660154114bc13db401b3dfa4d35e",
    "tu/PROTEINS.zip": "7f03809273bead47d067b2739498a569bcbb0b6959c837bbe5685b3a1b6677aa",
}
"""File of a data folder -> SHA-256 of what is in it, unpacked."""

SOURCES = {
    **FILES,
    **{f"planted {name}": f"tu/{name}.zip" for name in SETS},
    "imdb": "tu/IMDB-BINARY.zip",
    "dd": "tu/DD.zip",
}
"""Set of pairs -> the file that its graphs come from."""


def digest(path: Path) -> str:
    """Return the SHA-256 of a data file's content, unpacked."""
    found = hashlib.sha256()
    try:
        if path.suffix == ".zip":
            with ZipFile(path) as archive:
                for name in sorted(archive.namelist()):
                    if name.endswith(TU_PARTS):
                        found.update(name.rpartition("/")[2].encode() + b"\n" + archive.read(name))
        else:
            raw = path.read_bytes()
            found.update(gzip.decompress(raw) if path.suffix == ".gz" else raw)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}; docs/data.md says where to download it") from None
    return found.hexdigest()


def digests(data: Path) -> dict[str, str]:
    """Return the digest of every known file that a data folder has."""
    return {name: digest(data / name) for name in KNOWN if (data / name).is_file()}


def check(data: Path, names: list[str]) -> None:
    """Warn about files that are not those that our numbers come from; a missing file is an InputError."""
    for name in names:
        if not (data / name).is_file():
            raise InputError(f"the data folder {data} has no file {name}; docs/data.md says where to download it")
        if name in KNOWN and digest(data / name) != KNOWN[name]:
            warnings.warn(
                f"{data / name} is not the file that the published numbers come from: positions may name other "
                "graphs; docs/data.md says where to download it",
                InputWarning,
                stacklevel=2,
            )


def manifest(data: Path) -> dict[str, Any]:
    """List, for every set of pairs, its file and the positions of its graphs there, with the digests of all files."""
    from enpda_bench.scope import PAIR_SETS

    sets = {
        name: {"file": SOURCES.get(name), "pairs": [list(p.indices) if p.indices else None for p in pairs(data)]}
        for name, pairs in PAIR_SETS.items()
    }
    return {"files": digests(data), "sets": sets}
