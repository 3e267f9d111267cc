"""The house: a room only knows the rooms below it, in Python and in C++, at import or later."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from enpda import upstairs

REPOSITORY = Path(__file__).parents[2]
PACKAGE = REPOSITORY / "src" / "enpda"
NATIVE = REPOSITORY / "native"

PUBLIC = "enpda"
"""The public names themselves, for the rooms above them."""
ROOMS = [
    *("_core", "errors", "version", "checks", "clock", "limits", "files", "documents", "words", "labels", "upstairs"),
    *("chem", "dictionary", "foreign", "graph", "given"),
    *("problem", "result", "solve", "io", "data", "view", "gpu", "bulk"),
    PUBLIC,
    *("compat", "learn", "cli", "__main__"),
]
NATIVE_ROOMS = [
    *("base", "graph", "pair", "propose", "bounds", "search", "rlt", "prove", "solve", "gpu", "peers", "bindings"),
]


def room_of(module: str) -> str:
    """Return the room of a module of the package; the package itself is the public names."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else PUBLIC


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and module of every import that runs, wherever it stands."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing:
            continue
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                known = node.module == "enpda" and (alias.name in ROOMS)
                yield node.lineno, inner if known else node.module


def own(path: Path) -> str:
    """Return the room that a file of the package lies in."""
    first = path.relative_to(PACKAGE).parts[0]
    return PUBLIC if first == "__init__.py" else first.removesuffix(".py")


SOURCES = sorted(path for path in PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_imports_only_rooms_below_it(path):
    here = own(path)
    for line, module in imports(path):
        if module.split(".")[0] == "enpda":
            there = room_of(module)
            assert there in ROOMS, f"{path}:{line} imports {module}, which no room has"
            assert ROOMS.index(there) <= ROOMS.index(here), f"{path}:{line}: {here} imports {module}, above it"


def test_every_room_is_listed_and_exists():
    found = {own(path) for path in SOURCES} | {"_core"}
    assert found == set(ROOMS)


def test_experiments_are_known_to_nobody_but_the_command_line():
    for path in SOURCES:
        for line, module in imports(path):
            assert module.split(".")[0] != "enpda_bench", f"{path}:{line}"
    users = {own(path) for path in SOURCES if '"enpda_bench' in path.read_text(encoding="utf-8")}
    assert users == {"cli"}


def test_the_verifier_imports_nothing_but_the_standard_library_and_itself():
    allowed = {"enpda_verify", "__future__"}
    for path in (REPOSITORY / "src" / "enpda_verify").glob("*.py"):
        for line, module in imports(path):
            top = module.split(".")[0]
            assert top in allowed or top in sys.stdlib_module_names, f"{path}:{line} imports {module}"


def test_only_the_result_and_the_command_line_ask_the_verifier():
    users = {own(path) for path in SOURCES if any(m.split(".")[0] == "enpda_verify" for _, m in imports(path))}
    assert users == {"result", "cli"}


@pytest.mark.parametrize("name", upstairs.ROOMS)
def test_what_leads_upstairs_exists(name):
    assert callable(upstairs.upstairs(name))


NATIVE_SOURCES = sorted(path for path in NATIVE.rglob("*") if path.suffix in (".hpp", ".cpp", ".cu"))


@pytest.mark.parametrize("path", NATIVE_SOURCES, ids=lambda path: str(path.relative_to(NATIVE)))
def test_a_native_room_includes_only_rooms_below_it(path):
    here = path.relative_to(NATIVE).parts[0]
    for include in re.findall(r'#include "([^"]+)"', path.read_text(encoding="utf-8")):
        assert (NATIVE / include).is_file(), f"{path} includes {include}, which is named from native/"
        there = include.split("/")[0]
        assert NATIVE_ROOMS.index(there) <= NATIVE_ROOMS.index(here), f"{path}: {here} includes {include}, above it"


def test_only_bindings_know_python():
    for path in NATIVE_SOURCES:
        knows = re.search(r"#include <(nanobind|Python\.h)", path.read_text(encoding="utf-8")) is not None
        assert not knows or path.relative_to(NATIVE).parts[0] == "bindings", path
