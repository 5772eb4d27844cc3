"""Files are written whole or not at all, whatever goes wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from polycontact.replacing import replacing, write_whole

ROOT = Path(__file__).resolve().parents[1]


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")
    with suppress(OSError), replacing(path) as part:
        part.write_text("ne")
        raise OSError(28, "No space left on device")
    assert path.read_text() == "old"
    write_whole(path, "new ü")
    assert path.read_bytes() == "new ü".encode()
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


def test_the_error_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(tmp_path / "nowhere" / "page.html", "text")
    assert caught.value.filename == str(tmp_path / "nowhere" / "page.html")


@pytest.mark.skipif(os.name == "nt", reason="links, modes and devices of other systems")
def test_links_modes_and_devices_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "table.csv", tmp_path / "link.csv"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640
    write_whole("/dev/null", "nothing")
    assert not Path("/dev/null").is_file()


FULL_DISK = """
import sys, resource
from pathlib import Path
import polycontact as pc
from polycontact.errors import PolycontactError
from polycontact.cli import main
from polycontact.report.picture import write_film
from polycontact.report.export import export_run
from polycontact.report.view.showing import make_page_of
sys.path[:0] = ["tests/report", "tests"]
from report_runs import bubbles_file
folder = Path(sys.argv[1])
file, surface = bubbles_file(), pc.shapes.sphere(0.1)
run = pc.Trajectory.open(file)
still = ["picture", str(file), "-o", str(folder / "a.png"), "--size", "200x100"]
resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900))
for write in (
    lambda: pc.save_surface(surface, folder / "a.obj"),
    lambda: run.to_csv(folder / "a.csv"),
    lambda: make_page_of(run).save(folder / "a.html"),
    lambda: write_film(run, folder / "a.gif", size=(100, 60), samples=1, fps=5),
    lambda: export_run(run, folder / "export", csv=False, fps=2),
):
    try:
        write()
        print("written")
    except PolycontactError as error:
        print(error)
print(main(still))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of file size")
def test_a_full_disk_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    """Meshes, tables, pages, films, time series and pictures."""
    for suffix in ("obj", "csv", "html", "gif", "png"):
        (tmp_path / f"a.{suffix}").write_text("old")
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert all("cannot be written" in line for line in lines[:-1]), done.stdout
    assert len(lines) == 6
    assert lines[-1] == "2"
    assert all(path.read_text() == "old" for path in tmp_path.glob("a.*"))
    assert len(list(tmp_path.glob("a.*"))) == 5
    assert not list(tmp_path.rglob("*.part*"))
