"""The container of a glTF file: the JSON and the bytes of its buffers.

A ``.glb`` file holds JSON and one buffer in binary chunks; a ``.gltf`` file is the JSON, with buffers as data
URIs or in files beside it. Nothing outside the folder of the file is opened, nothing is fetched.
"""

from __future__ import annotations

import base64
import binascii
import struct
from pathlib import Path
from urllib.parse import unquote_to_bytes

from polycontact.surfaces.reading.json_object import JsonObject, parse_json
from polycontact.surfaces.reading.source import MeshSource, read_regular_file, shown
from polycontact.tolerances import MAX_FILE_BYTES

MAGIC = b"glTF"
"""First bytes of a ``.glb`` file."""

_HEADER = struct.Struct("<4sII")
_CHUNK = struct.Struct("<I4s")


class GltfContainer:
    """The JSON of a glTF file and its buffers, which are loaded when they are first needed."""

    def __init__(self, source: MeshSource) -> None:
        self.source = source
        text, self._binary_chunk = _split_chunks(source) if source.data[:4] == MAGIC else (source.data, None)
        self.json: JsonObject = parse_json(source, text)
        self._buffers: dict[int, bytes] = {}
        self._loaded = 0

    def buffer(self, index: int) -> bytes:
        """Content of buffer ``index``, of at least the length that it announces."""
        if index not in self._buffers:
            self._buffers[index] = self._load(index)
        return self._buffers[index]

    def _load(self, index: int) -> bytes:
        entry = self.json.item("buffers", index)
        length = entry.integer("byteLength", least=1)
        if "uri" in entry:
            data = self._load_uri(entry)
        elif index == 0 and self._binary_chunk is not None:
            data = self._binary_chunk
        else:
            entry.refuse("uri", "a data URI or the name of a file beside this one")
        if length > len(data):
            self.source.fail(
                f"{entry.path('byteLength')} is {length}, but there are {len(data)} bytes; the buffer is "
                "truncated: "
                f"export the mesh again"
            )
        self._loaded += len(data)
        if self._loaded > MAX_FILE_BYTES:
            self.source.fail(f"its buffers have more than {MAX_FILE_BYTES} bytes; reduce the mesh or split it")
        return data

    def _load_uri(self, entry: JsonObject) -> bytes:
        uri = entry.string("uri")
        if uri[:5].lower() == "data:":
            return _decode_data_uri(entry, uri)
        path = self._sibling(entry, uri)
        label = f"{self.source.name}: {entry.path('uri')} {shown(uri)}"
        return read_regular_file(path, label, limit=MAX_FILE_BYTES - self._loaded)

    def _sibling(self, entry: JsonObject, uri: str) -> Path:
        """The file that a relative ``uri`` names, which has to be inside the folder of the glTF file."""
        name = unquote_to_bytes(uri).decode("utf-8", "surrogateescape")
        folder = self.source.path.parent.resolve()
        is_plain = name and not name.startswith("/") and not any(mark in name for mark in "\0:\\")
        path = _resolved(folder / name) if is_plain else None
        if path is None or not path.is_relative_to(folder):
            entry.refuse("uri", "the name of a file in the folder of this one (nothing else is opened)")
        return path


def _resolved(path: Path) -> Path | None:
    """``path`` with links followed; None where they run in a circle."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return None


def _decode_data_uri(entry: JsonObject, uri: str) -> bytes:
    head, comma, body = uri.partition(",")
    if not comma or not head.lower().endswith(";base64"):
        entry.refuse("uri", "a data URI in base64, 'data:application/octet-stream;base64,...'")
    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        entry.refuse("uri", "a data URI in valid base64")


def _split_chunks(source: MeshSource) -> tuple[bytes, bytes | None]:
    """JSON chunk and, where there is one, binary chunk of a ``.glb`` file."""
    data = source.data
    if len(data) < _HEADER.size + _CHUNK.size:
        source.fail(f"has {len(data)} bytes, too few for a glTF file; it is truncated: export it again")
    _, version, length = _HEADER.unpack_from(data)
    if version != 2:
        source.fail(f"has glTF version {version}; only version 2 can be read: export it as glTF 2.0")
    if length > len(data):
        source.fail(f"announces {length} bytes, but has {len(data)}; it is truncated: export it again")
    chunks: dict[bytes, bytes] = {}
    at = _HEADER.size
    for _ in range(2):  # further chunks belong to extensions
        if at + _CHUNK.size > length:
            break
        size, kind = _CHUNK.unpack_from(data, at)
        at += _CHUNK.size
        if at + size > length:
            source.fail(f"a chunk of {size} bytes begins at byte {at}, beyond the end {length}; export it again")
        chunks.setdefault(kind, data[at : at + size])
        at += size
    if b"JSON" not in chunks:
        source.fail("has no JSON chunk; the file is damaged: export it again")
    return chunks[b"JSON"], chunks.get(b"BIN\0")
