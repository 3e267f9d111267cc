"""Certificates: what is true verifies, what was tampered with does not, and the verifier stands alone."""

import copy
import gzip
import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

import enpda
import enpda_verify
import oracles
from enpda import Certificate, Graph, _core
from enpda.cli import main
from enpda.data import drug_pairs, drugs
from enpda_bench import datasets
from strategies import graphs, random_graph

pytestmark = pytest.mark.native


def drug_certificates() -> dict[str, Certificate]:
    """One certificate per kind of witness."""
    result: dict[str, Certificate] = {}
    for method in ("auto", "fast"):  # `auto` proves by the relaxation what the assignment cap proves for others
        for a, b in drug_pairs():
            certificate = enpda.match(a, b, method).certificate
            result.setdefault(certificate.kind, certificate)
    a, b = drugs()["aspirin"], drugs()["paracetamol"]
    result.setdefault("edge", enpda.match(a, a).certificate)
    matches = [enpda.match(a, b, bound="rlt") for a, b in drug_pairs()]
    staged = next(m for m in matches if m.optimal and m.proof and len(m.proof.nodes[0].stages) > 2)
    result["rlt"] = staged.certificate
    result["tree"] = branched().certificate
    assert set(result) == set(enpda_verify.BOUNDS)
    return result


def branched() -> enpda.Match:
    """A match that needs branching, with symmetry and pieces: what a cube shares with an octahedron."""
    cube = [(u, u ^ bit) for u in range(8) for bit in (1, 2, 4) if u < u ^ bit]
    octahedron = [(u, v) for v in range(6) for u in range(v) if v - u != 3]
    m = enpda.match(Graph([0] * 8, cube), Graph([0] * 6, octahedron))
    assert m.optimal
    assert m.proof is not None
    assert len(m.proof.nodes) > 1
    assert any(child.like is not None for node in m.proof.nodes for child in node.children)
    assert any(stage.pieces for node in m.proof.nodes for stage in node.stages)
    return m


CERTIFICATES = drug_certificates()


def resealed(content: dict) -> dict:
    return {**content, "seal": enpda_verify.seal(content)}


# -- what is true verifies -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CERTIFICATES)
def test_a_certificate_survives_the_disk_and_verifies(kind, tmp_path):
    certificate = CERTIFICATES[kind]
    for name in ("c.json", "c.json.gz"):
        certificate.save(tmp_path / name)
        report = enpda.verify(tmp_path / name)
        assert (report.ok, report.reasons, report.kind) == (True, [], kind)
        assert (report.size, report.upper) == (certificate.size, certificate.upper)
        assert Certificate.load(tmp_path / name).content == certificate.content
    assert json.loads((tmp_path / "c.json").read_text())["size"] == certificate.size
    assert (tmp_path / "c.json.gz").stat().st_size < (tmp_path / "c.json").stat().st_size


def test_every_drug_pair_verifies():
    for a, b in drug_pairs():
        m = enpda.match(a, b)
        report = enpda.verify(m.certificate)
        assert report.ok, report
        assert (report.size, report.upper) == (m.size, m.upper)


@pytest.mark.slow
def test_test_pairs_verify_whatever_the_argument_order(data):
    for pairs in datasets.test_pairs(data).values():
        for p in pairs[::10]:
            for a, b in ((p.a, p.b), (p.b, p.a)):
                assert enpda.verify(enpda.match(a, b).certificate).ok


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(graphs(max_nodes=6, node_labels=2), graphs(max_nodes=6, node_labels=2))
def test_whatever_verifies_is_true(a, b):
    m = enpda.match(a, b, "analytic", bound="rlt")
    report = enpda.verify(m.certificate)
    assert report.ok
    assert report.size <= oracles.brute_force(a, b)[0] <= report.upper


def test_dense_graphs_verify_through_the_general_matching():
    rng = np.random.default_rng(4)
    kinds = set()
    for n in (8, 12, 14, 16):
        a, b = random_graph(rng, n, 0.7, 1, 2), random_graph(rng, n, 0.7, 1, 2)
        certificate = enpda.match(a, b, "fast", bound="rlt").certificate
        assert enpda.verify(certificate).ok
        kinds.add(certificate.kind)
    assert "rlt" in kinds


