"""The contact pairing: two surfaces, their layers and laws; relative kinematics in, wrench out (section 3)."""

from __future__ import annotations

import math
import threading
import warnings
from typing import Literal, TypeGuard, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.contact.kinematics import RelativeKinematics, as_array, check_rotation
from polycontact.contact.laws import LayerLaw, RegularisedCoulomb, is_number
from polycontact.contact.layers import ElasticLayer, combined_stiffness, depth_share
from polycontact.contact.memory import PairingMemory
from polycontact.contact.result import Base, ContactResult, RawElements
from polycontact.errors import ContactError, ContactWarning
from polycontact.kernels import memory as slots
from polycontact.kernels.evaluate import evaluate
from polycontact.kernels.jit import end_compilation_notice
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import FLANK_FULL

_COUNTERS = [
    slots.STATUS,
    slots.BV_CHECKS,
    slots.TRIANGLE_CHECKS,
    slots.N_SEGMENTS,
    slots.LINE_CHECKS,
    slots.E + slots.N_CUT,
    slots.F + slots.N_CUT,
    slots.E + slots.N_INNER,
    slots.F + slots.N_INNER,
    slots.REBUILDS,
]
_ZERO = np.zeros(3)
T = TypeVar("T")
_SMALLEST, _LARGEST = 1e-30, 1e30
_BASES = {Base.E: 0, Base.F: 1, Base.BOTH: 2}


