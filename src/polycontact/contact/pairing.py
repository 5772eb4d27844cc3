"""The contact pairing: two surfaces, their layers and laws; relative kinematics in, wrench out (section 3)."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Literal, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.contact.base_choice import with_chosen_base
from polycontact.contact.description import ContactDescription, describe_contact
from polycontact.contact.distance import Distance
from polycontact.contact.fitting_method import refuse_misfit, with_fitting_method
from polycontact.contact.kinematics import RelativeKinematics, as_array, check_rotation
from polycontact.contact.laws import ContactLaw
from polycontact.contact.layers import ElasticLayer
from polycontact.contact.lost_contact import LOST_CONTACT
from polycontact.contact.mesh_error import MeshError, mesh_error
from polycontact.contact.methods import (
    Base,
    ContactMethod,
    EvaluationMemory,
    PenetrationLines,
    PolygonalMethod,
    PreparedPair,
    has_distance_depth,
)
from polycontact.contact.motion_bounds import farthest_motion, greatest_speed
from polycontact.contact.options import is_number
from polycontact.contact.pressed_through import told_far_side
from polycontact.contact.result import ContactElements, ContactResult, RawElements
from polycontact.contact.short_lines import missed_by_lines
from polycontact.contact.table import build_table
from polycontact.contact.wrench_derivative import difference_wrench
from polycontact.errors import ContactError, ContactWarning, level_of_the_caller
from polycontact.kernels.contact.contact_report import OVERFLOW, ContactReport, Status
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.contact.evaluate import evaluate
from polycontact.kernels.packed_rows import Columns, PackedRows
from polycontact.surfaces.geometry import Geometry, size_of

if TYPE_CHECKING:
    from polycontact.contact.shared_work import SharedWork
    from polycontact.contact.stepped_contact import SteppedContact

_ZERO = np.zeros(3)
_FAR_AWAY = 1e3
"""Reaches of the surfaces at which the first, empty evaluation is made, which compiles what is not compiled yet."""


_COUNTERS = ContactReport.slots(
    "status",
    "bv_checks",
    "triangle_checks",
    "n_segments",
    "line_checks",
    "n_cut_e",
    "n_cut_f",
    "n_inner_e",
    "n_inner_f",
    "tree_searches",
)
"""Counts of the report that a result keeps."""

_COLUMNS = Columns(ElementTable, RawElements._fields)
"""What a result keeps of the elements."""

_MOST_GROWTHS = 64
"""Each doubles a buffer: more would not fit into any memory."""


class ContactPairing:
    """Compliant contact between surface E and surface F, or between other geometries that the method knows.

    - ``method``: how contact elements are found: `PolygonalMethod`, the default for surfaces, `PenetrationLines`, or
      one of your own; other geometries have another default, such as `ConvexMethod`. In short its name in files, such
      as "penetration_lines", with ``base``, ``elements``, ``depth``, ``containment`` and ``max_penetration`` as far as
      the method has them; without a name they are those of `PolygonalMethod`. ``generator``: the old name of this.
    - ``law``: `LayerLaw` by default. Leave out its stiffness if you give ``layers`` (of E, of F): they determine the
      combined stiffness (12) and each body's share of the depth (13). With a stiffness alone each body takes half of
      the depth.
    - ``friction``: `RegularisedCoulomb`, or None.
    - ``description``: all of this in one object, instead.

    A pairing may be used from several threads at once: they share its set-up, and each evaluation has its own memory.
    """

    def __init__(
        self,
        e: Geometry,
        f: Geometry,
        *,
        description: ContactDescription | None = None,
        method: ContactMethod | str | None = None,
        law: ContactLaw | None = None,
        layers: tuple[ElasticLayer, ElasticLayer] | None = None,
        friction: ContactLaw | None = None,
        base: Base | None = None,
        elements: Literal["clipped", "whole"] | None = None,
        depth: Literal["distance", "base_normal", "target_normal"] | None = None,
        generator: Literal["intersection", "penetration_lines"] | None = None,
        max_penetration: float | None = None,
        containment: Literal["warn", "error"] | None = None,
        name: str | None = None,
    ) -> None:
        self.e = e
        self.f = f
        self.name = name or f"{getattr(e, 'name', 'e')}–{getattr(f, 'name', 'f')}"
        try:
            options = {
                "description": description,
                "method": method,
                "law": law,
                "layers": layers,
                "friction": friction,
                "base": base,
                "elements": elements,
                "depth": depth,
                "generator": generator,
                "max_penetration": max_penetration,
                "containment": containment,
            }
            self.description = describe_contact(**with_fitting_method(e, f, options))
            refuse_misfit(self.description.method, e, f)
            self.description = with_chosen_base(self.description, e, f)
        except ContactError as error:
            raise ContactError(f"{self.name}: {error}") from None
        self._warned_of_coarse_base = False
        self._warned_of_thin_body = self._warned_of_short_lines = False
        self._warned_of_lost_contact = 0
        self.prepared: PreparedPair = self.description.method.prepare(e, f, self.description, self.name)
        self._entry = self.prepared.entry
        self._memory = self.make_memory()
        self._idle: list[EvaluationMemory] = [self._memory]
        self._has_states = self._memory.report.states.n > 0
        far = np.full(3, _FAR_AWAY * (1.0 + float(np.abs(e.bounds).max() + np.abs(f.bounds).max())))
        evaluate(self._entry, self._memory.address, np.eye(3), far, _ZERO, _ZERO, np.empty(6))

    def named(self, name: str) -> ContactPairing:
        """The same contact under another name. Both share the set-up, so that it takes almost no time and memory."""
        like = copy(self)
        like.name = name
        like._idle = []
        like._warned_of_coarse_base = like._warned_of_thin_body = like._warned_of_short_lines = False
        like._warned_of_lost_contact = 0
        return like

    @property
    def method(self) -> ContactMethod:
        """How contact elements are found."""
        return self.description.method

    @property
    def law(self) -> ContactLaw:
        """The law of the normal pressure, or of the normal force of a point."""
        return self.description.law

    @property
    def friction(self) -> ContactLaw | None:
        """The tangential law, or None."""
        return self.description.friction

    @property
    def layers(self) -> tuple[ElasticLayer, ElasticLayer] | None:
        """Layers of E and F, or None where the law has a stiffness."""
        return self.description.layers

    @property
    def stiffness(self) -> float | None:
        """c_l, N/m³, eq. (12) where there are layers; None for a law without one."""
        return self.description.stiffness

    @property
    def base(self) -> Base:
        """Whose triangles become contact elements, where the method has a base.

        ``description.base_reason`` says why, where it was left to the program.
        """
        return getattr(self.description.method, "base", Base.E)

    @property
    def entry(self) -> int:
        """Address of the compiled code of the method, see `PreparedPair`."""
        return self._entry

    @property
    def gap_entry(self) -> int:
        """Address of the compiled code that measures the signed distance, see `PreparedPair`; 0 where there is none."""
        return int(getattr(self.prepared, "gap_entry", 0))

    def make_memory(self, shared: SharedWork | None = None) -> EvaluationMemory:
        """Memory for evaluations of its own, for one thread at a time.

        ``shared``: work space in common with other memories, of any pairings, for the same thread.
        """
        if shared is not None and getattr(self.prepared, "shares_work", False):
            return self.prepared.make_memory(shared)  # type: ignore[call-arg]
        return self.prepared.make_memory()

    def evaluate(self, kinematics: RelativeKinematics, *, states: ArrayLike | None = None) -> ContactResult:
        """Contact at the given relative kinematics, with the patch as data.

        ``states``: those of the method and the laws, if they have any; zeros by default. Laws with a memory of elements
        start without one in each evaluation.
        """
        if not isinstance(kinematics, RelativeKinematics):
            raise ContactError(f"{self.name}: evaluate needs RelativeKinematics, not {kinematics!r}")
        wrench = np.empty(6)
        with self.borrowed_memory() as memory:
            if self._has_states or states is not None:
                self._set_states(memory, states)
            self._run(memory, *kinematics.arrays(), wrench)
            if not self._warned_of_short_lines and (missed := missed_by_lines(self, *kinematics.arrays()[:2])):
                self._warned_of_short_lines = True
                warnings.warn(f"{self.name}: {missed}", ContactWarning, stacklevel=level_of_the_caller())
            return ContactResult(self, kinematics, wrench, *_copied(memory))

    def wrench(
        self,
        R: ArrayLike,
        r: ArrayLike,
        v: ArrayLike = _ZERO,
        w: ArrayLike = _ZERO,
        out: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Force (N) and torque (N m) on E at marker F, in frame E: six numbers, without the data of the patch.

        ``R`` rotation, ``r`` position (m), ``v`` velocity (m/s), ``w`` angular velocity (rad/s) of marker F in E;
        ``out``: a (6,) float array to write to. States of the law or the method are zero.
        """
        R, r, v, w = _checked(R, r, v, w)
        if out is None:
            out = np.empty(6)
        elif not is_writable_to(out, (6,)):
            raise ContactError(f"{self.name}: out must be a writeable, contiguous float64 array of shape (6,)")
        memory = self._borrow()
        try:
            if self._has_states:
                self._set_states(memory, None)
            self._run(memory, R, r, v, w, out)
        finally:
            self._idle.append(memory)
        return out

    def wrench_in(
        self,
        memory: EvaluationMemory,
        R: ArrayLike,
        r: ArrayLike,
        v: ArrayLike = _ZERO,
        w: ArrayLike = _ZERO,
        *,
        states: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        """`wrench` (N, N m) in a memory of the caller's, with what its laws remember there."""
        motion = _checked(R, r, v, w)
        out = np.empty(6)
        if self._has_states or states is not None:
            self._set_states(memory, states)
        self._run(memory, *motion, out)
        return out

    def stepped(self, *, time: float = 0.0) -> SteppedContact:
        """This contact inside another simulator, which tells what steps it accepts; ``time`` (s) of its start.

        Sticking friction, restitution and layers that remember need it: repeated calls of `wrench` remember nothing.
        """
        from polycontact.contact.stepped_contact import SteppedContact

        return SteppedContact(self, time=time)

    def wrench_derivative(
        self,
        R: ArrayLike,
        r: ArrayLike,
        v: ArrayLike = _ZERO,
        w: ArrayLike = _ZERO,
        *,
        differences: bool | None = None,
    ) -> NDArray[np.float64]:
        """How the six numbers of `wrench` change with the relative motion: (6, 12).

        Columns 0–2: per m of ``r``; 3–5: per rad of a rotation vector θ in frame E, which turns F about its own marker,
        R → exp([θ]×) R; 6–8: per m/s of ``v``; 9–11: per rad/s of ``w``. Rows 0–2: force, N; 3–5: torque on E at
        marker F, N m; this point moves with r.

        With the default depth it comes from the elements of one evaluation, and the derivative of the elastic force is
        as accurate as the force; what damping and friction feel of area that comes and goes at the border, and of how
        the surfaces incline, is left out of columns 0–5. A method of your own supplies the derivative if it can. With
        others central differences are taken, 24 evaluations; at a kink of the law they give the mean of the slopes on
        both sides.

        ``differences``: whether to take them; False with a depth along normals or penetration lines leaves out area
        that comes and goes, which matters where triangles are as large as the contact.
        """
        motion = _checked(R, r, v, w)
        size = min(size_of(self.e), size_of(self.f))
        known = getattr(self.prepared, "wrench_derivative", None)
        if known is not None and not differences:
            return np.asarray(known(*motion), dtype=np.float64).reshape(6, 12)
        has_slope = isinstance(self.method, PolygonalMethod | PenetrationLines)
        if differences is None:
            differences = not has_distance_depth(self.method)
        if has_slope and not differences:
            return self._slope(*motion, size)
        return difference_wrench(self.wrench, *motion, size)

    def _slope(
        self,
        R: NDArray[np.float64],
        r: NDArray[np.float64],
        v: NDArray[np.float64],
        w: NDArray[np.float64],
        size: float,
    ) -> NDArray[np.float64]:
        """The derivative of the wrench (6, 12) from an evaluation that finds its slope; bodies have a size, m."""
        memory = self._borrow()
        report = memory.report
        try:
            if self._has_states:
                self._set_states(memory, None)
            report.slope_state, report.slope_size = 1, size
            self._run(memory, R, r, v, w, np.empty(6))
            if report.slope_state == 1:  # there are no elements
                return np.zeros((6, 12))
            slope: NDArray[np.float64] = report.slope[:72].reshape(6, 12).copy()
            return slope
        finally:
            report.slope_state = 0
            self._idle.append(memory)

    def distance(self, R: ArrayLike, r: ArrayLike) -> Distance:
        """Signed distance of the bodies (m) with its two points and their direction; see `Distance`.

        ``R`` rotation, ``r`` position (m) of marker F in E. Methods that cannot measure it raise a `ContactError`.
        """
        pose = RelativeKinematics(rotation=R, position=r)
        known = getattr(self.prepared, "distance", None)
        if known is None:
            raise ContactError(
                f"{self.name}: {type(self.method).__name__} cannot measure distances; its prepare() returns an object "
                f"without a method distance(R, r)"
            )
        found: Distance = known(*pose.arrays()[:2])
        return found

    def swept_distance(self, R: ArrayLike, r: ArrayLike, v: ArrayLike, w: ArrayLike, duration: float) -> float:
        """A lower bound of the distance during a motion, m; 0 or less: a contact cannot be excluded.

        From the pose ``R``, ``r`` the marker of F moves with ``v`` (m/s) and F turns with ``w`` (rad/s), both constant
        in frame E, for ``duration`` (s): the distance at the start less a bound of the motion of the boxes around the
        bodies.
        """
        motion = RelativeKinematics(rotation=R, position=r, velocity=v, angular_velocity=w)
        if not (is_number(duration) and 0.0 <= duration < math.inf):
            raise ContactError(f"{self.name}: duration is {duration!r} s; give a number that is zero or positive")
        return self.distance(R, r).distance - farthest_motion(self.e, self.f, motion, float(duration))

    def free_time(self, R: ArrayLike, r: ArrayLike, v: ArrayLike, w: ArrayLike) -> float:
        """A time (s) in which the bodies certainly do not touch, moving as in `swept_distance`: a safe step.

        0 if they touch, infinite if F does not move. Repeated from each pose reached, it approaches the first touch as
        closely as wanted (conservative advancement).
        """
        motion = RelativeKinematics(rotation=R, position=r, velocity=v, angular_velocity=w)
        distance = max(self.distance(R, r).distance, 0.0)
        speed = greatest_speed(self.e, self.f, motion)
        if speed == 0.0:
            return math.inf if distance > 0.0 else 0.0
        return distance / speed

    def elements_in(self, memory: EvaluationMemory, kinematics: RelativeKinematics) -> ContactElements:
        """The elements of the last evaluation in a memory of this pairing, at the kinematics stored there."""
        return build_table(self, kinematics, RawElements(**_copied(memory)[-1].by_name))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an image of the pairing to a file, for programs without Python: ``contact.pcp``.

        With the library of kernels and `polycontact.h` they evaluate it, as it is here; see the guide "Use it from C".
        A pairing with a law or a surface of your own cannot be saved: its code is compiled here and nowhere else.
        """
        from polycontact.contact.pairing_image import save_pairing

        save_pairing(self, path)

    @property
    def is_between_meshes(self) -> bool:
        """Whether both surfaces are meshes, whose facets may put the force off."""
        from polycontact.surfaces.surface import Surface

        return isinstance(self.e, Surface) and isinstance(self.f, Surface)

    def mesh_error_in(self, memory: EvaluationMemory) -> MeshError | None:
        """How far facets may put the force of the last evaluation in a memory of this pairing off; see `MeshError`."""
        table = memory.elements
        n = table.n
        return mesh_error(
            self, table.area[:n], table.depth[:n], table.side[:n], table.base_triangle[:n], table.target_triangle[:n]
        )

    def _set_states(self, memory: EvaluationMemory, states: ArrayLike | None) -> None:
        values = memory.report.states.values
        given = np.zeros(len(values)) if states is None else np.asarray(states, dtype=np.float64)
        if given.shape != values.shape:
            raise ContactError(f"{self.name}: states has shape {given.shape}; expected {values.shape}")
        values[:] = given

    def _borrow(self) -> EvaluationMemory:
        """Memory that no other thread uses; it is to be put back."""
        try:
            return self._idle.pop()
        except IndexError:
            return self.make_memory()

    @contextmanager
    def borrowed_memory(self) -> Iterator[EvaluationMemory]:
        """Memory for evaluations whose results are read afterwards; no other thread uses it until it is returned."""
        memory = self._borrow()
        memory.report.in_full = 1
        try:
            yield memory
        finally:
            memory.report.in_full = 0
            self._idle.append(memory)

    def _run(
        self,
        memory: EvaluationMemory,
        R: NDArray[np.float64],
        r: NDArray[np.float64],
        v: NDArray[np.float64],
        w: NDArray[np.float64],
        out: NDArray[np.float64],
    ) -> None:
        status = evaluate(self._entry, memory.address, R, r, v, w, out)
        if status:
            self._heed(memory, status, R, r, v, w, out)

    def _heed(
        self,
        memory: EvaluationMemory,
        status: int,
        R: NDArray[np.float64],
        r: NDArray[np.float64],
        v: NDArray[np.float64],
        w: NDArray[np.float64],
        out: NDArray[np.float64],
    ) -> None:
        """Act on an unusual status: enlarge buffers and evaluate again, refuse bad input, report containment."""
        for _ in range(_MOST_GROWTHS):
            if not status & OVERFLOW:
                break
            memory.grow(status)
            status = evaluate(self._entry, memory.address, R, r, v, w, out)
        else:
            raise ContactError(f"{self.name}: its method asks for ever more memory; its grow() does not help")
        if status & Status.BAD_KINEMATICS:
            self._refuse(R, r, v, w)
        coarse = status & Status.COARSE_BASE and self.base is not Base.BOTH  # where both are, the finer one is too
        if coarse and not self._warned_of_coarse_base:
            self._warned_of_coarse_base = True
            warnings.warn(
                f"{self.name}: triangles of the base ({self.base.value}) are much larger than those of the target, so "
                f"that one sample of the depth stands for a large area; make the finer surface the base, or refine it",
                ContactWarning,
                stacklevel=level_of_the_caller(),
            )
        if status & Status.PRESSED_THROUGH and not self._warned_of_thin_body:
            self._warned_of_thin_body = True
            text = f"{self.name}: {told_far_side(self, memory)}"
            warnings.warn(text, ContactWarning, stacklevel=level_of_the_caller())
        for lost, message in LOST_CONTACT.items():
            if status & lost:
                self._tell_of_lost_contact(lost, message)
        if status & (Status.E_INSIDE_F | Status.F_INSIDE_E):
            inner, outer = (self.e, self.f) if status & Status.E_INSIDE_F else (self.f, self.e)
            pushed = has_distance_depth(self.method)
            effect = "is pushed out towards the nearest surface" if pushed else "adds no force there"
            message = (
                f"{self.name}: {inner.name} lies wholly inside {outer.name}, or a closed part of it does, and "
                f"{effect}; a step was too long, or the start pose is wrong"
            )
            if getattr(self.method, "containment", "warn") == "error":
                raise ContactError(message)
            warnings.warn(message, ContactWarning, stacklevel=level_of_the_caller())

    def _tell_of_lost_contact(self, status: int, message: str) -> None:
        """Refuse what gave no numbers, warn once of what found no contact."""
        if status & Status.SURFACE_NOT_FINITE:
            raise ContactError(f"{self.name}: {message}")
        if not self._warned_of_lost_contact & status:
            self._warned_of_lost_contact |= status
            warnings.warn(f"{self.name}: {message}", ContactWarning, stacklevel=level_of_the_caller())

    def _refuse(
        self, R: NDArray[np.float64], r: NDArray[np.float64], v: NDArray[np.float64], w: NDArray[np.float64]
    ) -> None:
        """Say what is wrong with kinematics that cannot be used."""
        as_array(R, (3, 3), "rotation")
        for array, what in ((r, "position"), (v, "velocity"), (w, "angular_velocity")):
            as_array(array, (3,), what)
        check_rotation(R)
        raise ContactError(f"{self.name}: the kinematics are too large or not a rotation: R={R}, r={r}, v={v}, w={w}")


def _copied(memory: EvaluationMemory) -> tuple[int, list[int], float, float, PackedRows]:
    """Status, counters, share that the integration may miss, residual of the law, and elements of the last evaluation,
    before the memory is used again."""
    report = memory.report
    status, *counters = report.read_counts(_COUNTERS)
    missed = report.missed / report.load if report.load > 0.0 else math.nan
    table = memory.elements
    return status, counters, missed, report.law_residual, _COLUMNS.copy(table, table.n)


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