def test_the_verifiers_matching_is_right():
    rng = np.random.default_rng(6)
    for _ in range(300):
        rows, columns = rng.integers(1, 14, 2)
        table = rng.integers(-20, 40, (rows, columns))
        lines = [{q: int(table[p, q]) for q in range(columns) if rng.random() < 0.8} for p in range(rows)]
        weight = np.zeros((rows, columns), dtype=np.int64)
        for p, line in enumerate(lines):
            for q, share in line.items():
                weight[p, q] = max(share, 0)
        assert enpda_verify.best_matching(lines) == _core.assign(weight)[0]


def test_digests_alone_verify_with_the_graphs_beside_them():
    a, b = drug_pairs()[0]
    slim = enpda.match(a, b).certificate.without_graphs()
    assert "give it" in enpda.verify(slim).reasons[0]
    assert enpda.verify(slim, (a, b)).ok
    assert "digest" in enpda.verify(slim, (b, a)).reasons[0]
    with pytest.raises(enpda.InputError, match="a pair of graphs; got 1"):
        enpda.verify(slim, [a])


@pytest.mark.slow
def test_numerical_bounds_are_noted_and_prove_nothing():
    prism = Graph([0] * 6, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (0, 3), (1, 4), (2, 5)])
    complete = Graph([0] * 5, [(u, v) for v in range(5) for u in range(v)])
    m = enpda.match(prism, complete, "solver", bound="milp")
    assert m.optimal_numerical
    report = enpda.verify(m.certificate)
    assert report.ok
    assert report.upper == m.upper > m.size
    assert "not re-derived: milp" in report.notes[0]


# -- what was tampered with is refused -----------------------------------------------------------------------


