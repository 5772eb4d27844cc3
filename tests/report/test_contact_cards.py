"""The report tells how bodies touch: every option with its title and unit, from the classes that are described."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import polycontact as pc
from polycontact.report.document.contact_cards import MOST_NAMES, contact_cards
from polycontact.simulation.recording.records import PairingRecord

LAYER = pc.ElasticLayer(youngs_modulus=5500.0, poissons_ratio=0.4, thickness=0.01)


def records(description: pc.ContactDescription, n: int = 1) -> list[PairingRecord]:
    return [PairingRecord(f"{i}–plate", str(i), "plate", 0, 0, description.to_plain()) for i in range(n)]


def cards(*groups: list[PairingRecord]) -> list[dict[str, str]]:
    """Titles and values of each card."""
    page = contact_cards([record for group in groups for record in group])
    return [
        {unescape(title): unescape(value) for title, value in re.findall(r"<dt[^>]*>(.*?)</dt><dd>(.*?)</dd>", card)}
        for card in page.split('<div class="contact">')[1:]
    ]


def test_options_have_titles_and_units() -> None:
    lines = pc.ContactDescription(
        method=pc.contact.PenetrationLines(max_penetration=2e-3, base=pc.Base.BOTH),
        law=pc.LayerLaw(stiffness=5.9e5, damping=500.0),
        friction=pc.RegularisedCoulomb(coefficient=0.25, velocity=5e-4),
    )
    layers = pc.ContactDescription(layers=(LAYER, pc.ElasticLayer.rigid()))
    first, second = cards(records(lines, 3), records(layers))
    assert first == {
        "base": "both",
        "depth": "base normal",
        "max penetration": "0.002 m",
        "layer stiffness": "5.9·10⁵ N/m³",
        "layer damping": "500 N s/m³",
        "transition depth": "0 m",
        "damping in": "both",
        "friction coefficient": "0.25",
        "friction velocity": "0.0005 m/s",
    }
    assert second["layer stiffness"] == "1.179·10⁶ N/m³", "which both layers have together"
    assert (second["Young's modulus"], second["Poisson's ratio"], second["thickness"]) == ("5500 Pa", "0.4", "0.01 m")
    page = contact_cards(records(layers))
    assert "layer of F</h4>" in page
    assert "none: rigid" in page
    assert "layers of E and F" in contact_cards(records(pc.ContactDescription(layers=(LAYER, LAYER))))


def test_pairings_with_one_description_share_a_card() -> None:
    one = records(pc.ContactDescription(law=pc.LayerLaw(stiffness=1.0)), MOST_NAMES + 1)
    page = contact_cards(one)
    assert page.count('class="contact"') == 1
    assert f"<summary>{MOST_NAMES + 1} pairings</summary>" in page
    assert all(record.name[:-6] in page for record in one)
    assert "no contact pairings" in contact_cards([])


def test_why_a_base_was_chosen() -> None:
    """Contacts that differ in the reason alone share a card, which tells each reason."""
    ball, small, plate = pc.shapes.sphere(0.1, 2), pc.shapes.sphere(0.05, 2), pc.shapes.box((1.0, 1.0, 0.1))
    made = [pc.ContactPairing(e, plate, law=pc.LayerLaw(stiffness=1.0)).description for e in (ball, small)]
    page = contact_cards(records(made[0], 2))
    assert "Base chosen by the program: E is sharper: on average curved like a ball of 99.1 mm" in page
    both = contact_cards([*records(made[0], 2), replace(records(made[1])[0], name="small–plate")])
    assert both.count('class="contact"') == 1
    assert "Bases chosen by the program" in both
    assert "plate: E is sharper: on average curved like a ball of 49.5 mm" in unescape(both)
    assert "chosen" not in contact_cards(records(pc.ContactDescription(law=pc.LayerLaw(stiffness=1.0))))


def test_what_is_not_known_here_is_shown_as_it_is() -> None:
    """A kind of a package that is not installed, an old file without a description, and markup in names."""
    contact = {"kind": "contact", "method": {"kind": "of_a_guest", "grid_size": 0.5}, "law": None, "friction": "?"}
    nasty = PairingRecord("<b>–plate", "<b>", "plate", 0, 0, contact)
    assert cards([nasty]) == [{"grid size": "0.5"}]
    page = contact_cards([nasty, PairingRecord("old", "a", "b", 0, 0, {})])
    assert "of a guest" in page
    assert "<b>–" not in page
    assert "The file does not tell how they touch." in page
