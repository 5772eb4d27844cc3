"""Which faults are planted: the same ones for the same seed, spread over the parts of the package.

Each part gets equally many, its kinds of fault in turn, and no function more than two. A larger count adds faults to
those of a smaller one.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice, zip_longest
from pathlib import Path

from tools.faults.exclusions import equivalents, is_left_out
from tools.faults.planting import Fault, faults_of, is_another_program

PARTS: dict[str, tuple[str, ...]] = {
    "kernels/contact": ("kernels/contact",),
    "kernels/dynamics": ("kernels/dynamics",),
    "kernels/geometry": ("kernels/geometry",),
    "kernels/response": ("kernels/response",),
    "kernels/smooth": ("kernels/smooth",),
    "contact": ("contact",),
    "multibody": ("multibody",),
    "simulation": ("simulation",),
    "surfaces/reading": ("surfaces/reading",),
    "surfaces/inspection": ("surfaces/inspection", "surfaces/mending", "surfaces/check.py", "surfaces/repair.py"),
    "scenario": ("scenario",),
    "studies": ("studies",),
    "identification": ("identification",),
    "report": ("report",),
    "robots": ("robots",),
}
"""Parts of the package and their files and folders."""

MOST_IN_A_FUNCTION = 2


def chosen_faults(package: Path, seed: int, count: int, pattern: str = "") -> list[Fault]:
    """``count`` faults, of files whose path matches a regular expression, of each part in turn."""
    parts = {name: list(_files(package, folders, pattern)) for name, folders in PARTS.items()}
    parts = {name: files for name, files in parts.items() if files}
    shares = []
    for i, (name, files) in enumerate(parts.items()):
        share = count // len(parts) + (i < count % len(parts))
        shares.append(list(islice(_in_turn(package, files, f"{seed} {name}"), share)))
    return [fault for turn in zip_longest(*shares) for fault in turn if fault is not None]


def part_of(fault: Fault) -> str:
    """The part of the package in which a fault lies."""
    return next(name for name, places in PARTS.items() if any(_is_in(fault.file, place) for place in places))


def _is_in(file: str, place: str) -> bool:
    return file == place or file.startswith(place + "/")


def _files(package: Path, places: tuple[str, ...], pattern: str) -> Iterator[Path]:
    for file in sorted(package.rglob("*.py")):
        name = file.relative_to(package).as_posix()
        if any(_is_in(name, place) for place in places) and re.search(pattern, name) and not is_left_out(name):
            yield file


def _in_turn(package: Path, files: list[Path], seed: str) -> Iterator[Fault]:
    """Faults of some files: a kind after the other, each at a place that hangs on the seed and on what stands there, so
    that a change elsewhere in the package changes little of the choice."""
    reasons = equivalents()
    sources = {file.relative_to(package).as_posix(): file.read_text(encoding="utf-8") for file in files}
    by_kind: defaultdict[str, list[tuple[bytes, Fault]]] = defaultdict(list)
    same: Counter[tuple[str, str, str, str]] = Counter()  # the text of a fault may stand twice in a function
    for name, source in sources.items():
        for fault in faults_of(source, name):
            text = (name, fault.function, fault.before, fault.after)
            by_kind[fault.kind].append((_lot(f"{seed} {same[text]}", fault), fault))
            same[text] += 1
    for waiting in by_kind.values():
        waiting.sort(key=lambda each: each[0])
    in_function: Counter[tuple[str, str]] = Counter()
    kinds = sorted(by_kind, key=lambda kind: hashlib.sha256(f"{seed} {kind}".encode()).digest())
    while any(by_kind.values()):
        for kind in kinds:
            while by_kind[kind]:
                fault = by_kind[kind].pop()[1]
                place = (fault.file, fault.function)
                known = (*place, fault.before, fault.after) in reasons
                full = in_function[place] == MOST_IN_A_FUNCTION
                if known or full or not is_another_program(sources[fault.file], fault):
                    continue
                in_function[place] += 1
                yield fault
                break


def _lot(seed: str, fault: Fault) -> bytes:
    return hashlib.sha256(f"{seed} {fault.function} {fault.before} {fault.after}".encode()).digest()
