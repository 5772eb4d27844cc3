"""Where no fault is planted, because nothing that a program computes hangs on it.

- What people read: docstrings, messages of errors and warnings, ``__repr__`` and the like, progress lines, logging.
- What only type checkers or importers read: annotations, ``TYPE_CHECKING``, ``__all__``, decorators, casts.
- What decides speed and memory alone: sizes of caches, chunks and buffers, grain of threads, compression.
- What was judged by a reader to make no difference: ``equivalent.toml``, each with its reason.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

_SPOKEN_METHODS = {"__repr__", "__str__", "__rich__", "__rich_repr__", "__format__"}
_SPEAKING_CALLS = {"warn", "print", "say", "debug", "info", "warning", "log", "cast", "TypeVar", "ngettext", "plural"}
_REFUSING_CALLS = {"fail", "_fail", "_failed", "_refuse", "_refused"}
"""Functions that raise an error: their words do not count, that they are called does."""
_SPEED_KEYWORDS = {
    *("maxsize", "chunks", "chunk_size", "chunksize", "buffer_size", "buffering", "compression", "compression_opts"),
    *("compresslevel", "level", "cache", "parallel", "nogil", "capacity", "reserve", "timeout", "stacklevel"),
    *("indent", "ensure_ascii"),  # how JSON looks
}
_SPEED_WORDS = ("capacity", "chunk", "buffer", "cache", "patience", "seconds", "interval", "stacklevel", "n_threads")
"""Words in the name of a variable or constant that decides speed, memory or how long something is waited for."""

_LEFT_OUT = (
    "kernels/first_use/",
    "kernels/linking.py",
    "kernels/lanes.py",
    "kernels/jit.py",
    "kernels/dynamics/sleeping_threads.py",
    "multibody/thread_choice.py",
    "simulation/progress_line.py",
    "simulation/recording/plotting.py",
    "scenario/schema/key_reference.py",
    "studies/sensitivity_plots.py",
    "identification/fit_plot.py",
)
"""Files of what is compiled when and where, of how many threads work, of words on a terminal and of how curves look."""

EQUIVALENT = Path(__file__).with_name("equivalent.toml")


def is_left_out(file: str) -> bool:
    """Whether a whole file of the package is left out."""
    return file.startswith(_LEFT_OUT)


def untouched(tree: ast.Module) -> set[int]:
    """Identities of the nodes of a file in which no fault is planted."""
    excluded: set[int] = set()
    for node in ast.walk(tree):
        for part in _without_consequence(node):
            excluded.update(id(inner) for inner in ast.walk(part))
    return excluded


def _without_consequence(node: ast.AST) -> Iterator[ast.AST]:
    """Parts of a node in which a fault has no consequence."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from (each for each in (node.returns, *node.decorator_list) if each is not None)
        if node.name in _SPOKEN_METHODS:
            yield node
    elif isinstance(node, ast.ClassDef):
        yield from node.decorator_list
        yield from node.bases
    elif isinstance(node, ast.arg) and node.annotation is not None:
        yield node.annotation
    elif isinstance(node, ast.AnnAssign):
        yield node.annotation
        if _decides_speed(node.target):
            yield node
    elif isinstance(node, ast.Raise):
        yield from (each for each in (node.exc, node.cause) if each is not None)  # the words; that it is raised counts
    elif isinstance(node, ast.Assert | ast.JoinedStr | ast.Import | ast.ImportFrom):
        yield node
    elif isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if any(_is_all(target) or _decides_speed(target) for target in targets):
            yield node
    elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
        yield node
    elif isinstance(node, ast.Call):
        name = _last_name(node.func)
        if name in _SPEAKING_CALLS or name.endswith(("Error", "Warning", "Problem")):
            yield node
        yield from (each.value for each in node.keywords if each.arg in _SPEED_KEYWORDS)
        if name in _REFUSING_CALLS:
            yield from (*node.args, *(each.value for each in node.keywords))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        if _last_name(node.value.func) in _SPEAKING_CALLS:
            yield node
    elif isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        yield node


def _last_name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_all(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in {"__all__", "__slots__"}


def _decides_speed(node: ast.AST) -> bool:
    name = _last_name(node).lower()
    return any(word in name for word in _SPEED_WORDS)


def equivalents() -> dict[tuple[str, str, str, str], str]:
    """Faults that a reader judged to make no difference: file, function, before and after, with the reason."""
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("fault", [])
    return {(each["file"], each["function"], each["before"], each["after"]): each["reason"] for each in listed}
