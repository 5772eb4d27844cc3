"""Bodies that stand on each other: stacks, an arch, card houses, walls, wedges, for polycontact and for MuJoCo.

Each scene is a list of blocks, convex polyhedra with a pose; all stand by friction alone, as statics says.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

import polycontact as pc

Array = NDArray[np.float64]

G = 9.81
DENSITY = 500.0
"""kg/m³ of blocks that have no mass of their own."""


@dataclass(frozen=True, eq=False)
class Block:
    """A convex block: a box of a size (m), or the hull of points in axes through its centre of mass."""

    name: str
    place: tuple[float, float, float]
    size: tuple[float, float, float] | None = None
    points: Array | None = None
    mass: float | None = None
    tilt: float = 0.0
    """Turned about y, rad."""
    fixed: bool = False

    @property
    def corners(self) -> Array:
        """The points whose hull it is, m; a block with a size has none."""
        if self.points is None:
            raise ValueError(f"{self.name}: a block has a size or points")
        return self.points

    @property
    def kilograms(self) -> float:
        """Its mass, kg."""
        volume = float(np.prod(self.size)) if self.size is not None else float(ConvexHull(self.corners).volume)
        return DENSITY * volume if self.mass is None else self.mass


@dataclass(frozen=True, eq=False)
class Scene:
    """Blocks on a floor that is z = 0, and the friction of all contacts; ``step`` s is what the scene is run with."""

    name: str
    blocks: list[Block]
    friction: float = 0.5
    step: float = 2e-3
    loops: list[tuple[str, str]] = field(default_factory=list)
    """Pairs of blocks that rods hold as well, from centre to centre: loops with more constraints than needed."""

    @property
    def moving(self) -> list[Block]:
        """Blocks that are not fixed."""
        return [each for each in self.blocks if not each.fixed]

    @property
    def weight(self) -> float:
        """Of all blocks that are not fixed, N."""
        return G * sum(each.kilograms for each in self.moving)

    def system(self, restitution: float = 0.0) -> pc.MultibodySystem:
        """The scene as a system of polycontact."""
        system = pc.MultibodySystem(self.name, gravity=(0.0, 0.0, -G))
        floor = pc.convex.Box((20.0, 20.0, 1.0))
        system.add_body("floor", surface=floor, position=(0.0, 0.0, -0.5), fixed=True)
        for each in self.blocks:
            shape = pc.convex.Box(each.size) if each.size is not None else pc.convex.ConvexMesh(_hull(each.corners))
            c, s = math.cos(each.tilt), math.sin(each.tilt)
            rotation = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
            given: dict[str, Any] = {"density": DENSITY} if each.mass is None else {"mass": each.mass}
            system.add_body(each.name, surface=shape, position=each.place, rotation=rotation, fixed=each.fixed, **given)
        place = {each.name: np.array(each.place) for each in self.blocks}
        for i, (a, b) in enumerate(self.loops):
            length = float(np.linalg.norm(place[a] - place[b]))
            system.add_loop(f"rod {i}", "distance", a, b, at_a=(0, 0, 0), at_b=(0, 0, 0), length=length)
        law = pc.laws.RestitutionLaw(stiffness=1e7, restitution=restitution) if restitution else None
        system.find_contacts(
            law=law or pc.laws.SpringDamperLaw(stiffness=1e7),
            friction=pc.RegularisedCoulomb(coefficient=self.friction, velocity=1e-3),
        )
        return system

    def mjcf(self, step: float) -> str:
        """The same for MuJoCo: elliptic cones, Newton's method."""
        meshes, bodies = [], []
        for each in self.blocks:
            if each.size is not None:
                geometry = 'type="box" size="' + " ".join(f"{0.5 * x:.17g}" for x in each.size) + '"'
            else:
                points = " ".join(f"{x:.17g}" for x in np.ravel(each.corners))
                meshes.append(f'<mesh name="{each.name}" vertex="{points}"/>')
                geometry = f'type="mesh" mesh="{each.name}"'
            place = " ".join(f"{x:.17g}" for x in each.place)
            turned = f"{math.cos(0.5 * each.tilt):.17g} 0 {math.sin(0.5 * each.tilt):.17g} 0"
            joint = "" if each.fixed else "<freejoint/>"
            bodies.append(
                f'<body name="{each.name}" pos="{place}" quat="{turned}">{joint}'
                f'<geom {geometry} mass="{each.kilograms:.17g}"/></body>'
            )
        return f"""<mujoco>
          <option timestep="{step}" cone="elliptic" solver="Newton" gravity="0 0 {-G}"/>
          <size memory="200M"/>
          <default><geom friction="{self.friction} 0 0" condim="3"/></default>
          <asset>{"".join(meshes)}</asset>
          <worldbody><geom name="floor" type="plane" size="10 10 1"/>{"".join(bodies)}</worldbody></mujoco>"""


