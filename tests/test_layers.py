"""The layers of the package import in one direction only, also inside functions and for type checkers."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "polycontact"

LAYERS = (
    ("errors", "lazy_names", "replacing", "tolerances", "version", "wording"),
    ("units",),
    ("unit_choice",),
    ("kernels",),
    ("surfaces",),
    ("contact",),
    ("laws",),
    ("multibody",),
    ("robots",),
    ("statics",),
    ("simulation",),
    ("scenario",),
    ("report",),
    ("workers",),
    ("studies", "identification"),
    ("convergence", "seeking"),
    ("verification",),
    ("comparison",),
    ("cli",),
    ("__main__",),
)
"""From left to right: a module imports from itself and from what stands in an earlier row."""

ROOT_USERS = ("verification", "comparison", "cli", "__main__")
"""May import the public names from polycontact itself, which gathers them from every layer."""

OUTSIDE_KERNELS = {"numpy", "numba", "llvmlite"} | sys.stdlib_module_names
"""What kernels may import besides polycontact: numpy, and numba with its back end."""

BESIDE = ("proof", "tools", "tests", "docs")
"""Folders of the repository that are not installed: no module of the package imports from them."""

RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}


def test_every_layer_exists_and_the_page_draws_them_in_order() -> None:
    """But for the version and `__main__`, which nobody looks for."""
    assert all((PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file() for name in RANK)
    page = (PACKAGE.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawn = page.partition("## Layers")[2].split("```")[1]
    rows = [sorted(name.strip() for name in row.split(",")) for row in drawn.split("─►")]
    assert rows == [sorted(set(row) - {"version"}) for row in LAYERS if row != ("__main__",)]


def test_layers_import_only_leftwards() -> None:
    found = violations(PACKAGE)
    assert not found, "\n".join(found)


def test_no_file_name_occurs_twice() -> None:
    twice = repeated_names(PACKAGE)
    assert not twice, f"give each file a name of its own: {'; '.join(twice)}"


def test_repeated_file_name_is_caught(tmp_path: Path) -> None:
    for path in ("__init__.py", "contact/__init__.py", "contact/pairing.py", "robots/pairing.py", "robots/gait.py"):
        write(tmp_path, path, "")
    assert repeated_names(tmp_path) == ["contact/pairing.py, robots/pairing.py"]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("contact/pairing.py", "import polycontact.multibody"),
        ("contact/pairing.py", "import polycontact.multibody.rigid_bodies as bodies"),
        ("contact/pairing.py", "from polycontact.multibody import Body"),
        ("contact/pairing.py", "from polycontact import multibody"),
        ("contact/pairing.py", "from polycontact import Surface"),
        ("contact/pairing.py", "import polycontact"),
        ("contact/pairing.py", "from ..multibody.bodies import Body"),
        ("contact/pairing.py", "from .. import multibody"),
        ("contact/__init__.py", "from ..multibody import Body"),
        ("contact/deep/inner.py", "from ...multibody import Body"),
        ("contact/pairing.py", "def f():\n    from polycontact.multibody import Body"),
        ("contact/pairing.py", "class A:\n    def f(self):\n        import polycontact.cli"),
        ("contact/pairing.py", "if TYPE_CHECKING:\n    from polycontact.simulation import Trajectory"),
        ("contact/pairing.py", "import importlib\nimportlib.import_module('polycontact.multibody')"),
        ("contact/pairing.py", "__import__('polycontact.multibody')"),
        ("contact/pairing.py", "from polycontact.unheard_of import x"),
        ("errors.py", "from polycontact.tolerances import EPS"),
        ("report/plots.py", "from polycontact.studies import sweep"),
        ("kernels/forces.py", "import scipy"),
        ("kernels/forces.py", "def f():\n    from scipy.spatial import KDTree"),
        ("kernels/forces.py", "from polycontact.surfaces import Surface"),
        ("cli/measures.py", "from proof.bench import benchmark_run"),
        ("cli/measures.py", "def f():\n    import tools.toml_text"),
        ("novelty.py", ""),
        ("novelty/__init__.py", ""),
    ],
)
def test_bad_import_is_caught(tmp_path: Path, path: str, source: str) -> None:
    write(tmp_path, path, source)
    assert len(violations(tmp_path)) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("__init__.py", "from polycontact.cli import main"),
        ("contact/pairing.py", "from polycontact.surfaces.surface import Surface"),
        ("contact/pairing.py", "from polycontact import kernels, errors"),
        (
            "contact/pairing.py",
            "from . import laws\nfrom .laws import LayerLaw\nfrom ..kernels import forces",
        ),
        ("contact/pairing.py", "import scipy, polycontact_plugin\nfrom polycontact.contact import laws"),
        (
            "kernels/forces.py",
            "import math\nimport numpy as np\nfrom numba import types\nfrom . import jit",
        ),
        ("kernels/forces.py", "from __future__ import annotations\nfrom polycontact.tolerances import EPS"),
        ("cli.py", "from polycontact import Surface\nfrom polycontact.verification import run"),
        ("data/shape.obj", "v 0 0 0"),
    ],
)
def test_good_import_is_accepted(tmp_path: Path, path: str, source: str) -> None:
    write(tmp_path, path, source)
    assert violations(tmp_path) == []


def write(package: Path, path: str, source: str) -> None:
    file = package / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(source, encoding="utf-8")


def repeated_names(package: Path) -> list[str]:
    """The places of each file name that modules under ``package`` share; every folder may have its ``__init__.py``."""
    places: dict[str, list[str]] = {}
    for file in sorted(package.rglob("*.py")):
        if file.name not in ("__init__.py", "__main__.py"):
            places.setdefault(file.name, []).append(file.relative_to(package).as_posix())
    return [", ".join(shared) for shared in places.values() if len(shared) > 1]


def violations(package: Path) -> list[str]:
    """Every import of a module under ``package`` that its layer does not allow, with file and line."""
    found = []
    for file in sorted(package.rglob("*.py")):
        inside = file.relative_to(package)
        layer = inside.parts[0].removesuffix(".py")
        if inside.parts == ("__init__.py",):
            continue
        if layer not in RANK:
            found.append(f"{inside.as_posix()}: '{layer}' is in no layer; add it to LAYERS where it belongs")
            continue
        package_of_file = ("polycontact", *inside.parts[:-1])
        for line, target in imports(ast.parse(file.read_text(encoding="utf-8")), package_of_file):
            if not is_allowed(layer, target):
                found.append(f"{inside.as_posix()}:{line}: {layer} must not import {target}")
    return found


def is_allowed(layer: str, target: str) -> bool:
    """Whether a module of ``layer`` may import the dotted name ``target``."""
    top, _, rest = target.partition(".")
    if top in BESIDE:
        return False
    if top != "polycontact":
        return layer != "kernels" or top in OUTSIDE_KERNELS
    name = rest.partition(".")[0]
    if name not in RANK:
        return layer in ROOT_USERS
    return name == layer or RANK[name] < RANK[layer]


def imports(tree: ast.Module, package: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of all that ``tree``, a module of ``package``, imports anywhere."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            source = ".".join((*above, *([node.module] if node.module else [])))
            if source == "polycontact":  # each name may be a layer of its own
                for alias in node.names:
                    yield node.lineno, f"polycontact.{alias.name}"
            else:
                yield node.lineno, source
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            for argument in node.args[:1]:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield node.lineno, argument.value
