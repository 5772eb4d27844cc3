"""Scenario files of the last release, written anew: what they say stays, and so do comments, order and numbers."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from polycontact.cli import main
from polycontact.errors import ScenarioError
from polycontact.scenario.old_names import with_new_names
from polycontact.scenario.upgrading import upgraded

OLD = """\
# response = "a comment stays"
[scenario]
name = "ball"
description = "the response = here is text"

[simulation]
end_time = 1.0
response = "multipliers"   # of the run, which is called so

[contact]
response = { kind = "polygonal", base = "E" }  # what finds elements
stiffness = 1e6

[[contact.pairs]]
bodies = ["ball", "floor"]
"response" = "penetration_lines"
"""


def test_names_of_contacts_change_and_nothing_else() -> None:
    made = upgraded(OLD, "ball.toml")
    assert made.lines == (11, 16)
    assert tomllib.loads(made.text) == with_new_names(tomllib.loads(OLD))
    changed = [(a, b) for a, b in zip(OLD.splitlines(), made.text.splitlines(), strict=True) if a != b]
    assert changed == [
        (
            'response = { kind = "polygonal", base = "E" }  # what finds elements',
            'method = { kind = "polygonal", base = "E" }  # what finds elements',
        ),
        ('"response" = "penetration_lines"', '"method" = "penetration_lines"'),
    ]
    assert upgraded(made.text, "ball.toml").lines == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('contact.response = "polygonal"', 'contact.method = "polygonal"'),
        (
            'contact = { response = "polygonal", stiffness = 1e6 }',
            'contact = { method = "polygonal", stiffness = 1e6 }',
        ),
        (
            '[contact]\npairs = [{ response = "a" }, { law = "x" }, { response = "b" }]',
            '[contact]\npairs = [{ method = "a" }, { law = "x" }, { method = "b" }]',
        ),
        ('[contact]\r\nresponse = "a"\r\n', '[contact]\r\nmethod = "a"\r\n'),
    ],
)
def test_every_way_to_write_a_key(old: str, new: str) -> None:
    assert upgraded(old, "x.toml").text == new


def test_both_names_at_once_are_refused() -> None:
    with pytest.raises(ScenarioError, match=r"contact.response: is called method now, which is given too"):
        upgraded('[contact]\nresponse = "a"\nmethod = "b"\n', "x.toml")


def test_what_cannot_be_found_is_left_to_the_user() -> None:
    """An escaped name is the same key; nobody writes that, but a wrong file is worse than a message."""
    with pytest.raises(ScenarioError, match="write method there by hand"):
        upgraded('[contact]\n"\\u0072esponse" = "a"\n', "x.toml")


def test_the_command_changes_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = tmp_path / "old.toml", tmp_path / "new.toml"
    old.write_bytes(OLD.replace("\n", "\r\n").encode())
    new.write_text("[contact]\nstiffness = 1e6\n", encoding="utf-8")
    assert main(["upgrade", str(old), str(new), "--check"]) == 1
    shown = capsys.readouterr().out
    assert f"{old}: would change lines 11, 16" in shown
    assert f"{new}: is up to date" in shown
    assert b"response = {" in old.read_bytes()
    assert main(["upgrade", str(old), str(new), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"][0] == {"file": str(old), "lines": [11, 16]}
    assert old.read_bytes().count(b"\r\n") == OLD.count("\n")
    assert b"method = {" in old.read_bytes()
    assert main(["upgrade", str(old), "--check"]) == 0


def test_bad_files_are_refused_and_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("[contact\n", encoding="utf-8")
    assert main(["upgrade", str(broken)]) == 2
    assert "broken.toml" in capsys.readouterr().err
    assert broken.read_text(encoding="utf-8") == "[contact\n"
    assert main(["upgrade", str(tmp_path / "none.toml")]) == 2
    assert "there is no such file" in capsys.readouterr().err
