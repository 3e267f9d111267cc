"""TU datasets: a zip with NAME_A.txt, NAME_graph_indicator.txt and, optionally, node and edge labels."""

from __future__ import annotations

import io
import posixpath
import warnings
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO
from zipfile import ZipFile

import numpy as np

from enpda.errors import InputError
from enpda.graph import Graph, IntArray
from enpda.io.source import MAX_RECORD, Options, Record, parsing
from enpda.limits import LIMITS


def records(file: BinaryIO, options: Options) -> Iterator[Record]:
    """Read the graphs in the order of their numbers; graph k of dataset NAME is called "NAME/k-1"."""
    with parsing("zip file"):
        archive = ZipFile(file)
        members = set(archive.namelist())
    stems = [
        member.removesuffix("_A.txt")
        for member in members
        if member.endswith("_A.txt")
        and member.removesuffix("_A.txt") + "_graph_indicator.txt" in members
        and not posixpath.basename(member).startswith("._")  # what macOS adds to archives
    ]
    if len(stems) != 1:
        raise InputError(
            f"a TU dataset has one pair of NAME_A.txt and NAME_graph_indicator.txt; this zip has {len(stems)}"
        )
    return _records(archive, stems[0])


def _records(archive: ZipFile, stem: str) -> Iterator[Record]:
    ends = _numbers(archive, f"{stem}_A.txt", 2) - 1
    indicator = _numbers(archive, f"{stem}_graph_indicator.txt", 1)[:, 0]
    if ends.size and not 0 <= ends.min() <= ends.max() < len(indicator):
        wrong = ends[(ends < 0) | (ends >= len(indicator))][0] + 1
        raise InputError(f"{stem}_A.txt names vertex {wrong}; the vertices are 1 to {len(indicator)}")
    if indicator.size and indicator.min() < 1:
        raise InputError(f"{stem}_graph_indicator.txt names graph {indicator.min()}; graphs are numbered from 1")
    labels = _labels(archive, f"{stem}_node_labels.txt", len(indicator), "vertices")
    edge_labels = _labels(archive, f"{stem}_edge_labels.txt", len(ends), "edges")

    # Bring the vertices of each graph together, then the edges, without a loop over either.
    numbers, graph_of = np.unique(indicator, return_inverse=True)
    order = np.argsort(graph_of, kind="stable")
    first_node = np.searchsorted(graph_of[order], np.arange(len(numbers) + 1))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - first_node[graph_of[order]]
    source, target = graph_of[ends[:, 0]], graph_of[ends[:, 1]]
    crossed = np.zeros(len(numbers), dtype=bool)
    crossed[source[source != target]] = crossed[target[source != target]] = True
    edge_order = np.argsort(source, kind="stable")
    first_edge = np.searchsorted(source[edge_order], np.arange(len(numbers) + 1))
    labels, ends, edge_labels = labels[order], place[ends[edge_order]], edge_labels[edge_order]

    dataset = posixpath.basename(stem)
    for k, number in enumerate(numbers.tolist()):
        if crossed[k]:
            yield number, InputError("an edge joins a vertex of this graph to one of another graph")
            continue
        nodes, edges = slice(*first_node[k : k + 2]), slice(*first_edge[k : k + 2])
        yield number, partial(Graph, labels[nodes], ends[edges], edge_labels[edges], name=f"{dataset}/{number - 1}")


def _labels(archive: ZipFile, member: str, count: int, what: str) -> IntArray:
    if member not in archive.namelist():
        return np.zeros(count, dtype=np.int64)
    labels = _numbers(archive, member, 1)[:, 0]
    if len(labels) != count:
        raise InputError(f"{member} has {len(labels)} labels for {count} {what}")
    return labels


def _numbers(archive: ZipFile, member: str, columns: int) -> IntArray:
    """Return the first columns of a member, as integers."""
    LIMITS.check("member", archive.getinfo(member).file_size, member, "bytes")
    with parsing(member), archive.open(member) as file, warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # older numpy would cut a fraction off
        warnings.simplefilter("ignore", UserWarning)  # an empty file
        # zipfile never gives more than the size checked above, whatever the compressed stream holds.
        lines = _lines(io.TextIOWrapper(file, "utf-8-sig"), member)
        numbers = np.loadtxt(lines, np.int64, comments=None, delimiter=",", usecols=range(columns), ndmin=2)
    return numbers.reshape(-1, columns)


def _lines(text: io.TextIOWrapper, member: str) -> Iterator[str]:
    """Split a text into lines a block at a time, for there are millions; a line longer than a block is refused."""
    rest, count = "", 0
    for block in iter(partial(text.read, MAX_RECORD), ""):
        *lines, rest = (rest + block).split("\n")
        if len(rest) > MAX_RECORD:
            raise ValueError(f"a line is longer than {MAX_RECORD} characters")
        count += len(lines)
        LIMITS.check("rows", count, member, "lines or more")
        yield from lines
    yield rest
