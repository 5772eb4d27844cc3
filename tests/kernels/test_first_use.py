"""The first use of kernels compiles them: how long that takes is told once, and a second process helps."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from polycontact.kernels.first_use import compile_aside, compile_notice, compile_times
from polycontact.kernels.first_use.compile_notice import (
    SECONDS,
    CompilationNotice,
    expected_entries,
    in_words,
)

CONTACT, DYNAMICS = "contact.polygonal_method", "dynamics.right_hand_side"
KERNELS = "polycontact.kernels."


def cold(entry: str) -> bool:
    return False


def warm(entry: str) -> bool:
    return True


def test_a_contact_alone_announces_its_own_kernels_only() -> None:
    assert expected_entries("contact.evaluate", set(), cold) == {CONTACT}


def test_a_simulation_announces_everything_at_its_first_kernel() -> None:
    assert expected_entries("contact.evaluate", {"polycontact.multibody"}, cold) == {CONTACT, DYNAMICS}
    assert expected_entries("dynamics.energy", {"polycontact.multibody", KERNELS + CONTACT}, cold) == {DYNAMICS}


def test_a_late_small_kernel_announces_nothing_large() -> None:
    loaded = {"polycontact.multibody", KERNELS + CONTACT, KERNELS + DYNAMICS}
    assert expected_entries("contact.triangle_parts", loaded, cold) == set()
    assert expected_entries("geometry.tree", set(), cold) == set()
    assert expected_entries("mesh.box_pairs", set(), cold) == set()
    assert expected_entries("contact.coulomb_friction", {"polycontact.multibody"}, warm) == set()


@pytest.mark.parametrize("entry", sorted(SECONDS))
def test_every_large_entry_exists_and_announces_itself(entry: str) -> None:
    folder, _, file = entry.partition(".")
    path = os.path.join(os.path.dirname(compile_aside.__file__), "..", folder, file + ".py")
    assert os.path.exists(path)
    assert entry in expected_entries(entry, {KERNELS + entry}, warm)


def test_times_are_told_as_one_tells_them() -> None:
    ranges = [(4.0, 6.0), (12.0, 42.0), (40.0, 80.0), (55.0, 130.0), (10.0, 91.0), (290.0, 310.0)]
    told = [in_words(*each) for each in ranges]
    assert told == ["about 5 s", "10 to 40 s", "40 to 80 s", "1 to 2 minutes", "1 to 2 minutes", "about 5 minutes"]


@pytest.fixture
def no_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of compiled kernels: no times are known."""
    monkeypatch.setattr(compile_times, "cache_folder", lambda: tmp_path)
    return tmp_path


def told_of(notice: CompilationNotice, capsys: pytest.CaptureFixture[str], entry: str) -> str:
    notice.started(KERNELS + entry, kept=True)
    notice.depth = 0
    return capsys.readouterr().err.strip().rpartition(", ")[2]


def test_what_it_took_on_this_machine_before_is_told(no_times: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Measured 30 times as slow as where the times in the source come from: the same entry, and another one."""
    compile_times.keep_time("smooth.smooth_method", 30.0 * SECONDS["smooth.smooth_method"])
    assert told_of(CompilationNotice(), capsys, "smooth.smooth_method") == "5 to 14 minutes"  # 420 s
    assert told_of(CompilationNotice(), capsys, "geometry.convex_distance") == "3 to 15 minutes"  # 360 s


def test_what_entries_take_is_kept(no_times: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notice = CompilationNotice()
    notice.there(7.0)  # before anything is awaited
    notice.slowness = 1.0
    notice.started(KERNELS + CONTACT, kept=True)
    for seconds in (2.0, 0.1, 50.0):  # the second came from the cache
        notice.there(seconds)
    assert compile_times.read_times() == {notice.awaited: 52.0}
    assert notice.awaited == CONTACT
    compile_times.keep_time(notice.awaited, 5.0)  # of a part of them
    assert compile_times.read_times() == {notice.awaited: 52.0}
    compile_times.keep_time(notice.awaited, 40.0)
    compile_times.keep_time(DYNAMICS, 30.0)
    assert compile_times.read_times() == {notice.awaited: 40.0, DYNAMICS: 30.0}
    (no_times / compile_times.NAME).write_text("{half a")
    assert compile_times.read_times() == {}


def test_one_disturbed_kernel_does_not_say_much(no_times: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notice = CompilationNotice()
    notice.started(KERNELS + "contact.evaluate", kept=True)
    notice.began -= 1000.0
    notice.ended(KERNELS + "contact.evaluate", kept=True)
    assert notice.slowness == 5.0


def test_with_an_untested_numba_one_line_says_why_it_takes_longer(
    no_times: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for links in (True, False):
        monkeypatch.setattr(compile_notice, "LINKS", links)
        monkeypatch.setattr(compile_notice, "remark", lambda links=links: "" if links else "Numba 0.99 is not tested")
        notice = CompilationNotice()
        notice.slowness = 1.0
        notice.started(KERNELS + "smooth.smooth_method", kept=True)
        notice.started(KERNELS + "geometry.vectors", kept=True)  # one that is compiled within it
        told.append(capsys.readouterr().err)
    begin = "polycontact: compiling kernels for first use, "
    assert told == [f"{begin}5 to 40 s\n", f"{begin}1 to 2 minutes; Numba 0.99 is not tested\n"]


def test_code_of_users_is_compiled_without_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    notice = CompilationNotice()
    notice.slowness = 1.0
    notice.started("users.module", kept=True)
    notice.ended("users.module", kept=True)
    notice.started(KERNELS + "smooth.smooth_method", kept=False)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("switch", "cores"), [("alone", 8), ("aside", 8), ("", 1)])
def test_no_second_process_where_it_is_not_wanted(monkeypatch: pytest.MonkeyPatch, switch: str, cores: int) -> None:
    monkeypatch.setenv(compile_aside.SWITCH, switch)
    monkeypatch.setattr(compile_aside, "_cores", lambda: cores)
    monkeypatch.setattr(compile_aside, "_processes", [])
    monkeypatch.setattr(compile_aside, "LARGEST", ("a.module.not.loaded",))
    assert not compile_aside.compile_aside()


def test_a_program_with_python_inside_is_not_started_again() -> None:
    names = ["/usr/bin/python3.12", "C:/Python/python.exe", "/opt/simulator/bin/simulator", "", None]
    assert [compile_aside._is_python(name) for name in names] == [True, True, False, False, False]


@pytest.fixture
def aside(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[subprocess.Popen[bytes]]]:
    """A second process is wanted; what there is of them is ended."""
    started: list[subprocess.Popen[bytes]] = []
    monkeypatch.delenv(compile_aside.SWITCH, raising=False)
    monkeypatch.setattr(compile_aside, "_cores", lambda: 2)
    monkeypatch.setattr(compile_aside, "_processes", started)
    yield started
    for process in started:
        process.kill()
        process.communicate()


def test_there_is_one_second_process_and_it_finds_the_package(
    aside: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compile_aside, "LARGEST", ("polycontact.version", "polycontact.errors"))
    monkeypatch.delitem(sys.modules, "polycontact.version", raising=False)
    assert compile_aside.compile_aside()
    assert compile_aside.compile_aside()
    assert len(aside) == 1
    assert aside[0].wait() == 0
