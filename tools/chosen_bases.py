"""What the base that the program chooses gives and costs beside the other one: ``python -m tools.chosen_bases``.

Prints the table of docs/howto/base_and_target.md. Costs are ratios of CPU times of evaluations, in turn.
"""

from __future__ import annotations

from proof.properties.chosen_bases import Measured, measure, pairs


def main() -> None:
    """Print a table in Markdown, a line as soon as it is measured."""
    print("| E on F | base | decided by | error of the force | with the other base | CPU time of the other base |")
    print("|---" * 6 + "|")
    for pair in pairs():
        print(line(measure(pair)), flush=True)


def line(found: Measured) -> str:
    """A line of the table."""
    mine, others = found.error(found.chosen), found.error(found.other)
    if mine is None or others is None:
        errors = ("", f"{found.force[found.other] / found.force[found.chosen] - 1.0:+.1%} beside it")
    else:
        errors = (f"{mine:+.1%}", f"{others:+.1%}")
    cost = found.cost[found.other] / found.cost[found.chosen]
    decided = "sharper" if "sharper" in found.reason else "finer mesh"
    cells = (found.pair.name, found.chosen.value, decided, *errors, f"{_short(cost)} times")
    return f"| {' | '.join(cells)} |"


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 10.0 else f"{number:.2g}"


if __name__ == "__main__":
    main()
