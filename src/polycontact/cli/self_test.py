"""Whether an installation works: a contact, a run and its file, each compared with what must come out."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, Final

CLOSED_FORM_TOLERANCE: Final = 1e-9
"""Share by which the force of flat faces may differ from c A u: rounding of a few sums, far below any fault."""


def self_test() -> list[dict[str, Any]]:
    """What each trial found: name, whether it is as it must be, seconds (s), and what is told of it."""
    trials = []
    for name, trial in (("a contact", _contact), ("a run and its file", _run)):
        begin = perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ok, told = _tried(trial)
        trials.append({"name": name, "ok": ok, "seconds": perf_counter() - begin, "told": told})
    return trials


def _tried(trial: Callable[[], tuple[bool, str]]) -> tuple[bool, str]:
    """What a trial found; whatever it raises is told."""
    try:
        return trial()
    except Exception as error:  # a broken installation may raise anything
        return False, f"{type(error).__name__}: {error}"


def _contact() -> tuple[bool, str]:
    """A box pressed 1 mm into a larger one: F = c A u."""
    import polycontact as pc

    body, plate = pc.shapes.box((0.1, 0.1, 0.1)), pc.shapes.box((0.5, 0.5, 0.1))
    pairing = pc.ContactPairing(body, plate, law=pc.LayerLaw(stiffness=1e8))
    found = pairing.evaluate(pc.RelativeKinematics(rotation=_unit(), position=(0.0, 0.0, -0.099)))
    force, expected = float(abs(found.force[2])), 1e8 * 0.01 * 1e-3
    return abs(force - expected) < CLOSED_FORM_TOLERANCE * expected, f"{force:.6g} N, as c A u = {expected:.6g} N asks"


def _run() -> tuple[bool, str]:
    """A scenario that comes with the package: ten boxes stand still; the file tells the same."""
    import polycontact as pc

    scenario = pc.load_scenario("stack_of_boxes")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.h5"
        run = pc.simulate(scenario.build(), record=path, progress=False, **scenario.settings)
        kept = pc.Trajectory.open(path)
        moved = max(
            float(abs(kept.body(name).position[-1] - kept.body(name).position[0]).max()) for name in kept.bodies
        )
        same = len(kept.time) == len(run.trajectory.time)
    ok = run.status == "finished" and same and moved < 1e-5
    return ok, f"{run.status}, {run.statistics.evaluations} evaluations, boxes moved by {1e6 * moved:.2g} µm"


def _unit() -> Any:
    import numpy as np

    return np.eye(3)
