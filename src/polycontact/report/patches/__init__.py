"""Contact patches of a recorded run as meshes: what pictures colour and what other programs read."""

from __future__ import annotations

from polycontact.report.patches.patch_mesh import PatchMesh
from polycontact.report.patches.recorded_patches import RunPatches

__all__ = ["PatchMesh", "RunPatches"]
