"""Public names: each is found, loads only what it needs, and those of the last version still work with a warning."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
import types
import warnings
from pathlib import Path

import pytest

import polycontact as pc
from polycontact.lazy_names import homes

PACKAGES = sorted(name for name in pc.__all__ if isinstance(getattr(pc, name), types.ModuleType))
LAZY = [name for name in PACKAGES if (Path(pc.__file__).parent / name / "__init__.pyi").is_file()]


def test_there_are_about_sixty_names_beside_the_packages() -> None:
    assert {"laws", "robots", "shapes", "studies", "contact", "multibody"} <= set(PACKAGES)
    assert len(pc.__all__) - len(PACKAGES) <= 70


def test_every_name_of_every_package_is_found() -> None:
    for package in LAZY:
        found = getattr(pc, package)
        assert set(found.__all__) <= set(dir(found))
        for name in found.__all__:
            value = getattr(found, name)
            assert not isinstance(value, types.ModuleType), f"pc.{package}.{name} is a module"


def test_no_name_is_hidden_by_a_module_of_its_package() -> None:
    """``import polycontact.studies.x`` sets ``x`` in the package, whatever stood there."""
    hidden = [
        f"{package}.{each.name}"
        for package in LAZY
        for each in pkgutil.iter_modules(importlib.import_module(f"polycontact.{package}").__path__)
        if each.name in homes(f"polycontact.{package}")
    ]
    assert hidden == []


def test_a_name_stands_in_one_package() -> None:
    flat = {name for name in pc.__all__ if name not in PACKAGES}
    twice = [f"{package}.{name}" for package in LAZY for name in homes(f"polycontact.{package}") if name in flat]
    assert sorted(twice) == [
        "laws.HalfSpaceLaw",
        "laws.LayerLaw",
        "laws.RegularisedCoulomb",
        "laws.StickFriction",
    ]  # with the other laws


def test_names_of_version_0_2_work_and_tell_the_new_ones() -> None:
    old = (Path(__file__).parent / "golden" / "names_0_2.txt").read_text(encoding="utf-8").split()
    assert len(old) == 188
    for name in old:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            value = getattr(pc, name)
        assert value is not None
        if name not in pc.__all__:
            (warning,) = [each for each in told if each.category is DeprecationWarning]
            new = str(warning.message).split(" is now polycontact.")[1].split(";")[0]
            package, _, last = new.rpartition(".")
            assert getattr(getattr(pc, package), last) is value
            assert warning.filename == __file__


def test_what_never_was_a_name_is_none() -> None:
    for name in ("nonsense", "NonsenseError", "_Surface"):
        with pytest.raises(AttributeError, match=name):
            getattr(pc, name)
    with pytest.raises(AttributeError, match="Nonsense"):
        pc.laws.Nonsense  # type: ignore[attr-defined]  # noqa: B018


def test_a_name_loads_its_own_package_only() -> None:
    program = "import sys, polycontact as pc; pc.errors.UnitError; pc.laws; pc.studies; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert "polycontact.errors" in loaded
    assert not {"numpy", "numba", "scipy"} & set(loaded)
