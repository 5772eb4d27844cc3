"""Collisions without losses: kinetic energy and momentum before and after."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polycontact.contact.laws import LayerLaw
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.report.document.line_plot import Line, LinePlot, svg
from polycontact.report.document.markup import Section, paragraph
from polycontact.simulation.run_result import Run
from polycontact.simulation.simulate import simulate
from polycontact.surfaces.surface import Surface
from proof.book.book_page import BookPage, Check, Effort
from proof.book.contact_picture import run_picture
from proof.book.page_parts import check_table, equation, number_table, percent, prose
from proof.book.random_pairs import Array, bodies, random_rotation
from proof.properties.approach import random_direction

N_COLLISIONS = 12
SEED = 3
STIFFNESS = 3e7
"""N/m³: bodies of 1 kg at 1 m/s then overlap by a few per cent of their size."""
RTOL = 1e-6
ENERGY_LIMIT = 1e-2
"""Change of the kinetic energy: what the division at its default tolerance leaves of a closed path."""
MOMENTUM_LIMIT = 1e-12
"""Change of the momentum: forces on the two bodies are opposite, and about centres of mass the sum is linear."""
SPIN_LIMIT = 1e-4
"""Change of the angular momentum, which is not linear in the states: an error of the integration."""
LEAST_ELASTIC = 1e-2
"""Share of the kinetic energy, at least, that goes through the contact of a collision that counts."""


@dataclass(frozen=True)
class Collision:
    """Two bodies that meet: names, and relative changes of kinetic energy, momentum and angular momentum.

    ``elastic``: the greatest share of the energy that was in the contact; ``run``: the whole run.
    """

    names: tuple[str, str]
    elastic: float
    energy: float
    momentum: float
    spin: float
    run: Run


def impacts(effort: Effort) -> BookPage:
    """Page of collisions without loss: changes of energy and momentum."""
    collisions = _collide(effort.count(N_COLLISIONS))
    energies = [abs(each.energy) for each in collisions]
    checks = [
        Check("worst change of the kinetic energy", max(energies), ENERGY_LIMIT, as_percent=True),
        Check("worst change of the momentum", max(each.momentum for each in collisions), MOMENTUM_LIMIT),
        Check("worst change of the angular momentum", max(each.spin for each in collisions), SPIN_LIMIT),
    ]
    rows = [
        [
            f"{each.names[0]} and {each.names[1]}",
            percent(each.elastic),
            percent(each.energy),
            each.momentum,
            each.spin,
            str(each.run.statistics.evaluations),
        ]
        for each in collisions
    ]
    header = ("bodies", "most in the contact", "energy", "momentum", "angular momentum", "evaluations")
    shown = max(collisions, key=lambda each: sum(bodies()[name].n_triangles for name in each.names))
    sections = (
        Section("problem", "The problem", prose(STORY.format(n=len(collisions))) + _picture(shown)),
        Section(
            "exact",
            "What is exact",
            equation("T + U = \\text{const.}", "kinetic energy T, energy U of the contact")
            + equation(
                "p_a + p_b = \\text{const.}, \\quad L_a + L_b = \\text{const.}", "momentum and angular momentum"
            ),
        ),
        Section(
            "energies",
            "One collision",
            _plot(shown) + paragraph(LEDGER, "note"),
        ),
        Section(
            "changes",
            "All collisions",
            paragraph("Changes from before to after, relative to what was there before.", "note")
            + number_table(header, rows, digits=2),
        ),
        Section("limits", "Limits", check_table(checks)),
    )
    figure = f"kinetic energy changes by {percent(max(energies))} at most"
    return BookPage(sections, tuple(checks), figure)


STORY = (
    "Two bodies of 1 kg fly at each other at random, one at rest, the other at 1 m/s, without gravity, damping and "
    "friction. They meet at corners, edges and flanks, spin, and part again; {n} collisions in which at least 1 % of "
    "the energy went through the contact. What a contact with a potential takes up it gives back: the kinetic energy "
    "afterwards is that before, however it is shared between motion and spin."
)


LEDGER = (
    "The energy in the contact is the one of the ledger, ½ c ∫ φ² ∇φ·n dA. Where the target has edges or bends it "
    "leaves out a part, ½ c ∫ φ² Δφ dV, which the force has stored all the same: the sum of the two curves dips "
    "during the contact and comes back when the bodies part."
)


def _collide(n: int) -> list[Collision]:
    rng = np.random.default_rng(SEED)
    found: list[Collision] = []
    while len(found) < n:
        names = [str(name) for name in rng.choice(list(bodies()), 2, replace=False)]
        collision = _collision((names[0], names[1]), random_rotation(rng), random_direction(rng))
        if collision is not None:
            found.append(collision)
    return found


def _collision(names: tuple[str, str], R: Array, direction: Array) -> Collision | None:
    """Run a collision; None where the bodies pass by or do not part in time."""
    e, f = (_centred(bodies()[name]) for name in names)
    apart = 0.51 * (e.size + f.size)
    system = MultibodySystem("collision", gravity=(0.0, 0.0, 0.0))
    system.add_body("a", surface=e, mass=1.0)
    system.add_body("b", surface=f, mass=1.0, position=apart * direction, rotation=R, velocity=-direction)
    system.add_contact("a", "b", law=LayerLaw(stiffness=STIFFNESS))
    run = simulate(system, end_time=2.5 * apart, rtol=RTOL, atol=1e-7, output_step=2.5 * apart / 600)
    kinetic, elastic = run.ledger["kinetic"], run.ledger["elastic"]
    if elastic.max() < LEAST_ELASTIC * kinetic[0] or elastic[-1] != 0.0:
        return None
    p, spin = _momenta(run, {"a": e, "b": f})
    return Collision(
        names=names,
        elastic=float(elastic.max() / kinetic[0]),
        energy=float(kinetic[-1] / kinetic[0] - 1.0),
        momentum=float(np.linalg.norm(p[-1] - p[0]) / np.linalg.norm(p[0])),
        spin=float(np.linalg.norm(spin[-1] - spin[0])) / apart,  # 1 kg at 1 m/s with a lever of that length
        run=run,
    )


def _centred(surface: Surface) -> Surface:
    """The body with its centre of mass at the origin, as far as the velocities of origins shall add up."""
    return surface.transformed(position=-surface.mass_properties().centre)


def _momenta(run: Run, surfaces: dict[str, Surface]) -> tuple[Array, Array]:
    """Momentum (n, 3), kg m/s, and angular momentum about the origin (n, 3), kg m²/s, of both bodies together."""
    n = len(run.trajectory.time)
    p, spin = np.zeros((n, 3)), np.zeros((n, 3))
    for name, surface in surfaces.items():
        body = run.trajectory.body(name)
        solid = surface.mass_properties()
        inertia = solid.inertia / solid.mass
        R, w = body.rotation, body.angular_velocity
        lever = R @ solid.centre
        centre, velocity = body.position + lever, body.velocity + np.cross(w, lever)
        p += velocity
        spin += np.cross(centre, velocity) + np.einsum("nij,jk,nlk,nl->ni", R, inertia, R, w)
    return p, spin


def _picture(collision: Collision) -> str:
    """The moment at which most energy is in the contact."""
    trajectory = collision.run.trajectory
    time = float(trajectory.time[int(np.argmax(collision.run.ledger["elastic"]))])
    return run_picture(trajectory, time, f"{collision.names[0].capitalize()} and {collision.names[1]}, most pressed")


def _plot(collision: Collision) -> str:
    time, ledger = collision.run.trajectory.time, collision.run.ledger
    start = float(ledger["kinetic"][0])
    touching = np.flatnonzero(ledger["elastic"])
    first, last = max(0, touching[0] - 25), min(len(time) - 1, touching[-1] + 25)
    part = slice(first, last + 1)
    x = (1e3 * (time[part] - time[touching[0]])).tolist()
    kinetic, elastic = (ledger[name][part] / start for name in ("kinetic", "elastic"))
    return svg(
        LinePlot(
            x_label="time after the first touch, ms",
            y_label="energy / kinetic energy before",
            lines=[
                Line("kinetic", x, kinetic.tolist(), mark="line", colour=0),
                Line("in the contact", x, elastic.tolist(), mark="line", colour=1),
                Line("sum", x, (kinetic + elastic).tolist(), mark="dashed", colour=6),
            ],
        )
    )
