"""Endings of files that may hold assemblies; apart from their reader, so that to know them costs nothing."""

from typing import Final

ASSEMBLY_SUFFIXES: Final = (".step", ".stp", ".3mf", ".gltf", ".glb")
