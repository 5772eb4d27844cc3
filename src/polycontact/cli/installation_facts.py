"""What an installation consists of: versions, processor, compiled kernels, optional packages, browser."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any, Final

OPTIONAL: Final = {
    "report": ("plotly", "pillow"),
    "movie": ("imageio", "imageio-ffmpeg"),
    "cad": ("trimesh", "networkx", "lxml", "cascadio"),
    "cluster": ("distributed",),
}
"""Packages of each extra."""

SETTINGS: Final = ("NUMBA_", "POLYCONTACT_", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""Beginnings of the names of environment variables that change how polycontact works; no others are told."""


def installation_facts() -> dict[str, dict[str, Any]]:
    """Facts by topic, as plain values; what is not known is None."""
    import polycontact

    return {
        "polycontact": {
            "version": polycontact.__version__,
            "folder": str(Path(polycontact.__file__).parent),
            "python": f"{platform.python_version()} ({platform.python_implementation()}), {sys.executable}",
            "system": platform.platform(),
        },
        "packages": {name: _version(name) for name in _needed()},
        "optional_packages": {
            f"{extra}: {name}": _version(name) for extra, names in OPTIONAL.items() for name in names
        },
        "processor": _processor(),
        "kernels": _kernels(),
        "environment": {name: value for name, value in sorted(os.environ.items()) if name.startswith(SETTINGS)},
        "browser": {"pages are shown in": _browser()},
    }


def _needed() -> list[str]:
    """Names of the packages that polycontact needs, in order."""
    try:
        told = requires("polycontact") or []
    except PackageNotFoundError:  # the sources on the path, without an installation
        told = ["numpy", "scipy", "numba", "scikit-sundae", "h5py", "pydantic", "cyclopts", "rich"]
    names = [line.split(">")[0].split("=")[0].split("<")[0].strip() for line in told if "extra ==" not in line]
    return [*names, "llvmlite"]


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor() -> dict[str, Any]:
    """The processor for which kernels are compiled, and the cores that this process may use."""
    from polycontact.kernels.numba_internals.host_processor import has_features, processor_name

    told = [name for name in ("sse4.2", "avx", "avx2", "fma", "avx512f", "neon") if has_features([name])]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "machine": platform.machine(),
        "name": processor_name(),
        "vector instructions": told,
        "cores for this process": cores,
    }


def _kernels() -> dict[str, Any]:
    """How kernels get compiled, and what is kept of them."""
    from polycontact.kernels.first_use.kernel_cache import LARGEST_CACHE, cache_folder
    from polycontact.kernels.numba_internals.versions import MADE_BY, remark
    from polycontact.kernels.views import JIT_IS_OFF

    folder = cache_folder()
    found: dict[str, Any] = {
        "come from": "Python, as the JIT is off (NUMBA_DISABLE_JIT)" if JIT_IS_OFF else "compiled at their first use",
        "made by": MADE_BY,
        "cache": None if folder is None else str(folder),
    }
    if folder is not None:
        sizes = [file.stat().st_size for file in folder.rglob("*") if file.is_file()]
        modules = sum(1 for each in folder.iterdir() if each.is_dir())
        found["kept"] = f"{modules} modules, {1e-6 * sum(sizes):.1f} MB of at most {1e-6 * LARGEST_CACHE:.0f} MB"
    if told := remark():
        found["remark"] = told
    return found


def _browser() -> str | None:
    """The browser that Python would open; None where it finds none, as on servers."""
    import webbrowser

    try:
        return getattr(webbrowser.get(), "name", None) or "the one of the system"
    except webbrowser.Error:
        return None
