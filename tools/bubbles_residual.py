"""What of the work of the contacts does not come back in the bubbles, by depth and by tolerance of the integrator.

    python tools/bubbles_residual.py [--depths distance base_normal] [--rtol 2e-4 …] [--atol 2e-4] [--runs 6]

A line for each depth and tolerance, over several runs of the chaotic motion: the residual while the contacts store next
to nothing and the error of the balance, both as shares of the turnover, and the evaluations that a run takes.
"""

from __future__ import annotations

import argparse

import numpy as np

from proof.properties.bubbles_residual import let_bounce


def main() -> None:
    """Let them bounce."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depths", nargs="+", default=["distance", "base_normal"])
    parser.add_argument("--rtol", type=float, nargs="+", default=[2e-4, 2e-5, 1e-6], help="of the integrator")
    parser.add_argument("--atol", type=float, default=2e-4, help="of the integrator, m, rad and per second")
    parser.add_argument("--runs", type=int, default=6, help="for each line")
    given = parser.parse_args()
    print(
        f"{'depth':16}{'rtol':>8}{'residual, mean':>16}{'worst':>9}{'balance, mean':>15}{'worst':>9}{'evaluations':>13}"
    )
    for depth in given.depths:
        for rtol in given.rtol:
            found = [let_bounce(depth, rtol=rtol, atol=given.atol, path=k) for k in range(given.runs)]
            residuals, balances = ([getattr(one, name) for one in found] for name in ("residual", "balance"))
            print(
                f"{depth:16}{rtol:8.0e}{np.mean(residuals):16.3%}{max(residuals):9.3%}"
                f"{np.mean(balances):15.3%}{max(balances):9.3%}{np.mean([one.evaluations for one in found]):13.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
