"""What it costs and brings to stop at the start and the end of contacts, beside integrating across them (S4.28, S4.29).

    python tools/contact_events.py [--integrators cvode-bdf lsoda dopri5] [--tolerances 1e-3 1e-5 1e-7]
    python tools/contact_events.py --scatter [--around 1e-5] [--runs 41]

A ball and a box, guided along the vertical, fall on a plate from 0.2 m and bounce without loss for 1 s, by one point
(convex) or by a patch (polygonal). For each method, integrator and tolerance: evaluations, steps rejected by the
integrator, and the greatest error of the height that bounces reach; without events, with events noted, and with
restarts there. Steps are limited as always; "no limit" is a run without events and without that limit.

With --scatter tolerances differ by little, from half to twice the given one: least, mean and greatest number of
evaluations, and the greatest over the least.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np

import polycontact as pc

MODES: dict[str, dict[str, Any]] = {
    "no limit": {"contact_events": False, "step_limit": False},
    "no events": {"contact_events": False},
    "noted": {"contact_events": True},
    "restart": {"contact_events": "restart"},
}
HEIGHT, END = 0.2, 1.0
"""m, s."""


def falling(body: str, method: str) -> pc.MultibodySystem:
    """A ball or a box on a vertical guide, over a plate."""
    is_convex, is_ball = method == "convex", body == "ball"
    system = pc.MultibodySystem(f"{body}, {method}")
    if is_convex:
        plate: Any = pc.convex.Box((2.0, 2.0, 0.4))
        shape: Any = pc.convex.Sphere(0.1) if is_ball else pc.convex.Box((0.2, 0.2, 0.2))
        options: dict[str, Any] = {"method": pc.contact.ConvexMethod(), "law": pc.LayerLaw(stiffness=2e4)}
    else:
        plate = pc.shapes.box((2.0, 2.0, 0.4))
        shape = pc.shapes.sphere(0.1, 3) if is_ball else pc.shapes.box((0.2, 0.2, 0.2))
        options = {"law": pc.LayerLaw(stiffness=2e7 if is_ball else 5e5)}
    system.add_body("plate", surface=plate, fixed=True, position=(0, 0, -0.2))
    system.add_body("body", surface=shape, mass=1.5)
    system.add_joint("guide", "prismatic", "world", "body", at=(0, 0, 0.1), coordinates=[HEIGHT])
    system.add_contact("body", "plate", **options)
    return system


def tops(run: pc.Run) -> tuple[int, float]:
    """Bounces whose top was reached, and the greatest error of its height, part of the height of the fall."""
    z, v = (run.trajectory.array("state")[:, k] for k in (0, 1))
    at = np.flatnonzero((v[:-1] > 0.0) & (v[1:] <= 0.0))
    top = z[at] + v[at] ** 2 / (2.0 * 9.81)  # samples are not at the top
    return len(at), float(np.abs(top / HEIGHT - 1.0).max()) if len(at) else np.nan


def run_once(system: pc.MultibodySystem, integrator: str, tolerance: float, mode: str) -> tuple[pc.Run, float]:
    """A run, and its CPU time in ms."""
    begin = time.process_time_ns()
    settings = {"end_time": END, "integrator": integrator, "rtol": tolerance, "atol": tolerance, **MODES[mode]}
    return pc.simulate(system, **settings), 1e-6 * (time.process_time_ns() - begin)


def compare(integrators: list[str], tolerances: list[float]) -> None:
    """A line for each case and way."""
    print(f"{'case':18}{'integrator':12}{'tolerance':>10}  {'events':10}{'evaluations':>12}{'rejected':>10}", end="")
    print(f"{'events':>8}{'bounces':>9}{'height off':>12}{'CPU, ms':>9}")
    for body, method in (("ball", "convex"), ("box", "convex"), ("ball", "polygonal"), ("box", "polygonal")):
        system = falling(body, method)
        pc.simulate(system, end_time=0.3, contact_events=True)  # compiled
        for integrator in integrators:
            for tolerance in tolerances:
                for mode in MODES:
                    try:
                        run, cpu = run_once(system, integrator, tolerance, mode)
                    except pc.IntegrationError as error:
                        print(f"{system.name:18}{integrator:12}{tolerance:10.0e}  {mode:10}failed: {error.reason}")
                        continue
                    n, off = tops(run)
                    counted = run.statistics
                    print(
                        f"{system.name:18}{integrator:12}{tolerance:10.0e}  {mode:10}{counted.evaluations:12}", end=""
                    )
                    print(f"{counted.rejected_steps:10}{counted.events:8}{n:9}{off:12.1e}{cpu:9.1f}", flush=True)


def scatter(integrators: list[str], around: float, runs: int) -> None:
    """How evaluations differ among tolerances that differ by little."""
    print(f"{'case':18}{'integrator':12}  {'events':10}{'least':>8}{'mean':>8}{'greatest':>9}{'ratio':>7}{'failed':>8}")
    for body, method in (("ball", "convex"), ("box", "polygonal")):
        system = falling(body, method)
        for integrator in integrators:
            for mode in MODES:
                counts, failed = [], 0
                for tolerance in around * np.geomspace(0.5, 2.0, runs):
                    try:
                        counts.append(run_once(system, integrator, float(tolerance), mode)[0].statistics.evaluations)
                    except pc.IntegrationError:
                        failed += 1
                told = f"{system.name:18}{integrator:12}  {mode:10}"
                if counts:
                    told += f"{min(counts):8}{np.mean(counts):8.0f}{max(counts):9}{max(counts) / min(counts):7.2f}"
                else:
                    told += f"{'–':>8}{'–':>8}{'–':>9}{'–':>7}"
                print(f"{told}{failed:8}", flush=True)


def main() -> None:
    """Compare, or scatter."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--integrators", nargs="+", default=["cvode-bdf", "lsoda", "dopri5"])
    parser.add_argument("--tolerances", type=float, nargs="+", default=[1e-3, 1e-5, 1e-7])
    parser.add_argument("--scatter", action="store_true")
    parser.add_argument("--around", type=float, default=1e-5)
    parser.add_argument("--runs", type=int, default=41)
    given = parser.parse_args()
    warnings.simplefilter("ignore", pc.SimulationWarning)
    if given.scatter:
        scatter(given.integrators, given.around, given.runs)
    else:
        compare(given.integrators, given.tolerances)


if __name__ == "__main__":
    main()
