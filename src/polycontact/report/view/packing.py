"""A scene as bytes for the page: numbers in few bits, compressed, as text that HTML can hold.

What does not change with time is packed here, frames in `frame_packing`, both into a `byte_store`.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.report.view.body_frames import BodyFrames
from polycontact.report.view.byte_store import Store, plain
from polycontact.report.view.display_units import FAINT
from polycontact.report.view.frame_packing import Scales, curve_facts, pack_frames, unit_fact
from polycontact.report.view.shading import shade
from polycontact.report.view.viewer_colours import scale_table
from polycontact.report.view.viewer_scene import Item, Part, Scene, SceneBody


def pack(scene: Scene, *, live: bool = False) -> str:
    """The scene as base64 text; ``live``: more frames come from where the page is served."""
    store = Store()
    frames = BodyFrames(scene)
    scales = Scales(scene.quantities)
    scales.take(scene.frames, scene.greatest)
    tops = {each.key: _greatest(scene.parts, each.key) for each in scene.maps}
    content = {
        "kind": scene.kind.value,
        "live": live,
        "title": scene.title,
        "subtitle": scene.subtitle,
        "facts": scene.facts,
        "notes": scene.notes,
        "scale": store.add(scale_table(), "u1"),
        "bodies": [
            {
                "name": body.name,
                "colour": body.colour,
                "origin": plain(-frames.middle[i]),
                "centre": None if body.centre is None else plain(body.centre - frames.middle[i]),
                "half": float(frames.half[i]),
                "markers": _markers(body, frames.middle[i]),
                "note": body.note,
                "fixed": body.is_fixed,
            }
            for i, body in enumerate(scene.bodies)
        ],
        "parts": [_part(part, frames, store, tops) for part in scene.parts],
        "maps": [
            {"key": each.key, "label": each.label, "max": tops[each.key], **unit_fact(each, tops[each.key])}
            for each in scene.maps
        ],
        "origin": plain(frames.origin),
        "speed": scene.speed,
        "layers": _layers(scene, frames, store),
        "items": [_item(item, frames) for item in scene.items],
        "pairings": scene.pairings,
        "pairBodies": scene.pair_bodies,
        **_curves(scene, store),
        **scales.facts(),
        **pack_frames(scene.times, frames.poses(scene.positions, scene.quaternions), scene.frames, frames, store),
    }
    return base64.b64encode(gzip.compress(store.bytes(content), 9, mtime=0)).decode("ascii")


def _markers(body: SceneBody, middle: NDArray[np.float64]) -> list[list[list[float]]]:
    """Position (from the middle of the body) and axes of each marker."""
    if body.markers is None:
        return []
    return [[plain(marker[0] - middle), *(plain(axis) for axis in marker[1:])] for marker in body.markers]


def _item(item: Item, frames: BodyFrames) -> dict[str, Any]:
    place = None if item.place is None else plain(item.place - frames.origin)
    return {
        "group": item.group,
        "name": item.name,
        "value": item.value,
        "text": item.text,
        "place": place,
        "reach": item.reach,
    }


def _greatest(parts: tuple[Part, ...], key: str) -> float:
    """The greatest value of a map on all parts."""
    return max(float(part.maps[key].max(initial=0.0)) for part in parts if key in part.maps)


def _shares(part: Part, tops: Mapping[str, float], store: Store) -> dict[str, Any]:
    """The maps of a part as 16-bit parts of the greatest values of all; zero where that is too faint to show."""
    found = {}
    for key, values in part.maps.items():
        shares = values / tops[key] if tops.get(key, 0.0) > 0.0 else np.zeros(len(values))
        found[key] = store.add(np.where(shares > FAINT, np.round(65535.0 * shares), 0.0), "u2")
    return found


def _part(part: Part, frames: BodyFrames, store: Store, tops: Mapping[str, float]) -> dict[str, Any]:
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
        "maps": _shares(part, tops, store),
    }


def _layers(scene: Scene, frames: BodyFrames, store: Store) -> list[dict[str, Any]]:
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


def _curves(scene: Scene, store: Store) -> dict[str, Any]:
    """What can be plotted over time, and its values."""
    return {
        "curves": curve_facts(scene.curves, np.abs(scene.history[1:]).max(axis=1, initial=0.0)),
        "history": {"times": store.add(scene.history[0], "f4"), "values": store.add(scene.history[1:], "f4")},
    }
