"""What hangs on the version of Numba stands in one folder, whose page names all of it; versions are told truly."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from polycontact.kernels import numba_internals
from polycontact.kernels.numba_internals import versions

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "polycontact"
FOLDER = PACKAGE / "kernels" / "numba_internals"
DOCUMENTED = {
    *("njit", "prange", "types", "from_dtype", "NumbaError"),
    *("config", "__version__", "get_num_threads", "set_num_threads"),
}
"""Of Numba, what any module may use; and ``numba.extending.overload``."""


def internals(source: str) -> Iterator[str]:
    """Names that a module uses of Numba and llvmlite beyond what is documented."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] in ("numba", "llvmlite"):
            for each in node.names:
                name = f"{node.module}.{each.name}"
                if name.removeprefix("numba.") not in DOCUMENTED and name != "numba.extending.overload":
                    yield name
        elif isinstance(node, ast.Import):
            for each in node.names:
                if each.name.startswith(("numba.", "llvmlite")):
                    yield each.name
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "numba":
            if node.attr not in DOCUMENTED:
                yield f"numba.{node.attr}"
        elif isinstance(node, ast.Attribute) and node.attr in ("_cache", "overloads", "fndesc"):
            yield node.attr


def test_internals_of_numba_are_used_in_one_folder_only() -> None:
    files = [file for file in PACKAGE.rglob("*.py") if file.parent != FOLDER]
    found = [f"{file.relative_to(PACKAGE)}: {name}" for file in files for name in internals(file.read_text("utf-8"))]
    assert len(files) > 100
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("from numba.core import cgutils", "numba.core.cgutils"),
        ("import numba.core.event", "numba.core.event"),
        ("def f():\n    from llvmlite import ir", "llvmlite.ir"),
        ("import numba\nnumba.core.event.register", "numba.core"),
        ("from numba.extending import intrinsic", "numba.extending.intrinsic"),
        ("function._cache", "_cache"),
    ],
)
def test_an_internal_is_noticed(source: str, name: str) -> None:
    assert list(internals(source)) == [name]


def test_the_page_names_every_file_and_every_name_imported() -> None:
    page = numba_internals.__doc__ or ""
    for file in FOLDER.glob("*.py"):
        assert file.name in ("__init__.py",) or file.name in page, f"{file.name} is not on the page"
        for name in internals(file.read_text("utf-8")):
            words = set(re.findall(r"\w+", page))
            assert name.rpartition(".")[2] in words, f"{file.name} uses {name}, which is not on the page"


def test_the_versions_tested_begin_with_the_lowest_allowed_and_hold_the_pinned() -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    (bound,) = (each.removeprefix("numba>=") for each in wanted if each.startswith("numba"))
    assert versions.TESTED[0] == versions.minor_version(bound)
    pinned = re.search(r"^numba==(\S+)", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE)
    assert pinned is not None
    assert versions.is_tested(pinned[1])


def test_the_guide_tells_the_versions_tested() -> None:
    told = (ROOT / "docs" / "installation.md").read_text("utf-8")
    assert f"Numba {', '.join(versions.TESTED[:-1])} and {versions.TESTED[-1]} are tested" in told


def test_other_versions_are_told_from_tested_ones() -> None:
    assert [versions.minor_version(each) for each in ("0.68.1", "0.69.0rc1", "0.70.0.dev0+12")] == [
        "0.68",
        "0.69",
        "0.70",
    ]
    assert [versions.is_tested(each) for each in ("0.61.0", "0.6.1", "0.99.0", "1.68.0")] == [True, False, False, False]


def test_the_remark_names_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not versions.LINKS or versions.remark() == ""
    monkeypatch.setattr(versions, "LINKS", False)
    monkeypatch.setattr(versions.numba, "__version__", "0.99.0")
    assert versions.remark().startswith("Numba 0.99.0 has not been tested")
    assert "\n" not in versions.remark()


ONE_ENTRY = """
from numba import types
from polycontact.kernels.first_use.kernel_sources import module_key
from polycontact.kernels.jit import LINKS, apart_kernel, inline_kernel, kernel, uncached_entry

@inline_kernel
def deepest(x):
    return 2.0 * x + 1.0

@apart_kernel
def apart(x):
    return x - 1.0

@kernel
def calls(x):
    return deepest(x) + apart(x)

@uncached_entry((types.float64,))
def entry(x):
    return calls(x)

print(LINKS, entry(1.0), calls(1.0), module_key("polycontact.kernels.jit"))
"""


@pytest.mark.slow
def test_each_kernel_may_be_compiled_by_itself_with_code_of_its_own(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(ONE_ENTRY, encoding="utf-8")
    told = [
        subprocess.run(
            [sys.executable, str(program)],
            env={**os.environ, versions.SWITCH: switch},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for switch in ("yes", "no")
    ]
    assert [words[:3] for words in told] == [["True", "3.0", "3.0"], ["False", "3.0", "3.0"]]
    assert told[0][3] != told[1][3]
