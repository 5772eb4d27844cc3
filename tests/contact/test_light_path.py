"""The light path: six numbers, nothing else made, the bits of the full result, no compilation on the way."""

from __future__ import annotations

import gc
import tracemalloc

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.kernels.contact import evaluate as evaluate_module
from polycontact.kernels.views import View
from scenes import at, pairing, rotation

pytestmark = pytest.mark.filterwarnings("ignore::polycontact.ContactWarning")
BUBBLE = pc.shapes.bubble()
FRICTION = pc.RegularisedCoulomb(coefficient=0.3, velocity=1e-3)
DAMPED = pc.LayerLaw(stiffness=1e7, damping=1e4, transition_depth=1e-3)
Array = NDArray[np.float64]


def poses(n: int) -> list[tuple[Array, Array, Array, Array]]:
    """Bubbles that roll on each other, 30 mm deep."""
    out = []
    for k in range(n):
        r = np.array([0.16, 0.02 * np.sin(0.1 * k), 0.01])
        out.append((rotation((0.2, 0.3, 1.0), 0.01 * k), r, np.array([0.1, 0.2, -0.3]), np.array([1.0, -2.0, 0.5])))
    return out


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"elements": "whole"},
        {"depth": "target_normal"},
        {"method": "penetration_lines", "max_penetration": 0.1},
    ],
    ids=["clipped", "whole", "target normal", "penetration lines"],
)
def test_same_bits_as_the_full_result(base: pc.Base, options: dict[str, object]) -> None:
    pair = pairing(BUBBLE, BUBBLE, base=base, law=DAMPED, friction=FRICTION, **options)
    for R, r, v, w in poses(20):
        result = pair.evaluate(at(R, r, velocity=v, angular_velocity=w))
        light = pair.wrench(R, r, v, w)
        assert light.any()
        assert light.tobytes() == np.concatenate((result.force, result.torque)).tobytes()
        result.patches  # noqa: B018  works the pose out once more, which must not change what follows
        assert pair.wrench(R, r, v, w).tobytes() == light.tobytes()


def test_out_is_filled_and_returned() -> None:
    pair = pairing(BUBBLE, BUBBLE)
    R, r, v, w = poses(1)[0]
    out = np.full(6, np.nan)
    assert pair.wrench(R, r, v, w, out=out) is out
    assert out.tobytes() == pair.wrench(R, r, v, w).tobytes()
    assert not pair.wrench(R, np.full(3, 9.0), v, w, out=out).any()  # apart: overwritten with zeros
    table = np.zeros((4, 6))
    pair.wrench(R, r, v, w, out=table[2])
    assert table[2].any()
    assert not table[[0, 1, 3]].any()


def test_results_do_not_share_memory() -> None:
    pair = pairing(BUBBLE, BUBBLE)
    (R, r, v, w), (R2, r2, _, _) = poses(2)
    first = pair.wrench(R, r, v, w)
    kept = first.copy()
    result = pair.evaluate(at(R, r))
    forces, normals = result.elements.force.copy(), result.elements.normal.copy()
    pair.wrench(R2, r2, v, w)
    assert first.tobytes() == kept.tobytes()
    assert result.elements.force.tobytes() == forces.tobytes()
    assert result.elements.normal.tobytes() == normals.tobytes()


def addresses(view: View) -> list[tuple[str, int]]:
    """What a steady state leaves alone: where every array lies, and how much fits into it."""
    found = []
    for name, field in view.fields.items():
        if field.kind == "nested":
            found += addresses(getattr(view, name))
        elif field.kind == "array" and name in view._held:  # what laws remember has none yet
            found.append((name, getattr(view, name).ctypes.data))
        elif name.startswith("room"):
            found.append((name, getattr(view, name)))
    return found


def buffers(pair: pc.ContactPairing) -> list[tuple[str, int]]:
    """Arrays of the memory of a pairing."""
    return addresses(pair._memory.evaluation)


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
def test_steady_state_allocates_nothing(base: pc.Base) -> None:
    pair = pairing(BUBBLE, BUBBLE, base=base, friction=FRICTION)
    states = poses(100)
    out = np.empty(6)
    for state in states:
        pair.wrench(*state, out=out)
    before = buffers(pair)
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        pair.wrench(*states[0], out=out)
        start, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        for state in states:
            pair.wrench(*state, out=out)
        end, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        gc.enable()
    assert buffers(pair) == before
    assert end - start < 1024  # nothing is kept: a few interned objects at most, not 100 results
    assert peak - start < 4096  # nothing large is made on the way: tuples and a loop's locals


def test_steady_state_of_a_batch_allocates_nothing() -> None:
    pairings = [pairing(BUBBLE, BUBBLE) for _ in range(3)]
    batch = pc.PairingBatch(pairings)
    states = poses(30)
    stacked = [tuple(np.stack([x] * 3) for x in state) for state in states]
    out = np.empty((3, 6))
    for state in stacked:
        batch.wrenches(*state, out=out)
    before = [addresses(memory.evaluation) for memory in batch._memories]
    for state in stacked:
        assert batch.wrenches(*state, out=out) is out
    assert [addresses(memory.evaluation) for memory in batch._memories] == before


def test_buffers_grow_once_and_stay() -> None:
    fine = pc.shapes.sphere(0.2, 4)
    pair = pairing(fine, fine)
    R, r = rotation((1, 2, 3), 0.4), np.array([0.1, 0.02, 0.03])
    first = pair.wrench(R, r)
    grown = buffers(pair)
    for _ in range(5):
        assert pair.wrench(R, r).tobytes() == first.tobytes()
    assert buffers(pair) == grown


def test_nothing_is_compiled_after_the_pairing_is_made() -> None:
    """Read-only, strided or Fortran-ordered arrays must not start a compilation in the middle of a run."""
    pair = pairing(BUBBLE, BUBBLE)
    R, r, v, w = poses(1)[0]
    known = len(evaluate_module.evaluate.signatures)  # type: ignore[attr-defined]
    expected = pair.wrench(R, r, v, w)
    frozen = [x.copy() for x in (R, r, v, w)]
    for x in frozen:
        x.flags.writeable = False
    for k in range(4):
        mixed = [frozen[i] if i == k else x for i, x in enumerate((R, r, v, w))]
        assert pair.wrench(*mixed).tobytes() == expected.tobytes()
    assert pair.wrench(*frozen).tobytes() == expected.tobytes()
    assert pair.wrench(np.asfortranarray(R), np.repeat(r, 2)[::2], v, w).tobytes() == expected.tobytes()
    result = pair.evaluate(at(R, r, velocity=v, angular_velocity=w))
    assert np.concatenate((result.force, result.torque)).tobytes() == expected.tobytes()
    assert len(evaluate_module.evaluate.signatures) == known  # type: ignore[attr-defined]
