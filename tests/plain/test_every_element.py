"""The kernels of the dynamics find their recorded numbers, compiled and, with the JIT off, in plain Python."""

from __future__ import annotations

import json
from pathlib import Path

import every_element
import numpy as np

RECORDED = json.loads(Path(__file__).with_name("every_element.json").read_text(encoding="utf-8"))


def test_recorded_numbers() -> None:
    found = every_element.found()
    assert RECORDED.keys() == found.keys()
    for name, values in found.items():
        scale = np.abs(values).max()
        assert scale > 0.0, f"{name} would be equal whatever happened"
        # The same operations in the same order; elementary functions may differ in their last bits, which a chain of
        # eight joints amplifies.
        np.testing.assert_allclose(values, RECORDED[name], rtol=0.0, atol=1e-11 * scale, err_msg=name)


def test_every_force_element_acts() -> None:
    """Elements at rest would prove nothing."""
    compiled = every_element.every_element().compile()
    start = compiled.evaluate(every_element.TIME, compiled.start_state(every_element.TIME))
    first = compiled.setup.first_v
    for body in ("on revolute", "on prismatic", "on cylindrical", "on spherical"):
        assert start.efforts[first[body] :][:3].any(), body
    assert abs(start.reactions.force("motor")[0]) == 0.5  # its limit
    for name in ("friction", "grip", "bushing", "screw", "gear", "rack", "sum"):
        assert start.reactions.force(name).all(), name
    assert start.energies.springs > 0.0
    assert start.powers.input != 0.0
    assert len(compiled.contacts) > 4 * 10  # so that the search sweeps
