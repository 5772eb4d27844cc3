"""The tool that plants faults: its kinds, what it leaves alone, its choice, and what it says of tests."""

from __future__ import annotations

import ast
import difflib
import json
from pathlib import Path

import pytest

from tools import plant_faults
from tools.faults import line_map
from tools.faults.choice import MOST_IN_A_FUNCTION, PARTS, chosen_faults, part_of
from tools.faults.exclusions import EQUIVALENT, equivalents
from tools.faults.findings import as_json, found_quickly, missed, share_of_quick, table
from tools.faults.functions import function_at, functions_of
from tools.faults.kinds import KINDS
from tools.faults.measuring import FIRST_FILES, LIMITS, Finding, Suite, stages
from tools.faults.planting import Fault, faults_of, is_another_program
from tools.faults.records import known_tests, write_record
from tools.faults.workspace import PACKAGE, ROOT, Workspace

CASES = {
    "flipped sign": ("return a + b", {"return (a - b)"}),
    "comparison changed": ("return a < b", {"return (a <= b)", "return (a > b)"}),
    "off by one": ("return a[1]", {"return a[0]", "return a[2]"}),
    "constant changed": ("return 0.5 * a", {"return 1.0 * a", "return 0.45 * a"}),
    "arguments swapped": ("return f(a, b)", {"return f(b, a)"}),
    "statement dropped": ("a.append(b)", {"pass"}),
    "and/or swapped": ("return a and b", {"return (a or b)"}),
    "min/max swapped": ("return max(a, b)", {"return min(a, b)"}),
    "wrong boolean": ("return a is b", {"return (not a is b)"}),
}


def planted(body: str, kind: str = "", signature: str = "a, b", returns: str = "bool") -> set[str]:
    """Bodies of a function of one line with each fault of a kind, or of any kind."""
    source = f"def g({signature}) -> {returns}:\n    {body}\n"
    return {
        each.planted(source).splitlines()[1].strip() for each in faults_of(source, "x.py") if kind in ("", each.kind)
    }


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_fault(kind: str) -> None:
    body, expected = CASES[kind]
    assert planted(body, kind) == expected


@pytest.mark.parametrize(
    ("body", "kind", "expected"),
    [
        ("a -= b", "flipped sign", {"a += b"}),
        ("return -a", "flipped sign", {"return a"}),
        ("return (a + 1) * b", "flipped sign", {"return ((a - 1)) * b"}),
        ("return range(len(a))", "off by one", {"return range(len(a) + 1)", "return range(len(a) - 1)"}),
        ("return a != b", "comparison changed", {"return (a == b)"}),
        ("return a is None", "comparison changed", {"return (a is not None)"}),
        ("return True", "wrong boolean", {"return False"}),
        ("return np.argmin(a)", "min/max swapped", {"return np.argmax(a)"}),
        ("raise ValueError(a)", "statement dropped", {"pass"}),
    ],
)  # fmt: skip
def test_more_of_a_kind(body: str, kind: str, expected: set[str]) -> None:
    assert planted(body, kind) == expected


@pytest.mark.parametrize(
    "body",
    [
        '"""Less than 3 of a + b."""',
        'raise ValueError(f"{a + 1} is less than 3" if a < b else "x" * 2) from b[0]',
        'fail(f"{a}", a[0] + b)',
        "assert a < 3",
        "warnings.warn(a + b, stacklevel=2)",
        'return f"{a + 1}"',
        'return a + "text"',
        "return max(a, b)",
        "chunk_size = 2 * a + 1",
    ],
)
def test_what_has_no_consequence_is_left_alone(body: str) -> None:
    """Words, assertions, speed; only that an error is raised counts, and max for min."""
    assert planted(body, returns="float") <= {"pass", "return min(a, b)"}


def test_only_bodies_of_functions_are_touched() -> None:
    source = (
        "__all__ = [1 + 2]\nLIMIT = 3\nclass A(B[1]):\n    @cache(maxsize=5)\n"
        "    def f(self, a: Literal[3] = 4) -> Array[2]:\n        b: Shape[1] = a\n        return b\n"
        "    def __repr__(self) -> str:\n        return name[1]\n"
    )
    assert list(faults_of(source, "x.py")) == []


def test_arguments_that_a_type_checker_tells_apart_stay() -> None:
    assert planted("return f(a, b)", "arguments swapped", "a: float, b: str") == set()
    assert planted("return f(a, b)", "arguments swapped", "a: float, b: float") == {"return f(b, a)"}
    assert planted("return hypot(a, b)", "arguments swapped") == set()


def test_names_that_have_no_value_yet_keep_their_assignment() -> None:
    """A name that was never set fails wherever it is used: no fault worth the trouble."""
    source = "def f(a):\n    x = 1.0\n    if a:\n        x = a\n    if a:\n        y = a\n    return x\n"
    dropped = [each.before for each in faults_of(source, "x.py") if each.kind == "statement dropped"]
    assert dropped == ["x = a"]


