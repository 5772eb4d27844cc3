"""What is said of contacts of surfaces by formulas whose point of contact was not found."""

from __future__ import annotations

from polycontact.kernels.contact.contact_report import Status

LOST_CONTACT = {
    Status.NO_COMMON_NORMAL: "no points of the two surfaces that face each other were found, so there is no force; a "
    "body has left the domain of the other's surface, or the surface is too rich for the grid from which the search "
    "starts, or edges of both touch each other: enlarge the domain, give its function more divisions, or round an edge",
    Status.SINGULAR_SURFACE: "the search for the point of contact ended at a singular place, where a surface has no "
    "normal; there is no force, or a doubtful one: give the function another chart (n_charts), or turn the surface so "
    "that its pole lies elsewhere",
    Status.LAW_NOT_SOLVED: "the half-space law has not found its pressures to its tolerance, so that the force is "
    "doubtful: look for very thin triangles in the contact, and repair or remesh the surface",
    Status.SURFACE_NOT_FINITE: "the function of a surface, or a derivative of it, is not a finite number near the "
    "contact: narrow its domain, or mend the function",
}
"""What is said of contacts with these status bits."""
