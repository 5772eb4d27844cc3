"""Functions on four things at once: vector instructions, scalar instructions and plain Python give the same bits."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from polycontact.kernels.contact import corner_rows, last_hits
from polycontact.kernels.four_at_once import FourAtOnce
from polycontact.kernels.geometry import oriented_boxes, triangle_pairs
from polycontact.kernels.numba_internals.lane_code import ScalarCode, VectorCode
from polycontact.tolerances import PARALLEL
from scenes import random_rotation

FUNCTIONS: dict[str, FourAtOnce] = {
    **oriented_boxes.LANE_FUNCTIONS,
    **triangle_pairs.LANE_FUNCTIONS,
    **last_hits.LANE_FUNCTIONS,
}
N = 40
"""Triangles and boxes that lanes choose from."""


def arguments_of(name: str, rng: np.random.Generator) -> list[Any]:
    """Arguments that make about half of the tests come out true; the last one is an array to write to, or None."""
    R, r = random_rotation(rng), 0.5 * rng.normal(size=3)
    four = tuple(rng.integers(0, N, 4).tolist()), tuple(rng.integers(0, N, 4).tolist())
    corners = [rng.normal(size=(N, 9)) for _ in range(2)]
    if name == "box_pairs_overlap":
        boxes = [
            np.column_stack(
                (
                    rng.normal(size=(N, 3)),
                    rng.uniform(0.1, 0.6, (N, 3)),
                    [random_rotation(rng).ravel() for _ in range(N)],
                )
            )
            for _ in range(2)
        ]
        return [boxes[0], four[0][:2], boxes[1], four[1][:2], R, r, 0.01, PARALLEL, None]
    if name == "triangle_pairs_meet":
        return [corners[0], four[0], corners[1], four[1], R, r, np.zeros((1, 4))]
    if name == "triangle_gaps":
        return [corners[0], four[0], corners[1] + 1.0, four[1], R, r, np.zeros((1, 4))]
    normals = rng.normal(size=(2, N, 3))
    normals /= np.linalg.norm(normals, axis=2, keepdims=True)
    out = np.zeros((9, 4))
    return [
        0.2 * rng.normal(size=(N, 3)),
        normals[0],
        four[0],
        3 * corners[1],
        normals[1],
        four[1],
        R,
        0.1 * r,
        -0.5,
        out,
    ]


def call(function: Any, arguments: list[Any]) -> Any:
    *given, out = arguments
    return function(*given) if out is None else function(*given, out)


def compiled(function: FourAtOnce, kind: Any) -> Any:
    inner = function.compiled(kind)
    n = function.n_arguments
    names = ", ".join(f"a{i}" for i in range(n))
    scope = {"inner": inner}
    exec(f"def outer({names}):\n    return inner({names})", scope)
    return numba.njit(error_model="numpy")(scope["outer"])


def twins_of(function: FourAtOnce) -> dict[str, Any]:
    """A function made of each kind of code."""
    return {
        "vector": compiled(function, VectorCode),
        "scalar": compiled(function, ScalarCode),
        "plain": function.plain,
    }


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_twins_agree_bit_by_bit(name: str) -> None:
    twins = twins_of(FUNCTIONS[name])
    rng = np.random.default_rng(7)
    bits = []
    for _ in range(200):
        arguments = arguments_of(name, rng)
        found = {}
        for kind, function in twins.items():
            copied = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
            found[kind] = call(function, copied), copied[-1]
        for kind in ("scalar", "plain"):
            assert found[kind][0] == found["vector"][0], kind
            if arguments[-1] is not None:
                np.testing.assert_array_equal(found[kind][1], found["vector"][1], err_msg=kind)
        if found["vector"][0] is not None:
            bits.append(int(found["vector"][0]))
        else:
            assert (found["vector"][1] > 0.0).any()
    if bits:
        share = np.mean([bin(each).count("1") for each in bits]) / 4
        assert 0.02 < share < 0.98, "the arguments decide nothing"


def corner_arguments(name: str, rng: np.random.Generator) -> list[Any]:
    """Arguments of functions on rows of corners."""
    table, functions = rng.normal(size=(N, corner_rows.N_COLUMNS)), rng.normal(size=(corner_rows.N_FUNCTION_ROWS, 4))
    i, j, k = rng.permutation(N)[:3].tolist()
    x, y, share = rng.random(3).tolist()
    if name == "functions_over":
        vectors = [tuple(rng.normal(size=3).tolist()) for _ in range(3)]
        return [rng.normal(size=(N, 16)), i, *vectors, functions]
    if name == "note_least":
        return [functions, x, y]
    return {
        "put_values": [functions, x, y, table, i, k],
        "put_between": [table, i, j, share, k],
        "put_copy": [table, i, k],
    }[name]


@pytest.mark.parametrize("name", sorted(corner_rows.LANE_FUNCTIONS))
def test_twins_on_corners_write_the_same(name: str) -> None:
    twins = twins_of(corner_rows.LANE_FUNCTIONS[name])
    rng = np.random.default_rng(8)
    for _ in range(50):
        arguments = corner_arguments(name, rng)
        written: dict[str, list[Any]] = {}
        for kind, function in twins.items():
            copied = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
            function(*copied)
            written[kind] = [each for each in copied if isinstance(each, np.ndarray)]
        given = [each for each in arguments if isinstance(each, np.ndarray)]
        for kind in ("scalar", "plain"):
            for one, other in zip(written[kind], written["vector"], strict=True):
                np.testing.assert_array_equal(one, other, err_msg=kind)
        if name != "note_least":
            assert any((one != other).any() for one, other in zip(given, written["vector"], strict=True))
