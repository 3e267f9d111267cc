"""Make the notebooks of the documentation: `make pictures`. Their sources are the scripts `docs/notebooks/*.py`.

In a source, `# %%` begins a cell of code and `# %% [markdown]` one of text, whose lines are comments.
"""

import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

NOTEBOOKS = Path(__file__).parents[1] / "docs" / "notebooks"
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


def notebook(source: Path) -> NotebookNode:
    """Make a notebook of a script, not yet executed."""
    cells = []
    parts = re.split(r"^# %%(.*)\n", source.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    for number, (kind, text) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
        if "[markdown]" in kind:
            cell = new_markdown_cell(re.sub(r"^# ?", "", text.strip(), flags=re.MULTILINE))
        else:
            cell = new_code_cell(text.strip())
        cell.id = f"cell-{number}"
        cells.append(cell)
    return new_notebook(cells=cells, metadata=KERNEL)


def executed(source: Path, folder: Path) -> NotebookNode:
    """Execute the notebook of a script in a folder; an error in a cell raises."""
    made = notebook(source)
    NotebookClient(made, timeout=120, record_timing=False, resources={"metadata": {"path": str(folder)}}).execute()
    made.metadata = KERNEL  # not the version of the Python that ran it
    return made


if __name__ == "__main__":
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else NOTEBOOKS
    for script in sorted(NOTEBOOKS.glob("*.py")):
        nbformat.write(executed(script, NOTEBOOKS), out / f"{script.stem}.ipynb")
