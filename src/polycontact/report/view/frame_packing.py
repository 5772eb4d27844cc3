"""Frames as bytes: poses, patches, polygons, forces; of a whole run, or of a few samples of one that goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.report.view.body_frames import BodyFrames
from polycontact.report.view.byte_store import Store, plain
from polycontact.report.view.curves import Curve
from polycontact.report.view.display_units import AREA, DEPTH, FORCE, PRESSURE, Quantity
from polycontact.report.view.viewer_scene import ContactMark, SceneFrame

Frames = Sequence[SceneFrame]


def pack_frames(
    times: NDArray[np.float64], poses: NDArray[np.float64], frames: Frames, bodies: BodyFrames, store: Store
) -> dict[str, Any]:
    """Times (s), poses (n, nb, 7) as `BodyFrames` has them, and what is drawn on the bodies at each of n times.

    ``tops``: the greatest value of each quantity in each frame, of which its patches hold parts.
    """
    greatest = _tops(frames)
    corners, patch_ranges = _patches(frames, bodies, greatest)
    ends, line_ranges = _polygons(frames, bodies)
    arrows, arrow_ranges = _arrows(frames, bodies)
    return {
        "times": [round(float(t), 9) for t in times],
        "poses": store.add(poses, "f4"),
        "tops": [[float(value) for value in row] for row in greatest],
        "patches": {"data": store.add(corners, "i2"), "frames": patch_ranges},
        "polygons": {"data": store.add(ends, "i2"), "frames": line_ranges},
        "arrows": {"data": store.add(arrows, "f4"), "frames": arrow_ranges},
        "contacts": [[_mark(mark, bodies) for mark in frame.contacts] for frame in frames],
    }


class Scales:
    """The greatest values of frames so far, and the units in which they are read most easily.

    ``known``: greatest values of all samples by the key of the quantity.
    """

    def __init__(self, quantities: tuple[Quantity, ...]) -> None:
        self._quantities = quantities
        self._tops = np.zeros(len(quantities))
        self._marks = {quantity.key: 0.0 for quantity in (FORCE, AREA, PRESSURE, DEPTH)}
        self.known: dict[str, float] = {}

    def take(self, frames: Frames, known: Mapping[str, float]) -> None:
        """Raise the greatest values to those of ``frames``; ``known`` greatest values replace earlier ones."""
        self.known |= known
        n = len(self._quantities)
        self._tops = np.maximum(self._tops, _tops(frames)[:, :n].max(axis=0, initial=0.0)[:n] if n else 0.0)
        for mark in (mark for frame in frames for mark in frame.contacts):
            values = {"force": float(np.linalg.norm(mark.force)), "area": mark.area}
            values |= {"pressure": mark.pressure, "depth": mark.depth}
            for key, value in values.items():
                self._marks[key] = max(self._marks[key], value)

    def facts(self) -> dict[str, Any]:
        """Quantities that patches can be coloured by, the units of tables, and whether a contact has had an area."""
        overall = [
            self.known.get(q.key, 0.0) or float(top) for q, top in zip(self._quantities, self._tops, strict=True)
        ]
        units = {
            q.key: unit_fact(q, self.known.get(q.key, 0.0) or self._marks[q.key])
            for q in (FORCE, AREA, PRESSURE, DEPTH)
        }
        return {
            "quantities": [
                {"key": q.key, "label": q.label, **unit_fact(q, top), "max": top, "whole": q.key in self.known}
                for q, top in zip(self._quantities, overall, strict=True)
            ],
            "units": units,
            "hasAreas": self._marks[AREA.key] > 0.0,
        }


def curve_facts(curves: tuple[Curve, ...], greatest: NDArray[np.float64]) -> list[dict[str, Any]]:
    """Names and units of curves, each with the ``greatest`` of its values."""
    return [
        {"group": curve.group, "label": curve.label, **unit_fact(curve.quantity, float(most))}
        for curve, most in zip(curves, greatest, strict=True)
    ]


def unit_fact(quantity: Quantity, greatest: float) -> dict[str, Any]:
    """The unit for values up to ``greatest``."""
    factor, name = quantity.unit_for(greatest)
    return {"factor": factor, "unit": name}


def _tops(frames: Frames) -> NDArray[np.float64]:
    """(n, 3) Greatest value of each quantity in each frame."""
    found = np.zeros((len(frames), 3))
    for i, frame in enumerate(frames):
        for piece in frame.patches:
            found[i] = np.maximum(found[i], piece.values.max(axis=0, initial=0.0))
    return found


def _patches(
    frames: Frames, bodies: BodyFrames, greatest: NDArray[np.float64]
) -> tuple[NDArray[np.int16], list[list[list[int]]]]:
    """Corners of all triangles, six 16-bit numbers each: position, and values as parts of the greatest of the frame."""
    chunks = [np.empty((0, 6), dtype=np.int16)]
    ranges, start = [], 0
    for frame, top in zip(frames, greatest, strict=True):
        scale = 65535.0 / np.where(top > 0.0, top, 1.0)
        row = []
        for piece in frame.patches:
            corners = bodies.quantised(piece.body, piece.triangles.reshape(-1, 3))
            shares = np.round(np.clip(piece.values * scale, 0.0, 65535.0)).astype(np.uint16).view(np.int16)
            chunks.append(np.concatenate((corners, np.repeat(shares, 3, axis=0)), axis=1))
            row.append([piece.body, start, len(corners), piece.pairing, piece.patch])
            start += len(corners)
        ranges.append(row)
    return np.concatenate(chunks), ranges


def _polygons(frames: Frames, bodies: BodyFrames) -> tuple[NDArray[np.int16], list[list[list[float | None]]]]:
    """Ends of all segments, and for each piece body, first, number, and the width of the patch, m, where known."""
    chunks = [np.empty((0, 3), dtype=np.int16)]
    ranges, start = [], 0
    for frame in frames:
        row: list[list[float | None]] = []
        for piece in frame.polygons:
            chunks.append(bodies.quantised(piece.body, piece.segments.reshape(-1, 3)))
            width = float(f"{piece.width:.4g}") if np.isfinite(piece.width) else None
            row.append([piece.body, start, len(piece.segments), width])
            start += len(piece.segments)
        ranges.append(row)
    return np.concatenate(chunks), ranges


def _arrows(frames: Frames, bodies: BodyFrames) -> tuple[NDArray[np.float64], list[list[int]]]:
    """An arrow for each patch, or for the pairing where patches are not known.

    Nine numbers each: pairing, body, point (m from the middle of the body), force (N, world axes), area (m²).
    """
    rows: list[list[float]] = []
    ranges = []
    for frame in frames:
        first = len(rows)
        for mark in frame.contacts:
            for part in mark.patches or (mark,):
                point = part.point - bodies.middle[mark.body]
                rows.append([mark.pairing, mark.body, *point.tolist(), *part.force.tolist(), part.area])
        ranges.append([first, len(rows) - first])
    return np.nan_to_num(np.array(rows).reshape(-1, 9), nan=0.0, posinf=0.0, neginf=0.0), ranges


def _mark(mark: ContactMark, bodies: BodyFrames) -> list[float]:
    point = mark.point - bodies.middle[mark.body]
    numbers = (*point, *mark.force, mark.area, mark.depth, mark.pressure)
    return [mark.pairing, mark.body, *plain(np.array(numbers))]