def places(value, path=()):
    """Every leaf of a document."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for k, inner in enumerate(value):
            yield from places(inner, (*path, k))
    else:
        yield path


def put(document, path, change):
    for key in path[:-1]:
        document = document[key]
    document[path[-1]] = change(document[path[-1]])


def other(value, rng: random.Random):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice([-70_000, -2, -1, 1, 2, 70_000])
    if isinstance(value, str):
        return value + "x"
    return 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", CERTIFICATES)
def test_200_random_changes_are_refused(kind):
    rng = random.Random(kind)
    content = CERTIFICATES[kind].content
    leaves = list(places(content))
    fields = {path[0] for path in leaves}
    picked = [next(p for p in leaves if p[0] == field) for field in sorted(fields)]
    picked += [rng.choice(leaves) for _ in range(200)]
    for path in picked:
        changed = copy.deepcopy(content)
        put(changed, path, lambda value: other(value, rng))
        report = enpda_verify.verify(changed)
        assert not report.ok, path
        assert report.reasons


@pytest.mark.slow
@pytest.mark.parametrize("kind", CERTIFICATES)
def test_changes_with_a_new_seal_never_make_a_false_claim_pass(kind):
    """The seal is no proof: with a fitting one, a changed witness may still hold, but only for a true claim."""
    rng = random.Random(kind)
    certificate = CERTIFICATES[kind]
    content = certificate.content
    leaves = [p for p in places(content) if p[0] not in ("made_by", "seal", "schema")]
    refused = 0
    for _ in range(300):
        changed = copy.deepcopy(content)
        for _ in range(rng.choice([1, 1, 3])):
            put(changed, rng.choice(leaves), lambda value: other(value, rng))
        report = enpda_verify.verify(resealed(changed))
        refused += not report.ok
        if report.ok:
            # Graphs and size are as they were, and the bound, whatever it says now, is not below the truth.
            assert [changed[g]["digest"] for g in "ab"] == [content[g]["digest"] for g in "ab"]
            assert report.size == certificate.size <= report.upper
    assert refused >= 200


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda c: c.update(size=c["size"] + 1), "the mapping preserves"),
        (lambda c: c.update(upper=c["upper"] - 1), "the witness proves at most"),
        (lambda c: c.update(optimal=not c["optimal"]), "optimal is"),
        (lambda c: c.update(nodes=1), "the mapping has"),
        (lambda c: c.update(schema="enpda-certificate/0"), "schema is"),
        (lambda c: c.update(more=1), "keys missing or unknown"),
        (lambda c: c.pop("bound"), "keys missing or unknown"),
        (lambda c: c["mapping"].append(c["mapping"][0]), "twice"),
        (lambda c: c["mapping"].pop(), "the mapping"),
        (lambda c: c["mapping"].__setitem__(0, [10**6, 0]), "no such nodes"),
        (lambda c: c["bound"].update(kind="faith"), "unknown kind"),
        (lambda c: c["bound"].update(stages=[]), "no stage"),
        (lambda c: c["bound"].update(known=c["bound"]["known"] - 1), "missing without a reason"),
        (lambda c: c["bound"]["stages"].pop(0), "stage 0 lacks association edges"),
        (lambda c: c["bound"]["stages"][0]["row"].pop(), "entries, not"),
        (lambda c: c["bound"]["stages"][0].update(row=[0] * len(c["bound"]["stages"][0]["row"])), "do not cover"),
        (lambda c: c["bound"]["stages"][-1]["column"].__setitem__(0, -1), "negative"),
        (lambda c: c["bound"]["stages"][0]["share"].__setitem__(0, 0.5), "whole number"),
        (lambda c: c["a"]["graph"]["labels"].__setitem__(0, 99), "digest"),
        (lambda c: c.update(size=True), "whole number"),
        (lambda c: c.update(mapping=3), "malformed"),
        (lambda c: c.update(a=None), "malformed"),
        (lambda c: c.update(numerical={"lp": {"value": 0.5, "status": "?"}}), "below the size"),
    ],
)
def test_each_lie_is_named(change, reason):
    content = copy.deepcopy(CERTIFICATES["rlt"].content)
    change(content)
    report = enpda_verify.verify(resealed(content))
    assert not report.ok
    assert reason in report.reasons[0]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda piece: piece.update(edges=piece["edges"][1:]), "occurs in the other graph"),
        (lambda piece: piece.update(price=-piece["price"]), "negative price"),
        (lambda piece: piece.update(price=0), "do not cover"),
        (lambda piece: piece.update(price=piece["price"] + 2**16), "the witness proves at most"),
        (lambda piece: piece.update(edges=piece["edges"] * 2), "an edge twice"),
        (lambda piece: piece.update(edges=[*piece["edges"], 99]), "an edge that is not there"),
        (lambda piece: piece.update(edges=[]), "or none"),
        (lambda piece: piece.update(graph="c"), "of no graph"),
    ],
)
def test_each_lie_about_a_piece_is_named(change, reason):
    """A triangle is no part of a hexagon, so that it loses an edge: without that the bound would be 3."""
    triangle, hexagon = (Graph([0] * n, [(k, (k + 1) % n) for k in range(n)]) for n in (3, 6))
    m = enpda.match(triangle, hexagon, policy="none")  # a learned split may do without the piece
    content = copy.deepcopy(m.certificate.content)
    assert (content["bound"]["kind"], content["upper"]) == ("rlt", 2)
    pieces = next(s["pieces"] for s in content["bound"]["stages"] if "pieces" in s)
    change(pieces[0])
    report = enpda_verify.verify(resealed(content))
    assert not report.ok
    assert reason in report.reasons[0]


def test_damaged_files_are_refused_not_crashed_on(tmp_path):
    whole = gzip.compress(CERTIFICATES["rlt"].to_json().encode())
    cases = {
        "empty": b"",
        "text": b"hello",
        "list": b"[]",
        "nan": b'{"size": NaN}',
        "deep": b"[" * 100_000,
        "latin": b'{"size": "\xff"}',
        "cut": whole[: len(whole) // 2],
        "flipped": whole[:40] + bytes([whole[40] ^ 255]) + whole[41:],
        "digits": b'{"size": ' + b"9" * 10_000 + b"}",
    }
    for name, content in cases.items():
        file = tmp_path / name
        file.write_bytes(content)
        report = enpda.verify(file)
        assert not report.ok, name
        assert report.reasons, name
        with pytest.raises(enpda.InputError):
            enpda.verify(Certificate.load(file)) and None


def test_a_grid_without_columns_is_refused_not_divided_by():
    content = enpda.match(Graph([0, 0], [(0, 1)]), Graph([])).certificate.content
    stage = {"a": [0], "b": [0], "share": [0], "row": [0, 0], "column": []}
    bound = {"kind": "rlt", "name": "rlt", "unit": 1, "known": 0, "stages": [stage]}
    assert not enpda_verify.verify(resealed({**content, "bound": bound})).ok


def test_a_file_that_is_not_there_is_an_input_error(tmp_path):
    with pytest.raises(enpda.InputError, match="cannot read the certificate"):
        enpda.verify(tmp_path / "nowhere.json")
    with pytest.raises(enpda.InputError, match="cannot write the certificate"):
        CERTIFICATES["edge"].save(tmp_path / "no" / "folder.json")
    with pytest.raises(enpda.InputError, match="takes a Certificate or a path"):
        enpda.verify(3)


# -- the verifier stands alone -------------------------------------------------------------------------------


def test_the_verifier_runs_without_the_solver(tmp_path):
    CERTIFICATES["rlt"].save(tmp_path / "good.json")
    content = copy.deepcopy(CERTIFICATES["rlt"].content)
    content["upper"] += 1
    (tmp_path / "bad.json").write_text(json.dumps(content))
    folder = Path(enpda_verify.__file__).parent.parent
    code = (
        "import sys; sys.modules['enpda'] = sys.modules['numpy'] = None\n"
        f"sys.path.insert(0, {str(folder)!r})\n"
        "import enpda_verify\n"
        "print([enpda_verify.verify(f).ok for f in sys.argv[1:]])"
    )
    files = [str(tmp_path / "good.json"), str(tmp_path / "bad.json")]
    done = subprocess.run([sys.executable, "-I", "-c", code, *files], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[True, False]"
    text = (folder / "enpda_verify" / "__init__.py").read_text()
    assert "_core" not in text
    assert "import enpda" not in text


def test_the_module_and_the_command_agree(tmp_path, capsys):
    CERTIFICATES["rlt"].save(tmp_path / "good.json")
    bad = copy.deepcopy(CERTIFICATES["rlt"].content)
    bad["size"] += 1
    (tmp_path / "bad.json").write_text(json.dumps(bad))
    for file, code, word in (("good.json", 0, "VALID"), ("bad.json", 1, "REFUSED"), ("none.json", 2, "No such file")):
        done = subprocess.run(
            [sys.executable, "-m", "enpda_verify", str(tmp_path / file)], capture_output=True, text=True, check=False
        )
        assert done.returncode == code
        assert word in done.stdout + done.stderr
        assert main(["verify", str(tmp_path / file)]) == code
        printed = capsys.readouterr()
        assert word in printed.out + printed.err
    assert main(["verify", str(tmp_path / "good.json"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True


# -- certify -------------------------------------------------------------------------------------------------


def test_certify_bounds_a_mapping_from_elsewhere(tmp_path, capsys):
    a, b = next((a, b) for a, b in drug_pairs() if enpda.match(a, b).optimal and enpda.match(a, b).size > 8)
    best = enpda.match(a, b)
    ours = enpda.certify(a, b, best.mapping)
    assert (ours.size, ours.upper, ours.optimal, ours.method) == (best.size, best.upper, True, "certify")
    poor = dict(list(best.mapping.items())[:4])
    worse = enpda.certify(a, b, poor)
    assert worse.size < best.size
    assert worse.upper == best.size
    assert enpda.verify(worse.certificate).ok
    for name, content in {
        "object.json": {str(i): j for i, j in best.mapping.items()},
        "pairs.json": [[i, j] for i, j in best.mapping.items()],
        "match.json": best.to_dict(),
    }.items():
        (tmp_path / name).write_text(json.dumps(content))
        smiles = [enpda.chem.molecule.ordered_smiles(g.mol)[0] for g in (a, b)]
        files = [tmp_path / "a.sdf", tmp_path / "b.sdf"]
        for graph, file in zip((a, b), files, strict=True):
            from rdkit import Chem

            file.write_text(Chem.MolToMolBlock(graph.mol) + "$$$$\n")
        assert smiles[0]
        out = tmp_path / "c.json.gz"
        assert main(["certify", *map(str, files), "--mapping", str(tmp_path / name), "-o", str(out)]) == 0
        assert f"shared      {best.size} bonds" in capsys.readouterr().out
        assert enpda.verify(out).ok


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[[0, 0], [0, 1]]", "maps a node twice"),
        ("[[0, 0], [1, 0]]", "uses a target node twice"),
        ("[[0, 77]]", "whole number from 0 to 2"),
        ("{", "is not JSON that can be used"),
        ('"x"', "must hold a JSON object"),
        ("[1, 2]", "must hold a JSON object"),
    ],
)
def test_certify_says_what_is_wrong_with_a_mapping(content, message, tmp_path, capsys):
    file = tmp_path / "m.json"
    file.write_text(content)
    assert main(["certify", "CCO", "CCN", "--mapping", str(file)]) == 2
    assert message in capsys.readouterr().err
