"""The records of what tests run: several files in a folder, each of some tests of one test file.

A test is known by its name and by the text of its function without decorators: a mark or a new neighbour does not make
it another one.
"""

from __future__ import annotations

import ast
import gzip
import hashlib
import inspect
import json
import os
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def digest_of_test(function: Any) -> str:
    """A word that changes with what a test function says."""
    try:
        node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        return "unknown"
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = []
    return hashlib.sha256(ast.dump(node).encode()).hexdigest()[:12]


def known_tests(folder: Path) -> dict[str, str]:
    """Digest of each test in the records of a folder, by its name."""
    known: dict[str, str] = {}
    for file in sorted(folder.glob("*.known.json"), key=lambda each: each.stat().st_mtime):
        known |= json.loads(file.read_text(encoding="utf-8"))
    return known


def write_record(folder: Path, test_file: Path, record: dict[str, Any]) -> None:
    """Keep what was noted of some tests of a file."""
    digests = {name: test["digest"] for name, test in record["tests"].items()}
    word = hashlib.sha256(json.dumps(digests).encode()).hexdigest()[:12]
    name = f"{test_file.parent.name}-{test_file.stem}-{word}"
    aside = folder / f"{name}.{os.getpid()}"
    with gzip.open(aside, "wt", encoding="utf-8", compresslevel=3) as stream:
        json.dump(record, stream)
    aside.replace(folder / f"{name}.json.gz")
    (folder / f"{name}.known.json").write_text(json.dumps(digests), encoding="utf-8")  # last: now it is whole


def read_records(folder: Path) -> Iterator[dict[str, Any]]:
    """All records of a folder, older ones first."""
    for known in sorted(folder.glob("*.known.json"), key=lambda each: each.stat().st_mtime):
        with gzip.open(known.with_name(known.name.replace(".known.json", ".json.gz")), "rt", encoding="utf-8") as file:
            yield json.load(file)
