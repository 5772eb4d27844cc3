"""Compiled kernels are found again by what they are made from, wherever the package lies, and take bounded room."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import numba
import pytest
from numba import types

from polycontact.kernels.first_use import kernel_cache, kernel_sources
from polycontact.kernels.first_use.kernel_sources import PACKAGE, keys_from, module_key
from polycontact.kernels.jit import entry_kernel
from polycontact.kernels.numba_internals import versions
from polycontact.kernels.views import JIT_IS_OFF

SOURCES = {
    "polycontact.kernels.deep": b"LIMIT = 2.0\n",
    "polycontact.kernels.middle": b"from polycontact.kernels.deep import LIMIT\ndef f(x):\n    return LIMIT * x\n",
    "polycontact.kernels.entry": b"def g(x):\n    from polycontact.kernels import middle\n    return middle.f(x)\n",
    "polycontact.kernels.other": b"def h(x):\n    return x\n",
}


def changed(module: str, text: str) -> set[str]:
    """Modules whose keys are others after a module got another source."""
    name = "polycontact.kernels." + module
    before, after = keys_from(SOURCES), keys_from({**SOURCES, name: textwrap.dedent(text).encode()})
    return {each.removeprefix("polycontact.kernels.") for each in before if before[each] != after[each]}


def test_a_change_reaches_what_imports_it_and_nothing_else() -> None:
    assert changed("deep", "LIMIT = 2.5\n") == {"deep", "middle", "entry", ""}
    assert changed("other", "def h(x):\n    return -x\n") == {"other", ""}
    assert changed("entry", "def g(x):\n    return x\n") == {"entry", ""}


def test_comments_docstrings_and_lines_do_not_count() -> None:
    documented = '''
        """What this is for."""

        def h(x):
            """Half of it, m."""

            return x  # one a side
    '''
    assert changed("other", documented) == set()


def test_another_numba_or_python_has_keys_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    module = "polycontact.kernels.geometry.vectors"
    before = module_key(module)
    monkeypatch.setattr(kernel_sources, "_COMPILED_BY", "3.11 numba 0.99.0, linked")
    assert module_key(module) != before
    assert numba.__version__ in versions.MADE_BY


@pytest.mark.slow
def test_keys_do_not_hang_on_times_or_folders(tmp_path: Path) -> None:
    key = module_key("polycontact.kernels.geometry.vectors")
    os.utime(PACKAGE / "kernels" / "geometry" / "vectors.py")
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from polycontact.kernels.first_use.kernel_sources import PACKAGE, module_key\n"
        "print(PACKAGE, module_key('polycontact.kernels.geometry.vectors'))"
    )
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "polycontact").symlink_to(PACKAGE)
    told = subprocess.run(
        [sys.executable, "-P", "-c", program, str(tmp_path / "elsewhere")], capture_output=True, text=True, check=True
    )
    assert told.stdout.split()[-1] == key


def test_when_and_where_code_is_compiled_does_not_count() -> None:
    """Other words of the notice compile nothing anew."""
    named = set(kernel_sources._sources())
    assert "polycontact.kernels.jit" in named
    assert not [each for each in named if each.startswith("polycontact.kernels.first_use")]
    assert not [each for each in named if each.startswith("polycontact.kernels.library_file")]


@pytest.mark.slow
@pytest.mark.skipif(JIT_IS_OFF, reason="nothing is compiled")
def test_a_reinstalled_package_finds_what_was_compiled(tmp_path: Path) -> None:
    """As pip does it: the folder is removed and copied anew, with other times and in another place."""
    program = (
        "from polycontact.kernels.dynamics.quaternion_lengths import normalise_quaternions as entry\n"
        "print(sum(entry.stats.cache_misses.values()), sum(entry.stats.cache_hits.values()))"
    )
    counted = []
    for place in ("first", "second"):
        shutil.copytree(PACKAGE, tmp_path / place / "polycontact", ignore=shutil.ignore_patterns("__pycache__"))
        variables = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path / place)}
        told = subprocess.run(
            [sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=True
        )
        counted.append(told.stdout.split())
        shutil.rmtree(tmp_path / place)
    assert counted == [["1", "0"], ["0", "1"]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    kernel_cache.cache_folder.cache_clear()
    kernel_cache.module_folder.cache_clear()
    yield tmp_path / "polycontact-kernels"
    kernel_cache.cache_folder.cache_clear()
    kernel_cache.module_folder.cache_clear()


def double(x: float) -> float:
    return 2.0 * x


@pytest.mark.skipif(JIT_IS_OFF, reason="nothing is compiled")
def test_what_was_compiled_is_found_again(folder: Path) -> None:
    first = entry_kernel((types.float64,))(double)
    again = entry_kernel((types.float64,))(double)
    assert (first(2.0), again(2.0)) == (4.0, 4.0)
    assert sum(first.stats.cache_misses.values()) == 1
    assert sum(again.stats.cache_hits.values()) == 1
    assert sorted(each.suffix for each in folder.glob("*test_kernel_cache-*/*")) == [".lock", ".nbc", ".nbi"]


@pytest.mark.skipif(JIT_IS_OFF, reason="nothing is compiled")
def test_what_was_loaded_becomes_part_of_other_code(folder: Path) -> None:
    """Its bitcode is read when other code that calls it is compiled, and not before."""
    entry_kernel((types.float64,))(double)
    loaded = entry_kernel((types.float64,))(double)
    assert sum(loaded.stats.cache_hits.values()) == 1
    (compiled,) = loaded.overloads.values()
    assert compiled.library._shared_module is None

    @numba.njit
    def fourfold(x: float) -> float:
        return 2.0 * loaded(x)

    assert fourfold(3.0) == 12.0
    assert compiled.library._shared_module is not None


def test_the_folders_unused_for_longest_make_room(folder: Path) -> None:
    for age in range(5):
        each = folder / f"contact.evaluate-{age}"
        each.mkdir(parents=True)
        (each / "code.nbc").write_bytes(bytes(100))
        os.utime(each, (1e9 - age, 1e9 - age))
    notes = folder / "keys-9"
    notes.write_bytes(bytes(10))
    os.utime(notes, (0, 0))
    kernel_cache.make_room(limit=250)
    assert sorted(each.name[-1] for each in folder.iterdir()) == ["0", "1"]


def test_a_folder_that_cannot_be_written_is_told_and_done_without(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder.parent.joinpath("file").touch()
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(folder.parent / "file"))
    assert kernel_cache.cache_folder() is None
    assert "NUMBA_CACHE_DIR" in capfd.readouterr().err
    assert kernel_cache.module_folder("polycontact.kernels.geometry.vectors") is None


@pytest.mark.slow
@pytest.mark.skipif(JIT_IS_OFF, reason="nothing is compiled")
def test_of_two_processes_one_compiles(tmp_path: Path) -> None:
    source = """
        from numba import types
        from polycontact.kernels.jit import entry_kernel

        @entry_kernel((types.float64,))
        def double(x):
            return 2.0 * x

        print(sum(double.stats.cache_misses.values()))
    """
    (tmp_path / "compiled.py").write_text(textwrap.dedent(source))
    paths = os.pathsep.join([str(tmp_path), str(PACKAGE.parent)])
    variables = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": paths}
    both = [
        subprocess.Popen([sys.executable, "-c", "import compiled"], env=variables, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert sorted(int(each.communicate()[0]) for each in both) == [0, 1]
