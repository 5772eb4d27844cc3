"""Reading 3MF by trimesh: units, components, transforms, what is refused rather than left out, hostile packages."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
import trimesh

from polycontact.errors import SurfaceError
from polycontact.surfaces.reading import MeshFormat, RawMesh, limits, read_mesh
from polycontact.surfaces.reading.source import MeshSource
from polycontact.surfaces.reading.threemf import read_threemf

CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
PRODUCTION = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Target="/3D/3dmodel.model" Id="r" '
    'Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>'
)
MESH = (
    '<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/>'
    '<vertex x="0" y="1.5" z="0"/></vertices>'
    '<triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh>'
)
OBJECT = f'<object id="1" type="model">{MESH}</object>'
ITEM = '<item objectid="1"/>'


def model(objects: str = OBJECT, items: str = ITEM, attributes: str = 'unit="millimeter"') -> str:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<model {attributes} xmlns="{CORE}" xmlns:p="{PRODUCTION}">'
        f'<metadata name="Title">part</metadata><resources>{objects}</resources>'
        f"<build>{items}</build></model>"
    )


def package(parts: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def read(content: str | bytes) -> RawMesh:
    if isinstance(content, str):
        content = package({"_rels/.rels": RELATIONS, "3D/3dmodel.model": content})
    return read_threemf(MeshSource(Path("part.3mf"), content))


def refused(content: str | bytes) -> str:
    with pytest.raises(SurfaceError) as error:
        read(content)
    assert str(error.value).startswith("part.3mf: ")
    assert len(str(error.value)) < 600
    return str(error.value)


def components(*ids: int) -> str:
    return "<components>" + "".join(f'<component objectid="{i}"/>' for i in ids) + "</components>"


def test_agrees_with_trimesh(tmp_path: Path) -> None:
    ball = trimesh.creation.icosphere(subdivisions=2)
    scene = trimesh.Scene(ball)
    scene.add_geometry(trimesh.creation.box(), transform=trimesh.transformations.translation_matrix((5, 6, 7)))
    scene.export(tmp_path / "scene.3mf")
    mesh = read_mesh(tmp_path / "scene.3mf")
    assert mesh.format is MeshFormat.THREEMF
    assert mesh.unit == 1e-3
    found = trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)
    assert len(found.faces) == len(ball.faces) + 12
    assert np.isclose(found.volume, ball.volume + 1, rtol=1e-6)
    assert np.allclose(found.bounds, scene.bounds, atol=1e-6)


@pytest.mark.parametrize(
    ("unit", "metres"),
    [
        ("micron", 1e-6),
        ("millimeter", 1e-3),
        ("centimeter", 1e-2),
        ("inch", 0.0254),
        ("foot", 0.3048),
        ("meter", 1),
    ],
)
def test_units(unit: str, metres: float) -> None:
    mesh = read(model(attributes=f'unit="{unit}"'))
    assert mesh.unit == metres
    assert unit in mesh.notes[0]
    assert mesh.vertices.max() == 1.5  # as in the file


def test_the_default_unit_is_the_millimetre() -> None:
    assert read(model(attributes="")).unit == 1e-3


def test_components_and_transforms() -> None:
    objects = (
        OBJECT + '<object id="2"><components>'
        '<component objectid="1" transform="0 1 0 -1 0 0 0 0 1 10 0 0"/><component objectid="1"/>'
        "</components></object>"
    )
    mesh = read(model(objects, '<item objectid="2" transform="2 0 0 0 2 0 0 0 2 0 0 5"/><item objectid="1"/>'))
    # Rows times matrix: (x, y, z) -> (-y, x, z) + (10, 0, 0), then doubled and raised by 5.
    assert mesh.vertices[:3].tolist() == [[20, 0, 5], [20, 2, 5], [17, 0, 5]]
    assert mesh.vertices[3:6].tolist() == [[0, 0, 5], [2, 0, 5], [0, 3, 5]]
    assert mesh.vertices[6:].tolist() == [[0, 0, 0], [1, 0, 0], [0, 1.5, 0]]
    assert mesh.triangles.tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


def test_mirrored_items_keep_the_outside() -> None:
    mesh = read(model(items='<item objectid="1" transform="-1 0 0 0 1 0 0 0 1 0 0 0"/>'))
    a, b, c = mesh.vertices[mesh.triangles[0]]
    assert np.cross(b - a, c - a)[2] > 0


def test_objects_outside_the_build_are_not_read() -> None:
    assert len(read(model(OBJECT + OBJECT.replace('id="1"', 'id="2"'))).triangles) == 1


def other_parts(*objects: str) -> bytes:
    """A package whose object 7 is made of objects in another part of it."""
    uses = "".join(f'<component objectid="{i + 1}" p:path="/3D/Objects/a.model"/>' for i in range(len(objects)))
    main = model(
        f'<object id="7"><components>{uses}</components></object>', '<item objectid="7"/>', 'requiredextensions="p"'
    )
    return package({"3D/3dmodel.model": main, "3D/Objects/a.model": model("".join(objects), items="")})


def test_objects_in_other_parts() -> None:
    assert len(read(other_parts(OBJECT)).triangles) == 1


def test_objects_that_trimesh_would_repeat_are_refused() -> None:
    message = refused(other_parts(OBJECT, OBJECT.replace('id="1"', 'id="2"')))
    assert "4 of its 2 triangles" in message


def test_objects_that_trimesh_would_leave_out_are_refused() -> None:
    both = OBJECT + f'<object id="2">{MESH}{components(1)}</object>'
    assert "1 of its 2 triangles" in refused(model(both, '<item objectid="2"/>'))
    twice = '<item objectid="1" partnumber="a"/>' * 2
    assert "1 of its 2 triangles" in refused(model(items=twice))


def test_without_relations() -> None:
    assert len(read(package({"3D/3dmodel.model": model()})).triangles) == 1


def test_other_encodings_of_xml() -> None:
    text = model().replace("UTF-8", "UTF-16")
    assert len(read(package({"3D/3dmodel.model": text.encode("utf-16")})).triangles) == 1


def test_nan_is_kept() -> None:
    assert np.isnan(read(model(OBJECT.replace('x="1"', 'x="nan"'))).vertices[1, 0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (model(attributes='unit="furlong"'), ["line 2", "'furlong'", "millimeter"]),
        (model(attributes='requiredextensions="b" xmlns:b="http://beams"'), ["http://beams"]),
        (model(items=""), ["no items"]),
        (model(items='<item objectid="9"/>'), ["object '9'", "missing"]),
        (model(items="<item/>"), ["'objectid'"]),
        (model(items='<item objectid="1" transform="1 2 3"/>'), ["trimesh", "3mf", "export it again"]),
        (model(OBJECT.replace('v3="2"', 'v3="3"')), ["triangle 0", "vertex 3", "3 vertices"]),
        (model(OBJECT.replace('v3="2"', 'v3="-1"')), ["vertex -1"]),
        (model(OBJECT.replace('v3="2"', 'v3="99999999999999999999"')), ["vertex 92"]),
        (model(OBJECT.replace('v3="2"', "")), ["trimesh", "v3"]),
        (model(OBJECT.replace('y="1.5"', 'y="one"')), ["trimesh", "3mf"]),
        (model(OBJECT.replace('id="1"', "")), ["'id'"]),
        (model(OBJECT + OBJECT), ["two objects", "'1'"]),
        (model(MESH), ["object '1'", "missing"]),
        (model('<object id="1"/>'), ["no triangles"]),
        (model()[:-20], ["damaged XML"]),
        (model().replace("<build>", "<build"), ["damaged XML"]),
        ("", ["damaged XML"]),
        ("<html/>", ["'html'"]),
        (model().replace("UTF-8", "klingon"), ["damaged XML"]),
        (
            model(OBJECT + f'<object id="2">{components(2)}</object>', '<item objectid="2"/>'),
            ["contains itself"],
        ),
        (
            model(
                f'<object id="2">{components(3)}</object><object id="3">{components(2)}</object>',
                '<item objectid="2"/>',
            ),
            ["contains itself"],
        ),
    ],
)
def test_errors_name_place_value_and_remedy(text: str, words: list[str]) -> None:
    message = refused(text)
    for word in words:
        assert word in message


def chain(n: int, copies: int, last: str) -> str:
    """Objects n, n - 1, ... 1, each made of copies of the next; the last is ``last``."""
    links = [f'<object id="{i}">{components(*[i - 1] * copies)}</object>' for i in range(n, 1, -1)]
    return model(last + "".join(links), f'<item objectid="{n}"/>')


@pytest.mark.parametrize("last", [OBJECT, '<object id="1"/>'])
def test_exponential_instancing(monkeypatch: pytest.MonkeyPatch, last: str) -> None:
    monkeypatch.setattr("polycontact.surfaces.reading.parts.MAX_INSTANCES", 5000)
    assert "more than 5000 copies" in refused(chain(50, 2, last))


def test_too_many_triangles_in_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polycontact.surfaces.reading.face_polygons.MAX_TRIANGLES", 1000)
    assert "1024 triangles" in refused(chain(11, 2, OBJECT))


def test_deep_nesting() -> None:
    assert len(read(chain(limits.MAX_NESTING, 1, OBJECT)).triangles) == 1
    assert "nested deeper" in refused(chain(5000, 1, OBJECT))


def test_entities_are_refused() -> None:
    laughs = '<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
    text = model().replace("<model", laughs + "<model").replace("part<", "&b;<")
    assert "DOCTYPE" in refused(text)
    assert "DOCTYPE" in refused(model().replace("<model", '<!DOCTYPE x SYSTEM "file:///etc/passwd"><model'))


def test_zip_bomb_by_ratio() -> None:
    text = model().replace("part<", " " * 20_000_000 + "<")
    message = refused(text)
    assert "zip bomb" in message


def test_zip_bomb_that_lies_about_its_size() -> None:
    """A part cannot take more bytes than the file has, whatever the list of parts says."""
    data = bytearray(package({"3D/3dmodel.model": model().replace("part<", " " * 20_000_000 + "<")}))
    at = data.index(b"PK\x01\x02")
    data[at + 20 : at + 24] = (2**30).to_bytes(4, "little")
    message = refused(bytes(data))
    assert "zip bomb" in message
    assert f"times its {len(data)}," in message


def test_zip_bomb_by_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polycontact.surfaces.reading.package.MAX_UNZIPPED_BYTES", 3_000_000)
    noise = np.random.default_rng(0).integers(97, 122, size=4_000_000, dtype=np.uint8).tobytes().decode()
    assert "the limit is 3000000" in refused(model().replace("part<", noise + "<"))


def test_endless_tags() -> None:
    noise = np.random.default_rng(0).integers(97, 122, size=20_000_000, dtype=np.uint8).tobytes().decode()
    assert "longer than" in refused(model().replace("part<", f"<!-- {noise} --><"))


def test_too_many_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polycontact.surfaces.reading.package.MAX_ZIP_ENTRIES", 10)
    assert "11 entries" in refused(package({f"{i}.model": model() for i in range(11)}))


def test_other_compression() -> None:
    assert "method 14" in refused(package({"3D/3dmodel.model": model()}, zipfile.ZIP_LZMA))


def test_no_model() -> None:
    assert "no 3D model" in refused(package({"readme.txt": "hello"}))
    assert "no 3D model" in refused(package({"_rels/.rels": RELATIONS}))


def test_damaged_packages() -> None:
    data = package({"_rels/.rels": RELATIONS, "3D/3dmodel.model": model()})
    for size in range(4, len(data), 7):
        refused(data[:size])
    encrypted = bytearray(data)
    encrypted[data.index(b"PK\x01\x02") + 8] |= 1
    encrypted[6] |= 1
    refused(bytes(encrypted))
