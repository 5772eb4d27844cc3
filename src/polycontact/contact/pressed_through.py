"""What is said of a contact that is deeper than a wall is thick: which wall, where, how deep, and what helps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polycontact.surfaces.surface import Surface

if TYPE_CHECKING:
    from polycontact.contact.methods import EvaluationMemory
    from polycontact.contact.pairing import ContactPairing


def told_far_side(pairing: ContactPairing, memory: EvaluationMemory, names: tuple[str, str] | None = None) -> str:
    """The one cause that the last evaluation in a memory has found; ``names`` of bodies E and F, else of surfaces."""
    report = memory.report
    of_names = (pairing.e.name, pairing.f.name) if names is None else names
    own, other = of_names if report.far_side == 0 else of_names[::-1]
    surface = (pairing.e, pairing.f)[report.far_side]
    depth, thickness = f"{1e3 * report.far_depth:.3g} mm", f"{1e3 * report.far_thickness:.3g} mm"
    if report.far_thickness == 0.0:
        return (
            f"{own!r} has been pressed deeper than it is thick: vertex {report.far_triangle} lies {depth} deep in "
            f"{other!r} and faces back out of it, so that both faces of a wall push and the force no longer grows "
            f"with the depth; make the layer stiffer or the wall thicker"
        )
    triangle = report.far_triangle
    if isinstance(surface, Surface):
        triangle = int(surface.contact_data.order[triangle])
    if report.far_of_target:
        return (
            f"{own!r} has passed the middle of a wall of {other!r}: triangle {triangle} of {own!r} is nearer to the "
            f"far face of the wall, which is {thickness} thick there, with a contact {depth} deep, so that the force "
            f"falls as it goes on; make the layer stiffer or the wall thicker"
        )
    return (
        f"{own!r} has been pressed deeper than it is thick: at triangle {triangle} it is {thickness} thick, and the "
        f"contact with {other!r} is {depth} deep, so that both faces push and the force no longer grows with the "
        f"depth; make the layer stiffer or the body thicker, or give a plate as an open sheet, its front face alone"
    )
