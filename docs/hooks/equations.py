"""Equations: LaTeX in the Markdown becomes MathML in the page, which browsers show without any script."""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
DISPLAY = re.compile(r'<div class="arithmatex">\\\[(.*?)\\\]</div>', re.DOTALL)


def on_page_content(content: str, **_: Any) -> str:
    """The page with every equation that arithmatex has marked replaced by MathML."""
    content = DISPLAY.sub(lambda found: f'<div class="equation">{_mathml(found[1], "block")}</div>', content)
    return INLINE.sub(lambda found: _mathml(found[1], "inline"), content)


def _mathml(escaped: str, display: str) -> str:
    return convert(html.unescape(escaped).strip(), display=display)
