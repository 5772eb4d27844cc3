"""A sentence or two on what runs repeat of a source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["agrees", "differs", "own", "cannot be told"]


def sentence_case(text: str) -> str:
    """A text that begins with a capital letter; units in it stay as they are."""
    return text[:1].upper() + text[1:]


@dataclass(frozen=True)
class Finding:
    """``verdict`` on a claim of the source ("own": figures of these runs on which it says nothing), and ``text``."""

    verdict: Verdict
    text: str
