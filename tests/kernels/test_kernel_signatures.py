"""Kernels say by their signatures what they read and write: below the entries nobody takes a whole evaluation."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

KERNELS = Path(__file__).resolve().parents[2] / "src" / "polycontact" / "kernels"

WHOLE = {"SystemView", "Evaluation", "Row"}
"""A whole evaluation of a system or of a pairing, and the row that holds one."""

STAGES = {"kernel", "inline_kernel"}
"""Decorators of what stands below the entries."""


def taking_too_much(source: str) -> list[str]:
    """Kernels below the entries that take a whole evaluation."""
    return [
        function.name
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef)
        and STAGES & {ast.unparse(decorator) for decorator in function.decorator_list}
        and WHOLE & {ast.unparse(each.annotation) for each in function.args.args if each.annotation is not None}
    ]


@pytest.mark.parametrize("path", sorted(KERNELS.rglob("*.py")), ids=lambda path: path.stem)
def test_kernels_take_the_views_they_touch(path: Path) -> None:
    assert not taking_too_much(path.read_text(encoding="utf-8"))


def test_the_rule_finds_what_it_forbids() -> None:
    source = """
@entry_kernel((ROW,))
def entry(row: Row) -> None: ...
@kernel
def good(tree: Tree, joints: JointState) -> None: ...
@kernel
def bad(system: SystemView, n: int) -> None: ...
@inline_kernel
def worse(n: int, evaluation: Evaluation) -> None: ...
"""
    assert taking_too_much(source) == ["bad", "worse"]
