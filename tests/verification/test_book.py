"""The verification book: pages made from runs, with pictures, formulas, plots and verdicts; what is wrong shows."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from polycontact.contact.laws import LayerLaw
from polycontact.errors import PolycontactError
from polycontact.report.document.formula import formula
from polycontact.report.document.line_plot import Line, LinePlot, svg
from proof.book import mesh_ladder
from proof.book.book_page import BookPage, Check, Effort, Problem
from proof.book.making import make_book
from proof.book.mesh_ladder import DISTANCE, Aim, Ladder, Rung
from proof.book.problems import PROBLEMS, chosen_problems
from proof.commands import main

FEW = ["ball", "tilted-box", "hertz"]
SLOW = ("friction", "restitution", "invariances")
VOID = {"meta", "link", "img", "source", "path", "circle", "mspace", "br"}


class Outline(HTMLParser):
    """Tags, links and sources of a page; tags must be closed in the order in which they were opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        self.links += [value or "" for name, value in attributes if name in ("href", "src", "srcset")]

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("book") / "new" / "folder"
    assert main(["book", str(folder), "--quick", *(word for key in FEW for word in ("--page", key))]) == 0
    return folder


def pages(folder: Path) -> Iterator[tuple[Path, Outline]]:
    for path in sorted(folder.iterdir()):
        yield path, Outline(path.read_text(encoding="utf-8"))


def test_a_page_a_problem_and_an_index(book: Path) -> None:
    assert {path.name for path in book.iterdir()} == {"index.html", *(f"{key}.html" for key in FEW)}
    index = (book / "index.html").read_text(encoding="utf-8")
    for problem in chosen_problems(FEW):
        assert f'href="{problem.key}.html"' in index
        assert problem.title in index
    assert index.count('class="verdict ok"') == 1 + len(FEW)
    assert "made with --quick" in index


def test_pages_hold_all_they_need(book: Path) -> None:
    names = {path.name for path in book.iterdir()}
    for _, outline in pages(book):
        assert "script" not in outline.tags
        for link in outline.links:
            assert link.startswith("data:") or link in names


def test_pages_have_pictures_formulas_plots_and_limits(book: Path) -> None:
    for path, outline in pages(book):
        if path.name == "index.html":
            continue
        assert {"img", "math", "svg", "table"} <= set(outline.tags), path.name
        text = path.read_text(encoding="utf-8")
        assert "Limits" in text
        assert 'class="verdict ok"' in text
        assert "nan" not in re.sub(r"data:[^\"]*", "", text)


def test_order_is_fitted_to_the_runs(book: Path) -> None:
    text = (book / "ball.html").read_text(encoding="utf-8")
    found = [float(value) for value in re.findall(r"order (\d\.\d)", text)]
    assert len(found) >= 4
    assert min(found) >= 1.8


def test_wrong_stiffness_is_a_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(mesh_ladder, "LAW", LayerLaw(stiffness=1.3 * mesh_ladder.STIFFNESS))
    assert main(["book", str(tmp_path), "--quick", "--page", "cylinder"]) == 1
    out = capsys.readouterr().out
    assert "FAIL" in out
    assert "order of convergence" in out
    for name in ("index", "cylinder"):
        assert 'class="verdict fail"' in (tmp_path / f"{name}.html").read_text(encoding="utf-8")


def test_json_is_all_there_is_on_stdout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["book", str(tmp_path), "--quick", "--page", "tilted-box", "--json"]) == 0
    captured = capsys.readouterr()
    record = json.loads(captured.out)
    assert record["ok"] is True
    assert [page["key"] for page in record["pages"]] == ["tilted-box"]
    assert all(check["ok"] for check in record["pages"][0]["checks"])
    assert "1 of 1: Tilted box" in captured.err


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(problem.key, marks=pytest.mark.slow if problem.key in SLOW else ())
        for problem in PROBLEMS
        if problem.key not in (*FEW, "gate", "cylinder")
    ],
)
def test_every_page_can_be_made_quickly_and_keeps_its_limits(key: str, tmp_path: Path) -> None:
    made = make_book(tmp_path, quick=True, pages=[key]).pages[0]
    assert [check for check in made.page.checks if not check.ok] == []
    Outline((tmp_path / f"{key}.html").read_text(encoding="utf-8"))


def test_folder_that_is_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "book"
    place.write_text("kept")
    assert main(["book", str(place)]) == 2
    assert f"{place}: this is a file, not a folder" in capsys.readouterr().err
    assert place.read_text() == "kept"


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="everything can be written to")
def test_folder_that_cannot_be_written_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tmp_path.chmod(0o500)
    assert main(["book", str(tmp_path)]) == 2
    assert "choose another folder" in capsys.readouterr().err


