"""A scenario whose runs take milliseconds and have a closed form, and functions that misbehave on workers."""

from __future__ import annotations

import gc
import math
import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np

import polycontact as pc
from polycontact.scenario.parsing import Scenario, parse_scenario

G = 9.81
END = 0.1

TEXT = """
[scenario]
name = "drop"

[simulation]
end_time = 0.1
output_step = 0.05
rtol = 1e-8
atol = 1e-9

[[bodies]]
name = "ball"
shape = { kind = "box", size = 0.1 }
density = 1000.0
position = [0.0, 0.0, 1.0]
"""

RESULTS = {"height": "final position of ball.z", "energy": "final kinetic energy"}

MARK = "STUDY_TEST_MARK"
"""Where functions on workers leave traces."""


def drop() -> Scenario:
    """A ball that falls freely from 1 m."""
    return parse_scenario(TEXT, file="drop.toml")


def speeds(n: int = 6, seed: int = 1) -> pc.studies.StudyDesign:
    """A design over the ball's vertical speed."""
    parameter = pc.StudyParameter("bodies.ball.velocity[2]", range=(-2.0, 2.0), name="speed")
    return pc.studies.StudyDesign((parameter,), "latin_hypercube", n, seed)


def height(speed: Any) -> Any:
    """Height at the end, m: 1 + v t − g t²/2."""
    return 1.0 + np.asarray(speed) * END - 0.5 * G * END**2


def start_speed(run: pc.Run) -> float:
    """The ball's vertical speed at the start, m/s."""
    return float(run.trajectory.body("ball").velocity[0, 2])


def systems_in_memory(run: pc.Run) -> float:
    """How many systems the worker holds; not those of before its first run's end, which no longer are looked at."""
    return float(sum(isinstance(each, pc.MultibodySystem) for each in gc.get_objects()))


def raises_when_fast(run: pc.Run) -> float:
    """A user's function with a mistake."""
    if start_speed(run) > 0:
        raise RuntimeError("too fast for me")
    return 1.0


def nan_when_fast(run: pc.Run) -> float:
    """A user's function that divides zero by zero."""
    return math.nan if start_speed(run) > 0 else 1.0


def raises_when_very_fast(run: pc.Run) -> float:
    """A user's function with a mistake that few runs meet."""
    if start_speed(run) > 1.8:
        raise RuntimeError("too fast for me")
    return 1.0


def hangs_when_fast(run: pc.Run) -> float:
    """A user's function that never ends."""
    while start_speed(run) > 1.0:
        time.sleep(0.1)
    return 1.0


def dies_once(run: pc.Run) -> float:
    """Kills its process the first time that it is called with a fast ball."""
    mark = Path(os.environ[MARK])
    if start_speed(run) > 1.0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 1.0


def dies_when_fast(run: pc.Run) -> float:
    """Kills its process with every fast ball."""
    if start_speed(run) > 1.0:
        os.kill(os.getpid(), signal.SIGKILL)
    return 1.0


def slow(run: pc.Run) -> float:
    """Takes a while."""
    time.sleep(0.2)
    return float(os.getpid())
