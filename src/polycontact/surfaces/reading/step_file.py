"""STEP (ISO 10303-21): OpenCASCADE, through the package cascadio, makes triangles of its solids, in metres.

A STEP file holds exact geometry, no mesh. cascadio is what trimesh itself uses for it, with binary glTF in between.
OpenCASCADE is compiled code that some damaged files end by a memory fault, and it prints as it goes: it runs in a
process of its own, with a time limit.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from multiprocessing.spawn import get_executable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from polycontact.surfaces.reading.cad_extra import require_cad_packages
from polycontact.surfaces.reading.cad_scene import PlacedParts, without_collapsed
from polycontact.surfaces.reading.gltf import load_gltf
from polycontact.surfaces.reading.limits import MAX_STEP_BYTES, MAX_STEP_SECONDS
from polycontact.surfaces.reading.parts import place_parts
from polycontact.surfaces.reading.raw_mesh import MeshFormat, RawMesh
from polycontact.surfaces.reading.source import MeshSource, read_regular_file, shown
from polycontact.tolerances import MAX_FILE_BYTES

MARK = b"ISO-10303-21"
"""What a STEP file begins with."""

CHORD_ERROR: Final = 0.001
"""Distance between a curve and its chord, in sizes of the edge as OpenCASCADE takes them. Relative, so that the number
of triangles does not grow with the size of a part: a full circle gets 60 to 100 sides, off by a thousandth of its
radius."""

ANGLE_ERROR: Final = 0.2
"""Largest angle between neighbouring chords, rad: 11°, so that small fillets stay round."""

_PROGRAM = """
import sys
sys.modules["trimesh"] = None
import cascadio
cascadio.step_to_glb(sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]), True)
"""
"""What the process runs. cascadio can do without trimesh, whose import takes longer than most files."""
_COLOUR = re.compile(r"\x1b\[[\d;]*m")


def read_step(source: MeshSource) -> RawMesh:
    """Triangles of all solids and faces of a STEP file, assemblies placed, in m whatever the unit of the file."""
    placed, notes = load_step(source)
    vertices, triangles = place_parts(source, placed.parts, placed.placements)
    return RawMesh(vertices, triangles, source.path, MeshFormat.STEP, unit=1.0, notes=notes)


def load_step(source: MeshSource) -> tuple[PlacedParts, tuple[str, ...]]:
    """Parts of a STEP file with their placements, in m, and what was done."""
    require_cad_packages(source, MeshFormat.STEP)
    if len(source.data) > MAX_STEP_BYTES:
        source.fail(f"the file has {len(source.data)} bytes, the limit for STEP is {MAX_STEP_BYTES}; export it as STL")
    if not source.data.lstrip().startswith(MARK):
        source.fail(f"does not begin with {MARK.decode()} as STEP files do; it is damaged or no STEP: export it again")
    placed, notes = load_gltf(MeshSource(source.path, tessellate(source)))
    placed, n_collapsed = without_collapsed(placed)
    done = ["triangles made of its exact geometry, 60 to 100 sides for a full circle", *notes]
    if n_collapsed:
        done.append(f"{n_collapsed} triangles without area, at poles of surfaces, left out")
    return placed, tuple(done)


def tessellate(source: MeshSource) -> bytes:
    """A STEP file as binary glTF, in m."""
    with TemporaryDirectory(prefix="polycontact-") as folder:
        step, glb = Path(folder, "part.step"), Path(folder, "part.glb")
        step.write_bytes(source.data)
        command = [get_executable(), "-P", "-c", _PROGRAM, str(step), str(glb), str(CHORD_ERROR), str(ANGLE_ERROR)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        try:
            done = subprocess.run(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=MAX_STEP_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            source.fail(
                f"making triangles of it takes more than {MAX_STEP_SECONDS} s; simplify the part or export it as STL"
            )
        except (OSError, TypeError) as error:  # a program that embeds Python may have none to start
            raise source.error(
                f"OpenCASCADE runs in a Python process of its own, and {shown(command[0])} cannot be started: {error}; "
                "convert the file to STL"
            ) from error
        if done.returncode != 0 or not glb.exists():
            source.fail(
                f"OpenCASCADE cannot read it as step{_reason(done)}; the file is damaged or holds no solids: "
                "export it again, or as STL"
            )
        return read_regular_file(glb, f"{source.name}: its triangles", limit=MAX_FILE_BYTES)


def _reason(done: subprocess.CompletedProcess[bytes]) -> str:
    """What the process said last about errors, with a colon in front; nothing where it said nothing."""
    lines = _COLOUR.sub("", done.stdout.decode("utf-8", "replace")).splitlines()
    said = [line.strip(" *") for line in lines if "ERR" in line or "Error" in line]
    if said:
        return f": {shown(said[0])}"
    return f": it ended with status {done.returncode}" if done.returncode else ""
