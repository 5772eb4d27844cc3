"""Docstrings of public names say something."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import polycontact as pc

PACKAGE = Path(pc.__file__).parent
LEAST_CHARACTERS = 20
"""Shorter docstrings ("The page.", "None.") said less than the name and the type beside them."""

Documented = ast.Module | ast.ClassDef | ast.FunctionDef


def public_parts(tree: ast.Module) -> Iterator[Documented]:
    """The module, and its classes, functions and methods without a leading underscore; not what is inside functions."""
    waiting: list[Documented] = [tree]
    while waiting:
        part = waiting.pop()
        yield part
        if not isinstance(part, ast.FunctionDef):
            inner = (each for each in part.body if isinstance(each, ast.ClassDef | ast.FunctionDef))
            waiting += [each for each in inner if not each.name.startswith("_")]


def short_docstrings(source: str) -> list[tuple[int, str]]:
    """Line and text of each docstring of a public part that is too short."""
    found = ((part, ast.get_docstring(part)) for part in public_parts(ast.parse(source)))
    return [(part.body[0].lineno, text) for part, text in found if text is not None and len(text) < LEAST_CHARACTERS]


def test_docstrings_of_public_names_are_not_too_short() -> None:
    offenders = [
        f"{path.relative_to(PACKAGE.parent)}:{line}: {text}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for line, text in short_docstrings(path.read_text(encoding="utf-8"))
    ]
    assert not offenders, "say what a caller gets, in which unit:\n" + "\n".join(offenders)


def test_short_docstrings_of_modules_classes_and_methods_are_found() -> None:
    source = (
        '"""A module."""\n'
        "class Page:\n"
        '    """The page."""\n'
        "    def title(self):\n"
        '        """None."""\n'
        "    def _title(self):\n"
        '        """Its title."""\n'
        "def page():\n"
        '    """The page as HTML, without its scripts."""\n'
        "    def part():\n"
        '        """A part."""\n'
    )
    assert sorted(short_docstrings(source)) == [(1, "A module."), (3, "The page."), (5, "None.")]
