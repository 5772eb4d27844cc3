"""The documents are true: their programs run and print what stands there, their links lead somewhere."""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import json
import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote

import pytest

from polycontact.cli import main
from polycontact.report.view.pose_file import load_pose
from polycontact.scenario.loading import load_scenario
from polycontact.studies.study_file import load_study
from proof.bench.thread_costs import ThreadCost
from proof.commands import main as repository_main

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *DOCS.rglob("*.md")])
TOLD = [path for path in DOCUMENTS if re.search(r"^```python$|^polycontact ", path.read_text("utf-8"), re.MULTILINE)]
LANGUAGES = {"", "bash", "powershell", "text", "toml", "python", "c"}
"""Kinds of blocks: drawings, commands, outputs, scenario files and programs; those in C are tested as examples."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the file it stands for, its lines and the line where it starts.

    ``shortened``: further words for the commands of a block whose runs would take long; its output is not compared.
    ``sensitive``: of an output, that its numbers are those of one machine, as where bodies tumble.
    """

    language: str
    file: str
    text: str
    line: int
    shortened: str
    sensitive: bool


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(text: str) -> list[Block]:
    """Fenced blocks in order."""
    found = []
    fence = r'^(?:<!-- (?:shortened: (.*?)|(numbers of one machine)) -->\n)?^```(\w*)(?: title="([^"]+)")?\n(.*?)^```$'
    for match in re.finditer(fence, text, re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, match.start(5)) + 1
        found.append(Block(match[3], match[4] or "", match[5], line, match[1] or "", bool(match[2])))
    return found


def outputs(path: Path) -> Iterator[tuple[str, str]]:
    """Do what a document says, block after block: (printed, promised) for each block that has an output.

    Programs go on where the last one of the document ended.
    """
    scope: dict[str, object] = {"__name__": "document"}
    printed: str | None = None
    for block in blocks(path.read_text(encoding="utf-8")):
        if block.language == "text" and printed is not None:
            yield (words(printed), words(block.text)) if block.sensitive else (printed, block.text)
        printed = None
        if block.language == "toml" and block.file:
            Path(block.file).write_text(block.text, encoding="utf-8")
            if re.search(r"^\[kinematics\]", block.text, re.MULTILINE):
                load_pose(block.file)
            elif re.search(r"^\[design\]", block.text, re.MULTILINE):
                load_study(block.file)
            elif not re.search(r"^\[\[curves\]\]", block.text, re.MULTILINE):  # its command reads it
                load_scenario(block.file)
        elif block.language == "python":
            source = "\n" * (block.line - 1) + block.text  # so that errors name the line of the document
            with contextlib.redirect_stdout(io.StringIO()) as stream:
                exec(compile(source, str(path), "exec", dont_inherit=True), scope)
            printed = stream.getvalue()
        elif (block.language == "bash" and re.search("^polycontact ", block.text, re.MULTILINE)) or block.shortened:
            said = commanded(block)
            printed = None if block.shortened else Shown(said)


MEASURED = ("CPU time", "real-time factor", "wall time")
"""Rows of tables whose numbers are those of a machine: of them only the words are compared."""

