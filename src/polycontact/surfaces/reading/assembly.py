"""The parts of an assembly file: STEP, 3MF and glTF, each part with its name, its mesh and where it is placed."""

from __future__ import annotations

import os
import re
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.reading.cad_scene import PlacedParts
from polycontact.surfaces.reading.gltf import load_gltf
from polycontact.surfaces.reading.parts import Part, refuse_too_many_instances
from polycontact.surfaces.reading.raw_mesh import MeshFormat
from polycontact.surfaces.reading.sniffing import recognise
from polycontact.surfaces.reading.source import MeshSource, open_source
from polycontact.surfaces.reading.step_file import load_step
from polycontact.surfaces.reading.threemf import load_threemf

ASSEMBLY_FORMATS: Final = (MeshFormat.STEP, MeshFormat.THREEMF, MeshFormat.GLTF)
"""Formats whose files hold parts with names and places."""

RIGID: Final = 1e-5
"""A placement whose axes are off by less than this from unit vectors at right angles is a rotation: glTF holds numbers
of single precision, and chains of them lose a digit or two."""


class NamedPart(NamedTuple):
    """A placed part: number ``mesh`` of the meshes of the file, turned by ``rotation`` (3, 3), at ``position`` (m)."""

    name: str
    mesh: int
    rotation: NDArray[np.float64]
    position: NDArray[np.float64]


class AssemblyContent(NamedTuple):
    """What an assembly file holds: meshes in m, each once, the parts that are made of them, and what was done."""

    source: MeshSource
    meshes: list[Part]
    parts: list[NamedPart]
    notes: tuple[str, ...]


def read_assembly(path: str | os.PathLike[str]) -> AssemblyContent:
    """The parts of a STEP, 3MF or glTF file in m, sorted by their names; a `SurfaceError` for anything else."""
    source = open_source(path)
    found = recognise(source)
    if found not in ASSEMBLY_FORMATS:
        source.fail(
            f"{found.value} files hold one mesh, no parts with names and places; export the assembly as STEP, 3MF or "
            "glTF, or give each body its own mesh"
        )
    factor = 1.0
    if found is MeshFormat.THREEMF:
        placed, factor, note = load_threemf(source)
        notes: tuple[str, ...] = (note,)
    else:
        placed, notes = load_step(source) if found is MeshFormat.STEP else load_gltf(source)
    refuse_too_many_instances(source, len(placed.placements))
    if not placed.placements:
        source.fail("places no triangles; export the assembly again as solids or triangles")
    return _content(source, placed, factor, notes)


def _content(source: MeshSource, placed: PlacedParts, factor: float, notes: tuple[str, ...]) -> AssemblyContent:
    meshes = _Meshes(placed, factor)
    parts: list[NamedPart] = []
    taken: set[str] = set()
    for placement in sorted(placed.placements, key=lambda each: _in_natural_order(each.name)):
        matrix = placement.matrix
        if not np.isfinite(matrix).all() or abs(np.linalg.det(matrix[:3, :3])) == 0.0:
            source.fail(f"part {placement.name!r} is placed by a matrix that flattens it: {matrix[:3].tolist()}")
        rotation, stretch = _rotation_and_stretch(matrix[:3, :3])
        number = meshes.number(placement.part, stretch)
        parts.append(NamedPart(_unique(placement.name or "part", taken), number, rotation, factor * matrix[:3, 3]))
    return AssemblyContent(source, meshes.made, parts, notes)


class _Meshes:
    """Meshes in m, each once however often it is placed, or stands in the file."""

    def __init__(self, placed: PlacedParts, factor: float) -> None:
        self._placed = placed
        self._factor = factor
        self._numbers: dict[tuple[bytes, bytes], int] = {}
        self.made: list[Part] = []

    def number(self, part: int, stretch: NDArray[np.float64]) -> int:
        """The number of a part's mesh, which is stretched, and reversed where that mirrors it."""
        vertices, triangles = self._placed.parts[part]
        vertices = self._factor * (vertices if np.array_equal(stretch, np.eye(3)) else vertices @ stretch.T)
        if np.linalg.det(stretch) < 0.0:
            triangles = triangles[:, ::-1]
        key = (np.ascontiguousarray(vertices).tobytes(), np.ascontiguousarray(triangles).tobytes())
        if key not in self._numbers:
            self._numbers[key] = len(self.made)
            self.made.append(Part(vertices, triangles))
        return self._numbers[key]


def _rotation_and_stretch(matrix: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A = R S (polar decomposition) with a proper rotation R; S is the identity where A is a rotation to rounding."""
    U, sizes, V = np.linalg.svd(matrix)
    mirrored = np.linalg.det(U @ V) < 0.0
    rotation = -(U @ V) if mirrored else U @ V
    if not mirrored and np.abs(sizes - 1.0).max() < RIGID:
        return rotation, np.eye(3)
    return rotation, rotation.T @ matrix


def _unique(name: str, taken: set[str]) -> str:
    unique, k = name, 2
    while unique in taken:
        unique, k = f"{name} {k}", k + 1
    taken.add(unique)
    return unique


def _in_natural_order(name: str) -> tuple[tuple[int, int, str], ...]:
    """A key that puts "pin 2" before "pin 10"."""
    words = re.findall(r"\d{1,18}|\D+|\d+", name)
    return tuple((0, int(word), "") if word.isdecimal() and len(word) <= 18 else (1, 0, word) for word in words)