def test_planted_sources_parse_and_differ_in_one_place() -> None:
    """All faults of a file of kernels and of a file with text beyond ASCII."""
    for name in ("kernels/contact/layer_law.py", "report/document/markup.py"):
        source = (ROOT / PACKAGE / name).read_text(encoding="utf-8")
        faults = list(faults_of(source, name))
        assert len(faults) > 10
        for fault in faults[:: len(faults) // 10]:
            changed = fault.planted(source)
            ast.parse(changed)
            assert is_another_program(source, fault)
            parts = difflib.SequenceMatcher(None, source.splitlines(), changed.splitlines(), autojunk=False)
            assert sum(tag != "equal" for tag, *_ in parts.get_opcodes()) == 1
            assert fault.line <= source.encode()[: fault.start].count(b"\n") + 1 <= fault.last_line


@pytest.fixture
def small_package(tmp_path: Path) -> Path:
    """A package with two parts, one file each, of twenty functions."""
    for folder in ("robots", "contact"):
        (tmp_path / folder).mkdir()
        bodies = (
            f"def f{i}(a, b):\n    if a < b and a > {i}:\n        return min(a, b) + 2.0\n    return a - b\n"
            for i in range(20)
        )
        (tmp_path / folder / "file.py").write_text("\n".join(bodies))  # fmt: skip
    return tmp_path


def test_the_same_seed_chooses_the_same_faults(small_package: Path) -> None:
    first = chosen_faults(small_package, 1, 20)
    assert first == chosen_faults(small_package, 1, 20)
    assert first != chosen_faults(small_package, 2, 20)
    assert set(first) < set(chosen_faults(small_package, 1, 30))


def test_faults_are_spread(small_package: Path) -> None:
    faults = chosen_faults(small_package, 1, 20)
    assert [part_of(each) for each in faults] == ["contact", "robots"] * 10
    assert len({each.kind for each in faults}) >= 5
    places = [(each.file, each.function) for each in faults]
    assert max(map(places.count, places)) <= MOST_IN_A_FUNCTION
    assert {part_of(each) for each in chosen_faults(small_package, 1, 5, "robots/")} == {"robots"}


def test_every_part_names_something() -> None:
    for places in PARTS.values():
        assert all((ROOT / PACKAGE / place).exists() for place in places)


def test_equivalent_faults_name_what_is_there() -> None:
    """Each can still be planted, and has a reason."""
    known = equivalents()
    assert EQUIVALENT.is_file()
    for file in {key[0] for key in known}:
        offered = {
            (each.file, each.function, each.before, each.after)
            for each in faults_of((ROOT / PACKAGE / file).read_text(encoding="utf-8"), file)
        }
        assert {key for key in known if key[0] == file} <= offered
    assert all(len(reason) > 20 for reason in known.values())


def test_functions_are_known_by_their_text() -> None:
    before = functions_of("class A:\n    def f(self):\n        def g():\n            return 1\n        return g\n")
    moved = functions_of("\n\nclass A:\n    def f(self):\n        def g():\n            return 1\n        return g\n")
    assert [each.name for each in before] == ["A.f", "A.f.g"]
    assert [each.digest for each in before] == [each.digest for each in moved]
    inner = function_at(moved, 6)
    assert inner is not None
    assert inner.name == "A.f.g"
    assert function_at(moved, 1) is None


def record_of(lines: dict[str, dict[str, dict[str, list[int]]]], digest: str) -> dict[str, object]:
    """A record of two tests, one of which fails, and a fixture that the first uses."""
    tests = {
        "t.py::one": {"digest": "1", "passed": True, "seconds": 0.5, "fixtures": ["fixture . run"]},
        "t.py::two": {"digest": "2", "passed": False, "seconds": 0.1, "fixtures": []},
        "t.py::three": {"digest": "3", "passed": True, "seconds": 0.2, "fixtures": []},
    }
    return {"tests": tests, "lines": lines, "functions": {"old/name.py": {"f": digest}}}


def test_tests_that_run_a_line_are_found(tmp_path: Path) -> None:
    """By the text of the function, wherever it was; also through a fixture; not those that fail anyway."""
    source = "def f(a, b):\n    if a:\n        return a\n    return a + b\n"
    (tmp_path / "x.py").write_text(source)
    records = tmp_path / "records"
    records.mkdir()
    (fault,) = (each for each in faults_of(source, "x.py") if each.kind == "flipped sign")
    (function,) = functions_of(source)

    def run(*lines: int) -> dict[str, dict[str, list[int]]]:
        return {"old/name.py": {"f": list(lines)}}

    lines = {"t.py::one": run(1), "t.py::two": run(3), "t.py::three": run(1, 3), "fixture . run": run(3)}
    write_record(records, Path("t/t.py"), record_of(lines, function.digest))
    assert known_tests(records) == {"t.py::one": "1", "t.py::two": "2", "t.py::three": "3"}
    assert line_map.tests_that_reach([fault], tmp_path, records)[fault] == [
        line_map.Reach("t.py::three", 0.2),
        line_map.Reach("t.py::one", 0.5),
    ]


FAULT = Fault("off by one", "robots/x.py", "f", 3, 3, "1", "2", 40, 41)
KERNEL_FAULT = Fault("off by one", "kernels/contact/x.py", "f", 3, 3, "1", "2", 40, 41)


def test_stages_are_quick_tests_first() -> None:
    slow = {"tests/robots/a.py::1": False, "tests/b.py::2": False, "tests/c.py::3": True, "tests/golden/g.py::4": False}
    seconds = dict(zip(slow, (2.0, 0.1, 9.0, 3.0), strict=True))
    reached = [line_map.Reach(name, seconds[name]) for name in list(slow)[:3]]
    suite = Suite(slow, {FAULT: reached, KERNEL_FAULT: []}, {FAULT: [], KERNEL_FAULT: reached[:1]}, seconds)
    of_robots = list(stages(FAULT, suite))
    assert [(each.name, each.jit) for each in of_robots] == [("quick", True), ("slow", True)]
    assert list(of_robots[0].seconds) == ["tests/robots/a.py::1", "tests/b.py::2"]  # of the same folder first
    of_kernel = list(stages(KERNEL_FAULT, suite))
    assert [(each.name, each.jit) for each in of_kernel] == [("plain", False), ("compiled", True)]
    assert list(of_kernel[1].seconds) == ["tests/golden/g.py::4"]


def test_few_files_come_first_and_what_does_not_fit_is_told() -> None:
    slow = {f"tests/f{i}.py::t{k}": False for i in range(9) for k in range(2)}
    seconds = {name: 20.0 if name.endswith("t1") else 0.1 for name in slow}
    suite = Suite(slow, {FAULT: [line_map.Reach(*each) for each in seconds.items()]}, {FAULT: []}, seconds)
    first, rest = stages(FAULT, suite)
    assert len({name.partition("::")[0] for name in first.seconds}) == FIRST_FILES
    assert not set(first.seconds) & set(rest.seconds)
    assert sum(first.seconds.values()) + sum(rest.seconds.values()) <= LIMITS["quick"]
    assert rest.left_out == len(slow) - len(first.seconds) - len(rest.seconds) > 0


def test_table_tells_what_is_missed() -> None:
    findings = [
        Finding(FAULT, "quick", "quick", "t.py::one", {"quick": 1}),
        Finding(FAULT, "slow", "slow", "t.py::long", {"quick": 5, "slow": 1}),
        Finding(KERNEL_FAULT, "quick", "plain", "t.py::two", {"plain": 2}),
        Finding(KERNEL_FAULT, "none", "", "", {"plain": 7, "compiled": 3}, 4),
    ]
    assert share_of_quick(findings) == pytest.approx(2 / 3)
    lines = table(findings).splitlines()
    assert lines[1].split() == ["kernels/contact", "2", "1", "1", "0", "1"]
    assert lines[3].split() == ["all", "4", "2", "1", "1", "1"]
    told = missed(findings)
    assert "robots/x.py:3 f: 1 -> 2" in told
    assert "by t.py::long" in told
    assert "10 tests ran, 4 left out" in told
    assert json.loads(as_json(findings))["findings"][1]["tier"] == "slow"
    assert found_quickly(as_json(findings)) == {(each.file, "f: 1 -> 2") for each in (FAULT, KERNEL_FAULT)}


@pytest.mark.parametrize(("tiers", "status"), [(["quick"] * 9 + ["slow"], 0), (["quick"] * 8 + ["slow"] * 2, 1)])
def test_exit_status(tiers: list[str], status: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = [Finding(FAULT, tier) for tier in tiers]
    suite = Suite({}, {FAULT: []}, {FAULT: []}, {})
    monkeypatch.setattr(plant_faults, "planted", lambda *given: found)
    monkeypatch.setattr(plant_faults, "reaching", lambda *given: suite)
    monkeypatch.setattr(plant_faults, "chosen_faults", lambda *given: [FAULT])
    assert plant_faults.main(["--json", str(tmp_path / "found.json")]) == status
    assert len(json.loads((tmp_path / "found.json").read_text())["findings"]) == 10


def test_a_fault_is_planted_in_a_copy_and_healed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file has another time while the fault is in it, so that Python compiles it anew, and its own afterwards."""
    package = tmp_path / "copy" / "tree" / PACKAGE
    (package / "robots").mkdir(parents=True)
    file = package / "robots" / "x.py"
    file.write_text("def f(a, b):\n    return a + b\n")
    monkeypatch.setattr("tools.faults.workspace.copy_of_tree", lambda place: place)
    monkeypatch.setattr("tools.faults.workspace.compiled_kernels", lambda tree: tmp_path / "copy")
    workspace = Workspace(tmp_path / "copy")
    (fault,) = faults_of(file.read_text(), "robots/x.py")
    before = file.stat().st_mtime_ns
    workspace.plant(fault)
    assert file.read_text() == "def f(a, b):\n    return (a - b)\n"
    assert file.stat().st_mtime_ns > before
    workspace.heal()
    assert file.read_text() == "def f(a, b):\n    return a + b\n"
    assert file.stat().st_mtime_ns == before
