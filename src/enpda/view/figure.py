"""`Picture`: SVG that shows itself."""

from __future__ import annotations

import os
import re
from html import unescape

from enpda import files
from enpda.errors import InputError, brief

WHERE = re.compile(r"<svg[^>]*? width=['\"](\d+)['\"][^>]*? height=['\"](\d+)['\"]")
TITLE = re.compile(r"<title>([^<]*)</title>")


class Picture(str):
    r"""A picture as SVG text, which a notebook shows as the picture and a prompt in one line.

    It is a string: whatever takes SVG takes it, and `str(picture)` is the text.

    Examples
    --------
    >>> import enpda
    >>> picture = enpda.match("CCO", "CCN").draw()
    >>> picture
    <Picture 820 x 390: A and B: 1 bond in common, proven optimal>
    >>> picture.svg[:4], picture.png()[:4]
    ('<svg', b'\x89PNG')
    """

    __slots__ = ()

    @property
    def svg(self) -> str:
        """The text, as a plain string."""
        return str(self)

    @property
    def caption(self) -> str:
        """What it shows, in words; empty when it does not say so."""
        found = TITLE.search(self)
        return unescape(found[1]) if found else ""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels; zeros when it does not say so."""
        found = WHERE.search(self)
        return (int(found[1]), int(found[2])) if found else (0, 0)

    def png(self, scale: float = 2.0) -> bytes:
        """Paint it as PNG, `scale` pixels for one of the SVG."""
        from enpda.view.raster import png

        return png(self, scale)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file: `.svg` as it is, `.png` at twice its size; see `enpda.view.save`."""
        save(self, path)

    def __repr__(self) -> str:
        width, height = self.size
        return f"<Picture {width} x {height}{': ' * bool(self.caption)}{self.caption}>"

    def _repr_svg_(self) -> str:
        return str(self)


def save(svg: str, path: str | os.PathLike[str]) -> None:
    """Write a picture of this room to a file: `.svg` as it is, `.png` at twice its size.

    Raises
    ------
    InputError
        When the name is none or ends in something else, the picture has too many pixels for a PNG, or the file cannot
        be written; an old one is then as it was.
    """
    name = files.path_of(path)
    suffix = os.path.splitext(name)[1].lower()
    if suffix == ".svg":
        files.save(name, svg, "the picture")
    elif suffix == ".png":
        from enpda.view.raster import png

        files.save(name, png(svg), "the picture")
    else:
        raise InputError(f"a picture is written as .svg or .png; got {brief(name)}")
