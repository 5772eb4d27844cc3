"""Settings, problems and steps that no integrator takes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from integration_problems import decay, every_integrator, run

from polycontact.errors import SimulationError
from polycontact.simulation.integrators import IntegratorSettings, make_integrator


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rtol": 0.0}, "rtol is 0.0"),
        ({"rtol": -1.0}, "rtol is -1.0"),
        ({"rtol": math.nan}, "rtol is nan"),
        ({"rtol": math.inf}, "rtol is inf"),
        ({"rtol": 1e-15}, "below what rounding allows"),
        ({"atol": 0.0}, "atol is 0.0"),
        ({"atol": math.nan}, "atol is nan"),
        ({"atol": math.inf}, "nothing would control the error"),
        ({"atol": np.array([1.0, -1.0])}, r"atol\[1\] is -1.0"),
        ({"atol": np.ones((2, 2))}, "shape"),
        ({"max_step": 0.0}, "max_step is 0.0"),
        ({"max_step": math.nan}, "max_step is nan"),
        ({"first_step": 0.0}, "first_step is 0.0"),
        ({"first_step": math.inf}, "first_step is inf"),
        ({"order": 0}, "order is 0"),
    ],
)
def test_bad_settings(values: dict[str, float], message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        IntegratorSettings(**values)


def test_bad_problem() -> None:
    def make(name: str = "dopri5", t0: float = 0.0, y0: object = (1.0, 2.0), end: float = 1.0, **more: object) -> None:
        make_integrator(name, decay, t0, y0, end, **more)  # type: ignore[arg-type]

    with pytest.raises(SimulationError, match="cvode-bdf, cvode-adams, ida, lsoda, dopri5"):
        make("euler")
    with pytest.raises(SimulationError, match=r"end_time is 0\.0 s"):
        make(end=0.0)
    with pytest.raises(SimulationError, match="end_time is inf s"):
        make(end=math.inf)
    with pytest.raises(SimulationError, match="component 1 of the state is nan"):
        make(y0=(1.0, math.nan))
    with pytest.raises(SimulationError, match="shape"):
        make(y0=[[1.0]])
    with pytest.raises(SimulationError, match="shape"):
        make(y0=[])
    with pytest.raises(SimulationError, match="atol has 3 numbers and y 2"):
        make(settings=IntegratorSettings(atol=np.ones(3)))
    with pytest.raises(SimulationError, match="jacobian_size is 3"):
        make(jacobian_size=3)
    with pytest.raises(SimulationError, match="sparsity has shape"):
        make(sparsity=np.ones((1, 2)))
    with pytest.raises(SimulationError, match="resolution of time"):
        make(settings=IntegratorSettings(max_step=1e-18))


@every_integrator
def test_bad_steps(name: str) -> None:
    integrator = make_integrator(name, decay, 0.0, [1.0], 1.0)
    for limit in (0.0, -1.0, math.nan):
        with pytest.raises(SimulationError, match="limit of a step"):
            integrator.step(limit)
    run(integrator)
    with pytest.raises(SimulationError, match="reached the end time"):
        integrator.step()
