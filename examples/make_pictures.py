"""Draw the pictures of the documentation: `make pictures`. Those of the gallery are drawn by the examples."""

import re
import subprocess
import sys
from pathlib import Path

from enpda import Constraints, Graph, Rules, match, view
from enpda.data import drugs

EXAMPLES = Path(__file__).parent
PICTURES = EXAMPLES.parent / "docs" / "pictures"
GALLERY = ("deadline", "rings", "search", "clusters", "networks", "second_opinion")
CHLORO, BROMO = (Graph.from_smiles(f"O=C(Nc1ccc({halogen})cc1)C1CCNCC1") for halogen in ("Cl", "Br"))


def pictures() -> dict[str, str]:
    """Pictures that no example draws, as SVG by name."""
    pair = drugs()["imatinib"], drugs()["nilotinib"]
    halogens = (match(CHLORO, BROMO), match(CHLORO, BROMO, rules=Rules(equivalent="[F,Cl,Br,I]")))
    return {
        "aspirin-paracetamol": view.match_svg(match(drugs()["aspirin"], drugs()["paracetamol"])),
        "connected": view.match_svg(match(*pair, constraints=Constraints(connected=True))),
        "graph": view.graph_svg(Graph([6, 6, 8, 7], [(0, 1), (1, 2), (1, 3)], [1, 2, 1], name="four nodes")),
        "halogens": view.grid(halogens, columns=1),
        "imatinib-nilotinib": view.match_svg(match(*pair)),
    }


def light(svg: str) -> str:
    """Leave out what a browser assumes anyway, and the names of bonds: two fifths of a picture."""
    svg = re.sub(r"fill-rule:evenodd;|;stroke-linecap:butt;stroke-linejoin:miter;stroke-opacity:1", "", svg)
    return re.sub(r" class='(?:bond|atom)-[^']*'", "", svg)


def main(out: Path) -> None:
    """Write every picture into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    for name, svg in pictures().items():
        view.save(svg, out / f"{name}.svg")
    for name in GALLERY:
        subprocess.run([sys.executable, EXAMPLES / f"{name}.py", out], check=True, stdout=subprocess.DEVNULL)
    for path in out.glob("*.svg"):
        path.write_text(light(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES)
