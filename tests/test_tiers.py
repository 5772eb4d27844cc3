"""Which tests run: tiers, the turn of slow files, and what is listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import tiers

pytest_plugins = ("pytester",)

TWO = """
    import pytest

    def test_quick():
        pass

    @pytest.mark.slow
    def test_slow():
        pass
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A folder of tests with the tiers of ours."""
    hooks = [name for name in vars(tiers) if name.startswith("pytest_")]
    pytester.makeconftest(f"from tests.tiers import {', '.join(hooks)}")
    pytester.makeini("[pytest]\nmarkers = slow: of the slow tier\n")
    pytester.makepyfile(test_two=TWO)
    return pytester


@pytest.mark.parametrize(
    ("options", "passed", "left_out"),
    [((), 1, 1), (("--tier=all",), 2, 0), (("--tier=turn",), 1, 1), (("test_two.py::test_slow",), 1, 0)],
)
def test_a_tier_has_its_tests(suite: pytest.Pytester, options: tuple[str, ...], passed: int, left_out: int) -> None:
    suite.runpytest_inprocess(*options, "-p", "no:xdist").assert_outcomes(passed=passed, deselected=left_out)


def test_what_takes_long_is_listed_unless_it_is_marked(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "LISTED", -1.0)
    lines = suite.runpytest_inprocess("--tier=all", "-p", "no:xdist").outlines
    assert any("test_quick" in line for line in lines)
    assert not any("test_slow" in line for line in lines)


def test_what_changed_comes_first_and_the_commit_chooses_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    times = {f"tests/test_{n}.py": {"quick": 0.0, "slow": 10.0} for n in range(100)}
    chosen = [tiers.within_budget(times, set(times), {"tests/test_7.py"}, commit, 100.0) for commit in ("a", "b")]
    assert all(len(files) == 10 and "tests/test_7.py" in files for files in chosen)
    assert chosen[0] != chosen[1]
    assert tiers.within_budget(times, set(times), set(), "a", 1.0)  # at least one


def test_every_slow_file_has_its_turn() -> None:
    times = {f"tests/test_{n}.py": {"quick": 0.0, "slow": 10.0 + n} for n in range(20)}
    seen: set[str] = set()
    for commit in range(200):
        seen |= tiers.within_budget(times, set(times), set(), str(commit), 60.0)
    assert seen == set(times)


def test_a_change_touches_the_tests_that_import_it() -> None:
    assert tiers.is_touched("tests/test_tiers.py", {"tests/tiers.py"})
    assert not tiers.is_touched("tests/test_tiers.py", {"src/polycontact/units.py"})
    assert tiers.is_touched("tests/test_units.py", {"src/polycontact/units.py"})
    assert not tiers.is_touched("tests/there_is_none.py", {"src/polycontact/units.py"})


def test_times_are_kept_by_file_and_tier() -> None:
    times = tiers.Times()
    times.of_test = {"tests/a.py::x": (0.5, False), "tests/a.py::y[1]": (2.0, True), "tests/b.py::z": (3.0, False)}
    assert times.of_files() == {"tests/a.py": {"quick": 0.5, "slow": 2.0}, "tests/b.py": {"quick": 3.0, "slow": 0.0}}
    assert [line.split()[-1] for line in times.unmarked()] == ["tests/b.py::z"]


def test_recorded_times_name_files_that_exist() -> None:
    root = Path(__file__).resolve().parents[1]
    gone = [file for file in tiers.known_times() if not (root / file).is_file()]
    assert not gone, f"tests/test_times.json names files that are gone: {', '.join(gone)}; record it anew"
