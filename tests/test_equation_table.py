"""The equation table of the docs names functions and tests that exist, for every equation of the paper."""

from __future__ import annotations

import ast
import functools
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs" / "equations.md"
NUMBERED = range(1, 25)
EQUATION = r"\(\d+\)"
STEP = r"(?:S[0-4]\.\d+|Saltelli|Jansen)[^|]*"


@dataclass(frozen=True)
class Row:
    """One line of a table: an equation or a step, where it is computed and where it is tested."""

    name: str
    functions: tuple[str, ...]
    tests: tuple[str, ...]


def test_every_equation_has_one_row() -> None:
    table = rows(TABLE.read_text(encoding="utf-8"), EQUATION)
    assert [row.name for row in table] == [f"({number})" for number in NUMBERED]


def test_every_entry_exists() -> None:
    found = problems(rows(TABLE.read_text(encoding="utf-8"), EQUATION), ROOT)
    assert not found, "\n".join(found)


def test_every_entry_of_the_steps_exists() -> None:
    table = rows(TABLE.read_text(encoding="utf-8"), STEP)
    assert len(table) > 10
    found = problems(table, ROOT)
    assert not found, "\n".join(found)


def test_every_statement_that_a_source_cites_has_a_row() -> None:
    """Also those between the ends of a range: S3.1–S3.6."""
    cells = [row.name for row in rows(TABLE.read_text(encoding="utf-8"), STEP)]
    known = {number for cell in cells for number in statements(cell)}
    files = sorted(file for folder in ("src", "proof") for file in (ROOT / folder).rglob("*.py"))
    cited = [(number, file) for file in files for number in statements(file.read_text(encoding="utf-8"))]
    assert len(cited) > 100
    missing = sorted({f"S{s}.{n}, {file.relative_to(ROOT)}" for (s, n), file in cited if (s, n) not in known})
    assert not missing, "not in docs/equations.md:\n" + "\n".join(missing)


def test_statements_are_read_one_by_one_and_in_ranges() -> None:
    text = "the gap (S4.28, S4.29), spin (S4.34–S4.37), S2.23 to S2.24 and S0.9; not S5.1, RS0.4"
    expected = [(4, 28), (4, 29), (4, 34), (4, 35), (4, 36), (4, 37), (2, 23), (2, 24), (0, 9)]
    assert list(statements(text)) == expected


def statements(text: str) -> Iterator[tuple[int, int]]:
    """Sources and numbers of the statements that a text cites."""
    for found in re.finditer(r"\bS([0-4])\.(\d+)(?:(?: to |–)S\1\.(\d+))?", text):
        source, first, last = found.groups()
        yield from ((int(source), number) for number in range(int(first), int(last or first) + 1))


def rows(text: str, first_cell: str) -> list[Row]:
    """Rows of the table in ``text`` whose first cell matches: two columns of names in backticks at the end."""
    found = []
    for line in text.splitlines():
        if re.match(rf"\|\s*{first_cell}\s*\|", line):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            assert len(cells) == 4, f"expected 4 columns: {line}"
            functions, tests = (tuple(re.findall(r"`([^`]+)`", cell)) for cell in cells[2:])
            found.append(Row(cells[0], functions, tests))
    return found


def problems(table: list[Row], root: Path) -> list[str]:
    """What the rows name that does not exist, and rows that name nothing."""
    found = []
    for row in table:
        missing = [name for name in row.functions if not function_exists(name)]
        missing += [name for name in row.tests if not (is_case(name) or is_test(name, root))]
        found += [f"{row.name}: {name} does not exist" for name in missing]
        if not row.functions or not row.tests:
            found.append(f"{row.name}: no function or no test is named")
    return found


def function_exists(name: str) -> bool:
    """Whether ``package.module:attribute`` can be imported; the attribute may be dotted."""
    module, _, attribute = name.partition(":")
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError:
        return False
    try:
        return bool(attribute) and functools.reduce(getattr, attribute.split("."), found) is not None
    except AttributeError:
        return False


@functools.cache
def case_names() -> frozenset[str]:
    """Names of the closed forms that `polycontact verify` measures."""
    from polycontact.verification.all_cases import all_cases

    return frozenset(case.name for case in all_cases())


def is_case(name: str) -> bool:
    """Whether ``verify: name`` names a closed form; each is a test of tests/verification."""
    prefix, _, case = name.partition(": ")
    return prefix == "verify" and case in case_names()


def is_test(name: str, root: Path) -> bool:
    """Whether ``tests/file.py::test`` or ``tests/file.py::TestClass::test`` is defined there."""
    path, *inner = name.split("::")
    file = root / path
    if not inner or not inner[-1].startswith("test") or not file.is_file():
        return False
    scope: list[ast.stmt] = ast.parse(file.read_text(encoding="utf-8")).body
    for part in inner:
        matches = [node for node in scope if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == part]
        if not matches:
            return False
        scope = matches[0].body
    return True


GOOD = (
    "| (7) | normal | `os.path:join`, `pathlib:Path.exists` "
    "| `tests/test_a.py::test_b`, `tests/test_a.py::TestC::test_d`, `verify: spinning disc, base body` |"
)


def test_good_row_is_accepted(tmp_path: Path) -> None:
    assert problems(rows(with_tests(tmp_path, GOOD), EQUATION), tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("os.path:join", "os.path:nowhere"),
        ("os.path:join", "os.path"),
        ("os.path:join", "no_such_package.module:join"),
        ("Path.exists", "Path.nowhere"),
        ("::test_b", "::test_nowhere"),
        ("::test_b", ""),
        ("::TestC::test_d", "::test_d"),
        ("::TestC::test_d", "::TestC"),
        ("test_a.py::test_b", "test_nowhere.py::test_b"),
        ("verify: spinning disc", "verify: resting disc"),
        ("`os.path:join`, `pathlib:Path.exists`", ""),
    ],
)
def test_bad_row_is_caught(tmp_path: Path, old: str, new: str) -> None:
    assert old in GOOD
    assert len(problems(rows(with_tests(tmp_path, GOOD.replace(old, new)), EQUATION), tmp_path)) == 1


def with_tests(root: Path, table: str) -> str:
    """Put the test file that `GOOD` names under ``root``; returns ``table``."""
    (root / "tests").mkdir()
    source = "def test_b(): ...\nclass TestC:\n    def test_d(self): ...\n"
    (root / "tests" / "test_a.py").write_text(source, encoding="utf-8")
    return table
