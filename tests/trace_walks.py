"""Traces the walks of docs/architecture.md: ``python tests/trace_walks.py FILE`` writes as JSON, for each walk, lists
of the files of the package in the order in which the work first enters them.

Run with NUMBA_DISABLE_JIT=1, so that kernels are seen too. What is small and what few samples show is enough: the order
of the files does not hang on the size of the meshes.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import polycontact as pc

PACKAGE = str(Path(pc.__file__).resolve().parent) + "/"


def trace(work: Callable[[], Any], since: str = "") -> list[str]:
    """Files of the package, relative to it, in the order in which functions of theirs are first called.

    ``since``: a function, as file:name, with whose first call the trace begins.
    """
    called: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code not in called:
            if since and f"{code.co_filename}:{code.co_name}" == PACKAGE + since:
                called.clear()
            called[code] = None

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    functions = [code for code in called if code.co_flags & inspect.CO_OPTIMIZED]  # no modules, no class bodies
    files = [code.co_filename for code in functions if code.co_filename.startswith(PACKAGE)]
    return list(dict.fromkeys(file.removeprefix(PACKAGE) for file in files))


def evaluation() -> list[list[str]]:
    """One evaluation of a contact, with the depth as a distance and with that of the paper."""
    box, plate = pc.shapes.box((0.2, 0.2, 0.2), 1), pc.shapes.box((1.0, 1.0, 0.2), 2)
    turned = [[0.96, -0.28, 0.0], [0.28, 0.96, 0.0], [0.0, 0.0, 1.0]]
    pose = pc.RelativeKinematics(rotation=turned, position=(0.01, 0.02, -0.19))
    traces = []
    for options in ({}, {"depth": "base_normal"}):
        pair = pc.ContactPairing(box, plate, law=pc.LayerLaw(stiffness=1e6), **options)
        traces.append(trace(lambda pair=pair: pair.evaluate(pose).patches))
    return traces


def falling() -> pc.MultibodySystem:
    """A box just above the ground."""
    system = pc.MultibodySystem()
    system.add_body("box", surface=pc.convex.Box((0.2, 0.2, 0.1)), mass=1.0, position=(0.0, 0.0, 0.0499))
    system.add_body("ground", surface=pc.convex.Box((4.0, 4.0, 0.2)), position=(0.0, 0.0, -0.1), fixed=True)
    system.add_contact("box", "ground", name="touch", method=pc.contact.ConvexMethod(), law=pc.LayerLaw(stiffness=1e5))
    return system


def step() -> list[list[str]]:
    """Steps of a short run, from the first one on."""
    first = "simulation/step_sequence.py:go_on"
    return [trace(lambda: pc.simulate(falling(), end_time=1e-4, output_step=1e-4), since=first)]


def rigid_step() -> list[list[str]]:
    """Steps with rigid contact, from the first one on."""
    response, first = pc.MultiplierResponse(step=1e-3), "simulation/responses/multiplier_stepper.py:step"
    return [trace(lambda: pc.simulate(falling(), end_time=2e-3, output_step=1e-3, response=response), since=first)]


SCENARIO = """
[scenario]
name = "box"
description = "A box just above the ground."

[simulation]
end_time = 1e-4
output_step = 1e-4

[[bodies]]
name = "box"
shape = { kind = "box", size = [0.2, 0.2, 0.1], geometry = "convex" }
mass = 1.0
position = [0.0, 0.0, 0.0499]

[[bodies]]
name = "ground"
shape = { kind = "box", size = [4.0, 4.0, 0.2], position = [0.0, 0.0, -0.1], geometry = "convex" }
fixed = true

[contact]
automatic = true
law = { kind = "layer", stiffness = 1e5 }
"""


def scenario(folder: Path) -> list[list[str]]:
    """A scenario from its file to the set-up of its system."""
    file = folder / "box.toml"
    file.write_text(SCENARIO, encoding="utf-8")
    return [trace(lambda: pc.load_scenario(file).build().compile())]


def page(folder: Path) -> list[list[str]]:
    """The page of a recorded run."""
    run = folder / "box.h5"
    scenario = pc.load_scenario(folder / "box.toml")
    pc.simulate(scenario.build(), **scenario.settings, record=run)
    return [trace(lambda: pc.save_page(run, folder / "box.html"))]


def study(folder: Path) -> list[list[str]]:
    """A study of two runs, in another process and in this one."""
    design = pc.studies.StudyDesign((pc.StudyParameter("bodies.box.mass", values=(1.0, 2.0)),), kind="grid")

    def made(workers: int) -> object:
        table = folder / f"{workers}.h5"
        return pc.study(folder / "box.toml", design, ["peak force of box-ground"], output=table, workers=workers).status

    return [trace(lambda: made(1)), trace(lambda: made(0))]


def main(file: str) -> None:
    """Trace all walks; everything is imported first, so that what is called while modules are made does not count."""
    for module in pkgutil.walk_packages(pc.__path__, "polycontact."):
        if module.name not in ("polycontact.__main__", "polycontact.cli"):
            importlib.import_module(module.name)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        walks = {
            "One evaluation of a contact": evaluation(),
            "One step of a simulation": step(),
            "One step with rigid contact": rigid_step(),
            "One scenario": scenario(folder),
            "One page": page(folder),
            "One study": study(folder),
        }
    Path(file).write_text(json.dumps(walks), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
