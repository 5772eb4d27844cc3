"""The whole book: every problem is measured, becomes a page, and stands in the index with its verdict."""

from __future__ import annotations

import math
import os
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from polycontact.errors import ContactWarning, PolycontactError
from polycontact.replacing import write_whole
from polycontact.report.document.markup import Section, paragraph
from proof.book.book_page import BookPage, Check, Effort, Problem
from proof.book.layout import index_html, page_html
from proof.book.problems import chosen_problems

FULL_TIME = "two to three minutes"
QUICK_TIME = "half a minute"
INDEX = "index.html"


@dataclass(frozen=True)
class MadePage:
    """A problem with its page and the time it took, s."""

    problem: Problem
    page: BookPage
    seconds: float


@dataclass(frozen=True)
class MadeBook:
    """What was written: pages in ``folder``."""

    folder: Path
    pages: tuple[MadePage, ...]

    @property
    def ok(self) -> bool:
        """Whether every page keeps all of its limits."""
        return all(made.page.ok for made in self.pages)

    @property
    def index(self) -> Path:
        """Path of the book's first page."""
        return self.folder / INDEX


def make_book(
    folder: str | os.PathLike[str],
    *,
    quick: bool = False,
    pages: list[str] | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> MadeBook:
    """Measure all problems, or those named by ``pages``, and write the book to ``folder``.

    ``quick``: coarser meshes and fewer pairs; ``say`` is told what comes next. The folder is made where it does not
    exist; pages of an earlier book in it are replaced.
    """
    target = Path(folder)
    problems = chosen_problems(pages)
    _prepare_folder(target)
    if not pages:
        time_needed = QUICK_TIME if quick else FULL_TIME
        say(f"a book of {len(problems)} pages takes {time_needed}; the first time kernels compile too")
    made = []
    for k, problem in enumerate(problems, start=1):
        say(f"{k} of {len(problems)}: {problem.title}")
        made.append(_measure(problem, Effort(quick)))
    for each in made:
        _write(target / f"{each.problem.key}.html", page_html(each.problem, each.page, problems))
    _write(target / INDEX, index_html([(each.problem, each.page) for each in made], quick=quick))
    return MadeBook(target, tuple(made))


def _measure(problem: Problem, effort: Effort) -> MadePage:
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)  # pairs at random are deep in each other at times
        try:
            page = problem.make(effort)
        except PolycontactError as error:
            page = _failed(error)
    return MadePage(problem, page, time.perf_counter() - start)


def _failed(error: PolycontactError) -> BookPage:
    """A page that says why it could not be made; the others are made all the same."""
    check = Check(f"this page could not be made: {error}", math.nan, 0.0)
    return BookPage((Section("error", "Error", paragraph(str(error))),), (check,), "could not be made")


def _prepare_folder(folder: Path) -> None:
    """Make the folder and see that it can be written to, before any work is done."""
    if folder.exists() and not folder.is_dir():
        raise PolycontactError(f"{folder}: this is a file, not a folder for the book; choose another name")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise PolycontactError(
            f"{folder}: the book cannot be written there: {error.strerror}; choose another folder"
        ) from error


def _write(path: Path, text: str) -> None:
    try:
        write_whole(path, text)
    except OSError as error:
        raise PolycontactError(f"{path}: cannot be written: {error.strerror}; choose another folder") from error
