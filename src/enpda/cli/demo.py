"""`enpda demo`: the main job on two real drugs."""

from __future__ import annotations

from pathlib import Path

import enpda
from enpda.cli.match import text
from enpda.data import drugs
from enpda.errors import InputError
from enpda.files import save


def demo(first: str = "sildenafil", second: str = "vardenafil", /, *, out: Path = Path("demo-output")) -> int:
    """Match two of the drugs that ship with the package; write picture, result and certificate, and check the latter.

    Example: `enpda demo morphine codeine --out demo-output`

    Parameters
    ----------
    first
        Name of a drug.
    second
        Name of another.
    out
        Folder for `match.svg`, `match.json` and `certificate.json`.
    """
    for name in (first, second):
        if name not in drugs():
            raise InputError(f"no drug called {name!r} ships with enpda; there are {', '.join(drugs())}")
    found = enpda.match(drugs()[first], drugs()[second])
    out.mkdir(parents=True, exist_ok=True)
    picture, data, proof = out / "match.svg", out / "match.json", out / "certificate.json"
    found.draw(str(picture))
    save(data, found.to_json(indent=1), "the result")
    found.certificate.save(proof)
    print(text(found))
    print(f"\npicture     {picture}\nresult      {data}\ncertificate {proof}")
    report = enpda.verify(proof)
    print(report)
    return 0 if report.ok else 1
