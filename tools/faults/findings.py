"""The findings as a table, a list and JSON."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from typing import Any

from tools.faults.choice import PARTS, part_of
from tools.faults.measuring import Finding

WANTED = 0.9
"""Least part of what all tests find that the quick tier has to find."""


def share_of_quick(findings: list[Finding]) -> float:
    """What the quick tier finds of what all tests find."""
    found = [each for each in findings if each.tier != "none"]
    return sum(each.tier == "quick" for each in found) / len(found) if found else 1.0


def table(findings: list[Finding]) -> str:
    """Counts by part of the package."""
    rows: list[tuple[str, ...]] = [("part", "faults", "quick", "(JIT off)", "slow only", "nobody")]
    for name in (*PARTS, "all"):
        here = [each for each in findings if name in ("all", part_of(each.fault))]
        if here:
            tiers = Counter(each.tier for each in here)
            plain = sum(each.stage == "plain" for each in here)
            counts = (len(here), tiers["quick"], plain, tiers["slow"], tiers["none"])
            rows.append((name, *map(str, counts)))
    lines = [f"{row[0]:22}" + "".join(f"{word:>11}" for word in row[1:]) for row in rows]
    share = f"The quick tier finds {share_of_quick(findings):.1%} of what all tests find."
    return "\n".join([*lines, share])


def missed(findings: list[Finding]) -> str:
    """What the quick tier does not find, with the change and the test that finds it."""
    lines = []
    for tier, title in (("slow", "Found by the slow tier only:"), ("none", "Found by no test:")):
        here = [each for each in findings if each.tier == tier]
        if here:
            lines.append(title)
            for each in here:
                ran = sum(each.ran.values())
                by = f"by {each.by}" if each.by else f"{ran} tests ran" if ran else "no test runs the line"
                more = f", {each.left_out} left out" if each.left_out else ""
                lines += [f"  {each.fault.words}", f"      {each.fault.kind}; {by}{more}"]
    return "\n".join(lines)


def as_json(findings: list[Finding]) -> str:
    """All that is known."""
    listed: list[dict[str, Any]] = [{"change": each.fault.change, **asdict(each)} for each in findings]
    return json.dumps({"share_of_quick": share_of_quick(findings), "findings": listed}, indent=1)


def found_quickly(text: str) -> set[tuple[str, str]]:
    """File and change of the faults that the quick tier found, from what `as_json` wrote."""
    return {(each["fault"]["file"], each["change"]) for each in json.loads(text)["findings"] if each["tier"] == "quick"}
