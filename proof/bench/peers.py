"""Peers: collision libraries that find all intersecting pairs of triangles; they yield no force."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from polycontact.surfaces.surface import Surface
from proof.bench.pose_families import Pose

MAX_CONTACTS = 2**31 - 1
"""As good as unlimited."""

PEER_NAMES = ("coal", "python-fcl")


class Peer(Protocol):
    """Two surfaces as a peer's models."""

    def prepare(self, pose: Pose) -> Callable[[], int]:
        """The query at a pose, its transforms made beforehand; it returns the number of contacts."""


class CoalPeer:
    """coal: all contacts of two ``BVHModelOBBRSS``."""

    def __init__(self, e: Surface, f: Surface) -> None:
        import coal

        self._coal = coal
        self._models = self._model(e), self._model(f)
        self._request = coal.CollisionRequest()
        self._request.enable_contact = True
        self._request.num_max_contacts = MAX_CONTACTS
        self._home = coal.Transform3s.Identity()

    def prepare(self, pose: Pose) -> Callable[[], int]:
        """A function that makes coal's collision query at the pose and returns its number of contacts."""
        coal = self._coal
        placed = coal.Transform3s(pose.rotation, pose.position)
        result = coal.CollisionResult()
        e, f = self._models
        request, home, collide = self._request, self._home, coal.collide
        return lambda: int(collide(e, home, f, placed, request, result))

    def _model(self, surface: Surface) -> Any:
        model = self._coal.BVHModelOBBRSS()
        model.beginModel(surface.n_triangles, len(surface.vertices))
        model.addVertices(surface.vertices)
        model.addTriangles(surface.triangles.astype(np.int64))
        model.endModel()
        return model


class FclPeer:
    """python-fcl: all contacts of two ``BVHModel``; each contact becomes a Python object."""

    def __init__(self, e: Surface, f: Surface) -> None:
        import fcl

        self._fcl = fcl
        self._models = self._model(e), self._model(f)
        self._request = fcl.CollisionRequest(num_max_contacts=MAX_CONTACTS, enable_contact=True)

    def prepare(self, pose: Pose) -> Callable[[], int]:
        """A function that makes FCL's collision query at the pose and returns its number of contacts."""
        fcl = self._fcl
        e = fcl.CollisionObject(self._models[0], fcl.Transform())
        f = fcl.CollisionObject(self._models[1], fcl.Transform(pose.rotation, pose.position))
        result = fcl.CollisionResult()
        request, collide = self._request, fcl.collide
        return lambda: int(collide(e, f, request, result))

    def _model(self, surface: Surface) -> Any:
        model = self._fcl.BVHModel()
        model.beginModel(len(surface.vertices), surface.n_triangles)
        model.addSubModel(surface.vertices, surface.triangles)
        model.endModel()
        return model


def load_peers(e: Surface, f: Surface) -> dict[str, Peer]:
    """The peers that are installed, with models of both surfaces."""
    peers: dict[str, Peer] = {}
    builders: tuple[Callable[[Surface, Surface], Peer], ...] = (CoalPeer, FclPeer)
    for name, build in zip(PEER_NAMES, builders, strict=True):
        try:
            peers[name] = build(e, f)
        except ImportError:
            continue
    return peers
