"""What is wrong with a model beyond its MJCF file: meshes that are missing or make no surface, bodies without mass."""

from __future__ import annotations

from polycontact.errors import RobotError
from polycontact.robots.mjcf.geom_shapes import GeomShapes
from polycontact.robots.mjcf.mjcf_building import refuse_massless_motion
from polycontact.robots.mjcf.mjcf_model import MjcfModel
from polycontact.robots.model_files import CONTACTS
from polycontact.robots.shape_making import ShapeOptions


def model_problems(model: MjcfModel) -> tuple[str, ...]:
    """All that keeps a model from being used, with the geoms that collide or with the others."""
    problems: dict[str, None] = {}
    try:
        refuse_massless_motion(model)
    except RobotError as error:
        problems[str(error)] = None
    for contact in CONTACTS:
        maker = GeomShapes(model, ShapeOptions(contact))
        for name, geoms in (("world", model.world_geoms), *((body.name, body.geoms) for body in model.bodies.values())):
            for geom in geoms:
                try:
                    maker.shapes_of(name, (geom,))
                except RobotError as error:
                    problems[str(error)] = None
    return tuple(problems)
