"""Writes the two scenario files and the meshes beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from polycontact.surfaces.save import save_surface
from tools.pedestrian.car import car_surface
from tools.pedestrian.crash import MESH_FOLDER, mesh_file, scenario_text
from tools.pedestrian.segments import segment_surfaces

PACKAGE_DATA: Final = Path(__file__).resolve().parents[2] / "src" / "polycontact" / "scenario" / "data"
"""Where the package keeps its scenarios."""


def write_files(folder: Path) -> None:
    """Write the scenarios into ``folder`` and the meshes, PLY with float64 in m, into one below it."""
    (folder / MESH_FOLDER).mkdir(parents=True, exist_ok=True)
    for name, surface in {**segment_surfaces(), "car": car_surface()}.items():
        save_surface(surface, folder / mesh_file(name))
    for name, road in (("pedestrian", False), ("pedestrian_road", True)):
        (folder / f"{name}.toml").write_text(scenario_text(road=road), encoding="utf-8", newline="\n")
