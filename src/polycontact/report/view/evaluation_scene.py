"""The scene of one evaluation: intersection polygons, active areas, contact elements with their penetration lines.

What Figs. 4, 6, 8 and 9 of the PCM paper show. The world is the frame of surface E.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.methods import Base, PolygonalMethod, has_distance_depth
from polycontact.contact.pairing import ContactPairing
from polycontact.contact.result import ContactResult
from polycontact.report.view.boxes import level_boxes
from polycontact.report.view.display_units import AREA, DEPTH, FORCE, PRESSURE, SHOWN, TORQUE, VOLUME, Quantity
from polycontact.report.view.element_shapes import element_shapes, means
from polycontact.report.view.patch_parts import borders, patch_forces, patch_numbers
from polycontact.report.view.run_patches import centre_of_pressure, element_values, patch_pieces
from polycontact.report.view.viewer_colours import ACTIVE_E, ACTIVE_F, BODY_COLOURS, LINE, POINT
from polycontact.report.view.viewer_scene import (
    ContactMark,
    Layer,
    LayerKind,
    Part,
    Scene,
    SceneBody,
    SceneFrame,
    SceneKind,
    still,
)
from polycontact.surfaces.surface import Surface

_LINE_TEXTS = (
    "from the barycentre of each element to the target, along its normal: the depth",
    "from the centre of pressure of each element to the target near it: the depth",
)
"""What the lines of elements show: along normals, and with the depth as a distance."""


def evaluation_scene(result: ContactResult) -> Scene:
    """The scene of ``result``; marker E is the world."""
    pairing = result.pairing
    R, r, _, _ = result.kinematics.arrays()
    times, positions, quaternions = still(2)
    positions[0, 1] = r
    quaternions[0, 1] = _quaternion(R)
    names = (pairing.e.name, pairing.f.name if pairing.f.name != pairing.e.name else f"{pairing.f.name} (F)")
    return Scene(
        kind=SceneKind.EVALUATION,
        title=pairing.name,
        subtitle=_subtitle(result),
        bodies=tuple(
            SceneBody(f"{letter}: {name}", BODY_COLOURS[i])
            for i, (letter, name) in enumerate(zip("EF", names, strict=True))
        ),
        parts=tuple(_part(i, each.name, each.picture) for i, each in enumerate((pairing.e, pairing.f))),
        times=times,
        positions=positions,
        quaternions=quaternions,
        frames=(_frame(pairing, result),),
        quantities=SHOWN,
        pairings=(pairing.name,),
        pair_bodies=((0, 1),),
        layers=_layers(pairing, result),
        facts=_facts(result),
    )


def _part(body: int, name: str, surface: Surface) -> Part:
    return Part(
        body,
        name,
        surface.vertices,
        surface.triangles.astype(np.int64),
        BODY_COLOURS[body],
        not surface.is_closed,
        level_boxes(surface, np.eye(3), np.zeros(3)),
    )


def _frame(pairing: ContactPairing, result: ContactResult) -> SceneFrame:
    elements = result.elements
    sides = 2.0 if pairing.base is Base.BOTH else 1.0  # each side carries half: show what is between them
    values = element_values(elements.pressure * sides, elements.depth, elements.slip)
    values = means(values, elements.area, result._pieces.piece)
    number = patch_numbers(result)
    patches = [
        piece
        for side in (0, 1)
        for piece in patch_pieces(side, 0, element_shapes(pairing, result, side), values, number)
    ]
    polygons = tuple(borders(result, number, 0))
    centre = centre_of_pressure(elements.position, elements.pressure * elements.area)
    contacts = []
    if centre is not None:
        peaks = element_values(elements.peak_pressure * sides, elements.peak_depth, elements.slip).max(axis=0)
        parts = patch_forces(result, number, result.force)
        contacts.append(ContactMark(0, 0, centre, result.force, result.area, float(peaks[1]), float(peaks[0]), parts))
    return SceneFrame(tuple(patches), polygons, tuple(contacts))


def _layers(pairing: ContactPairing, result: ContactResult) -> tuple[Layer, ...]:
    """Active areas of both surfaces, penetration lines and points of the elements."""
    layers = []
    for body, (letter, geometry, colour) in enumerate((("E", pairing.e, ACTIVE_E), ("F", pairing.f, ACTIVE_F))):
        active, surface = result.active_triangles[body], geometry.picture
        layers.append(
            Layer(
                f"active_{letter}",
                f"active area of {letter}",
                LayerKind.FACES,
                body,
                surface.vertices[surface.triangles[active]],
                colour,
                len(active),
                is_on=False,
                text="triangles that bound the overlap, cut ones included",
            )
        )
    elements = result.elements
    layers.append(
        Layer(
            "penetration_lines",
            "penetration lines",
            LayerKind.LINES,
            0,
            np.stack((elements.base_point, elements.target_point), axis=1),
            LINE,
            len(elements),
            width=1.4,
            text=_LINE_TEXTS[has_distance_depth(pairing.method)],
        )
    )
    layers.append(
        Layer(
            "contact_points",
            "points of the elements",
            LayerKind.POINTS,
            0,
            elements.position[:, None],
            POINT,
            len(elements),
            is_on=False,
            width=5.0,
            text="where the forces of the elements act, between the layers",
        )
    )
    return tuple(layers)


def _subtitle(result: ContactResult) -> str:
    if not result.in_contact:
        return "no contact"
    words = f"{len(result.elements)} contact elements"
    if isinstance(result.pairing.method, PolygonalMethod):  # penetration lines do not tell which elements hang together
        n = len(result.patches)
        words = f"{n} patch{'es' if n != 1 else ''}, {words}"
    special = (result.status.name or "").lower().replace("_", " ").replace("|", ", ") if result.status else ""
    return f"{words}, {special}" if special else words


def _facts(result: ContactResult) -> tuple[tuple[str, str], ...]:
    elements = result.elements
    facts = [
        ("force on E", _vector(result.force, FORCE)),
        ("torque on E at F", _vector(result.torque, TORQUE)),
        ("area", AREA.text(result.area)),
    ]
    if len(elements):
        sides = 2.0 if result.pairing.base is Base.BOTH else 1.0
        facts.append(("greatest pressure", PRESSURE.text(sides * float(elements.peak_pressure.max()))))
        facts.append(("greatest depth", DEPTH.text(float(elements.peak_depth.max()))))
    if np.isfinite(result.volume):
        facts.append(("overlap", VOLUME.text(result.volume)))
    counted = result.statistics
    facts += [
        ("box tests", f"{counted.bv_checks:,}"),
        ("triangle tests", f"{counted.triangle_checks:,}"),
        ("segments", f"{counted.lines:,}"),
    ]
    return tuple(facts)


def _vector(vector: NDArray[np.float64], quantity: Quantity) -> str:
    """Length and components, in the same unit."""
    size = float(np.linalg.norm(vector))
    factor, unit = quantity.unit_for(size)
    return f"{size * factor:.4g} {unit} ({', '.join(f'{value * factor:.3g}' for value in vector)})"


def _quaternion(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    from polycontact.multibody.rotations import to_quaternions

    return np.asarray(to_quaternions(rotation[None])[0])
