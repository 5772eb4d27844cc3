"""Formats that are not read: what a file is, and as what to export it instead."""

from __future__ import annotations

import re
from typing import Final

_STEP: Final = "export it from there as STEP (AP214 or AP242), or as STL, OBJ or 3MF"
_OPEN: Final = "convert it to glTF, OBJ, PLY or STL"

_PROGRAMS: Final = {
    ".sldprt": "SolidWorks",
    ".sldasm": "SolidWorks",
    ".prt": "Creo or NX",
    ".asm": "Creo",
    ".ipt": "Inventor",
    ".iam": "Inventor",
    ".catpart": "CATIA",
    ".catproduct": "CATIA",
    ".par": "Solid Edge",
    ".f3d": "Fusion",
    ".fcstd": "FreeCAD",
    ".3dm": "Rhino",
    ".skp": "SketchUp",
    ".dwg": "AutoCAD",
    ".blend": "Blender",
    ".scad": "OpenSCAD",
}
"""Programs by the endings of their own files."""

_KERNELS: Final = {
    ".x_t": "Parasolid",
    ".x_b": "Parasolid",
    ".sat": "ACIS",
    ".sab": "ACIS",
    ".jt": "JT",
    ".brep": "OpenCASCADE",
}
"""Formats of exact geometry for which no reader is at hand."""

_MESHES: Final = {
    ".dae": "COLLADA",
    ".fbx": "FBX",
    ".usd": "USD",
    ".usda": "USD",
    ".usdz": "USD",
    ".wrl": "VRML",
    ".x3d": "X3D",
    ".amf": "AMF",
    ".vtk": "VTK",
    ".vtp": "VTK",
    ".msh": "a mesh of Gmsh, Fluent or MuJoCo",
    ".nas": "Nastran",
    ".bdf": "Nastran",
    ".inp": "Abaqus",
}
"""Other formats of meshes."""

_IGES: Final = re.compile(rb"[^\r\n]{72}S[ 0]{6}1[ ]*\r?\n")
_IGES_TOLD: Final = (
    "this is an IGES file: it holds trimmed surfaces, mostly without the solids between them, and is not read; open it "
    "in a CAD program and export it as STEP (AP214 or AP242), or as STL, OBJ or 3MF"
)


def what_to_do(extension: str, data: bytes) -> str:
    """What a file is that is not read, and what to export instead; empty where nobody here knows it."""
    if extension in (".igs", ".iges") or _IGES.match(data[:256]):
        return _IGES_TOLD
    if extension in _PROGRAMS:
        return f"this is a file of {_PROGRAMS[extension]}'s own, which only that program reads; {_STEP}"
    if extension in _KERNELS:
        return f"{_KERNELS[extension]} geometry is not read; open it in a CAD program, and {_STEP}"
    if extension in _MESHES:
        return f"{_MESHES[extension]} is not read; {_OPEN}, with a mesh program such as MeshLab or Blender"
    return ""
