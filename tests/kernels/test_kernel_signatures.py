"""Kernels say by their signatures what they read and write: below the entries nobody takes a whole evaluation.

And nobody takes many arguments: what always travels together is one view, or one named tuple of views.
"""

from __future__ import annotations

import ast
from pathlib import Path

KERNELS = Path(__file__).resolve().parents[2] / "src" / "polycontact" / "kernels"

WHOLE = {"SystemView", "Evaluation", "Row"}
"""A whole evaluation of a system or of a pairing, and the row that holds one."""

STAGES = {"kernel", "inline_kernel", "apart_kernel"}
"""Decorators of what stands below the entries."""

MOST_ARGUMENTS = 10
"""Arguments of a kernel, or of an entry, at most."""

PICTURE = "called from Python with the arrays of a picture, which no view holds"
MORE_ARGUMENTS = {
    "paint_bodies": (12, PICTURE),
    "glaze_bodies": (12, PICTURE),
    "cvode_matrix": (11, "SUNDIALS calls it"),
}
"""Kernels with more, how many they have, and why. A number here may fall, and never rises."""


def is_compiled(function: ast.FunctionDef) -> bool:
    """Whether a function has one of the decorators of `jit.py`."""
    return any("kernel" in ast.unparse(decorator) for decorator in function.decorator_list)


def too_many_arguments(source: str) -> list[str]:
    """Kernels with more arguments than they may have, and exceptions that have fewer by now."""
    found = []
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef) and is_compiled(function):
            n, most = len(function.args.args), MORE_ARGUMENTS.get(function.name, (MOST_ARGUMENTS, ""))[0]
            if n > most or (n < most and function.name in MORE_ARGUMENTS):
                found.append(f"{function.name}: {n} arguments, {most} are noted")
    return found


def taking_too_much(source: str) -> list[str]:
    """Kernels below the entries that take a whole evaluation."""
    return [
        function.name
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef)
        and STAGES & {ast.unparse(decorator) for decorator in function.decorator_list}
        and WHOLE & {ast.unparse(each.annotation) for each in function.args.args if each.annotation is not None}
    ]


def test_kernels_take_the_views_they_touch() -> None:
    found = {path.stem: taking_too_much(path.read_text(encoding="utf-8")) for path in sorted(KERNELS.rglob("*.py"))}
    assert len(found) > 100
    too_much = {module: kernels for module, kernels in found.items() if kernels}
    assert not too_much, f"kernels that take a whole evaluation: {too_much}"


def test_arguments_that_travel_together_are_one() -> None:
    found = {path.stem: too_many_arguments(path.read_text(encoding="utf-8")) for path in sorted(KERNELS.rglob("*.py"))}
    too_many = {module: kernels for module, kernels in found.items() if kernels}
    assert not too_many, f"kernels with too many arguments: {too_many}"


def test_exceptions_are_kernels() -> None:
    names = {
        function.name
        for path in KERNELS.rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef) and is_compiled(function)
    }
    assert names >= set(MORE_ARGUMENTS)


def test_arguments_are_counted() -> None:
    eleven = ", ".join(f"a{k}: int" for k in range(11))
    source = f"""
@apart_kernel
def many({eleven}) -> None: ...
@entry_kernel((ROW,))
def entry({eleven}) -> None: ...
def python({eleven}) -> None: ...
@kernel
def paint_bodies({eleven}) -> None: ...
"""
    assert too_many_arguments(source) == [
        "many: 11 arguments, 10 are noted",
        "entry: 11 arguments, 10 are noted",
        "paint_bodies: 11 arguments, 12 are noted",
    ]


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
@apart_kernel
def worst(evaluation: Evaluation) -> None: ...
"""
    assert taking_too_much(source) == ["bad", "worse", "worst"]
