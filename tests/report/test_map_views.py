"""Maps of surfaces in what is made of a run: tables, VTK, pictures, pages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polycontact as pc
from polycontact.errors import SimulationError
from polycontact.laws import ArchardWear
from polycontact.report.export.vtk_run import vtk_maps
from polycontact.report.picture.film import colour_limit
from polycontact.report.picture.picture_scene import RunScenes, coloured_by
from polycontact.report.picture.render import Look, render
from polycontact.report.view.packing import pack
from polycontact.report.view.run_scene import run_scene


@pytest.fixture(scope="module")
def run() -> pc.Run:
    """A block that slides on a plate for a moment, with wear."""
    system = pc.MultibodySystem("block")
    system.add_body("plate", surface=pc.shapes.box((0.4, 0.2, 0.02), (8, 4, 1)), fixed=True, position=(0, 0, -0.01))
    system.add_body(
        "block", surface=pc.shapes.box(0.05, 2), density=1000.0, position=(0, 0, 0.0249), velocity=(0.5, 0, 0)
    )
    law, friction = pc.LayerLaw(stiffness=1e8, damping=1e5), pc.RegularisedCoulomb(coefficient=0.3, velocity=1e-2)
    wear = ArchardWear(coefficient=1e-4, hardness=1e9)
    system.add_contact("block", "plate", law=law, friction=friction, wear=wear)
    return pc.simulate(system, end_time=0.05, output_step=0.01, maps=True)


def test_export_has_tables_and_values_on_bodies(run: pc.Run, tmp_path: Path) -> None:
    pc.export_run(run, tmp_path)
    lines = (tmp_path / "maps.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + 48 + len(run.maps["plate"].triangles)
    assert lines[0].endswith("friction energy [J/m²],wear depth [m],dent depth [m]")
    assert 'Name="wear depth [m]"' in next((tmp_path / "bodies").glob("block_*.vtp")).read_text(encoding="latin-1")
    found = vtk_maps(run.trajectory)["block", 0]
    assert np.array_equal(found["friction energy [J m^-2]"], run.maps["block"].friction_energy)


def test_pictures_show_maps_on_bodies(run: pc.Run) -> None:
    look = {"size": (120, 80), "samples": 1, "ground": False, "caption": False, "camera": "front"}
    plain = np.asarray(render(run.trajectory, 0.05, colour_by="none", **look))
    worn = np.asarray(render(run.trajectory, 0.05, colour_by="wear", **look))
    assert (plain != worn).any()
    scene = RunScenes(run.trajectory).at(0.05, mapped="wear")
    assert scene.mapped is not None
    assert len(scene.mapped) == len(scene.corners)
    assert scene.mapped.max() == max(each.wear.max() for each in run.maps.shapes)
    assert coloured_by("greatest_pressure") == (False, "pressure")
    limit = colour_limit(run.trajectory, run.trajectory.time, Look(colour_by="wear"))
    assert limit is not None
    assert limit >= scene.mapped.max()


def test_a_page_has_the_maps_that_there_are(run: pc.Run) -> None:
    scene = run_scene(run.trajectory)
    assert [each.key for each in scene.maps] == ["pressure", "contact_time", "sliding", "friction_energy", "wear"]
    assert all(len(part.maps["wear"]) == len(part.triangles) for part in scene.parts)
    assert len(pack(scene)) > 0


def test_pictures_of_runs_without_maps_say_so() -> None:
    system = pc.MultibodySystem("ball")
    system.add_body("ball", surface=pc.shapes.sphere(0.1), density=1000.0)
    run = pc.simulate(system, end_time=0.01)
    with pytest.raises(SimulationError, match="maps of the surfaces were not recorded; simulate with maps=True"):
        render(run.trajectory, 0.0, colour_by="wear", size=(64, 64))
    assert run_scene(run.trajectory).maps == ()
