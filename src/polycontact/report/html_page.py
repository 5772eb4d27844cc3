"""What HTML pages share: files beside the code, marks in them that are filled in, and the frame of a document."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources


def document(*, title: str, style: str, body: str) -> str:
    """A document of its own, which fetches nothing; ``body`` is the element, all parts are HTML already."""
    return filled(static_text("polycontact.report", "document.html"), title=title, style=style, body=body)


def filled(template: str, **parts: str) -> str:
    """``template`` with each {{mark}} replaced by its part.

    In one go: what is put in is never looked at again, whatever a run is called.
    """
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: parts[mark[1]], template)


@cache
def static_text(package: str, name: str) -> str:
    """Text of a file in the folder ``static`` of a package."""
    return (resources.files(package) / "static" / name).read_text(encoding="utf-8")
