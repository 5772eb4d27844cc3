"""Long kernels say what their steps are for: a comment in the body, a docstring on every kernel and module."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

import pytest

KERNELS = Path(__file__).resolve().parents[2] / "src" / "polycontact" / "kernels"

LONG = 25
"""Lines of a body from which on a kernel has comments."""


def without_a_comment(source: str) -> list[str]:
    """Functions with a long body in which no comment stands."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = {token.start[0] for token in tokens if token.type == tokenize.COMMENT}
    found = []
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef):
            body = function.body[1:] if ast.get_docstring(function) is not None else function.body
            lines = range(body[0].lineno, body[-1].end_lineno + 1) if body else range(0)  # type: ignore[operator]
            if len(lines) >= LONG and comments.isdisjoint(lines):
                found.append(function.name)
    return found


@pytest.mark.parametrize("path", sorted(KERNELS.rglob("*.py")), ids=lambda path: path.stem)
def test_long_kernels_have_comments(path: Path) -> None:
    assert not without_a_comment(path.read_text(encoding="utf-8"))


def test_the_rule_finds_what_it_forbids() -> None:
    lines = "".join(f"    x = {k}\n" for k in range(LONG))
    documented = f'def long():\n    """Doc."""\n{lines}'
    assert without_a_comment(documented) == ["long"]
    assert without_a_comment(documented.replace("x = 3\n", "x = 3  # why\n")) == []
    assert without_a_comment(documented.replace("    x = 3\n", "")) == []
    assert without_a_comment(f"# above\n{documented}") == ["long"]
