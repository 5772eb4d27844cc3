"""The description of a run in its file: JSON for names and numbers, datasets for meshes, each distinct one once.

Pairings stand in the JSON by columns, a list for each of their fields, and each distinct contact once.
"""

from __future__ import annotations

import enum
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.simulation.recording.records import (
    BodyRecord,
    ForceRecord,
    JointRecord,
    LoopRecord,
    MappedShape,
    MarkerRecord,
    PairingRecord,
    RunDescription,
    ShapeRecord,
)
from polycontact.simulation.recording.run_file import import_h5py
from polycontact.simulation.recording.sample_quantities import row_names

COMPRESSION = {"compression": "gzip", "compression_opts": 1, "shuffle": True}
"""For meshes and names, which are written once. Rows of samples are not compressed: each has its place before it is
written."""


MANY_NAMES = 1000
"""Names of one kind from which on they are compressed."""

MESH = ("vertices", "triangles")
"""Fields of a shape that are stored as datasets."""


def write_description(file: Any, description: RunDescription) -> None:
    """Store ``description`` in an h5py file."""
    meshes: dict[str, int] = {}
    group = file.create_group("meshes")
    content = {
        "name": description.name,
        "bodies": [_body_to_json(body, group, meshes) for body in description.bodies],
        "joints": [vars(joint) for joint in description.joints],
        **pairings_to_json(description.pairings),
        "state_names": description.state_names,
        "settings": description.settings,
        "scenario_folder": description.scenario_folder,
        "energies": description.energies,
        "remembered_width": description.remembered_width,
        "loops": [vars(loop) for loop in description.loops],
        "forces": [vars(force) for force in description.forces],
        "reactions": description.reactions,
        "maps": description.maps,
    }
    write_text(file, "description", to_json(content))
    if description.scenario is not None:
        write_text(file, "scenario", description.scenario)
    names = file.create_group("names")
    for kind, entries in row_names(description).items():
        _write_names(names, kind, entries)


def read_description(file: Any) -> RunDescription:
    """The description stored by `write_description`; shapes with the same mesh share its arrays."""
    content = json.loads(read_text(file["description"]))
    meshes = [_read_mesh(file["meshes"][str(i)]) for i in range(len(file["meshes"]))]
    bodies = tuple(_body_from_json(body, meshes) for body in content["bodies"])
    return RunDescription(
        name=content["name"],
        bodies=bodies,
        joints=tuple(JointRecord(**_with_tuples(joint)) for joint in content["joints"]),
        pairings=pairings_from_json(content),
        state_names=tuple(content["state_names"]),
        settings=content["settings"],
        scenario=read_text(file["scenario"]) if "scenario" in file else None,
        scenario_folder=content["scenario_folder"],
        energies=tuple(content["energies"]),
        remembered_width=content.get("remembered_width", 0),
        loops=tuple(LoopRecord(**_with_tuples(loop)) for loop in content.get("loops", ())),
        forces=tuple(ForceRecord(**_with_tuples(force)) for force in content.get("forces", ())),
        reactions=content.get("reactions", False),
        maps=tuple(MappedShape(*each) for each in content.get("maps", ())),
    )


def write_text(group: Any, name: str, text: str) -> None:
    """Store ``text`` as a dataset of a fixed length, which other programs show as text."""
    data = text.encode("utf-8")
    kind = import_h5py().string_dtype("utf-8", max(len(data), 1))
    group.create_dataset(name, data=np.array(data, dtype=kind), dtype=kind)


def read_text(dataset: Any) -> str:
    """The text stored by `write_text`."""
    return bytes(dataset[()]).decode("utf-8")


def _write_names(group: Any, kind: str, entries: list[str]) -> None:
    encoded = [entry.encode("utf-8") for entry in entries]
    dtype = import_h5py().string_dtype("utf-8", max([1, *(len(entry) for entry in encoded)]))
    packed = COMPRESSION if len(entries) > MANY_NAMES else {}
    group.create_dataset(kind, data=np.array(encoded, dtype=dtype), dtype=dtype, **packed)


