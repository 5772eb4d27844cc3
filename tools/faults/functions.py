"""Where a line stands: the function around it, counted from the function's first line.

What a test runs is kept by function and line within it, so that it stays true when a function moves in its file.
"""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Function:
    """A function or method of a file."""

    name: str
    """With the classes and functions around it: ``Surface.transformed``."""

    first_line: int
    last_line: int
    body_line: int
    """Line of its first statement; what is above runs when the module is imported."""

    digest: str
    """Changes with the text of the function."""


def functions_of(source: str) -> list[Function]:
    """All functions of a file, inner ones after those around them."""
    lines = source.splitlines()
    found: list[Function] = []

    def visit(node: ast.AST, around: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, FunctionNode):
                name = around + child.name
                last = child.end_lineno or child.lineno
                text = "\n".join(lines[child.lineno - 1 : last])
                digest = hashlib.sha256(text.encode()).hexdigest()[:12]
                found.append(Function(name, child.lineno, last, child.body[0].lineno, digest))
                visit(child, name + ".")
            else:
                visit(child, f"{around}{child.name}." if isinstance(child, ast.ClassDef) else around)

    visit(ast.parse(source), "")
    return found


def function_at(functions: list[Function], line: int) -> Function | None:
    """The innermost function around a line."""
    around = [each for each in functions if each.first_line <= line <= each.last_line]
    return around[-1] if around else None
