"""tools/pedestrian: it makes the shipped files again, and its parts do what they say."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from tools.pedestrian.crash import MESH_FOLDER
from tools.pedestrian.delaunay import delaunay
from tools.pedestrian.files import PACKAGE_DATA, write_files
from tools.pedestrian.skinning import FEWEST_ON_RING, share_out, skin
from tools.pedestrian.trunk import HEAD
from tools.toml_text import document, table

SCENARIOS = ("pedestrian.toml", "pedestrian_road.toml")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    write_files(folder)
    return folder


def meshes(folder: Path) -> dict[str, Path]:
    return {path.name: path for path in sorted((folder / MESH_FOLDER).iterdir())}


def test_meshes_are_the_shipped_ones(made: Path) -> None:
    ours, shipped = meshes(made), meshes(PACKAGE_DATA)
    assert len(shipped) == 16
    assert ours.keys() == shipped.keys()
    for name, path in ours.items():
        found, expected = pc.load_surface(path), pc.load_surface(shipped[name])
        np.testing.assert_array_equal(found.triangles, expected.triangles)
        # Powers, sines and cosines differ by an ulp between processors: 4.4e-16 m was seen.
        np.testing.assert_allclose(found.vertices, expected.vertices, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("file", SCENARIOS)
def test_scenarios_are_the_shipped_ones(file: str, made: Path) -> None:
    ours, shipped = (tomllib.loads((folder / file).read_text(encoding="utf-8")) for folder in (made, PACKAGE_DATA))
    for found, expected in zip(values(ours), values(shipped), strict=True):
        # Inertias follow from vertices that differ by an ulp.
        assert found == (pytest.approx(expected, rel=1e-9, abs=1e-12) if isinstance(expected, float) else expected)


def values(content: Any) -> Iterator[Any]:
    """Keys, texts and numbers of a file, one after the other."""
    if isinstance(content, dict):
        for key, inner in content.items():
            yield key
            yield from values(inner)
    elif isinstance(content, list):
        yield len(content)
        for inner in content:
            yield from values(inner)
    else:
        yield content


def test_the_road_is_the_only_difference() -> None:
    """The two files repeat each other: what one of them says of man, car and contacts, the other says too."""
    plain, road = (tomllib.loads((PACKAGE_DATA / file).read_text(encoding="utf-8")) for file in SCENARIOS)
    assert road["bodies"].pop()["name"] == "road"
    pairs = road["contact"]["pairs"]
    assert [pair["bodies"] for pair in pairs[27:]] == [[body["name"], "road"] for body in plain["bodies"][:15]]
    del pairs[27:]
    for content in (plain, road):
        del content["scenario"]
    assert road == plain


def test_written_values_are_read_back() -> None:
    content = {"a": 0.1 + 0.2, "b": -0.0, "c": 3, "d": True, "e": 'say "ü"', "f": (1.0, 2e-300), "g": {"h": [[1.5]]}}
    text = document("a\n\nb", [table("[x]", comment="why", **content), table("[[y]]", z=[{"k": 1}, {"k": 2}])])
    found = tomllib.loads(text)
    assert found == {"x": {**content, "f": [1.0, 2e-300]}, "y": [{"z": [{"k": 1}, {"k": 2}]}]}
    assert np.signbit(found["x"]["b"])
    with pytest.raises(TypeError, match="cannot be written"):
        table("[x]", a=None)


def test_skins_are_deterministic() -> None:
    once, again = (skin(HEAD, 600, name="head") for _ in range(2))
    np.testing.assert_array_equal(once.vertices, again.vertices)
    np.testing.assert_array_equal(once.triangles, again.triangles)


def test_vertices_lie_on_the_skin() -> None:
    surface = skin(HEAD, 1_200, name="head")
    assert np.abs(HEAD.distance(surface.vertices)).max() < 1e-4


def test_skin_refuses_numbers_it_cannot_meet() -> None:
    with pytest.raises(pc.SurfaceError, match="even"):
        skin(HEAD, 601, name="head")


def test_shares_add_up() -> None:
    counts = share_out(101, np.array([0.1, 1.0, 2.0, 3.0, 0.2]))
    assert counts.sum() == 101
    assert counts.min() >= FEWEST_ON_RING
    assert np.argmax(counts) == 3


def test_delaunay_circles_are_empty() -> None:
    points = np.stack(np.meshgrid(np.arange(0, 50, 10), np.arange(0, 30, 10)), axis=-1).reshape(-1, 2)
    points[7] += (3, 1)
    triangles = delaunay(points)
    corners = points[triangles].astype(float)
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    areas = 0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    assert (areas > 0.0).all()
    assert areas.sum() == pytest.approx(40.0 * 20.0)
    for triangle, origin, u, v, area in zip(triangles, corners[:, 0], a, b, areas, strict=True):
        uu, vv = u @ u, v @ v
        middle = np.array([v[1] * uu - u[1] * vv, u[0] * vv - v[0] * uu]) / (4.0 * area)
        others = np.delete(points, triangle, axis=0) - origin
        assert (np.linalg.norm(others - middle, axis=1) >= np.linalg.norm(middle) - 1e-9).all()
