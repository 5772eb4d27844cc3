"""All pages of the book, in their order."""

from __future__ import annotations

from polycontact.errors import PolycontactError
from polycontact.verification.book.ball_in_cup import ball_in_cup
from polycontact.verification.book.ball_on_plane import ball_on_plane
from polycontact.verification.book.book_page import Problem
from polycontact.verification.book.closed_paths_page import closed_paths
from polycontact.verification.book.cone_on_plane import cone_on_plane
from polycontact.verification.book.cylinder_on_plane import cylinder_on_plane
from polycontact.verification.book.division import division
from polycontact.verification.book.ellipsoid_on_plane import ellipsoid_on_plane
from polycontact.verification.book.gate import gate
from polycontact.verification.book.hertz_page import hertz
from polycontact.verification.book.impacts_page import impacts
from polycontact.verification.book.invariances import invariances
from polycontact.verification.book.restitution import restitution
from polycontact.verification.book.sliding_and_spinning import sliding_and_spinning
from polycontact.verification.book.tilted_box import tilted_box
from polycontact.verification.book.torus_on_plane import torus_on_plane
from polycontact.verification.book.two_balls import two_balls

FORMS = "Closed forms"
PRINCIPLES = "Principles"
LAWS = "Laws"

PROBLEMS = (
    Problem("ball", FORMS, "Ball on a plane", "Does the force meet πcRu² and c times the cap?", ball_on_plane),
    Problem(
        "cylinder",
        FORMS,
        "Cylinder lying on a plane",
        "Line contact: does the force meet c times the segment?",
        cylinder_on_plane,
    ),
    Problem(
        "cone",
        FORMS,
        "Cone on its tip",
        "A sharp body: does the force meet cV, and cV/sin α along normals?",
        cone_on_plane,
    ),
    Problem(
        "torus", FORMS, "Torus lying flat", "A ring of contact: does the force meet Pappus's rule?", torus_on_plane
    ),
    Problem(
        "ellipsoid",
        FORMS,
        "Ellipsoid in any orientation",
        "Unequal curvatures: does the force meet c times the cap?",
        ellipsoid_on_plane,
    ),
    Problem(
        "two-balls", FORMS, "Two balls", "Both bodies round: does the force meet the integral over the cap?", two_balls
    ),
    Problem("cup", FORMS, "Ball in a cup", "Conforming contact: do coarse meshes spoil a thin gap?", ball_in_cup),
    Problem(
        "tilted-box",
        FORMS,
        "Tilted box",
        "Flat faces: is a box of twelve triangles carried as a liquid carries it?",
        tilted_box,
    ),
    Problem(
        "division",
        FORMS,
        "Coarse base",
        "How does the error follow the tolerance where one base triangle covers it all?",
        division,
    ),
    Problem("gate", FORMS, "All closed forms", "Is every closed form of the quick gate met?", gate),
    Problem(
        "invariances", PRINCIPLES, "Invariances", "Is the force the same however the contact is described?", invariances
    ),
    Problem(
        "closed-paths",
        PRINCIPLES,
        "Work around closed paths",
        "Is anything gained or lost on a slow path that closes?",
        closed_paths,
    ),
    Problem(
        "impacts", PRINCIPLES, "Collisions without losses", "Is energy kept when bodies of any shape collide?", impacts
    ),
    Problem("restitution", LAWS, "Restitution against damping", "How much damping makes which bounce?", restitution),
    Problem(
        "friction",
        LAWS,
        "Sliding and spinning",
        "Do force and torque of friction follow the exact coupled curves?",
        sliding_and_spinning,
    ),
    Problem(
        "hertz",
        LAWS,
        "Hertz beside the foundation",
        "What can a layer do for solid bodies, and which stiffness should it have?",
        hertz,
    ),
)


def chosen_problems(keys: list[str] | None) -> tuple[Problem, ...]:
    """The pages with the given keys, in the order of the book; all of them without keys."""
    if not keys:
        return PROBLEMS
    known = [problem.key for problem in PROBLEMS]
    for key in keys:
        if key not in known:
            raise PolycontactError(f"verification book: there is no page {key!r}; choose from {', '.join(known)}")
    return tuple(problem for problem in PROBLEMS if problem.key in keys)
