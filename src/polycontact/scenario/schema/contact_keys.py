"""Contact: how surfaces respond to each other, and which bodies may touch."""

from __future__ import annotations

from typing import Annotated, Literal

from polycontact.scenario.schema.base import (
    MAX_ENTRIES,
    Name,
    NotNegative,
    Positive,
    Switch,
    Table,
    at_most,
    optional,
    required,
)

Response = Literal["polygonal", "penetration_lines", "none"]
TwoBodies = tuple[Name, Name]


class Friction(Table):
    """Regularised Coulomb friction."""

    coefficient: NotNegative = required("coefficient μ; 0 for none")
    velocity: Positive = optional("slip velocity v_ε below which friction fades out", "m/s", 1e-3)


class ContactOptions(Table):
    """What [contact] sets for all pairs and a pair may change."""

    response: Response | None = optional(
        'one key chooses the response: "polygonal" (intersection polygons), "penetration_lines", or "none": '
        'no contact forces; "polygonal" if left out'
    )
    stiffness: Positive | None = optional("layer stiffness c_l; by default it follows from the materials", "N/m³")
    damping: NotNegative | None = optional("layer damping d_l; 0 if left out", "N s/m³")
    transition_depth: NotNegative | None = optional("depth u_d over which damping fades in; 0 if left out", "m")
    friction: Friction | None = optional("friction; none if left out")
    base: Literal["E", "F", "both"] | None = optional(
        'whose triangles become contact elements: "E" the first body, "F" the second, "both" averaged; "E" if left out'
    )
    elements: Literal["clipped", "whole"] | None = optional(
        'boundary triangles: "clipped" at the contact\'s border (force continuous) or "whole"'
    )
    depth: Literal["base_normal", "target_normal"] | None = optional(
        'direction of the depth; "base_normal" if left out'
    )
    max_penetration: Positive | None = optional("longest penetration line, for penetration_lines", "m")


class Pair(ContactOptions):
    """Two bodies that may touch, with what differs from [contact]."""

    bodies: TwoBodies = required("names of body E and body F")
    name: Name | None = optional("name of the contact in results")


class Contact(ContactOptions):
    """Contact of the whole scenario: defaults, and pairs found or listed."""

    automatic: Switch = optional(
        "true: every two bodies with contact shapes may touch, except neighbours by a joint", "", False
    )
    exclude: Annotated[tuple[TwoBodies, ...], at_most(MAX_ENTRIES)] = optional(
        "pairs of bodies that automatic = true leaves out", "", ()
    )
    pairs: Annotated[tuple[Pair, ...], at_most(MAX_ENTRIES)] = optional(
        "pairs that may touch, each with its own options", "", ()
    )
