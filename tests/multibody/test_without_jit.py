"""The kernels of the dynamics are plain Python too: with the JIT off they find the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import every_element
import numpy as np

import polycontact as pc


def test_plain_python_finds_what_compiled_code_finds() -> None:
    source = str(Path(pc.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, every_element.__file__],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    plain, compiled = json.loads(done.stdout), every_element.found()
    assert plain.keys() == compiled.keys()
    for name, values in compiled.items():
        scale = np.abs(values).max()
        assert scale > 0.0, f"{name} would be equal whatever happened"
        # The same operations in the same order; elementary functions may differ in their last bits, which a chain of
        # eight joints amplifies.
        np.testing.assert_allclose(plain[name], values, rtol=0.0, atol=1e-11 * scale, err_msg=name)


def test_every_force_element_acts() -> None:
    """Elements at rest would prove nothing."""
    compiled = every_element.every_element().compile()
    start = compiled.evaluate(every_element.TIME, compiled.start_state(every_element.TIME))
    first = compiled.setup.first_v
    for body in ("on revolute", "on prismatic", "on cylindrical", "on spherical"):
        assert start.efforts[first[body] :][:3].any(), body
    assert abs(start.efforts[first["on cylindrical"] + 1]) == 0.5  # the motor's limit
    assert start.energies.springs > 0.0
    assert start.powers.input != 0.0
    assert len(compiled.contacts) > 4 * 10  # so that the search sweeps
