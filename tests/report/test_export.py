"""Export of runs: VTK files as an independent reader sees them, tables, and refusals."""

from __future__ import annotations

import base64
import csv
import os
import xml.etree.ElementTree as ET
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from report_runs import bad_files, bubbles, bubbles_file, recorded, still_description

from polycontact.cli import main
from polycontact.errors import SimulationError
from polycontact.report.export import export_run
from polycontact.report.export.vtk_run import file_names
from polycontact.report.export.vtk_xml import BLOCK, write_mesh
from polycontact.report.patches import RunPatches
from polycontact.simulation.recording.trajectory import Trajectory

NUMPY_TYPES = {"Float64": "<f8", "Int64": "<i8", "Int32": "<i4"}


def read_array(element: ET.Element) -> NDArray[Any]:
    """A binary array with VTK's compressed blocks, read as the format says."""
    text = (element.text or "").strip()
    n_blocks = int(np.frombuffer(base64.b64decode(text[:12])[:8], "<u8")[0])
    header_bytes = 8 * (3 + n_blocks)
    header_text = -(-header_bytes // 3) * 4
    header = np.frombuffer(base64.b64decode(text[:header_text]), "<u8")
    data, raw, at = base64.b64decode(text[header_text:]), b"", 0
    for size in header[3:].tolist():
        raw += zlib.decompress(data[at : at + size])
        at += size
    values = np.frombuffer(raw, NUMPY_TYPES[element.attrib["type"]])
    return values.reshape(-1, int(element.attrib.get("NumberOfComponents", "1"))).squeeze()


def read_mesh(path: Path) -> dict[str, NDArray[Any]]:
    piece = ET.parse(path).getroot().find("PolyData/Piece")
    assert piece is not None
    arrays = {element.attrib["Name"]: read_array(element) for element in piece.iter("DataArray")}
    assert len(arrays["Points"].reshape(-1, 3)) == int(piece.attrib["NumberOfPoints"])
    assert len(arrays["connectivity"]) == 3 * int(piece.attrib["NumberOfPolys"])
    return arrays


def read_series(path: Path) -> list[dict[str, str]]:
    return [dict(element.attrib) for element in ET.parse(path).getroot().iter("DataSet")]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export")
    done = export_run(bubbles(), folder, fps=10)
    assert done.frames == 7
    assert done.files == sum(1 for path in folder.rglob("*") if path.is_file())
    return folder


def test_bodies_stand_where_the_run_has_them(exported: Path) -> None:
    run = bubbles()
    for entry in read_series(exported / "bodies.pvd"):
        pose = run.at(float(entry["timestep"]))
        i = run.bodies.index(entry["name"])
        assert int(entry["part"]) == i
        mesh = read_mesh(exported / entry["file"])
        shape = run.description.bodies[i].shapes[0]
        np.testing.assert_allclose(
            mesh["Points"].reshape(-1, 3), shape.vertices @ pose.rotation[i].T + pose.position[i], atol=1e-12
        )
        np.testing.assert_array_equal(mesh["connectivity"].reshape(-1, 3), shape.triangles)
        assert (mesh["body"] == i).all()


def test_a_body_at_rest_is_written_once(exported: Path) -> None:
    entries = [entry for entry in read_series(exported / "bodies.pvd") if entry["name"] == "container"]
    assert len(entries) == 7
    assert len({entry["file"] for entry in entries}) == 1


def test_patches_have_the_area_and_pressure_of_the_run(exported: Path) -> None:
    run = bubbles()
    touched = 0
    for entry in read_series(exported / "patches.pvd"):
        sample = int(np.argmin(np.abs(run.time - float(entry["timestep"]))))
        mesh = read_mesh(exported / entry["file"])
        corners = mesh["Points"].reshape(-1, 3)[mesh["connectivity"].reshape(-1, 3)]
        area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        for i, name in enumerate(run.pairings):
            history = run.pairing(name)
            chosen = np.atleast_1d(mesh["pairing"]) == i
            sides = 2 if history.record.contact["method"]["base"] == "both" else 1
            assert area[chosen].sum() / sides == pytest.approx(history.area[sample], rel=1e-9, abs=1e-15)
            if chosen.any():
                touched += 1
                assert mesh["pressure [Pa]"][chosen].max() == pytest.approx(history.pressure[sample], rel=1e-9)
                assert mesh["depth [m]"][chosen].max() == pytest.approx(history.depth[sample], rel=1e-9)
    assert touched > 3


def test_recorded_elements_give_the_same_patches() -> None:
    plain, recorded_too = RunPatches(bubbles()), RunPatches(bubbles(elements=True))
    time = float(bubbles().time[21])
    a, b = plain.at(time), recorded_too.at(time)
    assert len(a) > 0
    np.testing.assert_allclose(a.pressure, b.pressure, rtol=1e-9)
    np.testing.assert_allclose(a.points, b.points, atol=1e-12)


def test_vtk_itself_reads_the_files(exported: Path) -> None:
    vtk_io = pytest.importorskip("vtkmodules.vtkIOXML", reason="the reader of VTK is the judge")
    for path in exported.rglob("*.vtp"):
        reader = vtk_io.vtkXMLPolyDataReader()
        reader.SetFileName(str(path))
        reader.Update()
        assert reader.GetErrorCode() == 0
        mesh = read_mesh(path)
        assert reader.GetOutput().GetNumberOfPolys() == len(mesh["connectivity"]) // 3
        for k in range(reader.GetOutput().GetCellData().GetNumberOfArrays()):
            array = reader.GetOutput().GetCellData().GetArray(k)
            ours = np.atleast_1d(mesh[array.GetName()])
            if len(ours):
                assert array.GetRange(-1)[1] == pytest.approx(
                    np.abs(ours).max() if ours.ndim == 1 else np.linalg.norm(ours, axis=1).max(),
                    rel=1e-12,
                    abs=1e-300,
                )


@pytest.mark.parametrize("n", [0, 1, BLOCK // 24 - 1, BLOCK // 24, BLOCK // 8 + 3])
def test_arrays_of_any_length_come_back(tmp_path: Path, n: int) -> None:
    values = np.random.default_rng(1).normal(size=n)
    triangles = np.zeros((n, 3), np.int64)
    write_mesh(tmp_path / "mesh.vtp", np.zeros((1, 3)), triangles, {"a & b": values})
    assert np.array_equal(np.atleast_1d(read_mesh(tmp_path / "mesh.vtp")["a & b"]), values)


def test_tables(exported: Path) -> None:
    with (exported / "samples.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows[0][0] == "time [s]"
    assert len(rows) == 1 + len(bubbles())
    with (exported / "names.csv").open(encoding="utf-8", newline="") as stream:
        names = list(csv.reader(stream))
    assert ["body", "3", "container"] in names
    assert ["pairing", "0", "bubble 1–bubble 2"] in names
    with (exported / "peaks.csv").open(encoding="utf-8", newline="") as stream:
        header, *peaks = csv.reader(stream)
    assert header == ["name", "load", "greatest", "unit", "time [s]"]
    assert {row[1] for row in peaks} >= {"force", "pressure", "depth"}
    with (exported / "events.csv").open(encoding="utf-8", newline="") as stream:
        assert len(list(csv.reader(stream))) == 1 + len(bubbles().events)


def test_file_names_are_safe_and_differ() -> None:
    names = file_names(("a/b", "a:b", "..", "Größe 1", "", "A b"))
    assert len({name.casefold() for name in names}) == len(names)
    assert not any(set(name) & set('/\\:*?"<>|. ') for name in names)
    assert "Größe_1" in names


def test_run_without_contacts(tmp_path: Path) -> None:
    path = recorded(tmp_path / "still.h5", still_description(), 3)
    done = export_run(Trajectory.open(path), tmp_path / "out", fps=100)
    assert done.frames == 3
    assert not (tmp_path / "out" / "patches.pvd").exists()
    assert len(read_series(tmp_path / "out" / "bodies.pvd")) == 6


@pytest.mark.parametrize(
    ("options", "there", "missing"),
    [(["--csv"], "samples.csv", "bodies.pvd"), (["--vtk"], "bodies.pvd", "samples.csv")],
)
def test_command_writes_what_is_chosen(tmp_path: Path, options: list[str], there: str, missing: str) -> None:
    target = tmp_path / "new" / "folder"
    assert main(["export", str(bubbles_file()), "-o", str(target), "--fps", "5", *options]) == 0
    assert (target / there).exists()
    assert not (target / missing).exists()


@pytest.mark.parametrize("what", ["cut", "text", "other", "version", "empty", "no samples", "missing", "folder"])
def test_command_refuses_what_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str) -> None:
    assert main(["export", str(bad_files(tmp_path)[what]), "-o", str(tmp_path / "out")]) == 2
    assert "polycontact: " in capsys.readouterr().err


@pytest.mark.parametrize("fps", ["0", "-1", "nan"])
def test_command_refuses_bad_fps(tmp_path: Path, capsys: pytest.CaptureFixture[str], fps: str) -> None:
    assert main(["export", str(bubbles_file()), "-o", str(tmp_path / "out"), "--fps", fps]) == 2
    assert "fps" in capsys.readouterr().err


def test_command_refuses_a_file_as_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["export", str(bubbles_file()), "-o", str(tmp_path / "file")]) == 2
    assert "this is a file" in capsys.readouterr().err
    with pytest.raises(SimulationError, match="cannot be written"):
        export_run(bubbles(), tmp_path / "file" / "below")


@pytest.mark.skipif(
    os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)
def test_unwritable_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o555)
    with pytest.raises(SimulationError, match="cannot be written"):
        export_run(bubbles(), tmp_path / "locked" / "below")
