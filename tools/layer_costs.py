"""What layers that remember cost beside an elastic one: times of an evaluation in a motion with small steps.

    python -m tools.layer_costs

A ball moves over a plane by little from evaluation to evaluation, as in a run. Each evaluation is made twice and
committed. Ratios count, never a single time: the kinds take turns, and of twelve turns the least CPU time is taken.
"""

from __future__ import annotations

import time

import numpy as np

import polycontact as pc

SOFT = (1e6, 0.0, 0.01)
LAYERS = {
    "elastic": pc.ElasticLayer(*SOFT),
    "Maxwell": pc.RheologicalLayer.maxwell(*SOFT, relaxation_time=0.1),
    "five terms": pc.RheologicalLayer(*SOFT, prony=tuple((0.15, 10.0**-k) for k in range(5))),
    "plastic": pc.RheologicalLayer.plastic(*SOFT, yield_pressure=1e4),
}
STEPS, TURNS = 60, 12


def turn(pairing: pc.ContactPairing, seen: list[int]) -> float:
    """CPU time of an evaluation, s; elements of the last one are added to ``seen``."""
    total = 0.0
    rotation, rest, out = np.eye(3), np.zeros(3), np.empty(6)
    with pairing.borrowed_memory() as memory:
        memory.remember({})
        report = memory.report
        report.in_full = 0
        for i in range(STEPS):
            report.step_start, report.time = 1e-3 * i, 1e-3 * (i + 1)
            at = np.array([1e-3 * np.sin(0.05 * i), 0.0, -0.048 + 1e-4 * np.sin(0.2 * i)])
            begin = time.process_time()
            for _ in range(2):
                pairing._run(memory, rotation, at, rest, rest, out)
            total += time.process_time() - begin
            memory.commit()
        seen.append(int(report.n_elements))
    return total / (2 * STEPS)


def main() -> None:
    """Print a row for each depth and size of the contact."""
    for depth in ("distance", "target_normal"):
        for level in (3, 5):
            shapes = pc.shapes.sphere(0.05, level), pc.shapes.plane((0.3, 0.3), (12, 12))
            rigid = pc.ElasticLayer.rigid()
            pairs = {
                name: pc.ContactPairing(*shapes, layers=(layer, rigid), base=pc.Base.E, depth=depth)
                for name, layer in LAYERS.items()
            }
            seen: list[int] = []
            turns = [[turn(pair, seen) for pair in pairs.values()] for _ in range(TURNS)]
            least = np.min(turns, axis=0)
            told = ", ".join(f"{name} {each / least[0]:.2f}" for name, each in zip(pairs, least, strict=True))
            print(f"{depth}, {seen[-1]} elements, {1e6 * least[0]:.0f} µs: {told}")


if __name__ == "__main__":
    main()
