"""What a run needs goes when the run does: nothing waits for Python to look for cycles, which it does seldom."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import polycontact as pc

RUN: dict[str, Any] = {"end_time": 0.02, "output_step": 0.01}


@pytest.fixture(autouse=True)
def counted_only() -> Iterator[None]:
    """Objects go by their counts alone."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def landing() -> pc.MultibodySystem:
    """A ball that touches the floor from the start."""
    system = pc.MultibodySystem("landing")
    system.add_body("ball", surface=pc.shapes.sphere(radius=0.1, subdivisions=1), mass=1.0, position=(0, 0, 0.0999))
    system.add_body("floor", surface=pc.shapes.plane((1.0, 1.0)), fixed=True)
    friction = pc.RegularisedCoulomb(coefficient=0.3, velocity=0.01)
    system.add_contact("ball", "floor", law=pc.LayerLaw(stiffness=1e8, damping=0.3), friction=friction)
    return system


def left_behind() -> list[str]:
    """Kinds of objects of ours, or of solvers, that only a search for cycles finds."""
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    gc.set_debug(0)
    kinds = {f"{type(each).__module__}.{type(each).__qualname__}" for each in gc.garbage}
    gc.garbage.clear()
    return sorted(kind for kind in kinds if kind.startswith(("polycontact.", "sksundae", "scipy.", "numpy.")))


@pytest.mark.parametrize(
    "options",
    [
        *({"integrator": name} for name in ("cvode-bdf", "cvode-adams", "ida", "lsoda", "dopri5")),
        {"contact_events": "restart"},
        {"elements": True, "reactions": True},
        {"response": "impulses"},
        {"response": "multipliers"},
        {"stop_when": [pc.simulation.BelowHeight("ball", 0.09985)]},
        {"record": "run.h5"},
    ],
    ids=str,
)
def test_a_run_and_its_system_leave_nothing_behind(tmp_path: Path, options: dict[str, Any]) -> None:
    if "record" in options:
        options = {"record": tmp_path / "run.h5"}

    def once() -> None:
        run = pc.simulate(landing(), **RUN, **options)
        run.trajectory.body("ball").position  # noqa: B018
        run.peaks  # noqa: B018
        if "record" in options:
            pc.Trajectory.open(tmp_path / "run.h5", eager=True)

    once()  # what is made once for all
    gc.collect()
    once()
    assert left_behind() == []


def test_a_run_that_fails_leaves_nothing_behind() -> None:
    def once() -> None:
        with pytest.raises(pc.errors.PolycontactError):
            pc.simulate(landing(), **RUN, stop_when=[pc.simulation.BelowHeight("nobody", 1.0)])

    once()
    gc.collect()
    once()
    assert left_behind() == []


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("systems", ["one system", "new systems"])
def test_memory_of_many_runs_levels_off(systems: str) -> None:
    """What 300 more runs take after 200, when Numba, caches and the allocator have what they need.

    Each run makes about 1.3 MB of objects: one in a hundred that stayed would be 4 MB. 2 MB is what the allocator may
    add by how pieces of memory happen to lie; with cycles it was 14 MB and 38 MB.
    """
    command = [sys.executable, "-m", "tools.memory_of_runs", "--runs", "500", "--every", "100", systems]
    root = Path(__file__).resolve().parents[2]
    told = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root).stdout
    curve = {int(line.split()[0]): int(line.split()[1]) for line in told.splitlines() if line.split()[0].isdigit()}
    assert curve[500] - curve[200] < 2000, told
