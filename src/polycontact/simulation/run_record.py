"""What a run's file says of its system: bodies with meshes, joints, pairings with their descriptions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.kinds import to_plain
from polycontact.multibody.built_in_forces import AppliedForce, BuiltInForce, Motor, SpringDamper, SwingTwistStop
from polycontact.multibody.bushing import Bushing
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.force_setup import in_kernel_order, n_friction_speeds
from polycontact.multibody.friction_in_joints import JointFriction
from polycontact.multibody.joint_couplers import CoupledCoordinate
from polycontact.multibody.rigid_bodies import Shape
from polycontact.simulation.ledger import COLUMNS
from polycontact.simulation.map_keeping import mapped_shapes
from polycontact.simulation.recording.records import (
    Axes,
    BodyRecord,
    ForceRecord,
    JointRecord,
    LoopRecord,
    MarkerRecord,
    PairingRecord,
    RunDescription,
    ShapeRecord,
)
from polycontact.simulation.recording.sample_quantities import effort_unit
from polycontact.simulation.run_options import RunOptions
from polycontact.surfaces.surface import Surface


def describe(compiled: CompiledSystem, options: RunOptions) -> RunDescription:
    """The description of a run of a compiled system. Bodies and joints stand in the order of the kernels."""
    system, remembering = compiled.system, compiled.setup.remembering
    distinct = {id(each.description): each.description for each in compiled.contacts}
    plain = {number: description.to_plain() for number, description in distinct.items()}
    driven = driven_joints(compiled)
    joints = tuple(
        JointRecord(
            joint.name,
            joint.kind.value,
            joint.parent,
            joint.child,
            joint.variables.coordinates,
            joint.variables.speeds,
            _axes(joint.parent_marker[0]),
            tuple(joint.child_marker[1].tolist()),
            joint.name in driven,
        )
        for joint in compiled.setup.joints
    )
    return RunDescription(
        name=system.name,
        bodies=body_records(compiled),
        joints=joints,
        pairings=tuple(
            PairingRecord(each.name, each.e, each.f, each.shape_e, each.shape_f, plain[id(each.description)])
            for each in compiled.contacts
        ),
        state_names=compiled.state_names,
        settings=options.to_plain() | {"gravity": system.gravity.tolist()},
        scenario=options.scenario,
        scenario_folder=options.scenario_folder,
        energies=COLUMNS,
        remembered_width=max((max(compiled.contacts[i].description.memory_widths) for i in remembering), default=0),
        loops=tuple(
            LoopRecord(
                loop.name,
                loop.kind,
                loop.body_a,
                loop.body_b,
                _axes(loop.marker_a[0]),
                tuple(loop.marker_b[1].tolist()),
            )
            for loop in system.loops.values()
        ),
        forces=force_records(compiled),
        reactions=bool(options.reactions),
        maps=mapped_shapes(compiled) if options.maps else (),
    )


def body_records(compiled: CompiledSystem) -> tuple[BodyRecord, ...]:
    """The bodies of a system with their shapes, in the order of the kernels."""
    return tuple(_body(compiled, joint.child) for joint in compiled.setup.joints)


def driven_joints(compiled: CompiledSystem) -> frozenset[str]:
    """Names of the joints that a prescribed motion or a motor drives."""
    motors = {each.joint for each in compiled.system.forces.values() if isinstance(each, Motor)}
    return frozenset(motors | {joint.name for joint in compiled.setup.joints if joint.motions})


def force_records(compiled: CompiledSystem) -> tuple[ForceRecord, ...]:
    """The built-in force elements and couplers, in the order of the kernels."""
    return (
        *(_force(compiled, each) for each in in_kernel_order(compiled.system)),
        *(_coupler(compiled, name, terms) for name, terms in compiled.setup.couplers.items()),
    )


def _axes(rotation: NDArray[np.float64]) -> Axes:
    return tuple(tuple(row) for row in rotation.tolist())


def _force(compiled: CompiledSystem, element: BuiltInForce) -> ForceRecord:
    """What the numbers of a force element are: along a line, a coordinate, three axes or six."""
    kind = type(element).__name__
    if isinstance(element, SpringDamper):
        return ForceRecord(element.name, kind, ("tension",), "N")
    is_ball = isinstance(element, JointFriction) and n_friction_speeds(compiled.system, element) == 3
    if isinstance(element, SwingTwistStop) or is_ball:
        return ForceRecord(element.name, kind, ("torque x", "torque y", "torque z"), "N m")
    if isinstance(element, AppliedForce | Bushing):
        return ForceRecord(
            element.name, kind, tuple(f"{what} {k}" for what in ("force", "torque") for k in "xyz"), "N, N m"
        )
    speed = compiled.system.joints[element.joint].variables.speeds[element.coordinate]
    return ForceRecord(element.name, kind, ("effort",), effort_unit(speed))


def _coupler(compiled: CompiledSystem, name: str, terms: tuple[CoupledCoordinate, ...]) -> ForceRecord:
    """The numbers of a coupler: an effort along the coordinate of each of its terms."""
    joints = compiled.system.joints
    numbers, units = [], []
    for each in terms:
        variables = joints[each.joint].variables
        word = f" {variables.coordinates[each.coordinate]}" if len(variables.coordinates) > 1 else ""
        numbers.append(f"effort {each.joint}{word}")
        units.append(effort_unit(variables.speeds[each.coordinate]))
    return ForceRecord(name, type(compiled.system.couplers[name]).__name__, tuple(numbers), ", ".join(units))


def _body(compiled: CompiledSystem, name: str) -> BodyRecord:
    body = compiled.system.bodies[name]
    shapes = tuple(_shape(shape) for shape in body.shapes)
    markers = tuple(
        MarkerRecord(marker.name, marker.position, marker.rotation)
        for marker in compiled.system.markers.values()
        if marker.body == name
    )
    return BodyRecord(name, body.mass, body.centre, body.inertia, shapes, markers)


def _shape(shape: Shape) -> ShapeRecord:
    picture = shape.surface.picture
    return ShapeRecord(
        shape.surface.name,
        picture.vertices,
        picture.triangles,
        np.asarray(shape.position),
        np.asarray(shape.rotation),
        shape.contact,
        shape.colour,
        None if isinstance(shape.surface, Surface) else to_plain(shape.surface),
    )
