"""The public names and their signatures are those of `api.txt`: what users rely on changes knowingly or not at all."""

from __future__ import annotations

import difflib

import pytest
from public_api import FILE, default_text, normal, public_api

import polycontact as pc


def test_public_names_and_signatures_are_those_recorded() -> None:
    recorded, found = FILE.read_text(encoding="utf-8"), public_api()
    difference = "\n".join(
        difflib.unified_diff(recorded.splitlines(), found.splitlines(), "recorded", "found", lineterm="", n=0)
    )
    assert recorded == found, (
        f"the public interface changed:\n{difference}\n"
        "If it was meant to: python tests/golden/public_api.py, and a line in CHANGELOG.md."
    )


def test_annotations_in_any_spelling_are_one() -> None:
    assert normal("dict[str,  'int']|None") == normal('dict[str, "int"] | None') == "dict[str, 'int'] | None"
    assert normal(None) == "None"
    with pytest.raises(TypeError, match="__future__"):
        normal(int)  # what an interpreter makes of it may be printed otherwise by the next


def test_defaults_do_not_depend_on_the_interpreter() -> None:
    assert default_text(pc.Base.BOTH) == "Base.BOTH"
    assert default_text(len) == "len"
    assert default_text(object()) == "<object object>"
