"""Libraries that know the overlap of meshes, or a contact force from it; each is left out where it is not installed."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces import shapes
from polycontact.surfaces.save import save_surface
from polycontact.surfaces.surface import Surface
from polycontact.verification.placing import rotation

Turns = Sequence[NDArray[np.float64]]


class OverlapPeer(Protocol):
    """A peer that gives the vertical force, N, on a body over a plate whose top is the plane z = 0."""

    name: str
    package: str
    remedy: str

    def forces(
        self, mesh: Surface, plate: tuple[float, float, float], stiffness: float, turns: Turns, heights: Sequence[float]
    ) -> list[float]:
        """Forces, N, in each orientation (rotation vectors, rad) at its height (m); ``stiffness`` in N/m³."""


class ManifoldOverlap:
    """manifold3d: the exact overlap of the two meshes, times the stiffness."""

    name = "manifold3d overlap"
    package = "manifold3d"
    remedy = "manifold3d is not installed; the exact overlap of the meshes is left out ('pip install manifold3d')"

    def forces(
        self, mesh: Surface, plate: tuple[float, float, float], stiffness: float, turns: Turns, heights: Sequence[float]
    ) -> list[float]:
        """c times the volume of the intersection."""
        ground = _manifold(shapes.box(plate).transformed(position=(0.0, 0.0, -0.5 * plate[2])))
        found = []
        for turn, height in zip(turns, heights, strict=True):
            body = _manifold(mesh.transformed(rotation=rotation(turn), position=(0.0, 0.0, height)))
            found.append(stiffness * float((body ^ ground).volume()))
        return found


class DrakeHydroelastic:
    """Drake: a rigid mesh on a compliant half-space, whose pressure is linear in the depth, as a layer's."""

    name = "Drake hydroelastic"
    package = "pydrake"
    remedy = "pydrake is not installed; Drake's hydroelastic contact is left out ('pip install drake', Linux and macOS)"

    def forces(
        self, mesh: Surface, plate: tuple[float, float, float], stiffness: float, turns: Turns, heights: Sequence[float]
    ) -> list[float]:
        """Force of the hydroelastic contact surface."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "body.obj"
            save_surface(mesh, path)
            diagram, plant, body = _drake_plant(path, plate[2], stiffness)
            root = diagram.CreateDefaultContext()
            return [_drake_force(plant, root, body, *pose) for pose in zip(turns, heights, strict=True)]


PEERS: tuple[OverlapPeer, ...] = (ManifoldOverlap(), DrakeHydroelastic())


def available_peers() -> list[OverlapPeer]:
    """Peers that are installed."""
    return [peer for peer in PEERS if _is_installed(peer.package)]


def hints(peers: Sequence[OverlapPeer]) -> list[str]:
    """What to say of those that are not."""
    names = [peer.name for peer in peers]
    return [peer.remedy for peer in PEERS if peer.name not in names]


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def _manifold(surface: Surface) -> Any:
    import manifold3d

    mesh = manifold3d.Mesh64(
        np.array(surface.vertices, dtype=np.float64, order="C"), np.array(surface.triangles, dtype=np.uint64, order="C")
    )
    return manifold3d.Manifold(mesh)


def _drake_plant(path: Path, thickness: float, stiffness: float) -> tuple[Any, Any, Any]:
    """A plant with the rigid mesh and the half-space: its diagram, itself and the body."""
    from pydrake.geometry import (
        AddCompliantHydroelasticPropertiesForHalfSpace,
        AddContactMaterial,
        AddRigidHydroelasticProperties,
        HalfSpace,
        Mesh,
        ProximityProperties,
    )
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, ContactModel, CoulombFriction
    from pydrake.multibody.tree import SpatialInertia, UnitInertia
    from pydrake.systems.framework import DiagramBuilder

    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, time_step=0.0)
    plant.set_contact_model(ContactModel.kHydroelastic)
    rigid, soft = ProximityProperties(), ProximityProperties()
    AddRigidHydroelasticProperties(rigid)
    AddCompliantHydroelasticPropertiesForHalfSpace(thickness, stiffness * thickness, soft)
    for properties in (rigid, soft):
        AddContactMaterial(dissipation=0.0, friction=CoulombFriction(0.0, 0.0), properties=properties)
    body = plant.AddRigidBody("body", SpatialInertia(1.0, np.zeros(3), UnitInertia.SolidSphere(1.0)))
    plant.RegisterCollisionGeometry(body, RigidTransform(), Mesh(str(path)), "mesh", rigid)
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "ground", soft)
    plant.Finalize()
    return builder.Build(), plant, body


def _drake_force(plant: Any, root: Any, body: Any, turn: NDArray[np.float64], height: float) -> float:
    """Vertical force of all contact surfaces, N."""
    from pydrake.math import RigidTransform, RotationMatrix

    context = plant.GetMyMutableContextFromRoot(root)
    plant.SetFreeBodyPose(context, body, RigidTransform(RotationMatrix(rotation(turn)), [0.0, 0.0, height]))
    results = plant.get_contact_results_output_port().Eval(context)
    forces = [results.hydroelastic_contact_info(k).F_Ac_W() for k in range(results.num_hydroelastic_contacts())]
    return abs(sum(float(force.translational()[2]) for force in forces))
