"""The documents are true: their programs run and print what stands there, their links lead somewhere."""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
TOLD = [path for path in DOCUMENTS if "```python" in path.read_text(encoding="utf-8")]
SHELL = {"", "bash", "powershell", "text"}
"""Kinds of blocks that are not run: commands, outputs and drawings."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its lines and the line where it starts."""

    language: str
    text: str
    line: int


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(text: str) -> list[Block]:
    """Fenced blocks in order."""
    found = []
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        found.append(Block(match[1], match[2], text.count("\n", 0, match.start()) + 2))
    return found


def outputs(path: Path) -> list[tuple[str, str]]:
    """Run the Python blocks of a document as one program: (printed, promised) for each that has an output."""
    scope: dict[str, object] = {"__name__": "document"}
    pairs = []
    printed = None
    for block in blocks(path.read_text(encoding="utf-8")):
        if block.language == "text" and printed is not None:
            pairs.append((printed, block.text))
        printed = None
        if block.language == "python":
            stream = io.StringIO()
            source = "\n" * (block.line - 1) + block.text  # so that errors name the line of the document
            with contextlib.redirect_stdout(stream):
                exec(compile(source, str(path), "exec"), scope)
            printed = stream.getvalue()
    return pairs


@pytest.mark.parametrize("path", TOLD, ids=name_of)
def test_programs_print_what_stands_there(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pairs = outputs(path)
    assert pairs, "no output is shown"
    for printed, promised in pairs:
        assert printed == promised


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_blocks_are_programs_or_commands(path: Path) -> None:
    for block in blocks(path.read_text(encoding="utf-8")):
        assert block.language in SHELL | {"python"}, f"line {block.line}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_relative_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"\w+:", target):
            continue
        file, _, anchor = unquote(target).partition("#")
        linked = (path.parent / file).resolve() if file else path
        assert linked.is_relative_to(ROOT)
        assert linked.exists(), target
        if anchor:
            assert anchor in anchors(linked), target


def anchors(path: Path) -> set[str]:
    """Anchors of the headings of a document, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_no_path_of_a_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = re.findall(r"(?:^|[\s`\"'(])(?:/(?:home|tmp|work|Users|root|mnt|opt)/|[A-Z]:\\)\S*", text)
    assert not found, found


def test_examples_in_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for path in (ROOT / "examples").glob("*.py"):
        assert f"../examples/{path.name}" in index


def test_decisions_are_numbered_and_complete() -> None:
    paths = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    assert [path.name[:4] for path in paths] == [f"{number:04d}" for number in range(len(paths))]
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert text.startswith(f"# {path.name[:4]}: ")
        for heading in ("## Question", "## Decision", "## Reasons", "## Consequences"):
            assert heading in text, path.name
