"""Every rule is an option of the command line."""

import json

import pytest

import enpda
import enpda_verify
from enpda import Match, Rules
from enpda.cli import main


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        (["--atoms", "element+charge"], Rules(atoms="element+charge")),
        (["--bonds", "any"], Rules(bonds="any")),
        (["--ring-bonds"], Rules(ring_bonds=True)),
        (["--equivalent", "[O,N]", "--equivalent", "[F,Cl]"], Rules(equivalent="[O,N] [F,Cl]")),
        (["--pin", "0:1", "--pin", "1:0"], Rules(pinned={0: 1, 1: 0})),
        (["--forbid", "0:0"], Rules(forbidden=[(0, 0)])),
        (["--weights", "order", "--bonds", "any"], Rules(weights="order", bonds="any")),
        (["--weights", "1:3", "--weights", "2:5"], Rules(weights={1: 3, 2: 5})),
        ([], None),
    ],
)
def test_every_rule_is_an_option(options, rules, capsys, tmp_path):
    assert main(["match", *options, "CC=O", "CCN", "--json"]) == 0
    found = Match.from_json(capsys.readouterr().out)
    expected = enpda.match("CC=O", "CCN", rules=rules)
    assert (found.rules, found.size, found.mapping) == (rules, expected.size, expected.mapping)
    mapping = tmp_path / "mapping.json"
    mapping.write_text(json.dumps([[i, j] for i, j in found.mapping.items()]), encoding="utf-8")
    for more in ([], ["--mapping", str(mapping)]):
        assert main(["certify", "CC=O", "CCN", *options, *more, "--json"]) == 0
        content = json.loads(capsys.readouterr().out)
        assert enpda_verify.verify(content).ok
        assert content["size"] == expected.size
    alone = tmp_path / "alone.json"
    expected.certificate.without_graphs().save(alone)
    assert main(["verify", str(alone), "--graphs", "CC=O", "CCN", *options]) == 0
    assert "VALID" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--pin", "3"], "--pin takes two whole numbers as in 3:5; got '3'"),
        (["--forbid", "a:b"], "--forbid takes two whole numbers"),
        (["--weights", "mass"], "--weights takes two whole numbers as in 3:5 or 'order'; got 'mass'"),
        (["--atoms", "colour"], "got 'colour'"),
        (["--bonds", "kekule"], "kekule"),
        (["--equivalent", "CC"], "SMARTS of one atom each"),
        (["--pin", "0:9"], "the rules speak of 0 -> 9"),
    ],
)
def test_wrong_options_exit_2_with_one_message(options, message, capsys):
    assert main(["match", "CCO", "CCN", *options]) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert out == ""


def test_help_groups_the_rules(capsys):
    for command in ("match", "certify"):
        assert main([command, "--help"]) == 0
        shown = capsys.readouterr().out
        for option in ("--atoms", "--bonds", "--ring-bonds", "--equivalent", "--pin", "--forbid", "--weights"):
            assert option in shown.split("Comparison")[1]
        assert "weight" in shown


def test_the_command_line_says_weight(capsys):
    assert main(["match", "CC(=O)Oc1ccccc1C(=O)O", "CC(=O)Nc1ccc(O)cc1", "--bonds", "any", "--weights", "order"]) == 0
    assert "weight 26, 9 bonds, 10 atoms, in 2 pieces (proven optimal)" in capsys.readouterr().out