def _body_to_json(body: BodyRecord, meshes: Any, known: dict[str, int]) -> dict[str, Any]:
    shapes = [
        {name: value for name, value in vars(shape).items() if name not in MESH}
        | {"mesh": _store_mesh(shape, meshes, known)}
        for shape in body.shapes
    ]
    return {**vars(body), "shapes": shapes, "markers": [vars(marker) for marker in body.markers]}


def _store_mesh(shape: ShapeRecord, meshes: Any, known: dict[str, int]) -> int:
    """Number of the shape's mesh in the file; written unless one with the same contents is there."""
    vertices = np.ascontiguousarray(shape.vertices, "<f8").reshape(-1, 3)
    triangles = np.ascontiguousarray(shape.triangles, "<i4").reshape(-1, 3)
    digest = hashlib.blake2b(vertices.tobytes() + b"|" + triangles.tobytes()).hexdigest()
    if digest not in known:
        group = meshes.create_group(str(len(known)))
        for name, data in zip(MESH, (vertices, triangles), strict=True):
            group.create_dataset(name, data=data, **(COMPRESSION if len(data) else {}))
        group["vertices"].attrs["unit"] = "m"
        known[digest] = len(known)
    return known[digest]


def _read_mesh(group: Any) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    vertices, triangles = group["vertices"][()], group["triangles"][()]
    vertices.flags.writeable = triangles.flags.writeable = False
    return vertices, triangles


def _body_from_json(body: dict[str, Any], meshes: list[tuple[NDArray[Any], NDArray[Any]]]) -> BodyRecord:
    shapes = tuple(
        ShapeRecord(**dict(zip(MESH, meshes[shape.pop("mesh")], strict=True)), **_with_arrays(shape))
        for shape in body.pop("shapes")
    )
    markers = tuple(MarkerRecord(**_with_arrays(marker)) for marker in body.pop("markers", ()))
    return BodyRecord(**_with_arrays(body), shapes=shapes, markers=markers)


def _with_arrays(content: dict[str, Any]) -> dict[str, Any]:
    """Lists of numbers as the arrays they were."""
    return {name: np.array(value, float) if isinstance(value, list) else value for name, value in content.items()}


def _with_tuples(content: Any) -> Any:
    """Lists as the tuples they were."""
    if isinstance(content, dict):
        return {name: _with_tuples(value) for name, value in content.items()}
    return tuple(map(_with_tuples, content)) if isinstance(content, list) else content


FIELDS = ("name", "e", "f", "shape_e", "shape_f", "contact")


def pairings_to_json(pairings: Sequence[PairingRecord]) -> dict[str, Any]:
    """Entries of the JSON: pairings by columns, and the contacts to which they point.

    A name is None where it is that of both bodies with a dash between them.
    """
    numbers: dict[str, int] = {}
    texts = {id(pairing.contact): "" for pairing in pairings}  # pairings of one description share its plain data
    for pairing in pairings:
        if not texts[id(pairing.contact)]:
            texts[id(pairing.contact)] = text = to_json(pairing.contact)
            numbers.setdefault(text, len(numbers))
    columns: dict[str, list[Any]] = {name: [getattr(pairing, name) for pairing in pairings] for name in FIELDS}
    columns["name"] = [None if each.name == _usual_name(each.e, each.f) else each.name for each in pairings]
    columns["contact"] = [numbers[texts[id(pairing.contact)]] for pairing in pairings]
    return {"pairings": columns, "contacts": [json.loads(text) for text in numbers]}


def pairings_from_json(content: Mapping[str, Any]) -> tuple[PairingRecord, ...]:
    """The pairings of the JSON of a run file; those with the same contact share its plain data."""
    if "contacts" not in content:  # format 2
        return tuple(PairingRecord(**pairing) for pairing in content["pairings"])
    contacts = content["contacts"]
    return tuple(
        PairingRecord(_usual_name(e, f) if name is None else name, e, f, shape_e, shape_f, contacts[number])
        for name, e, f, shape_e, shape_f, number in zip(*(content["pairings"][key] for key in FIELDS), strict=True)
    )


def _usual_name(e: str, f: str) -> str:
    return f"{e}–{f}"


def to_json(content: Any) -> str:
    """JSON of plain values, arrays, paths and enums; anything else as its text."""
    return json.dumps(content, default=_plain, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    return str(value)
