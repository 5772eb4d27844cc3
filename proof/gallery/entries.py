"""What the gallery shows, engineering first: programs of `examples/gallery`, and built-in scenarios."""

from __future__ import annotations

import ast
import runpy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.scenario.loading import load_scenario

PROGRAMS = Path(__file__).resolve().parents[2] / "examples" / "gallery"
HOW_TO_RUN = "Run it by `polycontact run {name}`; `polycontact template {name}` prints its file, to be changed."


@dataclass(frozen=True)
class Entry:
    """One picture of the gallery: its ``name`` is that of a program or a scenario.

    ``moment``: when the picture is taken, as a share of the run; ``camera`` as `save_picture` takes it; ``shorter``:
    the end of the run (s) where the scenario's own is longer than a look needs.
    """

    name: str
    moment: float = 0.5
    camera: str = "iso"
    shorter: float | None = None

    @property
    def program(self) -> Path | None:
        """The program, or None for a scenario."""
        path = PROGRAMS / f"{self.name}.py"
        return path if path.is_file() else None

    @property
    def title(self) -> str:
        """What it shows, in one sentence."""
        return self._words()[0]

    @property
    def text(self) -> str:
        """What happens, and what to vary; of a scenario how to run it."""
        return self._words()[1]

    def _words(self) -> tuple[str, str]:
        if self.program is None:
            description = load_scenario(self.name).description
            return description, HOW_TO_RUN.format(name=self.name)
        documented = ast.get_docstring(ast.parse(self.program.read_text(encoding="utf-8"))) or ""
        title, _, text = documented.partition("\n\n")
        return title, text

    def model(self) -> tuple[MultibodySystem, dict[str, Any]]:
        """The system, and the arguments of `simulate`."""
        if self.program is not None:
            names = runpy.run_path(str(self.program))
            return names["build"](), dict(names["SETTINGS"])
        scenario = load_scenario(self.name)
        settings = dict(scenario.settings)
        if self.shorter is not None:
            settings["end_time"] = self.shorter
        return scenario.build(), settings


ENTRIES = (
    Entry("latch", 0.5, "10,40"),
    Entry("ratchet", 0.9, "20,50"),
    Entry("geneva_drive", 0.36, "20,50"),
    Entry("cam_and_roller", 0.3, "20,50"),
    Entry("spur_gears", 0.6, "20,50"),
    Entry("ball_bearing", 0.8, "30,50"),
    Entry("nut_on_bolt", 0.5, "iso", 0.2),
    Entry("chain", 0.9, "front"),
    Entry("gripper", 0.8),
    Entry("gripping", 0.6),
    Entry("bumper", 0.1, "150,20"),
    Entry("wheel_over_kerb", 0.33, "-70,15"),
    Entry("drop_test", 0.05, "-40,15"),
    Entry("granular_pile", 0.9, "-40,45"),
    Entry("dovetail", 0.5),
    Entry("slider_crank", 0.4),
    Entry("pedestrian", 0.2),
    Entry("hexapod", 0.5, "iso", 1.5),
    Entry("manipulator_free", 0.5),
    Entry("bubbles", 0.4),
    Entry("billiard_balls", 0.5),
    Entry("newtons_cradle", 0.35, "front"),
    Entry("stack_of_boxes", 0.5),
    Entry("box_over_edge", 0.7),
    Entry("block_on_slope", 0.6),
    Entry("ball_on_table", 0.5),
    Entry("spinning_pyramid", 0.8),
    Entry("cosine_ball", 0.4),
)
"""In the order of the grid."""
