"""Faults of a source text: found in its syntax tree, planted in its text, with nothing else changed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tools.faults.exclusions import untouched
from tools.faults.functions import function_at, functions_of
from tools.faults.kinds import KINDS

_UNDIVIDED = ast.stmt | ast.Constant | ast.Call | ast.Name | ast.Attribute | ast.Subscript
"""What needs no parentheses, wherever it is put."""


@dataclass(frozen=True)
class Fault:
    """One change of one file of the package."""

    kind: str
    file: str
    """Within the package."""

    function: str
    """The function around it."""

    line: int
    last_line: int
    """Lines of the statement, or of the head of the ``if`` or loop, in which it lies."""

    before: str
    after: str
    """The text that is replaced, and what stands there then."""

    start: int
    end: int
    """Where the text is in the file, bytes."""

    @property
    def change(self) -> str:
        """The function and what is changed in it: the same wherever the function stands in its file."""
        return f"{self.function}: {_one_line(self.before)} -> {_one_line(self.after)}"

    @property
    def words(self) -> str:
        """For a table: where it is, and what is changed."""
        return f"{self.file}:{self.line} {self.change}"

    def planted(self, source: str) -> str:
        """The source with the fault."""
        raw = source.encode()
        return (raw[: self.start] + self.after.encode() + raw[self.end :]).decode()


def _one_line(text: str) -> str:
    return " ".join(text.split())


def faults_of(source: str, file: str) -> Iterator[Fault]:
    """All faults that can be planted in functions of a file."""
    tree = ast.parse(source)
    excluded = untouched(tree)
    functions = functions_of(source)
    raw = source.encode()
    starts = [0]
    for line in raw.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    around = _statements_around(tree)
    seen: set[tuple[int, int, str]] = set()  # an inner function is looked at within the outer one too
    for node in ast.walk(tree):
        for kind, changes in KINDS.items():
            for old, new in changes(node):
                if id(old) in excluded:
                    continue
                first, last = around[id(old)]
                function = function_at(functions, first)
                if function is None or first < function.body_line:
                    continue
                start, end = (starts[row - 1] + column for row, column in _place(old))
                after = ast.unparse(new)
                text = after if isinstance(new, _UNDIVIDED) else f"({after})"
                if (start, end, text) in seen:
                    continue
                seen.add((start, end, text))
                yield Fault(kind, file, function.name, first, last, raw[start:end].decode(), text, start, end)


def is_another_program(source: str, fault: Fault) -> bool:
    """Whether the planted text parses and is another program."""
    try:
        return ast.dump(ast.parse(fault.planted(source))) != ast.dump(ast.parse(source))
    except SyntaxError:
        return False


def _place(node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
    """Begin and end of a node: line and column."""
    assert isinstance(node, ast.expr | ast.stmt)
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def _statements_around(tree: ast.Module) -> dict[int, tuple[int, int]]:
    """For each node its own lines if it is a statement, else those of the statement in which it lies."""
    lines: dict[int, tuple[int, int]] = {}

    def visit(node: ast.AST, around: tuple[int, int]) -> None:
        if isinstance(node, ast.stmt):
            inner = [
                each.lineno
                for part in ("body", "handlers")
                for each in getattr(node, part, [])
                if hasattr(each, "lineno")
            ]
            last = min([node.end_lineno or node.lineno, *(line - 1 for line in inner)])
            around = (node.lineno, max(last, node.lineno))
        lines[id(node)] = around
        for child in ast.iter_child_nodes(node):
            visit(child, around)

    visit(tree, (1, 1))
    return lines