def test_folder_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PolycontactError, match=r"cannot be written there: .*choose another folder"):
        make_book(tmp_path / "file" / "book", pages=["ball"])


def test_page_that_does_not_exist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["book", str(tmp_path), "--page", "pyramid"]) == 2
    assert "there is no page 'pyramid'; choose from ball, " in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_keys_of_pages_are_names_of_files() -> None:
    keys = [problem.key for problem in PROBLEMS]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch(r"[a-z-]+", key) and key != "index" for key in keys)


@pytest.mark.parametrize(
    ("check", "ok", "share"),
    [
        (Check("a", 1.0, 2.0), True, 0.5),
        (Check("a", 4.0, 2.0), False, 2.0),
        (Check("a", 4.0, 2.0, at_least=True), True, 0.5),
        (Check("a", 1.0, 2.0, at_least=True), False, 2.0),
        (Check("a", -1.0, 2.0, at_least=True), False, math.inf),
        (Check("a", 0.0, 0.0), True, 0.0),
        (Check("a", 1.0, 0.0), False, math.inf),
        (Check("a", math.nan, 1.0), False, math.inf),
        (Check("a", math.nan, 1.0, at_least=True), False, math.inf),
    ],
)
def test_checks(check: Check, ok: bool, share: float) -> None:
    assert (check.ok, check.share) == (ok, share)


def test_order_of_a_ladder() -> None:
    rung = Rung(Aim(DISTANCE, 1.0, 1.0, 1.0), (4e-2, 1e-2, 2.5e-3))
    assert Ladder((1, 4, 16), (0.4, 0.2, 0.1), (rung,)).order(rung) == pytest.approx(2.0)


def test_text_in_pages_is_escaped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def page(effort: Effort) -> BookPage:
        return BookPage((), (Check("<b>", 0.0, 1.0),), "<i>")

    problem = Problem("made-up", "<u>", "a < b", "is a < b?", page)
    monkeypatch.setattr("proof.book.making.chosen_problems", lambda keys: (problem,))
    made = make_book(tmp_path)
    for name in ("index.html", "made-up.html"):
        outline = Outline((tmp_path / name).read_text(encoding="utf-8"))
        assert not {"b", "i", "u"} & set(outline.tags)
    assert made.ok


def test_a_page_that_cannot_be_made_is_a_fail_and_the_others_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(effort: Effort) -> BookPage:
        raise PolycontactError("the ball has no radius")

    def sound(effort: Effort) -> BookPage:
        return BookPage((), (), "well")

    problems = (Problem("broken", "g", "t", "a", broken), Problem("sound", "g", "t", "a", sound))
    monkeypatch.setattr("proof.book.making.chosen_problems", lambda keys: problems)
    made = make_book(tmp_path)
    assert [each.page.ok for each in made.pages] == [False, True]
    assert "the ball has no radius" in (tmp_path / "broken.html").read_text(encoding="utf-8")
    assert (tmp_path / "sound.html").exists()


def test_formulas() -> None:
    assert formula("F = c_l u^2") == (
        "<math><mrow><mi>F</mi><mo>=</mo><msub><mi>c</mi><mi>l</mi></msub><msup><mi>u</mi><mn>2</mn></msup></mrow></math>"
    )
    assert "<mfrac><mrow><mn>4</mn></mrow><mrow><mn>3</mn></mrow></mfrac>" in formula("\\frac{4}{3}")
    assert "<msup><mi>cos</mi><mn>3</mn></msup>" in formula("\\cos^3 θ")
    assert '<math display="block">' in formula("x", block=True)
    with pytest.raises(PolycontactError, match="brace is not closed"):
        formula("\\sqrt{x")
    with pytest.raises(PolycontactError, match="nonsense is not known"):
        formula("\\nonsense")


def test_plots_leave_out_what_has_no_place() -> None:
    values = [math.nan, 0.0, -1.0, 1e-3, 1.0]
    text = svg(LinePlot(x_label="x", y_label="y", lines=[Line("<a>", range(5), values)], log_y=True))
    assert text.count("<circle") == 2 + 1  # and one in the legend
    assert "10⁻³" in text
    assert "&lt;a&gt;" in text
    assert "nan" not in svg(LinePlot(x_label="x", y_label="y", lines=[Line("", [1.0], [2.0])]))
