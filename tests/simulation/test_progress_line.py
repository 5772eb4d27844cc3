"""What a run shows of itself while it goes, and where it shows nothing."""

from __future__ import annotations

import io
import sys

import pytest
from small_systems import box_over_plane, pendulum

import polycontact as pc
from polycontact.simulation import progress_line
from polycontact.simulation.progress_line import ProgressWords


class Terminal(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


def make_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal in the place of stderr, with a clock of one second a look."""
    screen, seconds = Terminal(), iter(range(10**9))
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress_line, "perf_counter", lambda: float(next(seconds)))
    monkeypatch.setattr("polycontact.simulation.driver.perf_counter", lambda: float(next(seconds)))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")
    return screen


def watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_CURRENT_TEST")


def test_a_terminal_shows_a_line_and_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = make_terminal(monkeypatch)
    watched(monkeypatch)
    pc.simulate(box_over_plane(height=-1e-4), end_time=0.2)
    lines = terminal.getvalue().split("\r")
    assert "box over plane ━" in terminal.getvalue()
    assert any("s left, real-time factor" in line for line in lines)
    assert any("1 contact" in line for line in lines)
    assert max(map(len, lines)) < 100
    assert lines[-1] == ""
    assert lines[-2].strip() == ""


def test_nothing_in_pipes_tests_or_where_it_is_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = make_terminal(monkeypatch)
    pc.simulate(pendulum(), end_time=0.2)  # a test
    watched(monkeypatch)
    pc.simulate(pendulum(), end_time=0.2, progress=False)
    pc.simulate(pendulum(), end_time=0.2, progress=lambda _: None)
    monkeypatch.setattr(terminal, "isatty", lambda: False)
    pc.simulate(pendulum(), end_time=0.2)
    assert terminal.getvalue() == ""
    pc.simulate(pendulum(), end_time=0.2, progress=True)
    assert "pendulum" in terminal.getvalue()


def test_a_notebook_shows_it_too(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    terminal = make_terminal(monkeypatch)
    watched(monkeypatch)
    monkeypatch.setattr(progress_line, "in_notebook", lambda: True)
    pc.simulate(pendulum(), end_time=0.2)
    assert "pendulum" in capsys.readouterr().out
    assert terminal.getvalue() == ""


def test_short_runs_show_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = make_terminal(monkeypatch)
    watched(monkeypatch)
    monkeypatch.setattr(progress_line, "QUIET_SECONDS", 1e9)
    pc.simulate(pendulum(), end_time=0.2)
    assert terminal.getvalue() == ""


def report(time: float, factor: float = 2.0, contacts: int = 1) -> pc.Progress:
    return pc.Progress(time, 4.0, factor, contacts, 10, 20)


def test_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first steps are so short that a factor means nothing; then the rest of the time follows from the share."""
    clock = [0.0]
    monkeypatch.setattr(progress_line, "perf_counter", lambda: clock[0])
    words = ProgressWords()
    assert words(report(1e-9, 604971.0)) == "0.000 of 4 s, 1 contact"
    clock[0] = 10.0
    assert words(report(0.4)) == "0.400 of 4 s, 1 min 30 s left, real-time factor 2.00, 1 contact"
    clock[0] = 100000.0
    assert "27 h 46 min left" in words(report(2.0, contacts=3))
    assert words(report(4.0, contacts=0)) == "4.000 of 4 s, real-time factor 2.00, 0 contacts"


def test_a_continued_run_counts_from_where_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(progress_line, "perf_counter", lambda: clock[0])
    words = ProgressWords()
    words(report(3.0))
    clock[0] = 5.0
    assert "5 s left" in words(report(3.5))
    assert words.share == pytest.approx(0.5)
