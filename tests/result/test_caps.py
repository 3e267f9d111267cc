"""Every cap of the compiled core's table, whichever they are: valid, witnessed, checked and documented."""

from pathlib import Path

import numpy as np
import pytest

import enpda
import enpda_verify
from enpda import _core
from enpda.data import drug_pairs
from enpda.result.certificate import WITNESSES, Certificate
from enpda.result.match import CAPS, Match
from strategies import random_graph

PAGE = Path(__file__).parents[2] / "docs" / "bounds.md"


def some_pairs():
    rng = np.random.default_rng(17)
    tiny = [tuple(random_graph(rng, int(rng.integers(1, 7)), 0.6, 2, 2) for _ in "ab") for _ in range(40)]
    return [*drug_pairs()[:10], *tiny]


def by(name: str, a: enpda.Graph, b: enpda.Graph, mapping: dict[int, int]) -> Certificate:
    """Return the certificate that rests on one cap and on nothing else."""
    bounds = {name: _core.caps(a.core, b.core)[name]}
    return Match(a, b, mapping, bounds=bounds, method="certify").certificate


@pytest.mark.parametrize("name", CAPS)
def test_a_cap_is_on_the_page_of_bounds(name):
    assert f"| `{name}` |" in PAGE.read_text()


@pytest.mark.parametrize("name", WITNESSES)
def test_a_cap_is_never_below_the_optimum_and_its_certificate_verifies(name):
    assert WITNESSES[name] in enpda_verify.BOUNDS
    for a, b in some_pairs():
        best = enpda.match(a, b)
        certificate = by(name, a, b, best.mapping)
        assert certificate.content["upper"] >= best.size
        report = enpda.verify(certificate, (a, b))
        assert report.ok, report
        assert report.kind == WITNESSES[name]


@pytest.mark.parametrize("name", WITNESSES)
def test_a_cap_that_claims_one_less_is_refused(name):
    for a, b in some_pairs():
        content = dict(by(name, a, b, {}).content)
        if content["upper"] == 0:
            continue
        content["upper"] -= 1
        content["optimal"] = content["upper"] == 0
        content["seal"] = enpda_verify.seal(content)
        report = enpda_verify.verify(content)
        assert not report.ok
        assert "the witness proves at most" in report.reasons[0]


def test_caps_with_worths_are_those_that_know_them():
    rules = enpda.Rules(weights="order")
    for a, b in drug_pairs()[:10]:
        found = enpda.match(a, b, rules=rules)
        caps = {name for name in found.bounds if name in CAPS}
        assert caps == {"edge"}
        assert found.bounds["edge"] >= found.size


def test_a_cap_without_a_witness_says_so():
    a, b = drug_pairs()[0]
    with pytest.raises(enpda.InputError, match="no witness for the bound prices"):
        _core.cap_witness(a.core, b.core, "prices")
