"""HTML of the pages: style and frame of the report, contents of the book at the side."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from html import escape
from itertools import groupby

from polycontact.report.document.markup import section_html
from polycontact.report.html_page import document, filled, static_text
from polycontact.version import __version__
from proof.book.book_page import BookPage, Problem
from proof.book.page_parts import short, verdict

SHARE = (
    "The worst share tells how much of what is allowed a page uses, over all of its limits: an error over its limit, "
    "or the least order of convergence over the one that came out. Above 1 the page fails."
)


def page_html(problem: Problem, page: BookPage, problems: Sequence[Problem]) -> str:
    """The page of one problem."""
    body = "".join(section_html(section) for section in page.sections)
    lead = f'<p class="lead">{escape(problem.about)} {verdict(page.ok)}</p>'
    return _filled(
        problem.title, problem.group, lead, body + _turn(problems, problem), _contents(problems, problem.key)
    )


def index_html(pages: Sequence[tuple[Problem, BookPage]], *, quick: bool) -> str:
    """The first page: all problems with their verdicts."""
    problems = [problem for problem, _ in pages]
    n_off = sum(not page.ok for _, page in pages)
    words = "All pages keep their limits." if not n_off else f"{n_off} of {len(pages)} pages do NOT keep their limits."
    lead = f'<p class="lead">{words} {verdict(not n_off)}</p>'
    made = f"polycontact {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    note = " Coarser meshes and fewer pairs than usual: made with --quick." if quick else ""
    body = f'<p class="note">Every figure comes from runs of {escape(made)}.{note} {SHARE}</p>' + _index_table(pages)
    return _filled("Verification book", "polycontact", lead, body, _contents(problems, ""))


def _index_table(pages: Sequence[tuple[Problem, BookPage]]) -> str:
    rows = []
    for group, some in groupby(pages, key=lambda each: each[0].group):
        rows.append(f'<tr class="group"><th colspan="5">{escape(group)}</th></tr>')
        rows += [_index_row(problem, page) for problem, page in some]
    head = '<tr><th>page</th><th>question</th><th>result</th><th class="num">worst share of a limit</th><th></th></tr>'
    return f'<div class="table"><table class="index"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table></div>'


def _index_row(problem: Problem, page: BookPage) -> str:
    return (
        f'<tr{"" if page.ok else " class=bad"}><td><a href="{problem.key}.html">{escape(problem.title)}</a></td>'
        f"<td>{escape(problem.about)}</td><td>{escape(page.figure)}</td>"
        f'<td class="num">{short(page.worst, 2)}</td><td>{verdict(page.ok)}</td></tr>'
    )


def _contents(problems: Sequence[Problem], here: str) -> str:
    parts = [f'<p class="brand"><a href="index.html"{" class=here" if not here else ""}>Verification book</a></p>']
    for group, some in groupby(problems, key=lambda each: each.group):
        items = "".join(
            f'<li><a href="{each.key}.html"{" class=here" if each.key == here else ""}>{escape(each.title)}</a></li>'
            for each in some
        )
        parts.append(f"<h2>{escape(group)}</h2><ul>{items}</ul>")
    return "".join(parts)


def _turn(problems: Sequence[Problem], here: Problem) -> str:
    """Links to the page before and the page after."""
    k = [problem.key for problem in problems].index(here.key)
    links = []
    for words, at in (("←", k - 1), ("→", k + 1)):
        if 0 <= at < len(problems):
            link = f'<a href="{problems[at].key}.html">{escape(problems[at].title)}</a>'
            links.append(f"<span>{words} {link}</span>" if at < k else f"<span>{link} {words}</span>")
        else:
            links.append("<span></span>")
    return f'<p class="turn">{"".join(links)}</p>'


def _filled(title: str, kicker: str, lead: str, body: str, contents: str) -> str:
    book = "proof.book"
    return document(
        title=f"{escape(title)} · polycontact verification",
        style=static_text("polycontact.report.document", "page.css")
        + static_text("polycontact.report", "plots.css")
        + "\n"
        + static_text("polycontact.comparison", "pages.css"),
        body=filled(
            static_text(book, "book.html"),
            title=escape(title),
            kicker=escape(kicker),
            lead=lead,
            body=body,
            contents=contents,
        ),
    )
