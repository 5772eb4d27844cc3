"""What standing costs and how exact it is, here and in MuJoCo: `python -m tools.rigid_contact`.

    python -m tools.rigid_contact [--end-time 1.0] [--scenes "stack of 10" arch]
    python -m tools.rigid_contact --random 100 [--seed 0]

Each scene is run with multipliers and, where it is installed, in MuJoCo with elliptic cones and Newton's method, both
with the scene's step. Columns: CPU seconds per simulated second; iterations of the solver per step and at most; the
force between all that is fixed and all that is not, at the end, over the weight; how far a block is at most from where
it began, mm; and of ours the greatest rise of the energy over that of the start. MuJoCo's contacts are soft.

With `--random` stacks of 2 to 12 boxes at random, with restitution, friction, gaps and shifts, fall together for 0.2 s
with impulses and with multipliers: the greatest rises of energy, and how many problems were left unsolved.
"""

from __future__ import annotations

import argparse
import warnings
from time import process_time
from typing import NamedTuple

import numpy as np

import polycontact as pc
from tools.rigid_contact.measures import borne, distance_moved, energy_gained
from tools.rigid_contact.scenes import Scene, random_stack, scenes


class Cost(NamedTuple):
    """What one run gave: CPU s per s, mean and most iterations, force over weight, way (mm), share of energy gained."""

    cpu: float
    iterations: float
    most: int
    share: float
    way: float
    gained: float = float("nan")


def ours(scene: Scene, end_time: float) -> Cost:
    """A run with multipliers; kernels are compiled before it is timed."""
    response = pc.MultiplierResponse(step=scene.step)
    pc.simulate(scene.system(), end_time=2 * scene.step, response=response)
    run = pc.simulate(scene.system(), end_time=end_time, response=response, output_step=0.1 * end_time)
    told = run.statistics.response
    assert told is not None
    return Cost(
        run.statistics.cpu_seconds / end_time,
        told["sweeps"] / max(told["problems"], 1),
        told["most_sweeps"],
        borne(scene, run) / scene.weight,
        1e3 * distance_moved(scene, run),
        energy_gained(run),
    )


def mujoco(scene: Scene, end_time: float) -> Cost | None:
    """A run of MuJoCo, or None where it is not installed or the scene has loops that it knows as soft equalities."""
    try:
        import mujoco as mj
    except ImportError:
        return None
    if scene.loops:
        return None
    model = mj.MjModel.from_xml_string(scene.mjcf(scene.step))
    data = mj.MjData(model)
    mj.mj_forward(model, data)
    moving = [mj.mj_name2id(model, mj.mjtObj.mjOBJ_BODY, each.name) for each in scene.moving]
    begin = data.xpos[moving].copy()
    iterations = []
    start = process_time()
    for _ in range(round(end_time / scene.step)):
        mj.mj_step(model, data)
        iterations.append(int(np.sum(data.solver_niter)))
    cpu = (process_time() - start) / end_time
    mj.mj_forward(model, data)
    way = 1e3 * float(np.linalg.norm(data.xpos[moving] - begin, axis=1).max())
    # What the constraints push the free bodies with, along z; the joints come in the order of the moving blocks.
    pushed = sum(float(data.qfrc_constraint[int(model.jnt_dofadr[model.body_jntadr[b]]) + 2]) for b in moving)
    return Cost(cpu, float(np.mean(iterations)), max(iterations), pushed / scene.weight, way)


def row(scene: Scene, who: str, cost: Cost) -> str:
    """A line of the table."""
    return (
        f"{scene.name:<32} {who:<12} {cost.cpu:8.3f} {cost.iterations:7.1f} {cost.most:5d} {cost.share:10.6f} "
        f"{cost.way:9.3f} {cost.gained:9.1e}"
    )


def random_stacks(count: int, seed: int) -> None:
    """Print how much energy random stacks gain, for each response."""
    for kind in (pc.ImpulseResponse, pc.MultiplierResponse):
        gained, shares, unsolved, problems, failed = [], [], 0, 0, 0
        start = process_time()
        for k in range(count):
            system = random_stack(np.random.default_rng([seed, k]))
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", pc.SimulationWarning)  # of unsolved problems, which are counted
                    run = pc.simulate(system, end_time=0.2, response=kind(), output_step=1e-3)
            except pc.SimulationError as error:
                failed += 1
                print(f"{kind.__name__} {seed}, {k}: {error}")
                continue
            told = run.statistics.response
            assert told is not None
            gained.append(energy_gained(run))
            shares.append(told["worst_share"])
            unsolved, problems = unsolved + told["unsolved"], problems + told["problems"]
        print(
            f"{kind.__name__}: {count} systems, {failed} ended with an error; energy rises by {max(gained):.1e} at "
            f"most, by more than 1e-6 in {sum(g > 1e-6 for g in gained)}; {unsolved} of {problems} problems "
            f"unsolved, by {max(shares):.1e} at most; {process_time() - start:.0f} s of CPU time",
            flush=True,
        )


def main() -> None:
    """Run all scenes, or those whose names hold one of the words given, or random systems, and print what they show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--end-time", type=float, default=1.0, help="s to simulate")
    parser.add_argument("--scenes", nargs="+", default=[""], help="parts of names")
    parser.add_argument("--random", type=int, default=0, help="random stacks, instead of the scenes")
    parser.add_argument("--seed", type=int, default=0, help="of the random stacks")
    arguments = parser.parse_args()
    if arguments.random:
        random_stacks(arguments.random, arguments.seed)
        return
    print(f"{'scene':<32} {'':<12} {'CPU s/s':>8} {'iter.':>7} {'most':>5} {'F / W':>10} {'way mm':>9} {'energy':>9}")
    for scene in scenes():
        if any(word in scene.name for word in arguments.scenes):
            print(row(scene, "polycontact", ours(scene, arguments.end_time)), flush=True)
            beside = mujoco(scene, arguments.end_time)
            if beside is not None:
                print(row(scene, "MuJoCo", beside), flush=True)


if __name__ == "__main__":
    main()
