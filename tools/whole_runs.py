"""Systems whose whole runs are measured: a chain, a bearing, a pile, and scenarios that come with the package.

They are built by what the public interface has had since version 0.2, so that two versions can be compared.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polycontact as pc

GALLERY = Path(__file__).resolve().parents[1] / "examples" / "gallery"


@dataclass(frozen=True)
class WholeRun:
    """A system and how it is simulated."""

    system: Any
    settings: dict[str, Any]


def from_gallery(name: str) -> WholeRun:
    """A model of the gallery, a program of its own."""
    path = GALLERY / f"{name}.py"
    program = runpy.run_path(str(path))
    return WholeRun(program["build"](), program["SETTINGS"])


def scenario(name: str, end_time: float, **options: Any) -> WholeRun:
    """A scenario that comes with the package."""
    loaded = pc.load_scenario(name)
    settings = dict(loaded.settings)
    if options.get("response") == "multipliers":  # which refuse what only integrators use
        settings = {key: value for key, value in settings.items() if key not in ("rtol", "atol")}
    return WholeRun(loaded.build(), {**settings, "end_time": end_time, **options})


def pile_of_20() -> WholeRun:
    """Twenty bubbles that fall into a box."""
    from tools.piles import pile

    return WholeRun(pile(20), {"end_time": 0.5, "output_step": 0.01})


RUNS: dict[str, Callable[[], WholeRun]] = {
    "bubbles": lambda: scenario("bubbles", 3.0),
    "pedestrian": lambda: scenario("pedestrian", 1.5),
    "hexapod, multipliers": lambda: scenario("hexapod", 1.0, response="multipliers"),
    "hexapod, compliant": lambda: scenario("hexapod", 1.5, response="compliant"),
    "chain": lambda: from_gallery("chain"),
    "bearing": lambda: from_gallery("ball_bearing"),
    "pile of 20": pile_of_20,
}
"""What is measured, by name."""
