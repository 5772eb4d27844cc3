"""From an MJCF file to an `MjcfModel`: one tree of bodies, each mistake told with its line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from polycontact.robots.following import refuse_circles
from polycontact.robots.mjcf.actuator_parsing import parse_actuators
from polycontact.robots.mjcf.assets import parse_colours, parse_meshes
from polycontact.robots.mjcf.body_tree import BodyTree
from polycontact.robots.mjcf.defaults import Defaults
from polycontact.robots.mjcf.equality_parsing import PairParser, parse_keys
from polycontact.robots.mjcf.geom_parsing import GeomParser
from polycontact.robots.mjcf.including import KIND, read_model_elements
from polycontact.robots.mjcf.joint_equalities import active_equalities, parse_followings
from polycontact.robots.mjcf.masses import BodyMasses
from polycontact.robots.mjcf.mesh_surfaces import MeshSurfaces
from polycontact.robots.mjcf.mjcf_leftovers import Leftovers
from polycontact.robots.mjcf.mjcf_model import N_QPOS, N_QVEL, MjcfActuator, MjcfBody, MjcfModel
from polycontact.robots.mjcf.settings import parse_compiler, parse_options
from polycontact.robots.xml_elements import Element, as_path

_READ: Final = (
    "compiler",
    "option",
    "default",
    "asset",
    "worldbody",
    "contact",
    "equality",
    "actuator",
    "keyframe",
)
_WITHOUT_EFFECT: Final = ("size", "visual", "statistic", "custom")


def read_mjcf(path: str | os.PathLike[str]) -> MjcfModel:
    """What an MJCF file says of a model, checked; meshes are read where masses follow from them.

    Names are those of the file, all in SI units. A file that makes no model raises a `RobotError` with the line and
    the remedy; what is not understood (tendons, sensors, muscles, …) is listed in ``ignored``.
    """
    file = as_path(path, KIND)
    root, included = read_model_elements(file)
    leftovers = Leftovers(file.name)
    for child in root.children:
        if child.tag not in (*_READ, *_WITHOUT_EFFECT):
            leftovers.add(child, f"<{child.tag}>")
    settings = parse_compiler(root, leftovers)
    options = parse_options(root, leftovers)
    defaults = Defaults(root, leftovers)
    meshes = parse_meshes(root, settings, defaults, leftovers)
    folder = file.absolute().parent / settings.mesh_folder
    masses = BodyMasses(settings, meshes, MeshSurfaces(file.name, folder), leftovers)
    parser = GeomParser(settings, parse_colours(root, defaults), meshes, leftovers)
    tree = BodyTree(settings, defaults, parser, masses, leftovers)
    tree.read(root)
    actuators, all_actuators = parse_actuators(root, tree.joints_of_the_file(), settings, defaults, leftovers)
    model = MjcfModel(
        root.attributes.get("model", "").strip() or file.stem,
        file,
        included,
        tree.bodies,
        tree.joints,
        tuple(tree.world_geoms),
        meshes,
        folder,
        tree.sites,
        _renamed(actuators, tree.new_names),
        {},
        {},
        {},
        (),
        (),
        options.gravity,
        options.timestep,
        (),
    )
    return _with_pairs(model, root, tree, defaults, all_actuators, leftovers)


def _with_pairs(
    model: MjcfModel,
    root: Element,
    tree: BodyTree,
    defaults: Defaults,
    all_actuators: tuple[str, ...],
    leftovers: Leftovers,
) -> MjcfModel:
    """The model with what refers to its bodies, geoms and joints."""
    pairs = PairParser(model.bodies, model.sites, model.place, leftovers)
    equalities = active_equalities(root, defaults, leftovers)
    followings = parse_followings(equalities, tree.joints_of_the_file(), leftovers)
    refuse_circles(model.file, followings.values())
    listed, geoms = pairs.pairs(root, tree.owner_of_geom)
    n_qpos, n_qvel = (sum(count[joint.kind] for joint in model.joints.values()) for count in (N_QPOS, N_QVEL))
    keys = parse_keys(root, n_qpos, n_qvel, len(all_actuators))
    driven = [name in model.actuators for name in all_actuators]
    return replace(
        model,
        bodies={name: _touching(body, geoms) for name, body in model.bodies.items()},
        world_geoms=tuple(replace(geom, collides=geom.collides or geom.name in geoms) for geom in model.world_geoms),
        loops=pairs.loops(equalities),
        followings=followings,
        keys={name: key if key.ctrl is None else replace(key, ctrl=key.ctrl[driven]) for name, key in keys.items()},
        excludes=pairs.excludes(root),
        pairs=listed,
        ignored=leftovers.listed(),
    )


def _touching(body: MjcfBody, geoms: set[str]) -> MjcfBody:
    """A body whose geoms of listed contacts collide, whatever else the file says of them."""
    return replace(
        body, geoms=tuple(replace(geom, collides=geom.collides or geom.name in geoms) for geom in body.geoms)
    )


def _renamed(actuators: Mapping[str, MjcfActuator], new_names: Mapping[str, str]) -> dict[str, MjcfActuator]:
    return {
        name: replace(actuator, joint=new_names.get(actuator.joint, actuator.joint))
        for name, actuator in actuators.items()
    }
