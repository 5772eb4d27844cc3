"""A scene as bytes for the page: numbers in few bits, compressed, as text that HTML can hold.

Layout: length of a JSON text (uint32), the text, padding, arrays one after the other, each at a multiple of 8 bytes.
In the JSON an array stands as {"at", "n", "type"}. Everything on a body is relative to the middle of the body's mesh,
and all positions to the middle of the scene, so that 32-bit floats do; moving patches have 16 bits for each coordinate,
1/65,000 of the body. All of it is little-endian, as every browser's machine is.
"""

from __future__ import annotations

import base64
import gzip
import json
import struct
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.report.view.display_units import AREA, DEPTH, FORCE, PRESSURE, Quantity
from polycontact.report.view.shading import shade
from polycontact.report.view.viewer_colours import scale_table
from polycontact.report.view.viewer_scene import IN_WORLD, ContactMark, Item, Part, Scene, SceneBody, SceneFrame

_TYPES = {"f4": "f32", "u4": "u32", "i2": "i16", "u2": "u16", "i1": "i8", "u1": "u8"}


def pack(scene: Scene) -> str:
    """The scene as base64 text."""
    store = _Store()
    frames = _BodyFrames(scene)
    content = {
        "kind": scene.kind.value,
        "title": scene.title,
        "subtitle": scene.subtitle,
        "facts": scene.facts,
        "notes": scene.notes,
        "scale": store.add(scale_table(), "u1"),
        "bodies": [
            {
                "name": body.name,
                "colour": body.colour,
                "origin": _plain(-frames.middle[i]),
                "centre": None if body.centre is None else _plain(body.centre - frames.middle[i]),
                "half": float(frames.half[i]),
                "markers": _markers(body, frames.middle[i]),
                "note": body.note,
                "fixed": body.is_fixed,
            }
            for i, body in enumerate(scene.bodies)
        ],
        "parts": [_part(part, frames, store) for part in scene.parts],
        "origin": _plain(frames.origin),
        "times": [round(float(t), 9) for t in scene.times],
        "speed": scene.speed,
        "poses": store.add(frames.poses, "f4"),
        "layers": _layers(scene, frames, store),
        "items": [_item(item, frames) for item in scene.items],
        "pairings": scene.pairings,
        "pairBodies": scene.pair_bodies,
        **_frames(scene, frames, store),
    }
    return base64.b64encode(gzip.compress(store.bytes(content), 9, mtime=0)).decode("ascii")


def _markers(body: SceneBody, middle: NDArray[np.float64]) -> list[list[list[float]]]:
    """Position (from the middle of the body) and axes of each marker."""
    if body.markers is None:
        return []
    return [[_plain(marker[0] - middle), *(_plain(axis) for axis in marker[1:])] for marker in body.markers]


def _item(item: Item, frames: _BodyFrames) -> dict[str, Any]:
    place = None if item.place is None else _plain(item.place - frames.origin)
    return {
        "group": item.group,
        "name": item.name,
        "value": item.value,
        "text": item.text,
        "place": place,
        "reach": item.reach,
    }


class _Store:
    """Arrays one after the other."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self._length = 0

    def add(self, array: NDArray[Any], dtype: str) -> dict[str, Any]:
        """Keep an array in the given type; returns how the JSON refers to it."""
        data = np.ascontiguousarray(array, dtype=f"<{dtype}")
        where = {"at": self._length, "n": int(data.size), "type": _TYPES[dtype]}
        chunk = data.tobytes()
        chunk += bytes(-len(chunk) % 8)
        self._chunks.append(chunk)
        self._length += len(chunk)
        return where

    def bytes(self, content: dict[str, Any]) -> bytes:
        """All arrays after the JSON text that refers to them."""
        text = json.dumps(content, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
        text += b" " * (-(len(text) + 4) % 8)
        return struct.pack("<I", len(text)) + text + b"".join(self._chunks)


class _BodyFrames:
    """Middle and size of each body's meshes, the middle of the scene, and the poses relative to them."""

    def __init__(self, scene: Scene) -> None:
        from polycontact.multibody.rotations import from_quaternion

        n = len(scene.bodies)
        self.middle, self.half = np.zeros((n, 3)), np.full(n, 1.0)
        for i in range(n):
            points = [part.vertices[part.triangles.ravel()] for part in scene.parts if part.body == i]
            if points:
                low = np.min([p.min(axis=0) for p in points], axis=0)
                high = np.max([p.max(axis=0) for p in points], axis=0)
                self.middle[i] = 0.5 * (low + high)
                self.half[i] = float(np.max(high - low)) * 0.5 or 1.0
        rotations = from_quaternion(scene.quaternions)
        middles = scene.positions + np.einsum("tbij,bj->tbi", rotations, self.middle)
        self.origin = 0.5 * (middles.min(axis=(0, 1)) + middles.max(axis=(0, 1)))
        unit = scene.quaternions / np.linalg.norm(scene.quaternions, axis=-1, keepdims=True)
        self.poses = np.concatenate((middles - self.origin, unit), axis=-1)

    def zero(self, body: int) -> NDArray[np.float64]:
        """What points of a body, or of the world, are given relative to, (3,) m in its frame."""
        return self.origin if body == IN_WORLD else np.asarray(self.middle[body])

    def quantised(self, body: int, points: NDArray[np.float64]) -> NDArray[np.int16]:
        """Points of a body as parts of its half size, 32,767 being 1."""
        relative = (points - self.middle[body]) / self.half[body]
        return np.asarray(np.round(32767.0 * np.clip(relative, -1.0, 1.0)), dtype=np.int16)


