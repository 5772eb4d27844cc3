"""Formats that need the extra ``cad``: what is said without it, and that the others do without."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import trimesh

from polycontact.errors import SurfaceError
from polycontact.surfaces.reading import cad_extra, read_mesh
from step_texts import box_text

WITHOUT = {"trimesh": ["box.glb", "box.3mf", "box.step"], "lxml": ["box.3mf"], "cascadio": ["box.step"]}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for kind in ("glb", "3mf", "stl", "obj", "ply", "off"):
        trimesh.creation.box().export(tmp_path / f"box.{kind}")
    (tmp_path / "box.step").write_text(box_text((1.0, 1.0, 1.0)))
    return tmp_path


@pytest.mark.parametrize("package", WITHOUT)
def test_missing_packages_are_named_with_the_remedy(files: Path, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    installed = cad_extra.find_spec
    monkeypatch.setattr(cad_extra, "find_spec", lambda name: None if name == package else installed(name))
    for name in WITHOUT[package]:
        with pytest.raises(SurfaceError) as error:
            read_mesh(files / name)
        assert str(error.value).startswith(f"{name}: ")
        for words in (package, 'pip install "polycontact[cad]"', "STL"):
            assert words in str(error.value)


def test_the_other_formats_import_none_of_them(files: Path) -> None:
    program = (
        "import sys\n"
        "from polycontact.surfaces.reading import read_mesh\n"
        "for path in sys.argv[1:]:\n"
        "    assert len(read_mesh(path).triangles) == 12\n"
        "print(*({'trimesh', 'cascadio', 'lxml', 'networkx'} & set(sys.modules)))\n"
    )
    paths = [str(files / f"box.{kind}") for kind in ("stl", "obj", "ply", "off")]
    done = subprocess.run([sys.executable, "-c", program, *paths], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
