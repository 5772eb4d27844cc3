"""The force with either base: the same for smooth bodies that touch lightly, a sine for spikes, edges and corners."""

from __future__ import annotations

import pytest

from polycontact.verification import closed_forms as exact
from proof.properties.base_dependence import STIFFNESS, Contact, contacts, measure

CONTACTS = {contact.name: contact for contact in contacts(4)}
SMOOTH = ["ball on plate", "lying cylinder on plate", "ball on ball of twice the radius", "face of a box on plate"]
SHARP = [name for name, contact in CONTACTS.items() if contact.limit < 1.0]


def missing(contact: Contact, depth: float) -> float:
    """What the other base lacks, as a share of the limit."""
    return 1.0 - measure(contact, depth).ratio / contact.limit


@pytest.mark.parametrize("name", SMOOTH)
def test_difference_falls_with_the_depth(name: str) -> None:
    deep, shallow = (missing(CONTACTS[name], depth) for depth in (0.02, 0.01))
    assert deep > 0.02
    # First order, but for the next one and for facets, of 3° or less, that make steps of their own.
    assert deep / shallow == pytest.approx(2.0, abs=0.4)


@pytest.mark.parametrize("name", SHARP)
def test_sharp_bodies_keep_a_difference(name: str) -> None:
    # The edge is 0.1 m long and lacks a depth at both ends; 192 sides lie 1e-4 within the cone.
    share = 0.05 if name.startswith("edge") else 0.005
    assert missing(CONTACTS[name], 0.01) == pytest.approx(0.0, abs=share)


def test_closed_forms() -> None:
    ball, pair, other = (
        CONTACTS[name] for name in ("ball on plate", "equal balls", "ball on ball of twice the radius")
    )
    depth = 0.02
    facets = 0.01  # of the force: chords of a ball of 5,120 triangles lie 0.1 mm within it, twice that at the deepest
    found = measure(ball, depth)
    assert found.of_e == pytest.approx(STIFFNESS * exact.cap_volume(0.1, depth), rel=facets)
    assert found.of_f == pytest.approx(exact.plane_under_sphere(STIFFNESS, 0.1, depth), rel=facets)
    assert found.both == pytest.approx(0.5 * (found.of_e + found.of_f), rel=1e-9)
    found = measure(pair, depth)
    assert found.of_e == pytest.approx(found.of_f, rel=2e-3)  # the tolerance is 1e-3, on either side
    found = measure(other, depth)
    assert found.of_e == pytest.approx(
        exact.sphere_near_sphere(STIFFNESS, 0.1, 0.2, depth), rel=3.0 * facets
    )  # 0.2 m has larger ones
    assert found.of_f == pytest.approx(exact.sphere_near_sphere(STIFFNESS, 0.2, 0.1, depth), rel=3.0 * facets)
