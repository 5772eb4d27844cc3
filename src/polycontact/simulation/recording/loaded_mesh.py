"""The error of a contact's meshes at its greatest load, as a run keeps it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from polycontact.contact.mesh_error import MeshError


@dataclass(frozen=True)
class LoadedMesh:
    """The error of a contact's meshes at the sample of its greatest ``load`` (N), at ``time`` (s)."""

    time: float
    load: float
    error: MeshError

    def to_plain(self) -> dict[str, Any]:
        """Plain values for a file."""
        return {"time": self.time, "load": self.load, **asdict(self.error)}

    @classmethod
    def from_plain(cls, values: dict[str, Any]) -> LoadedMesh:
        """From the plain values of a file."""
        of_load = {name: values[name] for name in ("time", "load")}
        return cls(**of_load, error=MeshError(**{k: v for k, v in values.items() if k not in of_load}))