def _part(part: Part, frames: _BodyFrames, store: _Store) -> dict[str, Any]:
    middle = frames.middle[part.body]
    mesh = shade(part.vertices - middle, part.triangles)
    boxes = []
    for level in part.boxes:
        moved = level.copy()
        moved[:, 0] -= middle
        boxes.append(store.add(moved, "f4"))
    return {
        "body": part.body,
        "name": part.name,
        "colour": part.colour,
        "open": part.is_open,
        "positions": store.add(mesh.positions, "f4"),
        "normals": store.add(mesh.normals, "i1"),
        "triangles": store.add(mesh.triangles, "u4"),
        "edges": store.add(mesh.edges, "u4"),
        "sharp": mesh.n_sharp,
        "boxes": boxes,
    }


def _layers(scene: Scene, frames: _BodyFrames, store: _Store) -> list[dict[str, Any]]:
    return [
        {
            "key": layer.key,
            "label": layer.label,
            "kind": layer.kind.value,
            "body": layer.body,
            "data": store.add(layer.data - frames.zero(layer.body), "f4"),
            "colour": layer.colour,
            "count": layer.count,
            "on": layer.is_on,
            "width": layer.width,
            "text": layer.text,
            "remedy": layer.remedy,
            "severity": layer.severity,
        }
        for layer in scene.layers
    ]


def _frames(scene: Scene, frames: _BodyFrames, store: _Store) -> dict[str, Any]:
    """Patches, polygons and contacts of all frames, and the greatest values of what patches are coloured by."""
    n = len(scene.quantities)
    greatest = np.zeros((len(scene.frames), n))
    for i, frame in enumerate(scene.frames):
        for piece in frame.patches:
            greatest[i] = np.maximum(greatest[i], piece.values.max(axis=0, initial=0.0))
    overall = greatest.max(axis=0, initial=0.0)
    for i, q in enumerate(scene.quantities):
        overall[i] = scene.greatest.get(q.key, 0.0) or overall[i]
    corners, patch_ranges = _patches(scene.frames, frames, overall)
    ends, line_ranges = _polygons(scene.frames, frames)
    marks = [mark for frame in scene.frames for mark in frame.contacts]
    return {
        "quantities": [
            {
                "key": q.key,
                "label": q.label,
                **_unit(q.unit_for(overall[i])),
                "max": float(overall[i]),
                "whole": q.key in scene.greatest,
                "frames": _plain(greatest[:, i]),
            }
            for i, q in enumerate(scene.quantities)
        ],
        "patches": {"data": store.add(corners, "i2"), "frames": patch_ranges},
        "history": {"times": store.add(scene.history[0], "f4"), "force": store.add(scene.history[1], "f4")},
        "polygons": {"data": store.add(ends, "i2"), "frames": line_ranges},
        "contacts": [[_mark(mark, frames) for mark in frame.contacts] for frame in scene.frames],
        "units": {
            "force": _unit(FORCE.unit_for(_greatest(float(np.linalg.norm(mark.force)) for mark in marks))),
            "area": _unit(AREA.unit_for(_greatest(mark.area for mark in marks))),
            "pressure": _unit(PRESSURE.unit_for(_most(scene, PRESSURE, (mark.pressure for mark in marks)))),
            "depth": _unit(DEPTH.unit_for(_most(scene, DEPTH, (mark.depth for mark in marks)))),
        },
    }


def _patches(
    scene_frames: tuple[SceneFrame, ...], frames: _BodyFrames, greatest: NDArray[np.float64]
) -> tuple[NDArray[np.int16], list[list[list[int]]]]:
    """Corners of all triangles, six 16-bit numbers each: position, and values as parts of the greatest."""
    chunks = [np.empty((0, 6), dtype=np.int16)]
    ranges, start = [], 0
    scale = 65535.0 / np.where(greatest > 0.0, greatest, 1.0)
    for frame in scene_frames:
        row = []
        for piece in frame.patches:
            corners = frames.quantised(piece.body, piece.triangles.reshape(-1, 3))
            shares = np.round(np.clip(piece.values * scale, 0.0, 65535.0)).astype(np.uint16).view(np.int16)
            chunks.append(np.concatenate((corners, np.repeat(shares, 3, axis=0)), axis=1))
            row.append([piece.body, start, len(corners), piece.pairing])
            start += len(corners)
        ranges.append(row)
    return np.concatenate(chunks), ranges


def _polygons(
    scene_frames: tuple[SceneFrame, ...], frames: _BodyFrames
) -> tuple[NDArray[np.int16], list[list[list[int]]]]:
    chunks = [np.empty((0, 3), dtype=np.int16)]
    ranges, start = [], 0
    for frame in scene_frames:
        row = []
        for piece in frame.polygons:
            chunks.append(frames.quantised(piece.body, piece.segments.reshape(-1, 3)))
            row.append([piece.body, start, len(piece.segments)])
            start += len(piece.segments)
        ranges.append(row)
    return np.concatenate(chunks), ranges


def _mark(mark: ContactMark, frames: _BodyFrames) -> list[float]:
    point = mark.point - frames.middle[mark.body]
    numbers = (*point, *mark.force, mark.area, mark.depth, mark.pressure)
    return [mark.pairing, mark.body, *_plain(np.array(numbers))]


def _unit(unit: tuple[float, str]) -> dict[str, Any]:
    return {"factor": unit[0], "unit": unit[1]}


def _greatest(values: Any) -> float:
    return max(values, default=0.0)


def _most(scene: Scene, quantity: Quantity, values: Iterable[float]) -> float:
    """The greatest value of all samples where it is known, else of the frames."""
    return scene.greatest.get(quantity.key, 0.0) or _greatest(values)


def _plain(values: NDArray[np.float64]) -> list[float]:
    """Numbers with six digits, for JSON; what a failed run left without a value becomes 0."""
    finite = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    return [float(f"{value:.6g}") for value in finite.ravel().tolist()]
