"""Runs, meshes and contacts that the tests of pages look at."""

from __future__ import annotations

import base64
import gzip
import json
import math
import re
import struct
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import polycontact as pc


def bubbles_run(path: Path, end_time: float, output_step: float, *, elements: bool = False) -> Path:
    """The bubbles, recorded to a file."""
    pc.simulate(
        pc.load_scenario("bubbles").build(),
        end_time=end_time,
        output_step=output_step,
        rtol=2e-4,
        atol=2e-4,
        record=path,
        elements=elements,
    )
    return path


def pressed_ball(base: pc.Base = pc.Base.E, depth: str = "distance") -> pc.ContactResult:
    """A ball, 20 mm deep in a plate, that slides over it."""
    pairing = pc.ContactPairing(
        pc.shapes.sphere(radius=0.1, subdivisions=3),
        pc.shapes.box(size=(0.5, 0.5, 0.05), divisions=(4, 4, 1)),
        base=base,
        depth=depth,
        law=pc.LayerLaw(stiffness=5.9e5),
        friction=pc.RegularisedCoulomb(coefficient=0.25, velocity=0.01),
    )
    return pairing.evaluate(pc.RelativeKinematics(position=(0.01, 0.0, -0.105), velocity=(-0.5, 0.0, 0.0)))


def pressed_strip() -> pc.ContactResult:
    """A blade of 200 mm by 2 mm, upright on a plate: a narrow patch, of the same pressure everywhere."""
    blade, plate = pc.shapes.box(size=(0.2, 0.002, 0.05)), pc.shapes.box(size=(0.5, 0.5, 0.05))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # coarse, but flat
        pairing = pc.ContactPairing(blade, plate, law=pc.LayerLaw(stiffness=5.9e5))
        return pairing.evaluate(pc.RelativeKinematics(position=(0.01, 0.003, -0.05 + 1e-4)))


def standing_run() -> pc.Run:
    """A horseshoe that falls on the ground and stands there on both ends."""
    system = pc.MultibodySystem("standing")
    system.add_body("ground", surface=pc.shapes.box(size=(1, 1, 0.1)), fixed=True, position=(0.0, 0.0, -0.05))
    system.add_body("feet", surface=pc.shapes.horseshoe(), mass=1.0, position=(0.0, 0.0, 0.03))
    system.add_contact("ground", "feet", law=pc.LayerLaw(stiffness=1e8, damping=1e5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pc.simulate(system, end_time=0.1, output_step=0.01, progress=False)


def broken_mesh() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A sphere with a hole, a torn cap, turned, repeated and flat triangles, and a box that pokes through it."""
    ball = pc.shapes.sphere(radius=1.0, subdivisions=2)
    middle = ball.barycentres
    triangles = ball.triangles.astype(np.int64)
    triangles[[20, 100]] = triangles[[20, 100], ::-1]
    cap = middle[:, 2] > 0.75
    loose = np.unique(triangles[cap])
    renumbered = np.arange(len(ball.vertices))
    renumbered[loose] = len(ball.vertices) + np.arange(len(loose))
    triangles[cap] = renumbered[triangles[cap]]
    vertices = np.concatenate((ball.vertices, ball.vertices[loose]))
    kept = np.linalg.norm(middle - np.array([0.0, -1.0, 0.0]), axis=1) > 0.3
    flat = triangles[[50]][:, [0, 1, 1]]
    box = pc.shapes.box(size=0.5, divisions=2)
    poking = box.triangles.astype(np.int64) + len(vertices)
    return (
        np.concatenate((vertices, box.vertices + np.array([1.0, 0.1, 0.0]))),
        np.concatenate((triangles[kept], triangles[[60]], flat, poking)),
    )


def write_obj(path: Path, mesh: tuple[NDArray[np.float64], NDArray[np.int64]]) -> Path:
    """A mesh as OBJ file."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh[0].tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in mesh[1].tolist()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def content_of(page: str) -> tuple[dict[str, Any], bytes]:
    """The scene in a page: its JSON content and the bytes that it refers to."""
    found = re.search(r'id="data">([^<]*)<', page)
    assert found is not None
    data = gzip.decompress(base64.b64decode(found[1]))
    (n,) = struct.unpack_from("<I", data)
    return json.loads(data[4 : 4 + n]), data[4 + n :]


def array_of(reference: dict[str, Any], data: bytes) -> NDArray[Any]:
    """An array that the content of a page refers to."""
    kinds = {"f32": "<f4", "u32": "<u4", "i16": "<i2", "u16": "<u2", "i8": "i1", "u8": "u1"}
    return np.frombuffer(data, kinds[reference["type"]], reference["n"], reference["at"])


def model_with_everything(depth: float = 0.005) -> pc.MultibodySystem:
    """Joints with limits, a motor, a spring, a force of a user, and a box ``depth`` (m) in a plate."""
    system = pc.MultibodySystem("everything")
    system.add_body("plate", surface=pc.shapes.box(size=(0.5, 0.5, 0.1)), fixed=True, position=(2.0, 0.0, -0.05))
    system.add_body("block", surface=pc.shapes.box(size=0.1), mass=2.0, position=(2.0, 0.0, 0.05 - depth))
    for name in ("arm", "cart", "head"):
        system.add_body(name, surface=pc.shapes.box(size=0.4), mass=1.0, contact=False)
    bend, swing = math.radians(30.0), math.radians(45.0)
    system.add_joint("elbow", "revolute", "world", "arm", at=(0.0, 0.0, 1.0), axis=(0.0, 1.0, 0.0), coordinates=bend)
    system.add_joint("rail", "prismatic", "world", "cart", at=(1.0, 1.0, 0.5), axis=(1.0, 0.0, 0.0), coordinates=0.1)
    system.add_joint("neck", "spherical", "world", "head", at=(0.0, 2.0, 0.5))
    system.add_force(pc.multibody.EndStop("bend", "elbow", lower=0.0, upper=math.radians(120.0), stiffness=10.0))
    system.add_force(pc.multibody.EndStop("ends", "rail", lower=-0.2, upper=0.3, stiffness=10.0))
    system.add_force(pc.multibody.SwingTwistStop("turn", "neck", swing=swing, twist=math.radians(20.0), stiffness=10.0))
    system.add_force(
        pc.multibody.Motor(
            "elbow motor", "elbow", pc.multibody.Harmonic(0.1, 1.0), stiffness=10.0, damping=1.0, limit=20.0
        )
    )
    system.add_force(
        pc.multibody.SpringDamper("cord", "cart", (0.0, 0.0, 0.0), "world", (1.1, 1.0, 1.0), 100.0, length=0.2)
    )
    system.add_force(Gust("gust"))
    friction = pc.RegularisedCoulomb(coefficient=0.3, velocity=0.01)
    system.add_contact("block", "plate", law=pc.LayerLaw(stiffness=1e7), friction=friction)
    return system


class Gust(pc.multibody.ForceElement):
    """A steady force on the block."""

    def apply(self, view: pc.multibody.ForceView) -> None:
        view.add_force("block", (1.0, 0.0, 0.0))
