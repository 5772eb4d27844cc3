"""Which body is the base, in numbers: prints the table of docs/howto/base_and_target.md.

Forces with E, F and both as the base, N, and the ratio of the two, at falling depths. ``python docs/make_pictures.py
base`` makes the plot.
"""

from __future__ import annotations

from proof.properties.base_dependence import DEPTHS, contacts, measure


def main() -> None:
    """Print a table in Markdown."""
    deepest = f"{1e3 * DEPTHS[0]:g} mm"
    print(
        f"| E on F | base E, {deepest} | base F | both | " + " | ".join(f"F/E, {1e3 * u:g} mm" for u in DEPTHS) + " |"
    )
    print("|---" * (4 + len(DEPTHS)) + "|")
    for contact in contacts():
        rows = [measure(contact, depth) for depth in DEPTHS]
        first = rows[0]
        ratios = " | ".join(f"{row.ratio:.3f}" for row in rows)
        print(
            f"| {contact.name} | {first.of_e:.1f} N | {first.of_f:.1f} N | {first.both:.1f} N | {ratios} |", flush=True
        )


if __name__ == "__main__":
    main()
