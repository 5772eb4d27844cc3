"""Bounds on what a mesh file may ask for, each with its reason.

A hostile or damaged file can announce far more than it holds. Every reader compares with these, and with the
size of the file, before it allocates. The size of a file and the number of triangles are bounded by
`polycontact.tolerances`.
"""

from __future__ import annotations

from typing import Final

from polycontact.tolerances import MAX_TRIANGLES

MAX_VERTICES: Final = 3 * MAX_TRIANGLES
"""Three vertices of its own for each triangle, as in STL; more can only be unused ones."""

MAX_POLYGON_CORNERS: Final = 10_000
"""Ear clipping takes quadratic time; the cap of a finely turned part has some thousand corners."""

MAX_CLIPPING_WORK: Final = 4_000_000_000
"""Sum of (corners)² over the concave polygons of one file: a minute or so of ear clipping."""

MAX_LINES: Final = 150_000_000
"""Lines of a text file: with less than 14 bytes a line, a file of the largest size is no mesh."""

MAX_HEADER_BYTES: Final = 1 << 20
"""A PLY header is some hundred bytes; its end is looked for no further than this."""

MAX_JSON_VALUES: Final = 5_000_000
"""Values in the JSON of a glTF file (the geometry is not among them): Python needs 100 bytes for each."""

MAX_ACCESSOR_ITEMS: Final = 4 * MAX_VERTICES
"""Values in all accessors of a glTF file together: positions, normals, texture coordinates and indices."""

MAX_ZIP_ENTRIES: Final = 100_000
"""Entries of a 3MF package, each of which costs some hundred bytes to list."""

MAX_UNZIPPED_BYTES: Final = 256 << 20
"""Total decompressed size of a 3MF package: trimesh needs 18 bytes of memory for each byte of XML, which is some 90
for a triangle."""

MAX_ZIP_RATIO: Final = 200
"""Decompressed over compressed size of a part of a 3MF package. XML of a mesh reaches 5 to 20, a zip bomb 1000."""

MIN_BOMB_BYTES: Final = 1 << 20
"""Below this decompressed size the ratio does not matter."""

MAX_XML_TOKEN: Final = 4 << 20
"""Bytes of one XML tag or comment: the parser scans an unfinished one again with every chunk."""

MAX_OBJECTS: Final = 100_000
"""Objects of a 3MF model."""

MAX_INSTANCES: Final = 10_000
"""Placed copies of parts (glTF nodes, 3MF components): trimesh takes 18 s for so many of 3MF, four times as long for
twice as many."""

MAX_NESTING: Final = 64
"""Depth of 3MF components inside components."""

MAX_NODE_NESTING: Final = 256
"""Depth of nodes inside nodes of glTF: trimesh takes a time that grows with its square. Skeletons have some fifty."""

MAX_STEP_BYTES: Final = 256 << 20
"""A STEP file is text of exact geometry: one of this size is a whole machine of some hundred thousand faces."""

MAX_STEP_SECONDS: Final = 300
"""Time for making triangles of a STEP file, start of the process included; single parts take seconds."""
