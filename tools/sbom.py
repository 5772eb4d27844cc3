"""The bill of materials of polycontact: ``python3 dev.py sbom [FILE]`` writes it in CycloneDX 1.6 (JSON).

What a plain installation holds: polycontact itself and the packages of `requirements.lock`, with their versions,
licences and package URLs. Licences are those that the installed packages state; a package that states none, or one that
is not on this system, is told and left without. Standard: ECMA-424.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import uuid
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final

import polycontact

ROOT: Final = Path(__file__).resolve().parent.parent

_PIN: Final = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)", re.MULTILINE)

BUILDS_ONLY: Final = ("editables", "hatchling", "packaging", "pathspec", "pluggy", "tomlkit", "trove-classifiers")
"""Pins that build the package and are no part of an installation."""

OF_CLASSIFIERS: Final = {
    "MIT License": "MIT",
    "MIT No Attribution License (MIT-0)": "MIT-0",
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "Python Software Foundation License": "PSF-2.0",
}
"""SPDX names of licences that packages state by classifiers alone."""

OF_LICENCE_FILES: Final = {"numba": "BSD-2-Clause", "scipy": "BSD-3-Clause"}
"""Of packages that state no more than "BSD": what the licence file in their wheel is."""

_SPDX: Final = re.compile(r"[A-Za-z0-9.+-]+(?: (?:AND|OR|WITH) \(?[A-Za-z0-9.+-]+\)?)*\Z")


def pins(lock: str) -> dict[str, str]:
    """Versions of packages in the text of a lock, by name, without those that only build."""
    return {name: version for name, version in _PIN.findall(lock) if name not in BUILDS_ONLY}


def licence_of(package: Distribution) -> str:
    """The licence that a package states, as an SPDX expression where it is one; empty where it states none."""
    stated = (package.metadata.get_all("License-Expression") or [""])[0]
    if stated:
        return str(stated)
    if package.name in OF_LICENCE_FILES:
        return OF_LICENCE_FILES[package.name]
    classifiers = [line.split(" :: ")[-1] for line in package.metadata.get_all("Classifier") or [] if "License" in line]
    known = [OF_CLASSIFIERS[each] for each in classifiers if each in OF_CLASSIFIERS]
    short = str((package.metadata.get_all("License") or [""])[0]).strip()
    if short != "BSD" and _SPDX.match(short):
        return short
    return " AND ".join(dict.fromkeys(known))


def component(name: str, version: str, licence: str) -> dict[str, Any]:
    """A package as CycloneDX has it."""
    purl = f"pkg:pypi/{name.lower().replace('_', '-')}@{version}"
    made: dict[str, Any] = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
    if licence:
        made["licenses"] = [{"expression": licence}]
    return made


def bill(lock: str) -> tuple[dict[str, Any], list[str]]:
    """The bill of the pins of a lock, and the packages whose licences are not known here.

    The same lock gives the same serial number; nothing in it hangs on the time.
    """
    components, unknown = [], []
    for name, version in sorted(pins(lock).items()):
        try:
            licence = licence_of(distribution(name))
        except PackageNotFoundError:
            licence = ""
        if not licence:
            unknown.append(name)
        components.append(component(name, version, licence))
    own = component("polycontact", polycontact.__version__, "MIT") | {"type": "application"}
    digest = hashlib.sha256(json.dumps([own, components]).encode()).digest()
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.UUID(bytes=digest[:16], version=4)}",
        "version": 1,
        "metadata": {"component": own},
        "components": components,
        "dependencies": [{"ref": own["bom-ref"], "dependsOn": [each["bom-ref"] for each in components]}],
    }, unknown


def main() -> int:
    """Write the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, default=ROOT / "build" / "polycontact.cdx.json")
    path: Path = parser.parse_args().file
    made, unknown = bill((ROOT / "requirements.lock").read_text(encoding="utf-8"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
    print(f"{path}: polycontact {polycontact.__version__} and {len(made['components'])} packages")
    if unknown:
        print(f"licences not known here: {', '.join(unknown)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
