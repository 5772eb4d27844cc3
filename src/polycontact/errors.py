"""Every error and warning that polycontact raises on purpose.

Each message names the thing, its value with its unit, and a remedy.
"""

from __future__ import annotations

import sys


class PolycontactError(Exception):
    """Base of all errors raised on purpose by polycontact."""


class UnitError(PolycontactError, ValueError):
    """A number with a unit that cannot be read or has another dimension than expected, with an example."""


class SurfaceError(PolycontactError, ValueError):
    """A file or an array from which no surface can be made; the message says where and why, and what to do."""


class ContactError(PolycontactError, ValueError):
    """A contact pairing, layer, law or pose that is not valid; the message gives the value and the remedy."""


class MultibodyError(PolycontactError, ValueError):
    """A body, joint, force element or state that is not valid; the message gives its name, the value and the remedy."""


class RobotError(PolycontactError, ValueError):
    """A robot file that cannot be used, with its name, the line, the link or joint, the value and the remedy."""


class SimulationError(PolycontactError, ValueError):
    """Settings of a simulation that are not valid; the message gives the value and the remedy."""


class IdentificationError(PolycontactError, ValueError):
    """Measured curves or parameters that nothing can be identified from, with the file, the value and the remedy."""


class IntegrationError(PolycontactError, RuntimeError):
    """A time integration that cannot go on; the message says where it stopped, why, and what to do.

    `time` is the last good time in s, `step` the last step tried or taken in s (not a number if there was none),
    `reason` one of "no convergence", "error test", "step too small", "not finite", "too much work", "passed through".
    """

    def __init__(
        self, message: str, *, time: float = float("nan"), step: float = float("nan"), reason: str = ""
    ) -> None:
        super().__init__(message)
        self.time = time
        self.step = step
        self.reason = reason
        self.run: object = None
        """The run so far, where a simulation raised this."""


class EquilibriumError(PolycontactError, RuntimeError):
    """No state of rest was found; the message names what falls, slides or is pushed, and what to do.

    ``state``: where the search ended, in the order of ``system.compile().state_names``.
    """

    def __init__(self, message: str, *, state: object = None) -> None:
        super().__init__(message)
        self.state = state


class StudyError(PolycontactError, ValueError):
    """A study that cannot be made or gone on with: its parameters, design, results, file or workers, and a remedy."""


class SurfaceWarning(UserWarning):
    """A surface that is usable but probably not what was meant (a crack, an inward orientation)."""


class SimulationWarning(UserWarning):
    """Settings of a simulation that are probably not intended (a tolerance as large as a body)."""


class EquilibriumWarning(UserWarning):
    """An equilibrium that deserves a second look: one at which the system does not stay."""


class IdentificationWarning(UserWarning):
    """An identification that deserves a second look: a parameter at its bound, or one that the data leave open."""


class StudyWarning(UserWarning):
    """A study that deserves a second look: a cluster that others can reach."""


class ContactWarning(UserWarning):
    """A contact whose result may be wrong or unintended (a Poisson's ratio near 1/2, a contained body)."""


class RobotWarning(UserWarning):
    """A robot file of which something was left out: all of it, listed once."""


class ScenarioError(PolycontactError, ValueError):
    """A scenario that cannot be used: every mistake at once, each with its key path, its value and a remedy.

    ``source`` is the name of the file, ``problems`` one text for each mistake, ``n_more`` counts those left out.
    """

    def __init__(self, source: str, problems: tuple[str, ...], n_more: int = 0) -> None:
        super().__init__(source, problems, n_more)
        self.source = source
        self.problems = problems
        self.n_more = n_more

    def __str__(self) -> str:
        total = len(self.problems) + self.n_more
        lines = [f"{self.source}: {total} problem{'s' if total > 1 else ''}"]
        lines += [f"  {i}. {problem}" for i, problem in enumerate(self.problems, start=1)]
        return "\n".join(lines + ([f"  … and {self.n_more} more"] if self.n_more else []))


SKIPPED_PACKAGES = ("polycontact", "contextlib", "functools")
"""Packages that may stand between a warning and the line of the user that led to it."""


def level_of_the_caller() -> int:
    """Stack level, for a warning of the function that asks, of the first frame outside this package: a user's line."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in SKIPPED_PACKAGES:
        frame, level = frame.f_back, level + 1
    return level
