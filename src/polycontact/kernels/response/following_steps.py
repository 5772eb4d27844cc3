"""How long steps with multipliers are: so short that they follow bodies that stay in contact.

A step finds contacts in its middle, with the speeds of its start. Where surfaces in contact turn or bend, the middle is
another place than the one for which these speeds were found, and bodies that stay together seem to approach or to part
there: their normal speed has strayed from what it was, by the curvature of their motion times the step. It is compared
with the rest speed. A contact that strays more would be pressed or opened by that in one step.

    (1) contacts that are held stray by less than the rest speed    -> the step follows them, and they do not rebound
    (2) they stray more, and half the step strays by less           -> halve the step: curvature
    (3) they stray more, and half the step strays as much           -> keep it: an edge or a facet, a real impact
    (4) a held contact has no point within the way of the rest speed -> halve the step

Contacts that begin do not shorten steps: an impact has no duration, whatever the step.
"""

from __future__ import annotations

import math

from polycontact.kernels.jit import kernel
from polycontact.kernels.views import Doubles, Longs, View, count, doubles, longs, number
from polycontact.tolerances import AIM, DIVISION_ROUNDING, FALLS, GROWTH

MOST_HALVINGS = 6
"""How often a step is halved at most to follow a motion: to a 64th of the longest."""


class StepLength(View):
    """What is known of contacts that are held, and how long steps are therefore."""

    n_pairs = count("pairs")
    longest = number("the longest step", "s")
    shortest = number("the shortest to which motion of bodies in contact shortens steps", "s")
    rest_speed = number("speed by which held contacts may stray", "m/s")
    next = number("how long the next step may be", "s")
    shortened = count("steps that were made shorter than asked for, to follow the motion")
    held = longs("n_pairs", doc="1 for contacts that pushed in the last step and stayed closed")
    low = doubles("n_pairs", unit="m/s", doc="least normal speed of their points at its end")
    high = doubles("n_pairs", unit="m/s", doc="and greatest")
    seen = longs("n_pairs", doc="1 for held contacts that have a point in the middle of the step at hand")
    strayed = number("by how much normal speeds of held contacts have strayed there", "m/s")
    lost = count("1 where a held contact has no point there")
    quiet = count("1 where the step follows the held contacts, which do not rebound then")
    tried = count("1 where a step of twice the length was tried before")
    strayed_before = number("by how much normal speeds strayed in that", "m/s")
    lost_before = count("1 where a held contact had no point in that")


@kernel
def equal_step(whole: float, longest: float) -> float:
    """Length (s) of equal steps, none longer than ``longest``, that make up a ``whole`` time (s)."""
    return whole / math.ceil(whole / longest - DIVISION_ROUNDING)


@kernel
def hold(length: StepLength, pair: Longs, normal_speeds: Doubles, stride: int, n: int) -> None:
    """Note the normal speeds (m/s) of the n points of held contacts: every ``stride``-th of ``normal_speeds``."""
    for k in range(length.n_pairs):
        if length.held[k] == 1:
            length.low[k], length.high[k] = math.inf, -math.inf
    for i in range(n):
        speed = normal_speeds[stride * i]
        length.low[pair[i]] = min(length.low[pair[i]], speed)
        length.high[pair[i]] = max(length.high[pair[i]], speed)


@kernel
def encounter(length: StepLength, pair: Longs, normal_speeds: Doubles, stride: int, n: int) -> None:
    """What the middle of a step shows of the contacts that were held; arguments as of `hold`."""
    length.strayed, length.lost = 0.0, 0
    for k in range(length.n_pairs):
        length.seen[k] = 0
    for i in range(n):
        k, now = pair[i], normal_speeds[stride * i]
        if length.held[k] == 1:
            length.strayed = max(length.strayed, max(length.low[k] - now, now - length.high[k]))
            length.seen[k] = 1
    for k in range(length.n_pairs):
        if length.held[k] == 1 and length.seen[k] == 0:
            length.lost = 1
    length.quiet = 1 if length.strayed <= length.rest_speed else 0


@kernel
def follows(length: StepLength, h: float) -> bool:
    """Whether a step h (s) follows the motion well enough, by what was encountered; otherwise half of it is tried."""
    tried, strayed, lost = length.tried, length.strayed_before, length.lost_before
    length.tried, length.strayed_before, length.lost_before = 1, length.strayed, length.lost
    if h < 2.0 * length.shortest:
        return True
    if length.lost == 1:
        return False  # (4)
    if length.strayed <= length.rest_speed:
        return True  # (1)
    return tried == 1 and lost == 0 and length.strayed > FALLS * strayed  # (3), else (2)


@kernel
def choose_next(length: StepLength, h: float, asked: float) -> None:
    """A step h (s) was made, where ``asked`` (s) was the longest allowed: how long the next may be."""
    if h < 0.99 * asked:
        length.shortened += 1
    expected = GROWTH * h
    if length.strayed > 0.0 and length.lost == 0:
        expected = min(expected, AIM * length.rest_speed * h / length.strayed)
    length.next = min(max(expected, length.shortest), length.longest)
