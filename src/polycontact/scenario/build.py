"""From a `Scenario` to a `MultibodySystem`: bodies, robots, assemblies, joints, loops, couplers, forces and contacts,
in this order.

What only the parts themselves can find (a mesh with cracks, a torus thicker than wide) is collected like the mistakes
of the file and told with the same key paths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from polycontact.errors import PolycontactError
from polycontact.multibody import rigid_bodies
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.scenario.contact_parts import contact_options, has_contact
from polycontact.scenario.doubtful_sizes import ask_about_sizes
from polycontact.scenario.file_problems import Location, Problem, refuse
from polycontact.scenario.schema.body_keys import Body, Material
from polycontact.scenario.schema.contact_keys import Contact
from polycontact.scenario.schema.joint_keys import Joint
from polycontact.scenario.schema.shape_keys import Shape
from polycontact.scenario.shape_surfaces import GeometryStore, mass_of, rotation_of
from polycontact.scenario.surface_data import SurfaceDataStore

if TYPE_CHECKING:
    from polycontact.scenario.parsing import Scenario


def build_system(scenario: Scenario, store: GeometryStore | None = None) -> MultibodySystem:
    """The multibody system of ``scenario``, new each time. Raises a `ScenarioError` with all that went wrong.

    ``store``: geometries that were made before, for scenarios that have most of their shapes in common.
    """
    model = scenario.model
    simple_response = None if model.contact is None else model.contact.simple_response
    system = MultibodySystem(name=model.scenario.name, gravity=model.gravity, simple_response=simple_response)
    report = _Report(scenario)
    data = SurfaceDataStore(model.materials)
    store = GeometryStore(scenario.folder) if store is None else store
    for i, body in enumerate(model.bodies):
        with report.at("bodies", i):
            _add_body(system, body, model.materials, store, data)
    report.refuse_if_any()
    ask_about_sizes(model, system)
    kept_apart = _add_robots(system, scenario, report, data) if model.robots else []
    if model.assemblies:
        _add_assemblies(system, scenario, report, data)
    for i, marker in enumerate(model.markers):
        with report.at("markers", i):
            system.add_marker(marker.name, marker.body, marker.position, rotation_of(marker.orientation))
    for i, joint in enumerate(model.joints):
        with report.at("joints", i):
            _add_joint(system, joint)
    report.refuse_if_any()
    for i, loop in enumerate(model.loops):
        with report.at("loops", i):
            system.add_loop(**loop.model_dump(exclude_none=True))
    for i, coupler in enumerate(model.couplers):
        with report.at("couplers", i):
            system.add_coupler(coupler.build())
    for i, force in enumerate(model.forces):
        with report.at("forces", i):
            system.add_force(force.build())
    if model.contact is not None:
        _add_contacts(system, model.contact, report, kept_apart)
    report.refuse_if_any()
    return system


class _Report:
    """Collects what goes wrong while building."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._problems: list[Problem] = []

    @contextmanager
    def at(self, *location: str | int) -> Iterator[None]:
        """Errors within belong to ``location``."""
        where: Location = location
        try:
            yield
        except PolycontactError as error:
            self._problems.append(Problem(where, str(error)))

    def refuse_if_any(self) -> None:
        """Raise one error for all that was collected."""
        if self._problems:
            content = self._scenario.model.model_dump(mode="json", exclude_unset=True)
            raise refuse(self._scenario.file, content, self._problems)


def _add_robots(
    system: MultibodySystem, scenario: Scenario, report: _Report, data: SurfaceDataStore
) -> list[tuple[str, str]]:
    """Add the robots of the scenario; returns the pairs of bodies that they keep apart."""
    from polycontact.scenario.robot_building import add_robot

    kept_apart: list[tuple[str, str]] = []
    for i, robot in enumerate(scenario.model.robots):
        with report.at("robots", i):
            kept_apart += add_robot(system, robot, scenario.folder, data.of_material(robot.material))
    report.refuse_if_any()
    return kept_apart


def _add_assemblies(system: MultibodySystem, scenario: Scenario, report: _Report, data: SurfaceDataStore) -> None:
    from polycontact.scenario.assembly_building import add_assembly_table

    materials = scenario.model.materials
    for i, assembly in enumerate(scenario.model.assemblies):
        with report.at("assemblies", i):
            add_assembly_table(system, assembly, scenario.folder, materials, data)
    report.refuse_if_any()


def _add_body(
    system: MultibodySystem, body: Body, materials: dict[str, Material], store: GeometryStore, data: SurfaceDataStore
) -> None:
    mass = centre = inertia = None
    if not body.fixed:
        mass, centre, inertia = mass_of(body, materials, store)
    system.add_body(
        body.name,
        shapes=[_shape(each, body, store, data) for each in body.all_shapes],
        mass=mass,
        centre=centre,
        inertia=inertia,
        fixed=body.fixed,
        position=body.position,
        rotation=rotation_of(body.orientation),
        velocity=body.velocity,
        angular_velocity=body.angular_velocity,
    )


def _shape(shape: Shape, body: Body, store: GeometryStore, data: SurfaceDataStore) -> rigid_bodies.Shape:
    return rigid_bodies.Shape(
        surface=store.geometry(shape),
        position=np.array(shape.position),
        rotation=rotation_of(shape.orientation),
        contact=body.contact if shape.contact is None else shape.contact,
        colour=shape.colour or body.colour,
        **data.of_shape(shape, body).options(),
    )


def _add_joint(system: MultibodySystem, joint: Joint) -> None:
    options: dict[str, Any] = {}
    if joint.orientation is not None:
        options["rotation"] = joint.orientation.rotation()
    else:
        options["axis"] = joint.axis
    if joint.child_orientation is not None:
        options["child_rotation"] = joint.child_orientation.rotation()
    if joint.motion is not None:
        options["motion"] = joint.motion.build()
    elif joint.motions:
        options["motion"] = tuple(each.build() for each in joint.motions)
    for key in ("second_axis", "coordinates", "speeds"):
        if getattr(joint, key) is not None:
            options[key] = getattr(joint, key)
    options["rotor_inertia"] = joint.rotor_inertia
    system.add_joint(joint.name, joint.kind, joint.parent, joint.child, at=joint.at, child_at=joint.child_at, **options)


def _add_contacts(system: MultibodySystem, contact: Contact, report: _Report, apart: Sequence[tuple[str, str]]) -> None:
    """Listed pairs first; then, if asked for, all others that may touch, but those that robots keep ``apart``.

    "none" leaves pairs without any force.
    """
    for i, materials in enumerate(contact.material_pairs):
        with report.at("contact", "material_pairs", i):
            system.pair_materials(*materials.materials, **contact_options(contact, materials))
    report.refuse_if_any()
    for i, pair in enumerate(contact.pairs):
        with report.at("contact", "pairs", i):
            if has_contact(contact, pair):
                said = contact_options(contact, pair)
                usual = contact_options(contact, without=said)  # keys of [contact] may be meant for pairs alone
                system.add_contact(*pair.bodies, name=pair.name, usual=usual, **said)
    if contact.automatic and has_contact(contact):
        with report.at("contact", "automatic"):
            kept_apart = [*apart, *contact.exclude, *(pair.bodies for pair in contact.pairs)]
            system.find_contacts(exclude=kept_apart, **contact_options(contact))
