"""How many evaluations a run takes over the stiffness of its contacts, with default settings.

    python -m tools.stiffness_sweep [--integrators cvode-bdf auto cvode-adams dopri5] [--most 20000]

A steel ball and a rubber ball are dropped on a steel plate, bounce and come to rest, in one system. The layer of the
steel ball has 1e6 to 1e14 N/m³, that of the rubber ball always 1e8. 210 GPa over a layer of 1 mm are 2.8e14 N/m³ (a
third more than 210e9 / 0.001, as the layer cannot spread). A run is broken off after ``--most`` evaluations; the time
that it has reached stands beside them. Besides: the greatest depth of the steel ball, by how much the energy is off in
the run with the first integrator, in percent of what was turned over, and the same with a tolerance that does not
follow the depth of the contacts, as the default does.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import polycontact as pc
from polycontact.simulation.run_result import Progress

RADIUS = 0.02
"""Of both balls, m."""
HEIGHT = 5e-3
"""How far they fall, m."""
STEEL, RUBBER = 7850.0, 1100.0
"""Densities, kg/m³."""
RUBBER_STIFFNESS = 1e8
"""Layer stiffness of the rubber ball on steel, N/m³: 1 MPa over 10 mm."""
STIFFNESSES = tuple(10.0**power for power in range(6, 15))
"""Those of the steel ball on steel, N/m³."""
END = 1.0
"""Simulated time, s: after half of it both balls lie still."""
COARSE_ATOL = 1e-4
"""Absolute tolerance (m, m/s) above the depths of the stiffest of these contacts; the default follows them."""
DAMPING_SHARE = 0.3
"""Damping, in depths over speeds of an impact: a ball keeps about half its speed at each."""


@dataclass(frozen=True)
class Cost:
    """What a run took until ``reached`` (s): evaluations; when stiffness began (s).

    ``depth``: greatest of the steel ball, m. ``energy_error``: of the balance, or residual work of the contacts, in
    parts of the energy turned over.
    """

    reached: float
    evaluations: int
    stiff_since: float | None
    depth: float
    energy_error: float


def system(stiffness: float) -> pc.MultibodySystem:
    """Both balls above the plate; layer stiffness of the steel ball on it, N/m³."""
    made = pc.MultibodySystem("steel and rubber")
    plate = pc.shapes.box(size=(0.2, 0.1, 0.02))
    made.add_body("plate", surface=plate, fixed=True, position=(0.0, 0.0, -0.01))
    for name, density, c, x in (("steel", STEEL, stiffness, -0.05), ("rubber", RUBBER, RUBBER_STIFFNESS, 0.05)):
        ball, mass = pc.shapes.sphere(RADIUS), 4.0 / 3.0 * math.pi * RADIUS**3 * density
        made.add_body(name, surface=ball, density=density, position=(x, 0.0, RADIUS + HEIGHT))
        law = pc.LayerLaw(stiffness=c, damping=damping_of(c, mass))
        friction = pc.RegularisedCoulomb(coefficient=0.3, velocity=1e-3)
        made.add_contact(name, "plate", name=name, law=law, friction=friction)
    return made


def damping_of(stiffness: float, mass: float) -> float:
    """Layer damping (N s/m³) with which balls of all stiffnesses (N/m³) and masses (kg) bounce about as high.

    A ball that meets the plate at speed v goes in by u, where π R c u³ / 3 = m v² / 2; u / v is the time it takes.
    """
    speed = math.sqrt(2.0 * 9.81 * HEIGHT)
    depth = (1.5 * mass * speed**2 / (math.pi * RADIUS * stiffness)) ** (1.0 / 3.0)
    return float(DAMPING_SHARE * stiffness * depth / speed)


def cost(stiffness: float, integrator: str, most: int, atol: float | None = None) -> Cost:
    """Run it until the end, or until it has taken ``most`` evaluations."""

    def stop_there(progress: Progress) -> None:
        if progress.evaluations > most:
            raise KeyboardInterrupt

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = pc.simulate(system(stiffness), end_time=END, integrator=integrator, progress=stop_there, atol=atol)
    counted, ledger = run.statistics, run.ledger
    wrong = max(ledger.worst_balance, abs(ledger["residual"][-1] - ledger["residual"][0])) / ledger.turnover
    depth = run.peaks.contacts["steel"].depth.value
    return Cost(counted.simulated_time, counted.evaluations, counted.stiff_since, depth, wrong)


def table(stiffnesses: Sequence[float], integrators: Sequence[str], most: int) -> list[dict[str, Cost]]:
    """Costs by integrator for each stiffness (N/m³), printed as they come; "coarse": the first, with a coarse atol."""
    titles = "".join(f"{name:>20}" for name in (*integrators, f"atol {COARSE_ATOL:g}"))
    print(f"{'c_l, N/m³':>10}{'depth, µm':>11}{'energy off':>12}{titles}{'energy off':>12}")
    found = []
    for stiffness in stiffnesses:
        costs = {name: cost(stiffness, name, most) for name in integrators}
        coarse = cost(stiffness, integrators[0], most, atol=COARSE_ATOL)
        found.append(costs | {"coarse": coarse})
        first = costs[integrators[0]]
        line = f"{stiffness:10.0e}{1e6 * first.depth:11.3g}{100 * first.energy_error:10.2g} %"
        line += "".join(f"{_told(each):>20}" for each in found[-1].values())
        print(f"{line}{100 * coarse.energy_error:10.2g} %", flush=True)
    return found


def _told(cost: Cost) -> str:
    return f"{cost.evaluations:,}" + ("" if cost.reached >= END else f" to {cost.reached:.2f} s")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--integrators", nargs="+", default=["cvode-bdf", "auto", "cvode-adams", "dopri5"])
    parser.add_argument("--most", type=int, default=20_000, help="evaluations after which a run is broken off")
    given = parser.parse_args()
    table(STIFFNESSES, given.integrators, given.most)


if __name__ == "__main__":
    main()
