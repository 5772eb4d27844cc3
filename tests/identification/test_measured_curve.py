"""Measured tables as instruments and spreadsheets write them, and files that must be refused, with file and line."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import polycontact as pc
from polycontact.errors import IdentificationError
from polycontact.identification.table_file import read_table


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "curve.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


@pytest.mark.parametrize(
    "content",
    [
        "t [ms],z [mm]\n0,1.5\n10,2.5\n20,-3e0\n",
        "t [ms];z [mm]\n0;1,5\n10;2,5\n20;-3e0\n",  # decimal commas
        "t (ms)\tz (mm)\r\n0\t1.5\r\n10\t2.5\r\n20\t-3\r\n",
        "t/ms z/mm\n0 1,5\n10 2,5\n20 -3,0\n",
        "# made by hand\n% and another way\n\nt;z\nms;mm\n0;1.5\n10;2.5\n20;-3\n",  # units in a line of their own
        '"t [ms]","z [mm]"\n"0","1.5"\n"10","2.5"\n"20","-3"\n',
        "t [ms]|z [mm]\n0|1.5\n10|2.5\n20|−3\n",  # a proper minus sign
        "\ufefft [ms],z [mm]\n0,1.5\n10,2.5\n20,-3\n",
        "t [ms],z [mm]\n0,1.5\n10,2.5\n20,-3\n".encode("utf-16"),
        "t [ms]" + " " * 1_000_000 + "[,z [mm]\n0,1.5\n10,2.5\n20,-3\n",  # in a time that grows linearly
        b"t [ms],z [mm],\xb5\n0,1.5,1\n10,2.5,1\n20,-3,1\n",  # Latin-1
    ],
)
def test_formats(tmp_path: Path, content: str | bytes) -> None:
    curve = pc.identification.MeasuredCurve.from_csv(written(tmp_path, content), "z", "ball position z", time="t")
    assert curve.time.tolist() == pytest.approx([0.0, 0.01, 0.02])
    assert curve.values.tolist() == pytest.approx([1.5e-3, 2.5e-3, -3e-3])
    assert curve.unit == "mm"


def test_without_titles(tmp_path: Path) -> None:
    path = written(tmp_path, "0 1.5\n10 2.5\n")
    curve = pc.identification.MeasuredCurve.from_csv(
        path, 2, "ball position z", unit="mm", time_unit="ms", standard_deviation=0.1
    )
    assert curve.time.tolist() == [0.0, 0.01]
    assert curve.standard_deviation == pytest.approx(1e-4)
    with pytest.raises(IdentificationError, match="column '2' has no unit"):
        pc.identification.MeasuredCurve.from_csv(path, 2, "ball position z", time_unit="ms")


def test_shift_window_and_thinning(tmp_path: Path) -> None:
    rows = "".join(f"{i},{i}\n" for i in range(100))
    path = written(tmp_path, "t [ms],F [N]\n" + rows)
    curve = pc.identification.MeasuredCurve.from_csv(
        path, "F [N]", "f", time_shift="-20 ms", between=(0.0, 0.05), every=10, standard_deviation="0.2 kN", weight=2.0
    )
    assert curve.values.tolist() == [20.0, 30.0, 40.0, 50.0, 60.0, 70.0]
    assert curve.time[0] == 0.0
    assert curve.standard_deviation == pytest.approx(200.0)
    with pytest.raises(IdentificationError, match=r"first time is -0.02 s; a run starts at 0 s"):
        pc.identification.MeasuredCurve.from_csv(path, "F", "f", time_shift="-20 ms")
    with pytest.raises(IdentificationError, match=r"between 5 and 6 s; with .* 0 s the file has 0 to 0.099 s"):
        pc.identification.MeasuredCurve.from_csv(path, "F", "f", between=(5.0, 6.0))


def test_gaps_are_refused_or_skipped(tmp_path: Path) -> None:
    path = written(tmp_path, "t [s],z [m]\n0,1\n1,\n2,NaN\n3,4\n")
    with pytest.raises(IdentificationError, match="2 of 4 points have no number"):
        pc.identification.MeasuredCurve.from_csv(path, "z", "z")
    assert pc.identification.MeasuredCurve.from_csv(path, "z", "z", gaps="skip").time.tolist() == [0.0, 3.0]
    path = written(tmp_path, "t [s],z [m]\n0,1\n,2\n2,3\n")
    with pytest.raises(IdentificationError, match="line 3 has no time"):
        pc.identification.MeasuredCurve.from_csv(path, "z", "z")
    assert pc.identification.MeasuredCurve.from_csv(path, "z", "z", gaps="skip").values.tolist() == [1.0, 3.0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "no lines with numbers"),
        ("# nothing\n\n", "no lines with numbers"),
        ("t [s],z [m]\na,b\nc,d\n", "no line has a number"),
        ("t [s],z [m]\n0,1\n0,2\n", "0 s in line 2 is followed by 0 in line 3"),
        ("t [s],z [m]\n0,1\n2,2\n1,3\n", "2 s in line 3 is followed by 1 in line 4"),
        ("t [s],z [m]\n0,1\n1,2,3\n", "line 3 has 3 cells, .* decimal signs"),
        ("t [s],z [m]\n0,1\n1,two\n", 'line 3, column "z": "two" is no finite number'),
        ("t [s],z [m]\n0,1\n1,1e999\n", '1e999" is no finite number'),
        ("t [s],z [m]\n0,1\n1,inf\n", 'inf" is no finite number'),
        ("t [s];z [m]\n0;1,5\n1;1.5\n", "decimal commas and decimal points"),
        ("t [s];z [m]\n0;1.234,5\n1;2,5\n", '"1.234,5" is no finite number'),
        ("t [m],z [m]\n0,1\n1,2\n", "column 't' is in m; a time is expected"),
        ("t [s],z [furlong]\n0,1\n1,2\n", "no unit 'furlong'"),
        ("t [s],z [mm],z [mm]\n0,1,2\n1,2,3\n", '2 columns are called "z"'),
        ("t [s],y [mm]\n0,1\n1,2\n", 'there is no column "z"'),
        ("t [s],z [m]\n0,1\n", "1 point; a curve needs at least 2"),
        ("a\nb\nc\nt [s],z [m]\n0,1\n1,2\n", "leave out what stands before with skip_lines"),
        ("t [s]\n0,1\n1,2\n", "line 1 has 1 titles, line 2 has 2 cells"),
        ('"' + "x" * 200_000 + "\n0,1\n", "this is no table"),
        (b"PK\x03\x04 a workbook", "save the sheet as CSV"),
        (b"\x89HDF\r\n\x1a\n\0\0\0", "no text file"),
    ],
)
def test_refused(tmp_path: Path, content: str | bytes, words: str) -> None:
    with pytest.raises(IdentificationError, match=words) as caught:
        pc.identification.MeasuredCurve.from_csv(written(tmp_path, content), "z", "z", time="t")
    assert "curve.csv" in str(caught.value)


def test_units_must_agree(tmp_path: Path) -> None:
    path = written(tmp_path, "t [s],z [mm]\n0,1\n1,2\n")
    with pytest.raises(IdentificationError, match="is in mm by its title, but in m as asked for"):
        pc.identification.MeasuredCurve.from_csv(path, "z", "z", unit="m")
    assert pc.identification.MeasuredCurve.from_csv(path, "z", "z", unit="mm").values[1] == 2e-3
    with pytest.raises(IdentificationError, match=r"time_shift: .* expected is a time"):
        pc.identification.MeasuredCurve.from_csv(path, "z", "z", time_shift="3 mm")
    with pytest.raises(IdentificationError, match=r"standard_deviation: .* is a time; expected is a length"):
        pc.identification.MeasuredCurve.from_csv(path, "z", "z", standard_deviation="3 ms")
    with pytest.raises(IdentificationError, match="no column 3"):
        pc.identification.MeasuredCurve.from_csv(path, 3, "z")


def test_places_that_hold_no_table(tmp_path: Path) -> None:
    with pytest.raises(IdentificationError, match="no such file"):
        read_table(tmp_path / "missing.csv")
    with pytest.raises(IdentificationError, match="is a folder"):
        read_table(tmp_path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.csv")
        with pytest.raises(IdentificationError, match="FIFO"):
            read_table(tmp_path / "pipe.csv")
    with pytest.raises(IdentificationError, match="separator"):
        read_table(written(tmp_path, "0,1\n"), separator="x")
    with pytest.raises(IdentificationError, match="decimal"):
        read_table(written(tmp_path, "0,1\n"), decimal="'")


@pytest.mark.parametrize(
    ("time", "values", "options", "words"),
    [
        ([0.0, 1.0], [1.0, np.nan], {}, "1 of 2 points have no number"),
        ([0.0, 1.0], [1.0, np.inf], {}, "point 1 is infinite"),
        ([0.0, 1.0], [1.0, 2.0, 3.0], {}, "two arrays of one length"),
        ([1.0, 0.0], [1.0, 2.0], {}, "times must grow"),
        ([0.0, 1.0], ["a", "b"], {}, "must be numbers"),
        ([0.0, 1.0], [1.0, 2.0], {"standard_deviation": 0.0}, "standard_deviation 0.0"),
        ([0.0, 1.0], [1.0, 2.0], {"standard_deviation": True}, "standard_deviation True"),
        ([0.0, 1.0], [1.0, 2.0], {"weight": -1.0}, "weight -1.0"),
        ([0.0, 1.0], [1.0, 2.0], {"gaps": "fill"}, "gaps 'fill'"),
        (np.arange(200_000.0), np.zeros(200_000), {}, "thin it out"),
    ],
)
def test_bad_arrays(time: object, values: object, options: dict, words: str) -> None:
    with pytest.raises(IdentificationError, match=words):
        pc.identification.MeasuredCurve(time, values, "z", "m", **options)  # type: ignore[arg-type]
