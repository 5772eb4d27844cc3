"""The first use of kernels compiles them: how long that takes is told once, and a second process helps."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from polycontact.kernels.first_use import compile_aside, compile_notice
from polycontact.kernels.first_use.compile_notice import SECONDS, CompilationNotice, expected_entries, rounded

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
    told = [rounded(seconds) for seconds in (4.0, 12.0, 42.0, 55.0, 80.0, 130.0)]
    assert told == ["about 5 s", "about 10 s", "about 40 s", "about a minute", "about a minute", "about 2 minutes"]


def test_with_an_untested_numba_one_line_says_why_it_takes_longer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
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
    begin = "polycontact: compiling kernels for first use, about "
    assert told == [f"{begin}15 s\n", f"{begin}30 s; Numba 0.99 is not tested\n"]


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
