"""All pages of the book, in their order."""

from __future__ import annotations

from polycontact.errors import PolycontactError
from proof.book.ball_in_cup import ball_in_cup
from proof.book.ball_on_plane import ball_on_plane
from proof.book.book_page import Problem
from proof.book.closed_paths_page import closed_paths
from proof.book.cone_on_plane import cone_on_plane
from proof.book.cylinder_on_plane import cylinder_on_plane
from proof.book.division import division
from proof.book.ellipsoid_on_plane import ellipsoid_on_plane
from proof.book.gate import gate
from proof.book.hertz_page import hertz
from proof.book.impacts_page import impacts
from proof.book.invariances import invariances
from proof.book.restitution import restitution
from proof.book.sliding_and_spinning import sliding_and_spinning
from proof.book.tilted_box import tilted_box
from proof.book.torus_on_plane import torus_on_plane
from proof.book.two_balls import two_balls

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
