"""How often the error that is told of meshes is wrong: prints the table of docs/howto/mesh_error.md.

Of each kind of contact: how many were measured, how many are off by more than a tenth, how many of these were not told,
with the worst of them, and of how many good ones it was told.
"""

from __future__ import annotations

from polycontact.tolerances import MESH_ERROR_LIMIT
from proof.properties.mesh_errors import Measured, measure


def row(title: str, contacts: list[Measured]) -> str:
    """A row in Markdown."""
    off = [each for each in contacts if abs(each.error) > MESH_ERROR_LIMIT]
    missed = [abs(each.error) for each in off if each.told <= MESH_ERROR_LIMIT]
    good = [each for each in contacts if abs(each.error) <= MESH_ERROR_LIMIT]
    false = sum(each.told > MESH_ERROR_LIMIT for each in good)
    worst = f", the worst off by {100 * max(missed):.0f} %" if missed else ""
    return f"| {title} | {len(contacts)} | {len(off)} | {len(missed)}{worst} | {false} of {len(good)} |"


def main() -> None:
    """Print a table in Markdown."""
    measured = measure()
    print("| contact | measured | off by more than 10 % | of these not told | good ones told |")
    print("|---|---|---|---|---|")
    for balanced, meshes in ((False, ""), (True, ", balanced")):
        for kind in dict.fromkeys(each.kind for each in measured):
            print(row(f"{kind}{meshes}", [each for each in measured if (each.kind, each.balanced) == (kind, balanced)]))
    print(row("all", measured), flush=True)


if __name__ == "__main__":
    main()