NUMBER = re.compile(r"(?<![\w.])[-+−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def words(text: str) -> str:
    """An output without its numbers, and without the spaces and lines of tables, which are as wide as the numbers."""
    return " ".join(re.sub("[━─]+", "─", NUMBER.sub("#", text)).split())


class Shown(str):
    """Output of a command, which must be what stands in the document, line by line.

    Numbers may differ by one in their last digit, as far as machines round differently; the costs of a run and spaces
    at the ends of lines, by which tables are filled up, do not count.
    """

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and difference(self, other) == ""

    __hash__ = str.__hash__


def difference(printed: str, promised: str) -> str:
    """The first line that is not as promised, with what is; nothing where all are."""
    lines, wanted = ([line.rstrip() for line in text.strip("\n").splitlines()] for text in (printed, promised))
    for line, told in zip_longest(lines, wanted, fillvalue="(no line)"):
        if not is_same_line(line, told):
            return f"printed {line!r}, the document has {told!r}"
    return ""


def is_same_line(line: str, told: str) -> bool:
    """Whether a line says what the document tells."""
    if line == told:
        return True
    is_measured = any(word in told for word in MEASURED)
    if NUMBER.sub("#", line).split() != NUMBER.sub("#", told).split():
        return False
    return is_measured or (
        len(line) == len(told) and all(map(differs_by_rounding, NUMBER.findall(line), NUMBER.findall(told)))
    )


def differs_by_rounding(number: str, told: str) -> bool:
    """Whether two numbers are the same but for one in the last digit of the second."""
    mantissa, _, power = told.replace("−", "-").partition("e")
    places = len(mantissa.partition(".")[2])
    step = 10.0 ** (int(power or 0) - places)
    return abs(float(number.replace("−", "-")) - float(told.replace("−", "-"))) <= 1.001 * step


@pytest.mark.parametrize(
    ("line", "told", "same"),
    [
        ("│ steps │ 123 │", "│ steps │ 124 │", True),
        ("│ steps │ 123 │", "│ steps │ 125 │", False),
        ("depth 44.6 mm", "depth 44.5 mm", True),
        ("depth 44.6 mm", "depth 44.5 m", False),
        ("depth 44.6 mm", "depth 44.62 mm", False),
        ("│ CPU time │ 1.21 s │", "│ CPU time │ 0.35 s │", True),
        ("│ CPU time │ 1.21 s │", "│ real time │ 1.21 s │", False),
        ("3 bodies", "three bodies", False),
    ],
)
def test_lines_are_compared_to_the_last_digit(line: str, told: str, same: bool) -> None:
    assert is_same_line(line, told) is same


def commanded(block: Block) -> str:
    """Output of the commands of a block that begin with polycontact, which must all succeed.

    Jobs of the repository (python3 dev.py) run where the block is shortened: others take minutes.
    """
    with contextlib.redirect_stdout(io.StringIO()) as stream:
        for line in block.text.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["polycontact"]:
                assert main([*words[1:], *shlex.split(block.shortened)]) == 0, line
            elif words[:2] == ["python3", "dev.py"] and block.shortened:
                assert repository_main([*words[2:], *shlex.split(block.shortened)]) == 0, line
    return stream.getvalue()


QUICK = {"README.md", "convex.md", "force_element.md", "loads.md", "method_and_law.md", "mjcf.md", "urdf.md"}
"""Documents whose programs take no second."""


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=() if path.name in QUICK else pytest.mark.slow) for path in TOLD],
    ids=name_of,
)
def test_programs_print_what_stands_there(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "90")
    for printed, promised in outputs(path):
        assert printed == promised, difference(printed, promised)


def test_each_step_of_the_tutorial_imports_what_it_uses() -> None:
    """Its programs are saved as files and run on different days."""
    for block in blocks((DOCS / "tutorial.md").read_text(encoding="utf-8")):
        if block.language == "python":
            for used, name in (("pc.", "import polycontact as pc"), ("np.", "import numpy as np")):
                assert used not in block.text or name in block.text, f"line {block.line}"


def test_public_texts_cite_no_bare_numbers() -> None:
    """A reader of the reference does not know what S0.46 is."""
    import inspect

    import polycontact as pc

    told = []
    for name in [each for each in dir(pc) if not each.startswith("_")]:
        thing = getattr(pc, name)
        members: Iterable[tuple[str, object]] = vars(thing).items() if inspect.isclass(thing) else ()
        if inspect.ismodule(thing):
            members = [(key, getattr(thing, key)) for key in dir(thing)]
        public = [(name, thing), *((f"{name}.{key}", value) for key, value in members if not key.startswith("_"))]
        told += [key for key, value in public if re.search(r"\bS\d\.\d", str(getattr(value, "__doc__", "")))]
    assert told == []


def test_blocks_are_programs_or_commands() -> None:
    found = {path: blocks(path.read_text(encoding="utf-8")) for path in DOCUMENTS}
    others = [
        f"{name_of(path)}, line {block.line}: {block.language}"
        for path in DOCUMENTS
        for block in found[path]
        if block.language not in LANGUAGES
    ]
    assert not others, "\n".join(others)
    assert sum(map(len, found.values())) > 100


def test_relative_links_lead_somewhere() -> None:
    found = {path: links(path) for path in DOCUMENTS}
    assert sum(map(len, found.values())) > 100
    dead = [f"{name_of(path)}: {link}" for path in DOCUMENTS for link in found[path] if not leads_somewhere(path, link)]
    assert not dead, "\n".join(dead)


