"""What many bodies cost: spheres and boxes that fall into an open box, all pairs of which may touch.

``python -m tools.large_runs 200`` simulates such a heap for a short time and prints, besides the times, what does not
depend on the machine: pairs, pairs that were ever near and prepared, contacts, bytes of a sample, and what the report,
the page and the table of the run take.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np

import polycontact as pc
from polycontact.report.document.named_runs import open_runs
from polycontact.report.document.report_page import write_report

RADIUS = 0.05
"""Radius of the spheres and half the edge of the boxes, m."""

SPACING = 0.104
"""Distance of neighbours at the start, m: they nearly touch."""


def heap(n_bodies: int, *, per_layer: int = 6) -> pc.MultibodySystem:
    """``n_bodies`` spheres and boxes in turns over the floor of an open box, each layer shifted against the last."""
    system = pc.MultibodySystem(f"heap of {n_bodies}")
    sphere = pc.shapes.sphere(radius=RADIUS, subdivisions=1)
    box = pc.shapes.box(size=(1.6 * RADIUS,) * 3)
    width = per_layer * SPACING + 0.02
    floor, wall = pc.shapes.box(size=(2 * width, 2 * width, 0.2)), pc.shapes.box(size=(0.2, 2 * width, 2.0))
    system.add_body("floor", surface=floor, fixed=True, position=(0.0, 0.0, -0.1))
    for i, angle in enumerate(np.arange(4) * np.pi / 2):
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        place = turn @ np.array([0.5 * width + 0.1, 0.0, 1.0])
        system.add_body(f"wall {i}", surface=wall, fixed=True, position=place, rotation=turn)
    for i in range(n_bodies):
        layer, (row, column) = i // per_layer**2, divmod(i % per_layer**2, per_layer)
        place = SPACING * np.array([column - 0.5 * (per_layer - 1), row - 0.5 * (per_layer - 1), layer])
        place += (0.003 * (-1) ** layer, 0.003 * (layer % 3), RADIUS + 0.001)
        system.add_body(f"body {i}", surface=(sphere, box)[i % 2], mass=0.5, position=place)
    system.find_contacts(law=pc.LayerLaw(stiffness=2e8, damping=2e5))
    return system


def timed(name: str, act: Callable[[], object], found: dict[str, float]) -> None:
    """Do something and note what it took of the processor, s: other work on the machine counts less than on a clock."""
    begin = process_time()
    act()
    found[name] = round(process_time() - begin, 3)


def measure(n_bodies: int, end_time: float, n_samples: int, folder: Path, *, pages: bool = True) -> dict[str, float]:
    """Seconds of each part, and counts."""
    found: dict[str, float] = {}
    path, made = folder / "run.h5", []
    timed("build", lambda: made.append(heap(n_bodies)), found)
    (system,) = made
    timed("compile", system.compile, found)
    timed(
        "simulate",
        lambda: pc.simulate(
            system,
            end_time=end_time,
            output_step=end_time / n_samples,
            rtol=1e-4,
            atol=1e-5,
            integrator="dopri5",
            record=path,
        ),
        found,
    )
    run = pc.Trajectory.open(path)
    found |= {
        "pairs": len(run.pairings),
        "samples": len(run),
        "evaluations": run.statistics["evaluations"],
        "kilobytes": path.stat().st_size // 1000,
    }
    if pages:
        timed("report", lambda: write_report(folder / "report.html", open_runs([path])), found)
        timed("page", lambda: pc.save_page(path, folder / "page.html"), found)
        timed("table", lambda: pc.Trajectory.open(path).to_csv(folder / "run.csv", ["body 0", "kinetic"]), found)
        timed("peaks", lambda: pc.Trajectory.open(path).peaks, found)
    return found


def main() -> None:
    """Measure one heap, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bodies", type=int)
    parser.add_argument("--end-time", type=float, default=0.02)
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--no-pages", action="store_true")
    parser.add_argument("--folder", type=Path, help="where the run and its pages stay")
    given = parser.parse_args()
    if given.folder is not None:
        given.folder.mkdir(exist_ok=True)
        print(json.dumps(measure(given.bodies, given.end_time, given.samples, given.folder, pages=not given.no_pages)))
        return
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(given.bodies, given.end_time, given.samples, Path(folder), pages=not given.no_pages)))


if __name__ == "__main__":
    main()
