"""The bill of materials: every pin that polycontact runs with, with the licence that its package states."""

from __future__ import annotations

import json
from importlib.metadata import requires
from pathlib import Path

from tools.sbom import bill, pins

LOCK = (Path(__file__).resolve().parent.parent / "requirements.lock").read_text(encoding="utf-8")

PERMISSIVE = {
    "MIT",
    "MIT-0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "ISC",
    "PSF-2.0",
    "Zlib",
    "CC0-1.0",
}


def test_every_dependency_is_there_with_a_permissive_licence() -> None:
    made, unknown = bill(LOCK)
    assert unknown == []
    licences = {each["name"]: each["licenses"][0]["expression"] for each in made["components"]}
    for expression in licences.values():
        assert set(expression.split(" AND ")) <= PERMISSIVE, expression
    needed = [line.split(">")[0] for line in requires("polycontact") or [] if "extra ==" not in line]
    assert set(needed) <= licences.keys()
    assert "hatchling" not in licences


def test_it_is_a_bill_that_programs_read() -> None:
    """The required members of CycloneDX 1.6 and unique references that the dependencies use."""
    made, _ = bill(LOCK)
    assert (made["bomFormat"], made["specVersion"], made["version"]) == ("CycloneDX", "1.6", 1)
    references = [each["bom-ref"] for each in (made["metadata"]["component"], *made["components"])]
    assert len(set(references)) == len(references)
    assert set(made["dependencies"][0]["dependsOn"]) == set(references[1:])
    assert all(each["purl"].startswith("pkg:pypi/") for each in made["components"])
    assert json.dumps(made) == json.dumps(bill(LOCK)[0])


def test_pins_are_read_from_a_lock() -> None:
    lock = "numpy==2.4.6\n    # via scipy\nhatchling==1.33.0\ncolorama==0.4.6 ; sys_platform == 'win32'\n"
    assert pins(lock) == {"numpy": "2.4.6", "colorama": "0.4.6"}
    assert [each["name"] for each in bill("numpy==2.4.6\nnone-such-package==1.0\n")[0]["components"]] == [
        "none-such-package",
        "numpy",
    ]
    assert bill("none-such-package==1.0\n")[1] == ["none-such-package"]