def links(path: Path) -> list[str]:
    """Relative links of a document."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [each for each in re.findall(r"\]\(([^)\s]+)\)", text) if not re.match(r"\w+:", each)]


def leads_somewhere(path: Path, link: str) -> bool:
    """Whether a link of a document leads to a file of the repository or a generated page, and to a heading of it."""
    file, _, anchor = unquote(link).partition("#")
    linked = (path.parent / file).resolve() if file else path
    if not linked.is_relative_to(ROOT):
        return False
    if linked.is_relative_to(DOCS) and linked.relative_to(DOCS).as_posix() in generator().generated_names():
        return True
    return linked.exists() and (not anchor or linked.suffix != ".md" or anchor in anchors(linked))


def test_dead_links_are_found() -> None:
    """Of another repository, of files and of headings that there are not."""
    for link in ("../../elsewhere.md", "../nothing.md", "../README.md#nothing", "#nothing", "../../../../etc/hosts"):
        assert not leads_somewhere(DOCS / "index.md", link), link
    assert leads_somewhere(DOCS / "index.md", "../README.md")


def generator() -> ModuleType:
    """The program that makes pages when the site is built."""
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module("generate")
    finally:
        sys.path.remove(str(DOCS))


def test_readme_has_the_stored_figures() -> None:
    """After a benchmark: python docs/generate.py --store …."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    stored = json.loads((DOCS / "benchmark.json").read_text(encoding="utf-8"))
    assert generator().readme_with(stored, text) == text


def test_page_of_the_benchmark_has_the_nut_where_it_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part that a benchmark measured is stored and shown; without it the page does without."""
    generate = generator()
    stored = json.loads((DOCS / "benchmark.json").read_text(encoding="utf-8"))
    stored.pop("threads", None)
    without = generate.benchmark.page(stored)
    assert "A nut on its bolt" not in without
    cost = ThreadCost("distance", "light", 1e-4, (4320, 12480), 1234.0, 1.0, 2.0, 3.0, 4.0, 5678.0, 0.5)
    for name, content in (
        ("benchmark.json", stored),
        ("measured.json", {"note": "", "threads": [cost.to_dict()], "targets": [], "peers": {}}),
    ):
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    shutil.copy(ROOT / "README.md", tmp_path)
    monkeypatch.setattr(generate, "BENCHMARK", tmp_path / "benchmark.json")
    monkeypatch.setattr(generate, "README", tmp_path / "README.md")
    generate.store([tmp_path / "measured.json"])
    page = generate.benchmark.page(json.loads((tmp_path / "benchmark.json").read_text(encoding="utf-8")))
    assert "4,320 and 12,480" in " ".join(page.split())
    assert re.search(r"\| `distance` \| lightly \| 0.0001 \| 1,234 \| .* 5,678 \| 50 % \|", page)
    links = re.findall(r"\]\(\.\./(\w+\.md)#([\w-]+)\)", page)
    assert all(anchor in anchors(DOCS / name) for name, anchor in links)


def test_energies_on_the_page_of_motion_are_the_measured_ones() -> None:
    """What docs/dynamics.md says of the bubbles' and the pedestrian's ledgers holds for the stored benchmark."""
    stored = json.loads((DOCS / "benchmark.json").read_text(encoding="utf-8"))
    text = " ".join((DOCS / "dynamics.md").read_text(encoding="utf-8").split())
    bubbles, *others = stored["simulations"]
    crashes = [each for each in others if each["name"].startswith("pedestrian")]
    assert bubbles["worst_balance"] < 0.006 * bubbles["turnover"]
    assert all(crash["worst_balance"] < 0.001 * crash["turnover"] for crash in crashes)
    assert f"{bubbles['worst_residual']:.1f} J in the first deep impacts" in text
    assert f"a turnover of {bubbles['turnover']:.0f} J" in text


@functools.cache
def anchors(path: Path) -> set[str]:
    """Anchors of the headings of a document, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_no_path_of_a_machine() -> None:
    path_of_a_machine = r"(?:^|[\s`\"'(])(?:/(?:home|tmp|work|Users|root|mnt|opt)/|[A-Z]:\\)\S*"
    found = [
        f"{name_of(path)}: {text.strip()}"
        for path in DOCUMENTS
        for text in re.findall(path_of_a_machine, path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


def test_examples_in_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for path in (ROOT / "examples").glob("*.py"):
        assert f"../examples/{path.name}" in index


def test_decisions_are_numbered_and_complete() -> None:
    paths = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    numbers = [path.name[:4] for path in paths]
    assert all(number.isdigit() for number in numbers)
    assert len(set(numbers)) == len(numbers)
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert text.startswith(f"# {path.name[:4]}: ")
        for heading in ("## Question", "## Decision", "## Reasons", "## Consequences"):
            assert heading in text, path.name


def test_pictures_are_used_and_small() -> None:
    paths = sorted(
        path for path in (DOCS / "pictures").iterdir() if path.is_file()
    )  # the gallery has a test of its own
    shown = "".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    for path in paths:
        assert f"pictures/{path.name}" in shown, f"{path.name} is shown nowhere"
        assert path.stat().st_size < 300_000
    assert sum(path.stat().st_size for path in paths) < 3_000_000
