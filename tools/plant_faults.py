"""Plant faults one at a time and say which tier of the tests finds each: ``python -m tools.plant_faults``.

A fault is what a slip of the hand leaves behind: a flipped sign, ``<`` for ``<=``, an index off by one, swapped
arguments, a statement dropped. It is planted in a copy of the tree, and the tests that run its line are run there, up
to the first that fails. The exit status is 1 where the quick tier finds less than nine tenths of what all tests find.

The first run notes which tests run which lines (as long as the tests take, and half as long again); that is kept in
``build/faults``, and later runs note only tests that are new or have changed. Remove that folder to note all anew.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from tools.faults.choice import chosen_faults
from tools.faults.findings import WANTED, as_json, found_quickly, missed, share_of_quick, table
from tools.faults.line_map import tests_that_reach
from tools.faults.measuring import AT_ONCE, Finding, Suite, control, measure
from tools.faults.planting import Fault
from tools.faults.recording import record, recordings, tiers_of_tests
from tools.faults.records import read_records
from tools.faults.workspace import PACKAGE, ROOT, copy_of_tree, preload

BUILD = ROOT / "build" / "faults"


def main(words: list[str] | None = None) -> int:
    """Choose, plant, tell; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="chooses the faults")
    parser.add_argument("--count", type=int, default=165, help="how many faults, over all parts of the package")
    parser.add_argument(
        "--only",
        default="",
        metavar="PATTERN",
        help="only in files whose path in the package matches this regular expression",
    )
    parser.add_argument("--list", action="store_true", help="list the faults and plant none")
    parser.add_argument("--without-slow", action="store_true", help="do not run the slow tier")
    parser.add_argument("--again", type=Path, metavar="FILE", help="only what the quick tier did not find, says FILE")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin with no fault after so many minutes")
    parser.add_argument("--without-compiling", action="store_true", help="kernels with the JIT off only")
    parser.add_argument("--as-recorded", action="store_true", help="do not note what new and changed tests run")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was found")
    parser.add_argument("--build", type=Path, default=BUILD, help="where records of tests are kept")
    given = parser.parse_args(words)
    faults = chosen_faults(ROOT / PACKAGE, given.seed, given.count, given.only)
    if given.again:
        known = found_quickly(given.again.read_text(encoding="utf-8"))
        faults = [each for each in faults if (each.file, each.change) not in known]
    if given.list:
        print("\n".join(f"{each.kind:20}{each.words}" for each in faults))
        return 0
    tiers: tuple[str, ...] = ("quick",) if given.without_slow else ("quick", "slow")
    suite = reaching(faults, given.build, () if given.as_recorded else tiers)
    if given.without_compiling:
        suite = replace(suite, seconds={})
    findings = planted(faults, suite, given.minutes)
    print(table(findings), missed(findings), sep="\n\n")
    if given.json:
        given.json.write_text(as_json(findings), encoding="utf-8")
    return 0 if share_of_quick(findings) >= WANTED else 1


def reaching(faults: list[Fault], build: Path, noted: tuple[str, ...]) -> Suite:
    """Which tests run the lines of which faults, after noting what tests of some tiers run that are not known yet."""
    with tempfile.TemporaryDirectory(prefix="faults-") as scratch:
        tree = copy_of_tree(Path(scratch))
        tiers = tiers_of_tests(tree, build)
        for each in recordings(tree, noted) if noted else []:
            how = "" if each.jit else ", JIT off"
            say(f"noting what the {each.tier} tests in {', '.join(each.tests)[:60]} run{how}")
            record(each, tree, build / ("jit" if each.jit else "plain"), build / "recording.log")
    jit = tests_that_reach(faults, ROOT / PACKAGE, build / "jit")
    plain = tests_that_reach(faults, ROOT / PACKAGE, build / "plain")
    seconds = {
        name: test["seconds"]
        for known in read_records(build / "jit")
        for name, test in known["tests"].items()
        if test["passed"] and name in tiers
    }
    return Suite(tiers, jit, plain, seconds)


def planted(faults: list[Fault], suite: Suite, minutes: float) -> list[Finding]:
    """Plant faults and say what finds them."""
    with tempfile.TemporaryDirectory(prefix="faults-") as scratch:
        preload()
        places = [Path(scratch) / str(i) for i in range(AT_ONCE)]
        findings = []
        for finding in measure(faults, suite, places, minutes):
            findings.append(finding)
            say(f"{len(findings)}/{len(faults)} {finding.tier:6}{finding.fault.words[:120]}")
        unreliable = control(findings, places[0])
        for finding in findings:
            if finding.by in unreliable:
                say(f"{finding.by} fails without a fault too: {finding.fault.words} counts as not found")
                finding.tier = "none"
        return findings


def say(words: str) -> None:
    """Tell what is being done."""
    print(words, file=sys.stderr, flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that runs of tests are ended and copies removed
    sys.exit(main())
