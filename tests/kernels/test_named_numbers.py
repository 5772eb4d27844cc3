"""Numbers that decide something stand in `tolerances.py` with their reasons, none bare in a kernel."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

KERNELS = Path(__file__).resolve().parents[2] / "src" / "polycontact" / "kernels"

WITH_RESULTS = ("contact", "geometry", "smooth", "response", "queries", "dynamics", "mesh")
"""Packages whose numbers decide about results; pictures and the first use decide about none."""

LARGEST_WHOLE = 30.0
"""Whole numbers up to this are divisors of integrals of polynomials, not limits."""

MATHEMATICS = {
    ("rotation_vectors.py", "_bend"): "divisors of the series of (1 - x cot x)/x²",
    (
        "plane_moments.py",
        "_cube_root",
    ): "a parabola near the cosine of a third, where Newton's method begins",
    ("plane_moments.py", "_DIRECTIONS"): "three points on a circle",
    ("plane_moments.py", "REFERENCE"): "corners of the equilateral triangle",
    ("plane_moments.py", "REFERENCE_AREA"): "and its area",
    ("plane_moments.py", "ROOT3"): "√3",
    ("concave_edges.py", "_ROOT15"): "√15",
    ("concave_edges.py", "_INNER"): "Radon's seven points in a triangle",
    ("concave_edges.py", "_OUTER"): "Radon's seven points in a triangle",
    ("concave_edges.py", "EDGE_RULE"): "Radon's seven points in a triangle, and their weights",
    ("distance_rows.py", "_MIDDLE"): "middle of the equilateral triangle",
    ("distance_elements.py", "_WHOLE_REGION"): "moments of the equilateral triangle",
    ("exact.py", "_SPLITTER"): "half the bits of a double, and one more",
    ("inside.py", "_SKEW_DIRECTION"): "any direction does",
}
"""Places, by file and function or name, where numbers are those of a formula, with what formula."""


def bare_numbers(source: str, file: str = "") -> list[str]:
    """Numbers in functions that are neither mathematics nor named, and numbers that a kernel's module names itself."""
    found = []
    for where, number, in_function in _numbers(ast.parse(source)):
        if (file, where) in MATHEMATICS or abs(number) in (0.0, 1.0):
            continue
        if not (in_function and _is_of_formulas(abs(number))):
            found.append(f"{where}: {number}")
    return found


def _is_of_formulas(number: float) -> bool:
    whole = number == int(number) and number <= LARGEST_WHOLE
    return whole or 0.1 <= number <= 10.0 or math.frexp(number)[0] == 0.5


def _numbers(tree: ast.Module) -> Iterator[tuple[str, float, bool]]:
    """Every float with the function or the name that it belongs to, and whether that is a function."""
    for statement in tree.body:
        in_function = isinstance(statement, ast.FunctionDef | ast.ClassDef)
        where = statement.name if isinstance(statement, ast.FunctionDef | ast.ClassDef) else ""
        if isinstance(statement, ast.Assign):
            where = ast.unparse(statement.targets[0])
        elif isinstance(statement, ast.AnnAssign):
            where = ast.unparse(statement.target)
        for node in ast.walk(statement):
            if isinstance(node, ast.Constant) and isinstance(node.value, float) and math.isfinite(node.value):
                yield where, node.value, in_function


@pytest.mark.parametrize(
    "path", sorted(path for name in WITH_RESULTS for path in (KERNELS / name).glob("*.py")), ids=lambda path: path.stem
)
def test_numbers_are_named(path: Path) -> None:
    assert not bare_numbers(path.read_text(encoding="utf-8"), path.name)


def test_the_rule_finds_what_it_forbids() -> None:
    source = """
LIMIT = 0.5
ZERO = 0.0
ORIGIN: Vector = (0.0, 2.0)
def kernel(x):
    if x < 1e-13 or x > 1e3 or x < 0.02 or x > 100.0:
        return 0.25 * x + 12.0 + 64.0
    return 1.5 * x - 0.7
"""
    assert bare_numbers(source) == [
        "LIMIT: 0.5",
        "ORIGIN: 2.0",
        "kernel: 1e-13",
        "kernel: 1000.0",
        "kernel: 0.02",
        "kernel: 100.0",
    ]


def test_every_exception_is_needed() -> None:
    seen = {
        (path.name, where)
        for path in KERNELS.rglob("*.py")
        for where, _, _ in _numbers(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert set(MATHEMATICS) <= seen
