"""The words of the language in which results of a run are named: what can be asked of bodies, contacts, joints.

    peak force of ball-table             how  quantity  of  thing
    final position of ball.z             a component
    time of max velocity of ball         when it is
    position of ball.z at 0.5 s          at a time
    max force of ball-table after 0.04 s in a window of time, see `result_windows`
    final kinetic energy                 of the whole run

Nothing of it is code that runs: a text is taken apart into words of the tables below, or refused.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Quantity(NamedTuple):
    """A quantity with a history: ``name`` of the attribute of its history, ``unit``, and whether it is a vector."""

    name: str
    unit: str
    is_vector: bool = False
    meaning: str = ""


HOW: Final = {
    "final": "at the end of the run",
    "initial": "at its start",
    "max": "the largest of the samples",
    "min": "the smallest of the samples",
    "mean": "their mean over time",
    "rms": "the root of their mean square over time",
    "range": "largest less smallest",
    "median": "the value that they are below for half of the time",
    "peak": "the greatest magnitude: of loads of contacts and joints that of every step, else of the samples",
}
"""How a history becomes a number; besides, "p95" is the value that it is below for 95 % of the time."""

PERCENTILE: Final = r"p\d{1,2}(?:\.\d{1,6})?"
"""How percentiles are written."""

WITH_TIME: Final = ("final", "initial", "max", "min", "peak")
"""Numbers that are there at one time, for which "time of" may be asked."""

OF_BODIES: Final = {
    "position": Quantity("position", "m", True, "of the origin"),
    "velocity": Quantity("velocity", "m/s", True, "of the origin"),
    "angular velocity": Quantity("angular_velocity", "rad/s", True, ""),
    "acceleration": Quantity("acceleration", "m/s²", True, "of the origin"),
    "angular acceleration": Quantity("angular_acceleration", "rad/s²", True, ""),
    "centre of mass": Quantity("centre_of_mass", "m", True, "its position"),
}

OF_CONTACTS: Final = {
    "force": Quantity("force", "N", True, "on the first body"),
    "torque": Quantity("torque", "N m", True, ""),
    "area": Quantity("area", "m²", False, ""),
    "depth": Quantity("depth", "m", False, "greatest of its elements"),
    "pressure": Quantity("pressure", "Pa", False, "greatest of its elements"),
    "elastic energy": Quantity("elastic_energy", "J", False, ""),
    "damping power": Quantity("damping_power", "W", False, ""),
    "friction power": Quantity("friction_power", "W", False, ""),
}

OF_JOINTS: Final = {
    "coordinate": Quantity("coordinates", "rad or m", True, "numbered from 0: hinge[0]"),
    "speed": Quantity("speeds", "rad/s or m/s", True, "numbered from 0"),
    "drive": Quantity("drive", "N m or N", True, "effort of motors and prescribed motions"),
}

OF_REACTIONS: Final = {
    "reaction force": Quantity("force", "N", True, "of a joint or loop"),
    "reaction torque": Quantity("torque", "N m", True, "of a joint or loop"),
}

OF_ELEMENTS: Final = {"element force": Quantity("", "N or N m", True, "of a spring, stop, motor, …")}

TIMES_OF_CONTACTS: Final = {
    "first contact": Quantity("first_contact", "s", False, "time of the first accepted step in contact"),
    "last contact": Quantity("last_contact", "s", False, "time of the last accepted step in contact"),
    "contact time": Quantity("contact_time", "s", False, "time in contact, by the accepted steps"),
}

OF_RUN: Final = {
    "end time": Quantity("end_time", "s", False, "when the run ended"),
    "steps": Quantity("steps", "", False, "of the integrator"),
    "evaluations": Quantity("evaluations", "", False, "of the right-hand side"),
    "rejected steps": Quantity("rejected_steps", "", False, ""),
    "mean step": Quantity("mean_step", "s", False, ""),
    "cpu seconds": Quantity("cpu_seconds", "s", False, "differs from machine to machine"),
    "events": Quantity("events", "", False, "starts and ends of contacts, where they are located"),
    "worst balance": Quantity("worst_balance", "J", False, "largest error of the energy balance"),
    "worst residual": Quantity("worst_residual", "J", False, "largest residual work of contacts"),
    "turnover": Quantity("turnover", "J", False, "largest change of any energy"),
}

ENERGY_WORDS: Final = {
    "kinetic energy": "kinetic",
    "gravity energy": "gravity",
    "spring energy": "springs",
    "elastic energy": "elastic",
    "contact damping loss": "contact_damping",
    "friction loss": "friction",
    "layer loss": "layers",
    "damping loss": "damping",
    "numerical loss": "numerical",
    "input work": "input",
    "residual work": "residual",
    "balance": "balance",
}
"""Columns of the energy ledger, J."""

COMPONENTS: Final = {"x": 0, "y": 1, "z": 2}


def listed_words() -> list[tuple[str, str, str]]:
    """All that may be asked, for `polycontact study --list-results`: words, unit, meaning."""
    rows = [(f"HOW {name} of BODY", each) for name, each in OF_BODIES.items()]
    rows += [(f"HOW {name} of A-B", each) for name, each in OF_CONTACTS.items()]
    rows += [(f"{name} of A-B", each) for name, each in TIMES_OF_CONTACTS.items()]
    rows += [(f"HOW {name} of JOINT", each) for name, each in OF_JOINTS.items()]
    rows += [(f"HOW {name} of JOINT", each) for name, each in OF_REACTIONS.items()]
    rows += [(f"HOW {name} of ELEMENT", each) for name, each in OF_ELEMENTS.items()]
    rows += [(f"HOW {name}", Quantity("", "J", False, "of the whole run")) for name in ENERGY_WORDS]
    rows += [("peak force", Quantity("", "N", False, "the greatest of all contacts; also pressure and depth"))]
    rows += [(name, each) for name, each in OF_RUN.items()]
    return [(words, each.unit, each.meaning) for words, each in rows]
