"""What a caller chooses of a response, and what the kernels answer, as whole numbers."""

from __future__ import annotations

from enum import IntEnum, IntFlag


class Hypothesis(IntEnum):
    """What a coefficient of restitution e means, after whom."""

    ENERGETIC = 0
    """Stronge: the normal impulse gives back e² of the work that it took."""
    NEWTON = 1
    """The normal velocity turns round, times e."""
    POISSON = 2
    """The normal impulse of restitution is e times that of compression."""


class Update(IntEnum):
    """How several impacts at one instant are resolved (S2.20)."""

    PROPAGATION = 0
    """One contact at a time, the fastest first."""
    SIMULTANEOUS = 1
    """All contacts at once."""


class ImpactEnd(IntEnum):
    """How the resolution of impacts ended."""

    RESOLVED = 0
    """No contact approaches any more."""
    WITHOUT_RESTITUTION = 1
    """Contacts still approached after the given number of rounds, or could not be resolved otherwise; these were
    stopped without restitution."""
    UNSOLVED = 2
    """A contact still approaches: the problem has no solution, or none was found within the limits."""
    BAD_NUMBERS = 3
    """A number of the problem is not finite; the impulses are zero."""
    NO_ROOM = 4
    """The memory is too small for so many contacts; the impulses are zero."""


class StepStatus(IntEnum):
    """Why a step with rigid contact stopped on its way, beside what `Status` of the dynamics tells; it then goes on
    where it stopped, once Python has done what is asked for."""

    UNKNOWN_POINTS = 16
    """It is not known yet what chooses the points of a pair; about: the pair."""
    MORE_ELEMENTS = 17
    """A contact has more elements than fit where points are chosen; about: how many."""
    MORE_POINTS = 18
    """There are more points than fit; about: how many."""
    MORE_ENVELOPE = 19
    """The matrix of the solver does not fit; about: the entries that it needs."""
    TOUCH = 20
    """Contacts are to be evaluated in several threads."""
    GAPS = 21
    """Contacts that are held gape: their nearest points are asked for."""
    NO_IMPULSES = 22
    """Impulses are not finite."""
    BAD_STATE = 23
    """A step has ended in a state that is not finite."""


class StepsEnd(IntFlag):
    """Why steps ended that were made one after the other: bits, several of which may be set."""

    REACHED = 1
    """The time at which they were to stop is reached, or passed by the last step."""
    PAUSED = 2
    """So many steps as were asked for are made."""
    UNSOLVED = 4
    """A problem of the last step was not solved: it is to be told."""
    MEETING = 8
    """The last step was much longer than its limit: bodies may have moved through each other."""
    STOPS = 32
    """A condition that ends the run may hold."""
    LETS_GO = 16
    """No contact is pressed any more, or bodies collide: where nothing rebounds in steps, that is the caller's."""
