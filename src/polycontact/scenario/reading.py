"""The content of a scenario file, read safely: a regular UTF-8 file of sane size, TOML, not too deep or too full."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, Final

from polycontact.errors import ScenarioError
from polycontact.scenario.file_problems import shown

MAX_BYTES: Final = 16 * 1024**2
"""Largest scenario file; meshes are files of their own."""

MAX_DEPTH: Final = 32
"""Deepest nesting of tables and arrays; a scenario needs seven."""

MAX_KEYS: Final = 200_000
"""Most keys of a file."""

MAX_ENTRIES: Final = 10_000
"""Most bodies, joints, loops, forces or pairs of a scenario."""

TOO_MANY_KEYS: Final = f"has more than {MAX_KEYS} keys; divide the scenario"

_TABLE: Final = re.compile(r"^[ \t]*\[\[[ \t]*([\w-]+)[ \t]*\]\]", re.ASCII | re.MULTILINE)
_KEY: Final = re.compile(r"^[ \t]*[\w.-]+[ \t]*=", re.ASCII | re.MULTILINE)

HDF5_SIGNATURE: Final = b"\x89HDF\r\n\x1a\n"

RECORDED: Final = "this is a recorded run or the table of a study; see it with 'polycontact report'"

EXAMPLE: Final = "for an example see 'polycontact template bubbles'"

_MANY_DOTS: Final = re.compile(r"""(?<![\w.'"-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){64}""", re.ASCII)
"""A dotted key with 64 or more parts: the reader of TOML needs a time that grows with the square of their number."""


def read_text(path: Path, what: str = "a scenario", example: str = EXAMPLE) -> str:
    """Text of the file at ``path``, which should be ``what``; ``example`` tells how to begin one."""
    name = path.name or str(path)
    data = _read_bytes(path, name, what)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if data.startswith(HDF5_SIGNATURE):
            raise ScenarioError(name, (f"{RECORDED}, and give the file of {what} here",)) from error
        line = data.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{data[error.start]:02x} in line {line} is not UTF-8 text"
        raise ScenarioError(name, (f"{found}; save the file as UTF-8",)) from error
    if not text.strip():
        raise ScenarioError(name, (f"the file is empty; {example}",))
    return text


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """Content of the TOML ``text``; ``name`` of the file for errors."""
    if len(text) > MAX_BYTES:
        raise ScenarioError(name, (f"the text has {len(text)} characters; allowed are {MAX_BYTES}",))
    if many := _MANY_DOTS.search(text):
        line = text.count("\n", 0, many.start()) + 1
        raise ScenarioError(name, (f"line {line}: a key with more than 64 parts; allowed are {MAX_DEPTH}",))
    _refuse_many(text, name)
    try:
        raw = tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(name, (_where(str(error), text),)) from error
    except RecursionError as error:
        raise ScenarioError(name, (f"nested too deeply; allowed are {MAX_DEPTH} levels",)) from error
    except ValueError as error:  # an integer or a date that Python cannot hold
        raise ScenarioError(name, (f"a value cannot be read: {error}",)) from error
    _refuse_monsters(raw, name)
    return raw


def _read_bytes(path: Path, name: str, what: str) -> bytes:
    try:
        _require_regular(os.stat(path), name, what)
        # O_NONBLOCK: should the path become a FIFO between the two calls, opening must not wait for a writer.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with open(os.open(path, flags), "rb") as file:
            status = os.fstat(file.fileno())
            _require_regular(status, name, what)
            if status.st_size > MAX_BYTES:
                raise ScenarioError(name, (f"the file has {status.st_size} bytes; allowed are {MAX_BYTES}",))
            return file.read(MAX_BYTES)
    except FileNotFoundError as error:
        raise ScenarioError(name, (f"there is no such file in {shown(str(path.parent))}; check the path",)) from error
    except PermissionError as error:
        raise ScenarioError(name, ("no permission to read it; change its access rights",)) from error
    except OSError as error:
        raise ScenarioError(name, (f"cannot be read: {error.strerror}; check the path",)) from error
    except ValueError as error:
        if isinstance(error, ScenarioError):
            raise
        raise ScenarioError(shown(name), (f"is not a valid path: {error}",)) from error


def _require_regular(status: os.stat_result, name: str, what: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a FIFO, socket or device"
        raise ScenarioError(name, (f"is {kind}; give the path of the file of {what}",))


def _where(message: str, text: str) -> str:
    """A complaint about TOML with the line it is about."""
    found = re.search(r" ?\(at line (\d+), column (\d+)\)", message)
    lines = text.splitlines()
    if found and int(found[1]) <= len(lines):
        told = f"not valid TOML: {message.replace(found[0], '')}"
        return f"line {found[1]}, column {found[2]}: {told}: {shown(lines[int(found[1]) - 1].strip())}"
    return f"not valid TOML: {message}"


def _refuse_many(text: str, name: str) -> None:
    """Refuse, before the slow reader of TOML begins, what has more tables or keys than are allowed.

    Lines that begin like one are counted: also those inside a text of several lines, which has no room for so many.
    """
    tables = Counter(match[1] for match in _TABLE.finditer(text))
    for table, n in tables.most_common(1):
        if n > MAX_ENTRIES:
            raise ScenarioError(name, (f"{table}: has {n} entries; allowed are at most {MAX_ENTRIES}",))
    if sum(1 for _ in _KEY.finditer(text)) > MAX_KEYS:
        raise ScenarioError(name, (TOO_MANY_KEYS,))


def _refuse_monsters(raw: dict[str, Any], name: str) -> None:
    """Refuse content that no scenario has, before anything walks through it."""
    level: list[Any] = [raw]
    n_keys = 0
    for _ in range(MAX_DEPTH):
        n_keys += sum(len(each) for each in level if isinstance(each, dict))
        if n_keys > MAX_KEYS:
            raise ScenarioError(name, (TOO_MANY_KEYS,))
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise ScenarioError(name, (f"nested too deeply; allowed are {MAX_DEPTH} levels",))