def _hull(points: Array) -> pc.Surface:
    hull = ConvexHull(points)
    triangles = hull.simplices.copy()
    for k, normal in enumerate(hull.equations[:, :3]):
        a, b, c = points[triangles[k]]
        if np.dot(np.cross(b - a, c - a), normal) < 0.0:
            triangles[k] = triangles[k][::-1]
    return pc.Surface(points, triangles)


# The scenes -------------------------------------------------------------------------------------------------------


def stack(n: int, *, shift: float = 0.0, gap: float = 0.0, ratio: float = 1.0) -> Scene:
    """Boxes of 0.4 × 0.4 × 0.2 m on each other, each shifted (m) from the one below; mass of the top over bottom."""
    masses = 16.0 * np.geomspace(1.0, ratio, n)
    blocks = [
        Block(f"box {k}", (k * shift, 0.0, 0.1 + 0.2 * k + gap * (k + 1)), (0.4, 0.4, 0.2), mass=float(masses[k]))
        for k in range(n)
    ]
    told = [f"stack of {n}"]
    told += [f"shifted by {1e3 * shift:g} mm"] if shift else []
    told += [f"masses 1:{ratio:g}"] if ratio != 1.0 else []
    return Scene(", ".join(told), blocks)


def arch(n: int = 9, inner: float = 1.0, outer: float = 1.4, width: float = 0.4) -> Scene:
    """A semicircle of n equal stones on two fixed feet; the line of thrust stays within for a thickness above 11 %."""
    blocks = []
    feet = 0.2
    for k in range(n):
        a, b = math.pi * k / n, math.pi * (k + 1) / n
        corners = np.array(
            [
                (r * math.cos(angle), y, r * math.sin(angle))
                for r in (inner, outer)
                for angle in (a, b)
                for y in (-0.5 * width, 0.5 * width)
            ]
        )
        centre = _centroid(corners)
        blocks.append(Block(f"stone {k}", tuple(np.add(centre, (0.0, 0.0, feet))), points=corners - centre))
    for side in (-1.0, 1.0):
        place = (side * 0.5 * (inner + outer), 0.0, 0.5 * feet)
        blocks.append(Block(f"foot {side:g}", place, (0.6, 0.6, feet), fixed=True))
    return Scene(f"arch of {n}", blocks, friction=0.6)


def _centroid(points: Array) -> Array:
    """Of a hull, by tetrahedra."""
    hull = ConvexHull(points)
    inside = points.mean(axis=0)
    parts = points[hull.simplices]
    volumes = np.abs(np.linalg.det(parts - inside)) / 6.0
    return np.asarray((volumes[:, None] * (parts.sum(axis=1) + inside) / 4.0).sum(axis=0) / volumes.sum())


def card_house(storeys: int = 2) -> Scene:
    """Pairs of cards that lean on each other, with cards laid across: 0.1 m high, 2 mm thick, lean of 20°."""
    length, thick, width, lean = 0.1, 0.002, 0.06, math.radians(20.0)
    # The upper inner corners of two cards touch; their lower outer corners stand on what is below.
    half = 0.5 * (length * math.sin(lean) + thick * math.cos(lean))
    rise = 0.5 * (length * math.cos(lean) + thick * math.sin(lean))
    pitch = 4.0 * half
    blocks = []
    level = 0.0
    for storey in range(storeys):
        count = storeys - storey
        for k in range(count):
            middle = (k - 0.5 * (count - 1)) * pitch
            for side in (-1.0, 1.0):
                place = (middle + side * half, 0.0, level + rise)
                blocks.append(
                    Block(f"card {storey} {k} {side:g}", place, (thick, width, length), tilt=-side * lean, mass=2e-3)
                )
        level += 2.0 * rise
        if count > 1:
            for k in range(count - 1):
                middle = (k - 0.5 * (count - 2)) * pitch
                place = (middle, 0.0, level + 0.5 * thick)
                blocks.append(Block(f"flat {storey} {k}", place, (pitch - 1e-3, width, thick), mass=2e-3))
            level += thick
    return Scene(f"card house of {storeys}", blocks, friction=0.6, step=1e-3)


