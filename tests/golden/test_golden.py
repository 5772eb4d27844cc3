"""Results that no change may alter unnoticed: wrenches, counters and element tables, and short runs, bit by bit.

On a kind of processor for which nothing was recorded, wrenches are compared to rounding and runs by their ledgers with
those of another one.
"""

from __future__ import annotations

import platform
from typing import Any

import numpy as np
import pytest
from golden_cases import FOLDER, N_POSES, OWN_FILE, RUNS, cases, evaluate_case, run_scenario

SAME_MACHINE = OWN_FILE.is_file() and platform.system() == "Linux"
GOLDEN: dict[str, Any] = dict(np.load(OWN_FILE if SAME_MACHINE else min(FOLDER.glob("golden-*.npz"))))
CASES = list(enumerate(cases()))
SCENES = sorted({label.split(" / ")[0] for _, (label, _, _) in CASES})
SLOW = ("cup", "tori")


def test_cases_are_those_recorded() -> None:
    assert [label for _, (label, _, _) in CASES] == GOLDEN["labels"].tolist()


def test_most_poses_touch() -> None:
    """Golden zeros would prove nothing."""
    elements = GOLDEN["counters"][:, :, 5]
    assert elements.shape == (len(CASES), N_POSES)
    assert (elements > 0).mean() > 0.8
    empty = GOLDEN["labels"][~(elements > 0).any(axis=1)].tolist()
    # No barycentre of a floor of two triangles lies under a leg: whole triangles of such a base find nothing.
    assert all(label.startswith("table on floor / F") and "clipped" not in label for label in empty)


@pytest.mark.parametrize(
    "scene_name", [pytest.param(each, marks=pytest.mark.slow if each in SLOW else ()) for each in SCENES]
)
def test_evaluations_keep_their_bits(scene_name: str) -> None:
    for seed, (label, scene, options) in CASES:
        if label.split(" / ")[0] != scene_name:
            continue
        found = evaluate_case(scene, options, seed)
        if not SAME_MACHINE:
            scale = np.abs(GOLDEN["wrenches"][seed]).max()
            np.testing.assert_allclose(found.wrenches, GOLDEN["wrenches"][seed], rtol=1e-9, atol=1e-9 * scale)
            continue
        np.testing.assert_array_equal(found.counters, GOLDEN["counters"][seed], err_msg=label)
        np.testing.assert_array_equal(found.wrenches, GOLDEN["wrenches"][seed], err_msg=label)
        assert found.digest.hex() == GOLDEN["digests"][seed], f"{label}: element tables, patches or polygons differ"


@pytest.mark.parametrize("name", sorted(RUNS))
def test_runs_keep_their_bits(name: str) -> None:
    found = run_scenario(name)
    if not SAME_MACHINE:
        turnover = np.abs(GOLDEN[f"{name} ledger"]).max()
        np.testing.assert_allclose(found["ledger"], GOLDEN[f"{name} ledger"], atol=0.02 * turnover)
        return
    for key, values in found.items():
        np.testing.assert_array_equal(values, GOLDEN[f"{name} {key}"], err_msg=key)
