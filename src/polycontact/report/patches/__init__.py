"""Contact patches of a recorded run as meshes: what pictures colour and what other programs read."""

from __future__ import annotations

from polycontact.report.patches.mesh import PatchMesh
from polycontact.report.patches.run import RunPatches

__all__ = ["PatchMesh", "RunPatches"]
