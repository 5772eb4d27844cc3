"""Memory that evaluations share changes no bit of a result, and a pair takes little of its own."""

from __future__ import annotations

import numpy as np
import pytest

import polycontact as pc
from polycontact.contact.shared_work import SharedWork
from polycontact.kernels.views import View
from tests.scenes import random_rotation

LAW = pc.LayerLaw(stiffness=1e7, damping=1e3)
FRICTION = pc.RegularisedCoulomb(coefficient=0.3, velocity=1e-3)
BUBBLE = pc.shapes.bubble()
SURFACES = (BUBBLE, pc.shapes.sphere(0.1, 3), pc.shapes.box((0.2, 0.15, 0.1), 4), pc.shapes.torus(0.1, 0.04))


def poses(n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Bodies of some 0.2 m from beside each other to deep in each other."""
    rng = np.random.default_rng(4)
    found = []
    for _ in range(n):
        way = rng.normal(size=3)
        found.append((random_rotation(rng), way * rng.uniform(0.08, 0.2) / np.linalg.norm(way)))
    return found


def results(pair: pc.ContactPairing, memory: object, pose: tuple[np.ndarray, np.ndarray]) -> bytes:
    """Wrench and table of elements of an evaluation in a memory, bit by bit."""
    wrench = np.empty(6)
    pair._run(memory, *pose, np.array([0.1, 0.0, -0.2]), np.array([1.0, 0.0, 2.0]), wrench)  # type: ignore[arg-type]
    table = memory.elements  # type: ignore[attr-defined]
    columns = (table.area, table.depth, table.position, table.force, table.base_triangle)
    return wrench.tobytes() + b"".join(np.ascontiguousarray(column[: table.n]).tobytes() for column in columns)


@pytest.mark.parametrize("depth", ["distance", "base_normal"])
@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.BOTH])
def test_shared_memory_gives_the_same_bits(depth: str, base: pc.Base) -> None:
    """Pairs of few surfaces in turns, at unrelated poses, each beside memory of its own."""
    pairs = [
        pc.ContactPairing(e, f, law=LAW, friction=FRICTION, base=base, depth=depth)  # type: ignore[arg-type]
        for e, f in ((BUBBLE, BUBBLE), (BUBBLE, SURFACES[2]), (SURFACES[1], BUBBLE), (SURFACES[2], SURFACES[3]))
    ]
    shared = SharedWork()
    memories = [pair.make_memory(shared) for pair in pairs]
    own = [pair.make_memory() for pair in pairs]
    touching = 0
    for pose in poses(12):
        for pair, memory, alone in zip(pairs, memories, own, strict=True):
            found = results(pair, memory, pose)
            touching += len(found) > 48
            assert found == results(pair, alone, pose)
    assert touching > 30


def test_a_pair_of_bubbles_takes_little_memory() -> None:
    """What each pair has of its own, of 950 triangles a side, after a contact of some 60 elements.

    Lists of rivals and walls belong to the surface: both sides have the same, as would other pairs. Their pages are
    used where contact was.
    """
    pair = pc.ContactPairing(BUBBLE, BUBBLE, law=LAW)
    shared = SharedWork()
    memory = pair.make_memory(shared)
    pair._run(memory, np.eye(3), np.array([0.0, 0.0, 0.19]), np.zeros(3), np.zeros(3), np.empty(6))
    assert 20 < memory.elements.n < 128
    evaluation = memory.evaluation  # type: ignore[attr-defined]
    lists = sizes(evaluation.f.rivals) | sizes(evaluation.f.walls)
    assert lists == sizes(evaluation.e.rivals) | sizes(evaluation.e.walls)
    common = lists | sizes(shared._cells) | sizes(shared._parts) | sizes(BUBBLE.contact_data.view)
    own = {key: size for key, size in sizes(evaluation).items() if key not in common}
    assert sum(own.values()) < 250e3
    assert sum(lists.values()) < 800e3


def sizes(view: View) -> dict[int, int]:
    """Bytes of each array of a view and of the views in it, by the place of the array."""
    found = {}
    for field in view.fields.values():
        if field.kind == "array" and field.name in view._held:
            array = getattr(view, field.name)
            found[array.ctypes.data] = array.nbytes
        elif field.kind == "nested":
            found |= sizes(getattr(view, field.name))
    return found
