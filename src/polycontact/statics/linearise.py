"""`linearise`: masses, damping, stiffness, state space and modes of a system about a state."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import MultibodyError
from polycontact.multibody import checks
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.evaluator import Evaluator
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.statics.held_system import FrictionAtRest, held_system, started_at
from polycontact.statics.modes import Mode, find_modes
from polycontact.statics.named_signals import OutputRow, Signal, contact_of, input_column, output_row
from polycontact.statics.rest_search import largest_load, system_size
from polycontact.statics.resting import Equilibrium, equilibrium
from polycontact.statics.small_motions import SmallMotions, small_motions
from polycontact.statics.state_slopes import StateSlopes
from polycontact.statics.tangent_space import TangentSpace
from polycontact.statics.tree_matrices import body_jacobians
from polycontact.tolerances import SMALL_MOTION_OF_CONTACTS

Array = NDArray[np.float64]

NOT_AT_REST = 1e-6
"""Residual in parts of the largest load from which on a state is said not to be at rest."""


@dataclass(frozen=True, eq=False)
class Linearisation:
    """Small motions about a ``state`` y at ``time`` (s): M ẍ + D ẋ + K x = forces; ẋ = A x + B u, y = C x + D u.

    ``displacements`` (m): names of x, independent of each other, with their units; loops and couplers are kept.
    ``mass``, ``damping``, ``stiffness`` (m, m), SI. States of A: displacements, their speeds, states of contact laws
    and force elements: ``states``; ``inputs`` and ``outputs`` have names and units too. ``notes``: what to know.
    """

    system: MultibodySystem
    time: float
    state: Array
    displacements: tuple[Signal, ...]
    mass: Array
    damping: Array
    stiffness: Array
    states: tuple[Signal, ...]
    inputs: tuple[Signal, ...]
    outputs: tuple[Signal, ...]
    A: Array
    B: Array
    C: Array
    D: Array
    small: SmallMotions
    size: float
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        return (
            f"Linearisation({self.system.name!r}, {len(self.displacements)} displacements, {len(self.states)} states, "
            f"{len(self.inputs)} inputs, {len(self.outputs)} outputs)"
        )

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """Free motions, then all others by frequency."""
        return find_modes(self.A, self.small.freedoms, self.size)

    @property
    def eigenvalues(self) -> NDArray[np.complex128]:
        """Eigenvalues of A, 1/s, by size."""
        found = np.linalg.eigvals(self.A).astype(np.complex128)
        return found[np.argsort(np.abs(found), kind="stable")]

    def transfer(self, frequencies: ArrayLike, input: str, output: str) -> NDArray[np.complex128]:
        """Transfer function from an input to an output at frequencies (Hz): output over input, in their units."""
        inputs, outputs = [each.name for each in self.inputs], [each.name for each in self.outputs]
        j = inputs.index(str(checks.known("input", input, inputs, "transfer")))
        i = outputs.index(str(checks.known("output", output, outputs, "transfer")))
        given = np.atleast_1d(checks.floats("transfer", "frequencies", frequencies, "Hz"))
        if not np.isfinite(given).all():
            raise MultibodyError(f"transfer: frequencies are {frequencies!r}; give finite numbers in Hz")
        n = len(self.A)
        found = np.empty(len(given), dtype=np.complex128)
        for k, frequency in enumerate(given.tolist()):
            matrix = 2j * math.pi * frequency * np.eye(n) - self.A
            try:
                answer = np.linalg.solve(matrix, self.B[:, j])
            except np.linalg.LinAlgError:
                free = "; ".join(each.words for each in self.modes if each.kind == "free")
                raise MultibodyError(
                    f"transfer: at {frequency:g} Hz the system has no answer to {input!r}: nothing holds "
                    f"{free or 'a mode of this frequency'}; give another frequency, or hold it"
                ) from None
            found[k] = self.C[i] @ answer + self.D[i, j]
        return found

    def bodies_of(self, mode: Mode) -> NDArray[np.complex128]:
        """Rotation (rad) and displacement (m) of the origin of each body (n_bodies, 6) in a mode, world axes."""
        return np.asarray(self.small.bodies @ mode.shape)

    def displaced(self, mode: Mode, by: float, phase: float = 0.0) -> MultibodySystem:
        """A copy of the system that starts displaced along a mode.

        ``by``: the largest displacement, m, or rad of a mode that only turns; ``phase`` (rad) of the motion.
        """
        return started_at(self._held.system, self.displaced_state(mode, by, phase))

    @cached_property
    def _held(self) -> CompiledSystem:
        """The system with its prescribed motions held."""
        return held_system(self.system, self.time, "as_described").compile()

    def displaced_state(self, mode: Mode, by: float, phase: float = 0.0) -> Array:
        """The state displaced along a mode by ``by`` (m or rad) of its largest displacement, at a ``phase`` (rad)."""
        compiled = self._held
        space = TangentSpace(compiled.setup)
        shape = np.real(mode.shape * np.exp(1j * phase))
        y = space.displaced(self.state, self.small.followers @ (float(by) * shape))
        compiled.project(self.time, y)
        return y

    def to_dict(self) -> dict[str, Any]:
        """Plain data: names, units, matrices and modes."""
        return {
            "system": self.system.name,
            "time": self.time,
            "displacements": [_plain(each) for each in self.displacements],
            "mass": self.mass.tolist(),
            "damping": self.damping.tolist(),
            "stiffness": self.stiffness.tolist(),
            "states": [_plain(each) for each in self.states],
            "inputs": [_plain(each) for each in self.inputs],
            "outputs": [_plain(each) for each in self.outputs],
            "A": self.A.tolist(),
            "B": self.B.tolist(),
            "C": self.C.tolist(),
            "D": self.D.tolist(),
            "modes": [
                {
                    "moves": each.words,
                    "kind": each.kind,
                    "eigenvalue": [each.eigenvalue.real, each.eigenvalue.imag],
                    "frequency": each.frequency,
                    "damped_frequency": each.damped_frequency,
                    "damping_ratio": each.damping_ratio,
                    "shape": [[x.real, x.imag] for x in each.shape.tolist()],
                }
                for each in self.modes
            ],
            "notes": list(self.notes),
        }


def linearise(
    system: MultibodySystem,
    *,
    about: str | Equilibrium | ArrayLike = "equilibrium",
    time: float = 0.0,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    friction: FrictionAtRest = "as_described",
) -> Linearisation:
    """Linearise a system about a state: mass, damping and stiffness, state space, frequencies and modes.

    - ``about``: "equilibrium", which is sought; "start", as coordinates and speeds are given; an `Equilibrium`; or a
      state y in the order of ``system.compile().state_names``.
    - ``time`` (s): when loads and prescribed motions have their values; at rest motions are held.
    - ``inputs``: forces by names: "BODY.fx" … "BODY.tz" at the origin of a body or marker in world axes, a coordinate
      of a joint such as "crank.angle" (the effort along it), or the name of a motor or joint effort.
    - ``outputs``: coordinates and speeds of joints by name, "BODY.x", "BODY.rotation_x", "BODY.vx", "BODY.wx",
      "BODY.ax" and the like, and "contact NAME", the size of a contact's force.
    - ``friction``: as for `equilibrium`.

    Slopes of contacts are those of the laws and of the meshes, see `ContactPairing.wrench_derivative`.
    """
    at = checks.number("linearise", "time", time, "s", signed=True)
    if isinstance(about, str) and about not in ("equilibrium", "start"):
        raise MultibodyError(f'linearise: about is {about!r}; give "equilibrium", "start", an Equilibrium or a state')
    if isinstance(about, str) and about == "equilibrium":
        about = equilibrium(system, time=at, friction=friction)
    if isinstance(about, Equilibrium):
        at, friction = about.time, about.friction
        compiled = held_system(system, at, friction).compile()
        y, remembered = about.state, about.remembered
    else:
        given = isinstance(about, str)
        compiled = (held_system(system, at, friction) if friction != "as_described" else system).compile()
        y = compiled.start_state(at) if given else _checked(compiled, about)
        remembered = {}
    if y.shape != (compiled.n_states,):
        raise MultibodyError(f"linearise: the equilibrium is one of another system; give one of {system.name!r}")
    evaluator = compiled.evaluator()
    evaluator.remember(remembered)
    return _linearised(system, compiled, evaluator, at, y, list(inputs), list(outputs))


def _checked(compiled: CompiledSystem, state: ArrayLike) -> Array:
    given = np.array(checks.floats("linearise", "about", state, "SI units"), dtype=np.float64)
    if given.shape != (compiled.n_states,) or not np.isfinite(given).all():
        raise MultibodyError(
            f"linearise: about has shape {given.shape}; give {compiled.n_states} finite numbers, in the order of "
            f"system.compile().state_names"
        )
    return given


def _linearised(
    system: MultibodySystem,
    compiled: CompiledSystem,
    evaluator: Evaluator,
    t: float,
    y: Array,
    inputs: list[str],
    outputs: list[str],
) -> Linearisation:
    space = TangentSpace(compiled.setup)
    if space.n == 0:
        raise MultibodyError(f"linearise: nothing in {system.name!r} is free to move; free a joint or a body")
    place = evaluator.place(t, y)
    moves = bool(np.abs(place.velocity).max(initial=0.0) > 0.0)
    if moves and compiled.has_loops:
        raise MultibodyError(f"linearise: {system.name!r} moves and has closed loops or couplers; linearise it at rest")
    size = system_size(compiled, evaluator)
    slopes = StateSlopes(compiled, space, evaluator, size).at(t, y, speeds=True)
    small = small_motions(compiled, space, evaluator, slopes, t, y)
    m = len(small.freedoms)
    # Rotations of bodies that turn are carried along by their spin.
    carried = _carried(space, y)[np.ix_(small.independent, small.independent)]
    a_q, a_v, a_z = small.accelerations_of
    z_q, z_v, z_z = small.inner_of
    matrix = np.block([[carried, np.eye(m), np.zeros((m, space.n_inner))], [a_q, a_v, a_z], [z_q, z_v, z_z]])
    evaluator.rates(t, y, np.zeros(compiled.n_states))
    jacobians, place = body_jacobians(compiled.setup, evaluator.view), evaluator.place(t, y).copy()
    pushed = [input_column(compiled.system, space, jacobians, place, name) for name in inputs]
    B = np.zeros((len(matrix), len(inputs)))
    for j, (_, force) in enumerate(pushed):
        B[m : 2 * m, j] = np.linalg.solve(small.mass, small.followers.T @ force)
    measured = [_output(compiled, space, evaluator, small, (t, y, size), jacobians, place, name) for name in outputs]
    C = np.array([row @ matrix[m : 2 * m] + own for _, own, row in measured]).reshape(len(outputs), len(matrix))
    D = np.array([row @ B[m : 2 * m] for _, _, row in measured]).reshape(len(outputs), len(inputs))
    residual = float(np.abs(slopes.rates[: space.n]).max(initial=0.0))
    load = largest_load(compiled, evaluator, size)
    notes = []
    left = float(np.abs(small.mass @ slopes.rates[: space.n][small.independent]).max(initial=0.0))
    if residual > 0.0 and left > NOT_AT_REST * max(load, 1e-300):
        notes.append(f"the system is not at rest here: forces and torques of up to {left:.3g} (N, N m) accelerate it")
    if moves:
        notes.append("the system moves here: the matrices hold for this instant")
    inner = compiled.state_names[space.inner]
    return Linearisation(
        system=system,
        time=t,
        state=np.array(y),
        displacements=tuple(Signal(each.name, each.unit) for each in small.freedoms),
        mass=small.mass,
        damping=small.damping,
        stiffness=small.stiffness,
        states=(
            *(Signal(each.name, each.unit) for each in small.freedoms),
            *(Signal(each.speed_name, each.speed_unit) for each in small.freedoms),
            *(Signal(name, "") for name in inner),
        ),
        inputs=tuple(signal for signal, _ in pushed),
        outputs=tuple(signal for signal, _, _ in measured),
        A=matrix,
        B=B,
        C=C,
        D=D,
        small=small,
        size=size,
        notes=tuple(notes),
    )


def _carried(space: TangentSpace, y: Array) -> Array:
    """Rates of small rotations by the spin of bodies without a joint and of ball joints: ω × θ; zero for all others."""
    speeds = y[space.speeds]
    found = np.zeros((space.n, space.n))
    for i, each in enumerate(space.freedoms):
        if each.speed == "wx":
            x, y_, z = speeds[i : i + 3]
            found[i : i + 3, i : i + 3] = [[0.0, -z, y_], [z, 0.0, -x], [-y_, x, 0.0]]
    return found


def _output(
    compiled: CompiledSystem,
    space: TangentSpace,
    evaluator: Evaluator,
    small: SmallMotions,
    at: tuple[float, Array, float],
    jacobians: Array,
    place: Any,
    name: str,
) -> tuple[Signal, Array, Array]:
    """Signal of an output, its row by the states of A, and by the independent accelerations."""
    m, n_inner = len(small.freedoms), space.n_inner
    contact = contact_of(compiled.system, name)
    if contact is not None:
        return Signal(name, "N"), _contact_row(compiled, space, evaluator, small, at, contact), np.zeros(m)
    row: OutputRow = output_row(compiled.system, space, jacobians, place, name)
    own = np.concatenate([row.of_displacements @ small.followers, row.of_speeds @ small.followers, np.zeros(n_inner)])
    return row.signal, own, np.asarray(row.of_accelerations @ small.followers)


def _contact_row(
    compiled: CompiledSystem,
    space: TangentSpace,
    evaluator: Evaluator,
    small: SmallMotions,
    at: tuple[float, Array, float],
    contact: str,
) -> Array:
    """How the size of a contact's force changes with the states of A, by central differences."""
    t, y, size = at
    pair = [each.name for each in compiled.contacts].index(contact)
    m = len(small.freedoms)
    found = np.zeros(2 * m + space.n_inner)
    for k in range(len(found)):
        ends = []
        step = SMALL_MOTION_OF_CONTACTS * (size if k < 2 * m and small.freedoms[k % m].unit == "m" else 1.0)
        for sign in (1.0, -1.0):
            beside = np.array(y)
            if k < m:
                beside = space.displaced(y, sign * step * small.followers[:, k])
            elif k < 2 * m:
                beside[space.speeds] += sign * step * small.followers[:, k - m]
            else:
                beside[space.inner.start + k - 2 * m] += sign * step
            ends.append(float(evaluator.pair_loads(pair, t, beside)[0]))
        found[k] = (ends[0] - ends[1]) / (2.0 * step)
    return found


def _plain(signal: Signal) -> dict[str, str]:
    return {"name": signal.name, "unit": signal.unit}
