"""What is installed: the package with all its data, and nothing else of the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from polycontact.scenario.builtin import list_scenarios, mesh_files

ROOT = Path(__file__).resolve().parents[1]


def wheel_files() -> set[str]:
    """Paths of the files that a wheel of the package has, as the build backend selects them."""
    wheel = pytest.importorskip("hatchling.builders.wheel")
    return {Path(each.distribution_path).as_posix() for each in wheel.WheelBuilder(str(ROOT)).recurse_included_files()}


def test_wheel_has_the_scenarios_with_their_meshes() -> None:
    scenarios = [name for name, _ in list_scenarios()]
    data = {f"{name}.toml" for name in scenarios} | {file for name in scenarios for file in mesh_files(name)}
    assert len(data) == 42
    assert {f"polycontact/scenario/data/{file}" for file in data} <= wheel_files()


def test_wheel_has_all_of_the_package_and_nothing_else() -> None:
    package = ROOT / "src" / "polycontact"
    files = {
        path.relative_to(package.parent).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.parent.name != "built"  # libraries: the hook
    }
    assert wheel_files() == files


def test_sdist_has_what_the_wheel_is_built_from() -> None:
    sdist = pytest.importorskip("hatchling.builders.sdist")
    builder = sdist.SdistBuilder(str(ROOT))
    files = {Path(each.distribution_path).as_posix() for each in builder.recurse_included_files()}
    assert {"README.md", "LICENSE", "pyproject.toml"} <= files
    assert {f"src/{file}" for file in wheel_files()} <= files
    assert not any("__pycache__" in file or file.endswith((".nbi", ".nbc")) for file in files)