class ContactPairing:
    """Compliant contact between surface E and surface F.

    - ``base``: `Base.E`, `Base.F` or `Base.BOTH`: whose triangles become contact elements.
    - ``law``: `LayerLaw`; its stiffness is left out where ``layers`` (of E, of F) are given, which set the combined
      stiffness (12) and how the depth is split (13); with a stiffness alone the depth is split in half.
    - ``friction``: `RegularisedCoulomb`, or None.
    - ``elements``: "clipped" cuts boundary triangles at the intersection polygon, so that the force is continuous
      in the pose (except where an element slides past a sharp edge of the target: let the body with sharp edges be
      the base); "whole" takes them whole, as the paper does. Penetration lines know whole triangles only.
    - ``depth``: "base_normal" measures along the base's normal, with flanks faded out; "target_normal" projects it
      on the target's normal, without fading: on a plane the force is then conservative, c_l times the overlap
      volume, but it is continuous only where the base is smooth.
    - ``generator``: "intersection" (polygons and active areas) or "penetration_lines", which tolerates imperfect
      meshes and needs ``max_penetration`` (m; by default a quarter of the base's smallest extent).
    - ``containment``: "warn" or "error" where a body lies wholly inside the other, which gives no force.

    A pairing owns its buffers: different pairings may be evaluated in different threads at the same time; calls of
    one pairing wait for each other.
    """

    def __init__(
        self,
        e: Surface,
        f: Surface,
        *,
        base: Base = Base.E,
        law: LayerLaw | None = None,
        layers: tuple[ElasticLayer, ElasticLayer] | None = None,
        friction: RegularisedCoulomb | None = None,
        elements: Literal["clipped", "whole"] | None = None,
        depth: Literal["base_normal", "target_normal"] = "base_normal",
        generator: Literal["intersection", "penetration_lines"] = "intersection",
        max_penetration: float | None = None,
        containment: Literal["warn", "error"] = "warn",
        name: str | None = None,
    ) -> None:
        for what, surface in (("e", e), ("f", f)):
            if not isinstance(surface, Surface):
                raise ContactError(f"contact pairing: {what} is {surface!r}; expected a Surface, see load_surface")
        self.e = e
        self.f = f
        self.name = name or f"{e.name}–{f.name}"
        _check_kind(self.name, "law", law, LayerLaw)
        _check_kind(self.name, "friction", friction, RegularisedCoulomb)
        self.base = _choice(self.name, "base", base, tuple(Base))
        self.depth = _choice(self.name, "depth", depth, ("base_normal", "target_normal"))
        self.generator = _choice(self.name, "generator", generator, ("intersection", "penetration_lines"))
        self.containment = _choice(self.name, "containment", containment, ("warn", "error"))
        default = "clipped" if self.generator == "intersection" else "whole"
        self.elements = _choice(self.name, "elements", default if elements is None else elements, ("clipped", "whole"))
        if self.generator == "penetration_lines" and self.elements == "clipped":
            raise ContactError(
                f"{self.name}: penetration lines have no polygons to clip at; use elements='whole' or "
                f"generator='intersection'"
            )
        self.law = law or LayerLaw()
        self.friction = friction
        self.layers = layers
        self.stiffness, self.depth_share = self._stiffness_and_share()
        self.max_penetration = line_length(self.name, e, f, self.base, max_penetration)
        self._lock = threading.Lock()
        self._warned_of_coarse_base = False
        self._memory = self._prepare()
        self._row = self._memory.row

    def evaluate(self, kinematics: RelativeKinematics) -> ContactResult:
        """Contact at the given relative kinematics, with the patch as data."""
        if not isinstance(kinematics, RelativeKinematics):
            raise ContactError(f"{self.name}: evaluate needs RelativeKinematics, not {kinematics!r}")
        R, r, v, w = kinematics.arrays()
        with self._lock:
            wrench = np.empty(6)
            self._run(R, r, v, w, wrench, True)
            n = int(self._row[slots.N_ELEMENTS])
            array = self._memory.array
            raw = RawElements(
                point=array(slots.POINT)[:n].copy(),
                normal=array(slots.NORMAL)[:n].copy(),
                element=array(slots.ELEMENT)[:n].copy(),
                target_point=array(slots.TARGET_POINT)[:n].copy(),
                triangles=array(slots.ELEMENT_TRIANGLES)[:n].copy(),
                force=array(slots.FORCE)[:n].copy(),
            )
            counters = self._row[_COUNTERS].tolist()
        return ContactResult(self, kinematics, wrench, counters, raw)

    def wrench(
        self,
        R: ArrayLike,
        r: ArrayLike,
        v: ArrayLike = _ZERO,
        w: ArrayLike = _ZERO,
        out: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Force (N) and torque (N m) on E at marker F, in frame E: six numbers, and nothing else is made.

        ``R`` rotation, ``r`` position (m), ``v`` velocity (m/s), ``w`` angular velocity (rad/s) of marker F in E;
        ``out``: a (6,) float array to write to.
        """
        R, r, v, w = _checked(R, r, v, w)
        if out is None:
            out = np.empty(6)
        elif not is_writable_to(out, (6,)):
            raise ContactError(f"{self.name}: out must be a writeable, contiguous float64 array of shape (6,)")
        with self._lock:
            self._run(R, r, v, w, out, False)
        return out

    def _run(
        self,
        R: NDArray[np.float64],
        r: NDArray[np.float64],
        v: NDArray[np.float64],
        w: NDArray[np.float64],
        out: NDArray[np.float64],
        keep: bool,
    ) -> None:
        status = evaluate(self._row, R, r, v, w, out, keep)
        if status:
            self._heed(status, R, r, v, w, out, keep)

    def _heed(
        self,
        status: int,
        R: NDArray[np.float64],
        r: NDArray[np.float64],
        v: NDArray[np.float64],
        w: NDArray[np.float64],
        out: NDArray[np.float64],
        keep: bool,
    ) -> None:
        """Act on an unusual status: enlarge buffers and evaluate again, refuse bad input, report containment."""
        while status & slots.OVERFLOW:
            self._memory.grow(status)
            status = evaluate(self._row, R, r, v, w, out, keep)
        if status & slots.BAD_KINEMATICS:
            for array, shape, what in (
                (R, (3, 3), "rotation"),
                (r, (3,), "position"),
                (v, (3,), "velocity"),
                (w, (3,), "angular_velocity"),
            ):
                as_array(array, shape, what)
            check_rotation(R)
            raise ContactError(
                f"{self.name}: the kinematics are too large or not a rotation: R={R}, r={r}, v={v}, w={w}"
            )
        coarse = status & slots.COARSE_BASE and self.base is not Base.BOTH  # where both are, the finer one is too
        if coarse and not self._warned_of_coarse_base:
            self._warned_of_coarse_base = True
            warnings.warn(
                f"{self.name}: triangles of the base ({self.base.value}) are much larger than those of the target, so "
                f"that one sample of the depth stands for a large area; make the finer surface the base, or refine it",
                ContactWarning,
                stacklevel=4,
            )
        if status & (slots.E_INSIDE_F | slots.F_INSIDE_E):
            inner, outer = (self.e, self.f) if status & slots.E_INSIDE_F else (self.f, self.e)
            message = (
                f"{self.name}: {inner.name} lies wholly inside {outer.name}, or a closed part of it does, and adds no "
                f"force there; a step was too long, or the start pose is wrong"
            )
            if self.containment == "error":
                raise ContactError(message)
            warnings.warn(message, ContactWarning, stacklevel=4)

    def _stiffness_and_share(self) -> tuple[float, float]:
        """c_l and the share of the depth that E's layer takes."""
        if self.layers is None:
            if self.law.stiffness is None:
                raise ContactError(f"{self.name}: no stiffness: give LayerLaw(stiffness=…) in N/m³, or layers=(…, …)")
            return self.law.stiffness, 0.5
        if self.law.stiffness is not None:
            raise ContactError(
                f"{self.name}: both layers and a stiffness of {self.law.stiffness} N/m³ are given; leave one out"
            )
        pair = isinstance(self.layers, tuple | list) and len(self.layers) == 2
        if not pair or not all(isinstance(layer, ElasticLayer) for layer in self.layers):
            raise ContactError(f"{self.name}: layers must be two ElasticLayer, of E and of F, not {self.layers!r}")
        return combined_stiffness(*self.layers), depth_share(*self.layers)

    def _prepare(self) -> PairingMemory:
        """Task 1 of the paper: buffers, dependent parameters and data structures (S0.18)."""
        e, f = self.e.contact_data, self.f.contact_data
        parameters = np.zeros(slots.N_PARAMETERS)
        parameters[slots.STIFFNESS] = self.stiffness
        parameters[slots.DAMPING] = self.law.damping
        parameters[slots.TRANSITION_DEPTH] = self.law.transition_depth
        if self.friction is not None:
            parameters[slots.FRICTION] = self.friction.coefficient
            parameters[slots.FRICTION_VELOCITY] = self.friction.velocity
        parameters[slots.SPLIT_E] = self.depth_share
        parameters[slots.MAX_PENETRATION] = self.max_penetration
        reach = float(np.abs(self.e.bounds).max() + np.abs(self.f.bounds).max())
        if not _SMALLEST < reach < _LARGEST:
            raise ContactError(
                f"{self.name}: coordinates reach {reach:.3g} m; surfaces between {_SMALLEST} m and {_LARGEST} m can be "
                f"evaluated; check the unit of the mesh"
            )
        parameters[slots.REACH] = reach
        parameters[slots.MAX_MARGIN] = 0.35 * min(e.mean_edge, f.mean_edge)
        for slot, data in ((slots.FACET_FULL_E, e), (slots.FACET_FULL_F, f)):
            angle = math.acos(FLANK_FULL) - data.normal_spread - 1e-6  # no interpolated normal can be beyond 60°
            parameters[slot] = math.cos(angle) if angle > 0 else 2.0
        memory = PairingMemory(e, f, parameters)
        memory.row[slots.BASE] = _BASES[self.base]
        memory.row[slots.ELEMENT_KIND] = int(self.elements == "clipped")
        memory.row[slots.DEPTH_KIND] = int(self.depth == "target_normal")
        memory.row[slots.GENERATOR] = int(self.generator == "penetration_lines")
        if self.generator == "penetration_lines":
            memory.attach_line_boxes(slots.E, e.line_boxes(self.max_penetration))
            memory.attach_line_boxes(slots.F, f.line_boxes(self.max_penetration))
        evaluate(memory.row, np.eye(3), np.full(3, 1e3 * reach), _ZERO, _ZERO, np.empty(6), False)
        end_compilation_notice()
        return memory


def line_length(name: str, e: Surface, f: Surface, base: Base, max_penetration: float | None) -> float:
    """Length of the penetration lines of a pairing, m: as given, or a quarter of the base's smallest extent."""
    if max_penetration is not None:
        if not is_number(max_penetration) or not 0 < max_penetration < math.inf:
            raise ContactError(f"{name}: max_penetration is {max_penetration} m; it must be positive, finite")
        return float(max_penetration)
    first, second = (f, e) if base is Base.F else (e, f)
    for surface in (first, second):
        extents = surface.bounds[1] - surface.bounds[0]
        if extents.min() > 0:
            return 0.25 * float(extents.min())
    return 0.25 * first.size


def is_writable_to(out: object, shape: tuple[int, ...]) -> bool:
    """Whether compiled code may write float64 results of this shape into ``out``."""
    return (
        type(out) is np.ndarray
        and out.dtype == np.float64
        and out.shape == shape
        and out.flags.c_contiguous
        and out.flags.writeable
        and out.flags.aligned
    )


def _choice(name: str, what: str, value: T, allowed: tuple[T, ...]) -> T:
    if not any(value is item or (isinstance(value, str) and value == item) for item in allowed):
        names = ", ".join(repr(item) for item in allowed)
        raise ContactError(f"{name}: {what} is {value!r}; allowed: {names}")
    return value


def _check_kind(name: str, what: str, value: object, kind: type) -> None:
    if value is not None and not isinstance(value, kind):
        raise ContactError(f"{name}: {what} is {value!r}; expected {kind.__name__}(…) or None")


def _checked(
    R: ArrayLike, r: ArrayLike, v: ArrayLike, w: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The kinematics as arrays of the right type and shape; their values are checked in compiled code."""
    return (
        R if _is_plain(R, (3, 3)) else as_array(R, (3, 3), "rotation"),
        r if _is_plain(r, (3,)) else as_array(r, (3,), "position"),
        v if _is_plain(v, (3,)) else as_array(v, (3,), "velocity"),
        w if _is_plain(w, (3,)) else as_array(w, (3,), "angular_velocity"),
    )


_DOUBLE = np.dtype(np.float64)


def _is_plain(array: ArrayLike, shape: tuple[int, ...]) -> TypeGuard[NDArray[np.float64]]:
    """Whether compiled code can take an array as it is."""
    return type(array) is np.ndarray and array.dtype is _DOUBLE and array.shape == shape and array.flags.c_contiguous
