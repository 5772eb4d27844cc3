"""Windows of time in which a result of a run is looked for: after a transient, in the last seconds, in a turn.

max force of ball-table after 0.04 s
mean drive of shaft from 0.1 s to 0.2 s
rms velocity of ball.z in the last 50 ms
p95 pressure of cam-follower in the last turn of shaft
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import StudyError

if TYPE_CHECKING:
    from polycontact.simulation.recording.trajectory import Trajectory

Array = NDArray[np.float64]

TURN: Final = 2.0 * math.pi

_TIME: Final = r"[-+.\d]\S*(?: [^\s\d]\S*)?"
_AFTER: Final = re.compile(rf"(?P<rest>.+) after (?P<start>{_TIME})", re.DOTALL)
_BEFORE: Final = re.compile(rf"(?P<rest>.+) before (?P<end>{_TIME})", re.DOTALL)
_BETWEEN: Final = re.compile(rf"(?P<rest>.+) from (?P<start>{_TIME}) to (?P<end>{_TIME})", re.DOTALL)
_LAST: Final = re.compile(rf"(?P<rest>.+) in the last (?P<last>{_TIME})", re.DOTALL)
_TURN: Final = re.compile(r"(?P<rest>.+) in the last turn of (?P<joint>.+)", re.DOTALL)
_WAYS: Final = (_TURN, _LAST, _BETWEEN, _AFTER, _BEFORE)

WINDOWS: Final = {
    "after 0.04 s": "from then on",
    "before 0.1 s": "until then",
    "from 0.1 s to 0.2 s": "between the two",
    "in the last 0.05 s": "up to the end of the run",
    "in the last turn of JOINT": "while it turned by 360° for the last time",
}
"""Windows as they are written behind a result, and what they mean."""


class Span(NamedTuple):
    """A part of a run: its ``start`` and ``end``, s."""

    start: float
    end: float


@dataclass(frozen=True)
class Window:
    """Where a result looks: ``start`` and ``end`` (s), the ``last`` seconds, or the last turn of a ``joint``."""

    start: float = -math.inf
    end: float = math.inf
    last: float | None = None
    joint: str | None = None

    def span(self, trajectory: Trajectory) -> Span:
        """The part of a run that is meant."""
        time = trajectory.time
        if self.joint is not None:
            return turns_of(trajectory, self.joint)[-1]
        if self.last is not None:
            return Span(float(time[-1]) - self.last, float(time[-1]))
        return Span(max(self.start, float(time[0])), min(self.end, float(time[-1])))


def split_window(text: str, read_time: Callable[[str], float]) -> tuple[str, Window | None]:
    """A text without the window behind it, and that; None where there is none. ``read_time`` reads times, s."""
    for way in _WAYS:
        found = way.fullmatch(text)
        if found is None:
            continue
        given = found.groupdict()
        if "joint" in given:
            return given["rest"], Window(joint=given["joint"])
        if "last" in given:
            return given["rest"], Window(last=read_time(given["last"]))
        start = read_time(given["start"]) if "start" in given else -math.inf
        end = read_time(given["end"]) if "end" in given else math.inf
        return given["rest"], Window(start, end)
    return text, None


def turns_of(trajectory: Trajectory, joint: str) -> tuple[Span, ...]:
    """The whole turns of a joint in a run, counted back from its end: when each began and ended, the last one last."""
    history = trajectory.joint(joint)
    time, angle = trajectory.time, np.asarray(history.coordinates[:, 0])
    turned = abs(float(angle[-1] - angle[0]))
    n = math.floor(turned / TURN * (1.0 + 1e-9))
    if not history.record.coordinates[0].startswith("angle"):
        raise StudyError(
            f"joint {history.name!r} has no angle: its first coordinate is {history.record.coordinates[0]}"
        )
    if n < 1:
        raise StudyError(
            f"joint {history.name!r} turns by {turned:.4g} rad in the run, which is no whole turn; let the run go on "
            f"longer, or give a window of time"
        )
    way = math.copysign(1.0, angle[-1] - angle[0]) * (angle - angle[-1])  # rises to zero at the end
    rising = np.maximum.accumulate(way)  # where it turns back, the last time it came by counts
    _, first = np.unique(rising[::-1], return_index=True)
    last = len(rising) - 1 - first
    times = np.interp(-TURN * np.arange(n, -1, -1), rising[last], time[last])
    return tuple(Span(float(a), float(b)) for a, b in pairwise(times))


def cut(time: Array, values: Array, span: Span, whose: str) -> tuple[Array, Array]:
    """The samples in a part of a run, with values interpolated at its ends where they lie in the run.

    A part without a sample raises an error.
    """
    start, end = max(span.start, float(time[0])), min(span.end, float(time[-1]))
    inside = (time >= start) & (time <= end)
    if not inside.any() or span.end < span.start:
        apart = float(np.diff(time).max(initial=0.0))
        raise StudyError(
            f"{whose}: there is no sample from {span.start:.6g} s to {span.end:.6g} s; the run has samples from "
            f"{time[0]:.6g} s to {time[-1]:.6g} s, up to {apart:.3g} s apart: give a wider window or a shorter "
            f"output_step"
        )
    kept_time, kept = time[inside], values[inside]
    if start < kept_time[0]:
        kept_time, kept = np.append(start, kept_time), np.append(np.interp(start, time, values), kept)
    if end > kept_time[-1]:
        kept_time, kept = np.append(kept_time, end), np.append(kept, np.interp(end, time, values))
    return kept_time, kept


def percentile(time: Array, values: Array, percent: float) -> float:
    """The value that a history is below for a percentage of the time."""
    if len(values) == 1 or time[-1] <= time[0]:
        return float(values[0])
    steps = np.diff(time)
    weight = 0.5 * (np.append(steps, 0.0) + np.append(0.0, steps))
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weight[order]) - 0.5 * weight[order]
    return float(np.interp(0.01 * percent * weight.sum(), below, values[order]))
