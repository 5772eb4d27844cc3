"""The multibody system: bodies, joints, loops, couplers, force elements and contacts, all by name (S1.11)."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.contact.laws import ContactProperties
from polycontact.contact.layers import ElasticLayer
from polycontact.contact.materials import Material, materials
from polycontact.errors import MultibodyError
from polycontact.multibody import checks
from polycontact.multibody.broad_phases import SWEEP_AND_PRUNE, BroadPhase
from polycontact.multibody.built_in_forces import AppliedForce, BuiltInForce, SpringDamper, SwingTwistStop
from polycontact.multibody.bushing import Bushing
from polycontact.multibody.contact_pairs import (
    Contact,
    ContactSource,
    check_options,
    contacts_between,
    touching_candidates,
)
from polycontact.multibody.friction_in_joints import JointFriction
from polycontact.multibody.joint_couplers import AnyCoupler
from polycontact.multibody.joint_types import (
    LOOP_KINDS,
    VARIABLES,
    Joint,
    JointKind,
    Loop,
    checked_rotor,
    kind_of,
    marker_rotation,
    start_values,
    unit_of,
)
from polycontact.multibody.motion_functions import Motion, function_of_time
from polycontact.multibody.pair_description import MATERIAL_OPTIONS, ContactRules
from polycontact.multibody.rigid_bodies import WORLD, Body, Marker, Shape, checked_material, make_body
from polycontact.multibody.rotations import frame_with_z, to_quaternion
from polycontact.multibody.user_force import ForceElement
from polycontact.surfaces.geometry import Geometry

if TYPE_CHECKING:
    from polycontact.multibody.compiled import CompiledSystem


class MultibodySystem:
    """Rigid bodies in trees of joints, with closed loops, couplers, force elements and contacts.

    ``gravity`` in m/s². Build it with the ``add_…`` methods, then hand it to `simulate`. A body without a joint is
    free. "world" names the inertial frame. ``loop_stabilisation`` (1/s): how fast the drift of closed loops
    and couplers decays. ``broad_phase``: how pairs that may touch are found, `SWEEP_AND_PRUNE`, `UNIFORM_GRID`,
    `ALL_PAIRS` or one of your own (`broad_phase`); the results are the same bits. ``simple_response``: True for
    contacts in points with the springs of the bodies' ``contact_properties`` (N/m), False for areas with the stiffness
    of their layers (N/m³); left out, each pair touches as its geometries do.
    """

    def __init__(
        self,
        name: str = "",
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        *,
        loop_stabilisation: float = 200.0,
        broad_phase: BroadPhase = SWEEP_AND_PRUNE,
        simple_response: bool | None = None,
    ) -> None:
        if simple_response is not None and not isinstance(simple_response, bool):
            raise MultibodyError(
                f"system: simple_response is {simple_response!r}; give True for points or False for areas"
            )
        self._contact_rules = ContactRules(simple_response)
        self.name = name
        self._compiled: CompiledSystem | None = None
        self.gravity = gravity
        self.loop_stabilisation = loop_stabilisation
        self.broad_phase = broad_phase
        self.bodies: dict[str, Body] = {}
        self.markers: dict[str, Marker] = {}
        self.joints: dict[str, Joint] = {}
        self.loops: dict[str, Loop] = {}
        self.couplers: dict[str, AnyCoupler] = {}
        self.forces: dict[str, BuiltInForce | ForceElement] = {}
        self.contacts: dict[str, Contact] = {}
        self._free_starts: dict[str, Joint] = {}

    def __repr__(self) -> str:
        return (
            f"MultibodySystem({self.name!r}, bodies: {len(self.bodies)}, "
            f"degrees of freedom: {self.degrees_of_freedom}, force elements: {len(self.forces)}, "
            f"contacts: {len(self.contacts)})"
        )

    @property
    def gravity(self) -> NDArray[np.float64]:
        """Acceleration of gravity (3,) in world axes, m/s²."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        self._gravity = checks.array("system", "gravity", value, (3,), "m/s²")
        self._compiled = None

    @property
    def loop_stabilisation(self) -> float:
        """How fast the drift of closed loops and couplers decays, 1/s."""
        return self._loop_stabilisation

    @loop_stabilisation.setter
    def loop_stabilisation(self, value: float) -> None:
        self._loop_stabilisation = checks.number("system", "loop_stabilisation", value, "1/s")
        self._compiled = None

    @property
    def broad_phase(self) -> BroadPhase:
        """How pairs that may touch are found."""
        return self._broad_phase

    @broad_phase.setter
    def broad_phase(self, value: BroadPhase) -> None:
        if not isinstance(value, BroadPhase):
            raise MultibodyError(
                f"system: broad_phase is {value!r}; give SWEEP_AND_PRUNE, UNIFORM_GRID, ALL_PAIRS, or a function that "
                f"@broad_phase has made one of"
            )
        self._broad_phase = value
        self._compiled = None

    @property
    def simple_response(self) -> bool | None:
        """Whether contacts are points (True) or areas (False); None for what the geometries of each pair are."""
        return self._contact_rules.simple_response

    @property
    def degrees_of_freedom(self) -> int:
        """Degrees of freedom of the tree; closed loops and couplers take away from them."""
        return sum(joint.degrees_of_freedom for joint in self.tree_joints().values())

    def tree_joints(self) -> dict[str, Joint]:
        """The joint that carries each body, by the body's name."""
        carried = dict(self._free_starts)
        carried.update({joint.child: joint for joint in self.joints.values()})
        return {name: carried[name] for name in self.bodies}

    def add_body(
        self,
        name: str,
        *,
        surface: Geometry | None = None,
        shapes: Sequence[Shape] | None = None,
        density: float | None = None,
        mass: float | None = None,
        centre: ArrayLike | None = None,
        inertia: ArrayLike | None = None,
        contact: bool = True,
        layer: ElasticLayer | None = None,
        colour: str | None = None,
        material: str | Material | None = None,
        contact_properties: ContactProperties | None = None,
        fixed: bool = False,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Body:
        """Add a body: its shape gives picture, contact shape and, with a density or a mass, its inertia.

        ``surface`` (or several ``shapes``) in the body's frame; ``density`` kg/m³, or ``mass`` kg for a homogeneous
        solid, or ``mass``, ``centre`` (m) and ``inertia`` (kg m², about the centre; (3, 3) or its diagonal).
        ``layer``, ``material`` and ``contact_properties`` are those of shapes that have none of their own (see
        `Shape`); a material of the library also gives the density where no mass is given.
        ``position`` (m), ``rotation`` (3, 3), ``velocity`` (m/s, of the frame's origin) and ``angular_velocity``
        (rad/s), in world axes, are the start of a body that gets no joint; ``fixed``: it stays there, and needs no
        mass. A joint that you add later for this body replaces the start and ``fixed``.
        """
        checks.checked_name("body", name, [*self.bodies, *self.markers, WORLD])
        owner = f"body {name!r}"
        if surface is not None and shapes is not None:
            raise MultibodyError(f"{owner}: give surface or shapes, not both")
        if surface is not None:
            shapes = (Shape(surface, contact=contact, colour=colour),)
        if isinstance(shapes, Shape) or not all(isinstance(shape, Shape) for shape in shapes or ()):
            raise MultibodyError(f"{owner}: shapes is {shapes!r}; give a list of Shape(…)")
        own = {"layer": layer, "material": material, "contact_properties": contact_properties}
        shapes = tuple(_with_what_it_lacks(shape, own) for shape in shapes or ())
        known_density = None if material is None else _density_of(owner, material)
        if density is None and mass is None and inertia is None and not fixed:
            density = known_density
        body = make_body(name, shapes, density, mass, centre, inertia, fixed)
        at = checks.array(owner, "position", position, (3,), "m")
        R = checks.rotation(owner, "rotation", rotation)
        v = checks.array(owner, "velocity", velocity, (3,), "m/s")
        w = checks.array(owner, "angular_velocity", angular_velocity, (3,), "rad/s")
        identity = (np.eye(3), np.zeros(3))
        if fixed:
            start = Joint(name, JointKind.FIXED, WORLD, name, (R, at), identity, np.zeros(0), np.zeros(0), ())
        else:
            q, u = np.concatenate([at, to_quaternion(R)]), np.concatenate([v, w])
            start = Joint(name, JointKind.FREE, WORLD, name, identity, identity, q, u, ())
        self.bodies[name] = body
        self._free_starts[name] = start
        self._compiled = None
        return body

    def add_marker(
        self, name: str, body: str, position: ArrayLike = (0.0, 0.0, 0.0), rotation: ArrayLike | None = None
    ) -> Marker:
        """Add a named frame at ``position`` (m) on a body or the world; joints, loops and springs may name it.

        Wherever a body can be named, so can a marker: points and axes are then given in the marker's frame.
        """
        checks.checked_name("marker", name, [*self.bodies, *self.markers, WORLD])
        owner = f"marker {name!r}"
        checks.known("body", body, [WORLD, *self.bodies], owner)
        marker = Marker(
            name,
            body,
            checks.array(owner, "position", position, (3,), "m"),
            checks.rotation(owner, "rotation", rotation),
        )
        self.markers[name] = marker
        return marker

    def marker(self, name: str, owner: str = "system") -> Marker:
        """The marker of a name; of a body's name, or "world", the frame of the body itself."""
        if name in self.markers:
            return self.markers[name]
        checks.known("body or marker", name, [WORLD, *self.bodies, *self.markers], owner)
        return Marker(name, name, np.zeros(3), np.eye(3))

    def add_joint(
        self,
        name: str,
        kind: str | JointKind,
        parent: str,
        child: str,
        *,
        at: ArrayLike = (0.0, 0.0, 0.0),
        axis: ArrayLike = (0.0, 0.0, 1.0),
        second_axis: ArrayLike | None = None,
        rotation: ArrayLike | None = None,
        child_at: ArrayLike = (0.0, 0.0, 0.0),
        child_rotation: ArrayLike | None = None,
        coordinates: ArrayLike | None = None,
        speeds: ArrayLike | None = None,
        motion: Motion | Sequence[Motion] | None = None,
        rotor_inertia: float | str = 0.0,
    ) -> Joint:
        """Add the joint that carries ``child``; ``parent`` is a body or "world". Both may be named by a marker.

        ``at`` (m) and ``axis`` in the parent's frame: revolute, prismatic and cylindrical joints turn about or slide
        along the axis, it is the normal of a planar joint, and the first axis of a universal joint, whose second is
        ``second_axis``. ``rotation`` gives the joint's frame instead. ``child_at`` (m) and ``child_rotation``: where
        the joint sits on the child; its rotation is by default that in the parent's frame, so that the axes of both
        bodies are parallel where the coordinates are zero. ``coordinates``, ``speeds``: start values (see
        `Joint.variables`), quaternions as (w, x, y, z). ``motion``: prescribed, one for each coordinate.
        ``rotor_inertia`` of a revolute, prismatic or spherical joint: inertia that acts along the joint's own
        coordinate only, such as that of a rotor behind a gearbox times the square of the gear ratio (kg m², of a
        prismatic joint kg; MuJoCo's armature).
        """
        checks.checked_name("joint", name, self.joints)
        owner = f"joint {name!r}"
        if name in self.bodies and name != self.marker(child, owner).body:
            raise MultibodyError(
                f"{owner}: a body has this name, and a free body's joint has the body's; choose another"
            )
        on_parent, on_child = self.marker(parent, owner), self.marker(child, owner)
        parent, child = on_parent.body, on_child.body
        checks.known("body", child, self.bodies, owner)
        chosen = kind_of(owner, kind)
        self._refuse_second_parent(owner, parent, child)
        motions = _motions(owner, chosen, motion)
        if motions and (coordinates is not None or speeds is not None):
            raise MultibodyError(f"{owner}: its motion is prescribed; leave coordinates and speeds out")
        q, u = start_values(owner, chosen, coordinates, speeds)
        parent_rotation = marker_rotation(owner, chosen, axis, second_axis, rotation)
        own_rotation = (
            parent_rotation if child_rotation is None else checks.rotation(owner, "child_rotation", child_rotation)
        )
        joint = Joint(
            name,
            chosen,
            parent,
            child,
            _on_body(on_parent, parent_rotation, checks.array(owner, "at", at, (3,), "m")),
            _on_body(on_child, own_rotation, checks.array(owner, "child_at", child_at, (3,), "m")),
            q,
            u,
            motions,
            checked_rotor(owner, chosen, rotor_inertia),
        )
        self.joints[name] = joint
        self._compiled = None
        return joint

    def add_loop(
        self,
        name: str,
        kind: str,
        body_a: str,
        body_b: str,
        *,
        at_a: ArrayLike = (0.0, 0.0, 0.0),
        at_b: ArrayLike = (0.0, 0.0, 0.0),
        axis_a: ArrayLike = (0.0, 0.0, 1.0),
        axis_b: ArrayLike = (0.0, 0.0, 1.0),
        rotation_a: ArrayLike | None = None,
        rotation_b: ArrayLike | None = None,
        length: float | None = None,
    ) -> Loop:
        """Close a loop between two bodies of the tree by a joint of some kind, or by a rod ("distance").

        ``at_a``, ``at_b`` (m) and ``axis_a``, ``axis_b`` in the bodies' frames: the joint's axis on each body; the two
        axes of a universal joint, which are perpendicular. ``rotation_a``, ``rotation_b`` (3, 3): the joint's frames
        instead, where a prismatic or fixed joint holds bodies that are turned to each other. ``length`` (m) of the rod.
        """
        checks.checked_name("loop", name, [*self.loops, *self.couplers])
        owner = f"loop {name!r}"
        on_a, on_b = self.marker(body_a, owner), self.marker(body_b, owner)
        if on_a.body == on_b.body:
            raise MultibodyError(f"{owner}: both ends are on {on_a.body!r}")
        if kind not in LOOP_KINDS:
            raise MultibodyError(f"{owner}: kind is {kind!r}; allowed: {', '.join(LOOP_KINDS)}")
        if (kind == "distance") != (length is not None):
            raise MultibodyError(f"{owner}: give a length (m) for kind 'distance', and for no other")
        loop = Loop(
            name,
            kind,
            on_a.body,
            on_b.body,
            _on_body(on_a, _loop_frame(owner, "a", axis_a, rotation_a), checks.array(owner, "at_a", at_a, (3,), "m")),
            _on_body(on_b, _loop_frame(owner, "b", axis_b, rotation_b), checks.array(owner, "at_b", at_b, (3,), "m")),
            0.0 if length is None else checks.number(owner, "length", length, "m", positive=True),
        )
        self.loops[name] = loop
        self._compiled = None
        return loop

    def add_coupler(self, coupler: AnyCoupler) -> AnyCoupler:
        """Couple coordinates of joints by a `Gear`, `RackAndPinion`, `Screw` or `Coupler`; the joints must exist.

        Start positions and speeds that satisfy the coupler are kept; others are changed so that they do, as for closed
        loops.
        """
        if not isinstance(coupler, AnyCoupler):
            raise MultibodyError(
                f"add_coupler: {coupler!r} is no coupler; give a Gear, a RackAndPinion, a Screw or a Coupler"
            )
        checks.checked_name("coupler", coupler.name, [*self.couplers, *self.loops, *self.forces])
        coupler.coupled(self.joints)
        self.couplers[coupler.name] = coupler
        self._compiled = None
        return coupler

    def add_force(self, element: BuiltInForce | ForceElement) -> BuiltInForce | ForceElement:
        """Add a force element; its bodies or its joint must exist."""
        if not isinstance(element, BuiltInForce | ForceElement):
            raise MultibodyError(
                f"add_force: {element!r} is no force element; give a SpringDamper, JointSpring, EndStop, "
                f"SwingTwistStop, Motor, AppliedForce, JointEffort, JointFriction, Bushing or ForceElement"
            )
        checks.checked_name("force element", element.name, [*self.forces, *self.couplers])
        owner = f"force element {element.name!r}"
        if isinstance(element, SpringDamper | Bushing):
            a, b = (self.marker(body, owner).body for body in (element.body_a, element.body_b))
            if isinstance(element, Bushing) and a == b:
                raise MultibodyError(f"{owner}: both ends are on {a!r}; name two bodies")
        elif isinstance(element, AppliedForce):
            if self.marker(element.body, owner).body == WORLD:
                raise MultibodyError(
                    f"{owner}: {element.body!r} is the world or on it, which nothing moves; name a body"
                )
        elif not isinstance(element, ForceElement):
            self._check_coordinate(owner, element)
        self.forces[element.name] = element
        self._compiled = None
        return element

    def pair_materials(self, a: str | Material, b: str | Material, **options: Any) -> None:
        """Say how two materials touch each other: ``friction``, ``law`` or ``wear``, for all shapes made of them.

        ``friction`` of None: they do not rub. It comes before what `find_contacts` says for all pairs and before the
        contact properties of the bodies; what `add_contact` says of a pair comes before it. To be called before
        contacts are added.
        """
        owner = "pair_materials"
        names = frozenset(checked_material(owner, each) for each in (a, b))
        told = " and ".join(map(repr, sorted(names)))
        for option in options:
            if option not in MATERIAL_OPTIONS:
                raise MultibodyError(f"{owner}: unknown option {option!r}; allowed: {', '.join(MATERIAL_OPTIONS)}")
        if not options:
            raise MultibodyError(f"{owner}: nothing is said of {told}; give friction, law or wear")
        if names in self._contact_rules.material_pairs:
            raise MultibodyError(f"{owner}: {told} are paired already")
        if self.contacts:
            raise MultibodyError(f"{owner}: contacts were added before, and keep what they have; pair materials first")
        self._contact_rules.material_pairs[names] = dict(options)

    def add_contact(
        self, e: str, f: str, *, name: str | None = None, usual: Mapping[str, Any] | None = None, **options: Any
    ) -> tuple[Contact, ...]:
        """Let the contact shapes of two bodies touch. ``options`` as for `ContactPairing` (law, friction, base, …).

        What they do not say follows from the materials of the two shapes if `pair_materials` paired them, then from
        ``usual``, options that other contacts have too, and then from the shapes: points take law and friction of their
        contact properties, mixed. Areas take the stiffness of their layers, a shape without one being rigid, and the
        friction of their contact properties.
        """
        owner = f"contact {name or f'{e}–{f}'!r}"
        for body in (e, f):
            checks.known("body", body, self.bodies, owner)
            if not any(shape.contact for shape in self.bodies[body].shapes):
                raise MultibodyError(f"{owner}: body {body!r} has no contact shape; give it a surface")
        if e == f:
            raise MultibodyError(f"{owner}: a body does not touch itself")
        check_options(owner, options)
        taken = {frozenset((contact.e, contact.f)): contact.name for contact in self.contacts.values()}
        if frozenset((e, f)) in taken:
            raise MultibodyError(f"{owner}: {e!r} and {f!r} are a pair already: {taken[frozenset((e, f))]!r}")
        check_options(f"{owner}: usual", usual or {})
        made = contacts_between(self.bodies, e, f, name, options, ContactSource(self._contact_rules, usual or {}))
        for contact in made:
            checks.checked_name("contact", contact.name, self.contacts)
        self.contacts.update({contact.name: contact for contact in made})
        self._compiled = None
        return tuple(made)

    def find_contacts(
        self,
        *,
        among: Iterable[str] | None = None,
        exclude: Iterable[tuple[str, str]] = (),
        **options: Any,
    ) -> tuple[Contact, ...]:
        """Add a contact for each pair of bodies that no joint connects, that are not fixed to each other and have none.

        ``options`` are those of all these contacts; what they do not say follows from the bodies as `add_contact` has
        it, and pairs of materials come before them. ``among``: only these bodies; ``exclude``: pairs that get no
        contact. Memory of a pair is allocated when its two
        bodies first come near each other, so that many bodies need little memory.
        """
        names = list(self.bodies) if among is None else list(among)
        for name in names:
            checks.known("body", name, self.bodies, "find_contacts")
        left_out = {frozenset(pair) for pair in exclude}
        for pair in left_out:
            if len(pair) != 2:
                raise MultibodyError(f"find_contacts: exclude has {sorted(pair)}; give pairs of two bodies")
        for name in {name for pair in left_out for name in pair}:
            checks.known("body", name, self.bodies, "find_contacts: exclude")
        left_out |= {frozenset((contact.e, contact.f)) for contact in self.contacts.values()}
        left_out |= {frozenset((loop.body_a, loop.body_b)) for loop in self.loops.values() if loop.kind != "distance"}
        check_options("find_contacts", options)
        pairs = touching_candidates(self.bodies, self.tree_joints().values(), names, left_out)
        made: dict[str, Contact] = {}
        source = ContactSource(self._contact_rules, options)
        for e, f in pairs:
            for contact in contacts_between(self.bodies, e, f, None, {}, source):
                checks.checked_name("contact", contact.name, made)
                made[checks.checked_name("contact", contact.name, self.contacts)] = contact
        self.contacts.update(made)
        self._compiled = None
        return tuple(made.values())

    def compile(self) -> CompiledSystem:
        """Arrays for the kernels and the right-hand side; made once, and again after a change."""
        from polycontact.multibody.compiled import CompiledSystem

        if self._compiled is None:
            alike = copy.copy(self)  # not this one, which keeps it: a cycle would outlive both, with their surfaces
            self._compiled = CompiledSystem(alike)
        return self._compiled

    def _refuse_second_parent(self, owner: str, parent: str, child: str) -> None:
        for joint in self.joints.values():
            if joint.child == child:
                raise MultibodyError(
                    f"{owner}: body {child!r} is carried by joint {joint.name!r} already; close a loop with add_loop"
                )
        ancestor = parent
        carried = {joint.child: joint.parent for joint in self.joints.values()}
        while ancestor != child and ancestor in carried:
            ancestor = carried[ancestor]
        if ancestor == child:
            raise MultibodyError(
                f"{owner}: {parent!r} is carried by {child!r}: the joints would form a circle; close a loop with "
                f"add_loop"
            )

    def _check_coordinate(self, owner: str, element: BuiltInForce) -> None:
        assert not isinstance(element, SpringDamper | AppliedForce | Bushing)
        joint = self.joints[checks.known("joint", element.joint, self.joints, owner)]
        if isinstance(element, SwingTwistStop):
            if joint.kind is not JointKind.SPHERICAL:
                raise MultibodyError(
                    f"{owner}: joint {joint.name!r} is {joint.kind.value}; swing and twist belong to a spherical joint"
                )
            return
        if isinstance(element, JointFriction) and joint.kind is JointKind.SPHERICAL:
            element.check_ball_joint()
            return
        if joint.kind in (JointKind.FREE, JointKind.SPHERICAL):
            raise MultibodyError(
                f"{owner}: the rotation of joint {joint.name!r} ({joint.kind.value}) has no single coordinate; use "
                f"SwingTwistStop, SpringDamper or a ForceElement"
            )
        names = joint.variables.coordinates
        whole = isinstance(element.coordinate, Integral) and not isinstance(element.coordinate, bool)
        if not whole or not 0 <= element.coordinate < len(names):
            raise MultibodyError(
                f"{owner}: joint {joint.name!r} ({joint.kind.value}) has no coordinate {element.coordinate!r}; it has "
                f"{', '.join(f'{i}: {name}' for i, name in enumerate(names)) or 'none'}"
            )
        if isinstance(element, JointFriction):
            element.check_units(turns=unit_of(names[element.coordinate]) == "rad")


def _with_what_it_lacks(shape: Shape, own: Mapping[str, Any]) -> Shape:
    """A shape with what its body has and it has not itself."""
    lacks = {key: value for key, value in own.items() if value is not None and getattr(shape, key) is None}
    return replace(shape, **lacks) if lacks else shape


def _density_of(owner: str, material: str | Material) -> float | None:
    """Density (kg/m³) of a material, or of one in the library by name; None for another name."""
    name = checked_material(owner, material)
    known = material if isinstance(material, Material) else materials.get(name)
    return None if known is None else known.density


def _on_body(
    marker: Marker, rotation: NDArray[np.float64], point: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A frame given in a marker, in the frame of the marker's body."""
    return marker.rotation @ rotation, marker.position + marker.rotation @ point


def _loop_frame(owner: str, side: str, axis: ArrayLike, rotation: ArrayLike | None) -> NDArray[np.float64]:
    """Frame of a loop's joint on one body: as given, or with z along the axis."""
    if rotation is not None:
        return checks.rotation(owner, f"rotation_{side}", rotation)
    return frame_with_z(checks.unit_vector(owner, f"axis_{side}", axis))


def _motions(owner: str, kind: JointKind, motion: Motion | Sequence[Motion] | None) -> tuple[Motion, ...]:
    if motion is None:
        return ()
    motions = tuple(motion) if isinstance(motion, Sequence) else (motion,)
    if not all(isinstance(each, Motion) for each in motions):
        raise MultibodyError(f"{owner}: motion is {motion!r}; expected a motion such as Harmonic(…)")
    for each in motions:
        function_of_time(owner, "motion", each)
    if kind in (JointKind.FREE, JointKind.SPHERICAL, JointKind.FIXED):
        raise MultibodyError(
            f"{owner}: the motion of a {kind.value} joint cannot be prescribed; use revolute, prismatic, … joints"
        )
    names = VARIABLES[kind].coordinates
    if len(motions) != len(names):
        raise MultibodyError(
            f"{owner}: {len(motions)} motions for {len(names)} coordinates ({', '.join(names)}); give one for each"
        )
    return motions
