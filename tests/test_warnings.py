"""Warnings name the line of the user that led to them, each once."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import polycontact as pc
from polycontact.report.view.showing import make_page_of


def soft_layer(_: Path) -> object:
    return pc.ElasticLayer(youngs_modulus=1e6, poissons_ratio=0.49, thickness=0.01)


def torn_surface(_: Path) -> object:
    box = pc.shapes.box(size=1.0)
    return pc.Surface(box.vertices[box.triangles].reshape(-1, 3), np.arange(36).reshape(-1, 3))


def inside_out(folder: Path) -> object:
    pc.save_surface(pc.shapes.box(size=1.0).flipped(), folder / "box.ply")
    return pc.load_surface(folder / "box.ply")


def balanced_box(_: Path) -> object:
    return pc.shapes.box(size=1.0).balanced()


def wholly_inside(_: Path) -> object:
    pairing = pc.ContactPairing(pc.shapes.box(size=1.0), pc.shapes.sphere(0.1, 2), law=pc.LayerLaw(stiffness=1e9))
    return pairing.evaluate(pc.RelativeKinematics(position=(0.1, 0.0, 0.0)))


def ball_on_plane(radius: float, below: float) -> pc.MultibodySystem:
    system = pc.MultibodySystem("tiny")
    system.add_body("ball", surface=pc.shapes.sphere(radius, 2), density=1000.0, position=(0, 0, radius - below))
    system.add_body("plate", surface=pc.shapes.box(size=(8.0, 8.0, 1.0)), position=(0.0, 0.0, -0.5), fixed=True)
    system.add_contact("ball", "plate", law=pc.LayerLaw(stiffness=1e9))
    return system


def coarse_tolerance(_: Path) -> object:
    return pc.simulate(ball_on_plane(1e-3, 0.0), end_time=1e-4, atol=1e-3)


def overlap_at_start(_: Path) -> object:
    return pc.simulate(ball_on_plane(0.1, 0.1), end_time=1e-4)


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (soft_layer, "Poisson's ratio"),
        (torn_surface, "cracks"),
        (inside_out, "inward orientation"),
        (balanced_box, "nothing moved|no vertex|flat"),
        (wholly_inside, "wholly inside"),
        (coarse_tolerance, "atol is"),
        (overlap_at_start, "overlap by"),
    ],
)
def test_a_warning_points_to_the_user_once(cause: Callable[[Path], object], words: str, tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cause(tmp_path)
    meant = [entry for entry in caught if re.search(words, str(entry.message))]
    assert len(meant) == 1
    assert [Path(entry.filename).name for entry in caught] == [Path(__file__).name] * len(caught)


def test_what_was_warned_of_is_not_told_again_when_it_is_shown() -> None:
    with pytest.warns(pc.ContactWarning, match="Poisson's ratio"):
        layer = pc.ElasticLayer(youngs_modulus=1e6, poissons_ratio=0.49, thickness=0.01)
    system = pc.MultibodySystem("soft")
    ball = pc.shapes.sphere(0.1, 2)
    system.add_body("ball", surface=ball, density=1000.0, position=(0.0, 0.0, 0.099), layer=layer)
    system.add_body("plate", surface=pc.shapes.plane((1.0, 1.0)), fixed=True)
    system.add_contact("ball", "plate")
    run = pc.simulate(system, end_time=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_page_of(run)


def test_a_heap_does_not_say_the_same_of_every_contact() -> None:
    """Sixteen coarse plates under fine balls, four of which touch at once at four times."""
    system = pc.MultibodySystem("heap", gravity=(0.0, 0.0, -9.81))
    system.add_body("floor", surface=pc.shapes.box(size=(8.0, 8.0, 1.0)), position=(0.0, 0.0, -0.5), fixed=True)
    for i in range(16):
        name, place = f"ball {i}", (0.5 * (i % 4), 0.5 * (i // 4), 0.0999 + 0.002 * (i // 4))
        system.add_body(name, surface=pc.shapes.sphere(0.1, 3), density=1000.0, position=place)
        system.add_contact("floor", name, law=pc.LayerLaw(stiffness=1e8), base="E", depth="target_normal")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pc.simulate(system, end_time=0.05, output_step=0.001)
    told = [str(entry.message) for entry in caught if "triangles of the base" in str(entry.message)]
    assert len(told) == 3
    assert re.match(r"contact 'floor–ball \d+' and \d+ others: ", told[0])
    assert told[2].endswith("further contacts with this are not named")
