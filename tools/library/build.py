"""The way from sources to libraries: entries are lowered, once; made to objects, for each target; and linked.

What was made is kept in `build/library`, under the keys of compiled kernels: after a change only entries whose sources
it touches are built again.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numba

from polycontact.kernels.first_use.kernel_cache import cache_folder
from polycontact.kernels.library_file.library_key import origin
from polycontact.kernels.library_file.shared_library import FORMAT, library_name
from polycontact.replacing import replacing, write_whole
from tools.library.capture import Captured, capture
from tools.library.emit import object_code
from tools.library.link import index_object, link, linker
from tools.library.targets import TARGETS, Target


def build(names: Sequence[str], folder: Path, n_processes: int, modules: Sequence[str] = ()) -> list[Path]:
    """Build the libraries of the targets named, and put them into a folder; ``modules``: with their entries only."""
    targets = [TARGETS[name] for name in names]
    for target in targets:
        linker(target)  # before minutes of work
    os.environ["POLYCONTACT_COMPILES"] = "alone"
    entries = []
    with ProcessPoolExecutor(n_processes, mp_context=get_context("spawn")) as pool:
        waiting = []
        for entry in capture(modules):
            entries.append(entry)
            missing = [target.name for target in targets if not entry.object_file(target).is_file()]
            if missing:
                waiting.append(pool.submit(_emit, entry, missing))
        for each in waiting:
            each.result()
    twice = [name for name, n in Counter(entry.name for entry in entries).items() if n > 1]
    if twice:
        raise ValueError(f"two entries of one name: {', '.join(twice)}")
    return [_link(target, entries, folder) for target in targets]


def _emit(entry: Captured, names: Sequence[str]) -> None:
    """Write the objects of an entry."""
    for name in names:
        target = TARGETS[name]
        write_whole(entry.object_file(target), object_code(entry.file.read_bytes(), target))


def _link(target: Target, entries: Sequence[Captured], folder: Path) -> Path:
    """Link a library and put it in its place."""
    system, _, which = target.name.partition("-")
    index = {
        "format": FORMAT,
        "target": target.name,
        "cpu": target.cpu,
        "joins": target.joins,
        "compiler": f"numba {numba.__version__}",
        "made_from": origin(cache_folder()),
        "entries": {entry.name: entry.module for entry in entries},
    }
    codes = {entry.name: n for entry in entries if (n := entry.n_whole_numbers) is not None}
    path = folder / library_name(system, which)
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(path) as part:
        beside = part.with_name(part.name + ".o")
        beside.write_bytes(index_object(target, index, codes))
        try:
            link(target, [*(entry.object_file(target) for entry in entries), beside], part)
        finally:
            beside.unlink()
    return path
