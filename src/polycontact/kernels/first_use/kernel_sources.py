"""What compiled kernels are made from: a key for each module that changes when the meaning of its sources does.

The key of a module covers its own source and that of every module of the package that it imports, directly or through
others. Comments, docstrings and blank lines do not count, nor do file times and folders: a fresh clone, a second
checkout or a reinstalled package finds what was compiled before, and a change of one kernel compiles only the entries
that are made from it.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from polycontact.kernels.numba_internals.versions import MADE_BY

_COMPILED_BY = f"{sys.version} {MADE_BY}"
"""The Python and the Numba: environments with different ones keep their code side by side."""

PARSED_BY = f"{sys.version_info[0]}.{sys.version_info[1]}"
"""Pythons of different versions parse a source differently, and find other keys for it."""

PACKAGE = Path(__file__).resolve().parents[2]
"""The folder ``polycontact``."""


_NOT_COMPILED = ("first_use", "library_file")


def module_key(module: str, memo: Path | None = None) -> str:
    """Key of a module of ``polycontact.kernels`` and of what compiles it here; any other module has the key of all
    kernels together."""
    keys = content_keys(memo)
    return hashlib.sha256(f"{_COMPILED_BY} {keys.get(module, keys[''])}".encode()).hexdigest()[:24]


@cache
def content_keys(memo: Path | None) -> dict[str, str]:
    """Keys of all modules of kernels, whatever compiles them, and under "" the key of all of them together.

    ``memo`` is a folder where keys are kept from one process to the next: reading the sources takes milliseconds,
    parsing them half a second.
    """
    kept = memo / f"keys-{PARSED_BY}-{letters_key()}.json" if memo is not None else None
    if kept is not None:
        try:
            return dict(json.loads(kept.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            pass  # not there yet, or damaged: it is made again
    keys = keys_from(_sources())
    if kept is not None:
        _keep(kept, json.dumps(keys))
    return keys


@cache
def letters_key() -> str:
    """Key of all kernels together that changes with every letter of their sources, and takes no parsing."""
    raw = hashlib.sha256()
    for module, text in sorted(_sources().items()):
        raw.update(f"{module} {len(text)} ".encode() + text)
    return raw.hexdigest()[:24]


def _sources() -> dict[str, bytes]:
    """Source of every module of kernels and of what they import of the package besides, by dotted name.

    `first_use` and `library_file` are left out: they decide when and where code is compiled, not what it is.
    """
    kernels = PACKAGE / "kernels"
    files = [each for each in kernels.rglob("*.py") if each.parent.name not in _NOT_COMPILED]
    files.append(PACKAGE / "tolerances.py")
    return {_dotted(file): file.read_bytes() for file in files}


def _dotted(file: Path) -> str:
    parts = ("polycontact", *file.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def keys_from(sources: dict[str, bytes]) -> dict[str, str]:
    """Key of each module, from the sources of all of them by dotted name."""
    trees = {module: _without_documentation(ast.parse(text)) for module, text in sources.items()}
    digests = {module: hashlib.sha256(ast.dump(tree).encode()).digest() for module, tree in trees.items()}
    imports = {module: set(_imported(tree)) & set(sources) for module, tree in trees.items()}
    keys = {module: _joined(_closure(module, imports), digests) for module in sources}
    return {**keys, "": _joined(set(sources), digests)}


def _joined(modules: set[str], digests: dict[str, bytes]) -> str:
    total = hashlib.sha256()
    for module in sorted(modules):
        total.update(module.encode() + digests[module])
    return total.hexdigest()[:24]


def _closure(module: str, imports: dict[str, set[str]]) -> set[str]:
    """A module and all that it imports, directly or through others."""
    reached, waiting = {module}, [module]
    while waiting:
        new = imports[waiting.pop()] - reached
        reached |= new
        waiting += new
    return reached


def _imported(tree: ast.Module) -> Iterator[str]:
    """Dotted names that a module may import, also inside functions; some name functions, not modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)


def _without_documentation(tree: ast.Module) -> ast.Module:
    """A parsed module without the strings that stand by themselves, which document what is above or below them."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                setattr(node, name, [each for each in body if not _is_string(each)])
    return tree


def _is_string(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _keep(file: Path, text: str) -> None:
    """Write a small file as a whole or not at all; where that fails it is made again next time."""
    aside = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        aside.write_text(text, encoding="utf-8")
        os.replace(aside, file)
    except OSError:
        aside.unlink(missing_ok=True)
