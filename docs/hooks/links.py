"""Links that lead out of docs/, right for a reader of the files, are turned to the pages of the site."""

from __future__ import annotations

import posixpath
import re
from typing import Any

from mkdocs.structure.pages import Page

LINK = re.compile(r"\]\((?!\w+:|#)([^)\s#]*)(#[^)\s]*)?\)")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """The page with links to the README, the changelog, examples and folders replaced."""
    here = posixpath.dirname(page.file.src_uri)

    def turned(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join("docs", here, found[1]))
        page_there = page_of(target)
        if page_there is None:
            return found[0]
        return f"]({posixpath.relpath(page_there, here or '.')}{found[2] or ''})"

    parts = FENCED.split(markdown)
    return "".join(part if part.startswith("```") else LINK.sub(turned, part) for part in parts)


def page_of(target: str) -> str | None:
    """The page that shows a file or folder of the repository; None where the link is right as it is."""
    special = {
        "README.md": "index.md",
        "CHANGELOG.md": "changelog.md",
        "examples": "examples/list.md",
        "docs/decisions": "decisions/list.md",
    }
    if target in special:
        return special[target]
    example = re.fullmatch(r"examples/(\w+)\.py", target)
    return f"examples/{example[1]}.md" if example else None