def wall(rows: int = 10, columns: int = 10) -> Scene:
    """Bricks of 0.24 × 0.12 × 0.08 m in running bond, with half bricks at the ends of every second row."""
    blocks = []
    for row in range(rows):
        odd = row % 2
        for column in range(columns + odd):
            half = odd and column in (0, columns)
            x = 0.25 * (column - 0.5 * odd) + (0.0 if not half else 0.0625 if column == 0 else -0.0625)
            size = (0.115 if half else 0.24, 0.12, 0.08)
            blocks.append(Block(f"brick {row} {column}", (x, 0.0, 0.04 + 0.08 * row), size, mass=size[0] / 0.06))
    return Scene(f"wall of {rows * columns}", blocks)


def wedges() -> Scene:
    """A block of 30 kg between two wedges of 30° that lean on fixed walls."""
    slope = math.tan(math.radians(30.0))
    blocks = []
    for side in (-1.0, 1.0):
        outline = ((0.1, 0.0), (0.4, 0.0), (0.4, 0.3), (0.1 + 0.3 * slope, 0.3))
        corners = np.array([(side * x, y, z) for y in (-0.1, 0.1) for x, z in outline])
        centre = _centroid(corners)
        blocks.append(Block(f"wedge {side:g}", tuple(centre), points=corners - centre))
        blocks.append(Block(f"wall {side:g}", (side * 0.5, 0.0, 0.25), (0.2, 1.0, 0.5), fixed=True))
    low, high = 0.1 + 0.05 * slope, 0.1 + 0.3 * slope
    outline = ((-low, 0.05), (low, 0.05), (high, 0.3), (-high, 0.3))
    corners = np.array([(x, y, z) for y in (-0.1, 0.1) for x, z in outline])
    centre = _centroid(corners)
    blocks.append(Block("key", tuple(centre), points=corners - centre, mass=30.0))
    return Scene("wedges", blocks, friction=0.3)


def redundant_loops() -> Scene:
    """Four blocks in a square, each held to all others by rods, on sixteen corners; five boxes on top."""
    blocks = [
        Block(f"block {k}", (x, y, 0.1), (0.3, 0.3, 0.2))
        for k, (x, y) in enumerate(((-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2)))
    ]
    loops = list(itertools.combinations([each.name for each in blocks], 2))
    blocks += [Block(f"box {k}", (0.0, 0.0, 0.3 + 0.2 * k), (0.6, 0.6, 0.2)) for k in range(5)]
    return Scene("loops", blocks, loops=loops)


def random_stack(rng: np.random.Generator) -> pc.MultibodySystem:
    """Boxes of different sizes and densities, askew and apart by a little, with restitution and friction."""
    system = pc.MultibodySystem("random stack")
    system.add_body("floor", surface=pc.convex.Box((4.0, 4.0, 0.2)), position=(0.0, 0.0, -0.1), fixed=True)
    height, gap, shift = 0.0, rng.choice([0.0, 1e-4, 1e-2, 0.05]), rng.choice([0.0, 5e-3, 2e-2])
    for k in range(int(rng.integers(2, 13))):
        size = rng.uniform(0.1, 0.4, 3)
        height += gap * rng.uniform(0.5, 1.5) + 0.5 * size[2]
        place = (shift * rng.normal(), shift * rng.normal(), height)
        density = float(500.0 * 10.0 ** rng.uniform(-1.0, 1.0))
        system.add_body(f"box {k}", surface=pc.convex.Box(tuple(size)), density=density, position=place)
        height += 0.5 * size[2]
    mu = float(rng.choice([0.0, 0.3, 0.8]))
    system.find_contacts(
        law=pc.laws.RestitutionLaw(stiffness=1e7, restitution=float(rng.uniform(0.1, 1.0))),
        friction=pc.RegularisedCoulomb(coefficient=mu, velocity=1e-3) if mu else None,
    )
    return system


def scenes() -> list[Scene]:
    """All of them."""
    return [
        stack(10),
        stack(10, shift=0.005),
        stack(30),
        stack(10, ratio=1e6),
        stack(10, ratio=1e-6),
        arch(),
        card_house(),
        wedges(),
        redundant_loops(),
        wall(4, 5),
    ]
