"""STEP files (ISO 10303-21, schema AP214) for the tests: a box of planes and a cylinder, in the unit asked for."""

from __future__ import annotations

from itertools import product

import numpy as np

Triple = tuple[float, float, float]

HEADER = """ISO-10303-21;
HEADER;
FILE_DESCRIPTION(('a solid'),'2;1');
FILE_NAME('part','2024-01-01T00:00:00',('polycontact'),('polycontact'),'by hand','by hand','');
FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));
ENDSEC;
DATA;
"""
X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def box_text(size: Triple, unit: str = "mm") -> str:
    """A box with one corner at the origin; ``unit``: mm, cm, m or in."""
    file = _StepText()
    return file.finish(_box_faces(file, size), unit)


def assembly_text(parts: dict[str, Triple], places: list[tuple[str, str, Triple, Triple]], unit: str = "mm") -> str:
    """An assembly of boxes: ``parts`` are sizes by name, ``places`` (occurrence, part, origin, direction of its x).

    The directions lie in the xy plane.
    """
    file = _StepText()
    context, application = file.context(unit), file.add("APPLICATION_CONTEXT('automotive design')")
    world = file.axes((0.0, 0.0, 0.0), Z, X)
    made = {}
    for name, size in parts.items():
        shell = file.add(f"CLOSED_SHELL('',({','.join(_box_faces(file, size))}))")
        solid = file.add(f"MANIFOLD_SOLID_BREP('',{shell})")
        origin = file.axes((0.0, 0.0, 0.0), Z, X)
        shape = file.add(f"ADVANCED_BREP_SHAPE_REPRESENTATION('',({origin},{solid}),{context})")
        made[name] = (file.product(name, shape, application), shape, origin)
    axes = [file.axes(origin, Z, along) for _, _, origin, along in places]
    whole_shape = file.add(f"SHAPE_REPRESENTATION('',({','.join([world, *axes])}),{context})")
    whole = file.product("whole", whole_shape, application)
    for (name, part, _, _), place in zip(places, axes, strict=True):
        definition, shape, origin = made[part]
        use = file.add(f"NEXT_ASSEMBLY_USAGE_OCCURRENCE('{name}','{name}','',{whole},{definition},$)")
        turn = file.add(f"ITEM_DEFINED_TRANSFORMATION('','',{origin},{place})")
        relation = file.add(
            f"(REPRESENTATION_RELATIONSHIP('','',{shape},{whole_shape}) "
            f"REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION({turn}) SHAPE_REPRESENTATION_RELATIONSHIP())"
        )
        of_use = file.add(f"PRODUCT_DEFINITION_SHAPE('','',{use})")
        file.add(f"CONTEXT_DEPENDENT_SHAPE_REPRESENTATION({relation},{of_use})")
    return file.text()


def _box_faces(file: _StepText, size: Triple) -> list[str]:
    corners = list(product((0, 1), repeat=3))
    points = [tuple(float(c * s) for c, s in zip(corner, size, strict=True)) for corner in corners]
    vertices = [file.vertex(point) for point in points]
    edges: dict[tuple[int, int], str] = {}

    def side(i: int, j: int) -> str:
        a, b = sorted((i, j))
        if (a, b) not in edges:
            edges[a, b] = file.edge(vertices[a], vertices[b], file.line(points[a], points[b]))
        return file.oriented(edges[a, b], forward=i < j)

    faces = []
    for axis, end in product(range(3), (0, 1)):
        first, second = (axis + 1) % 3, (axis + 2) % 3
        loop = []
        for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)):
            corner = {axis: end, first: u, second: v}
            loop.append(corners.index((corner[0], corner[1], corner[2])))
        if end == 0:
            loop.reverse()
        normal, along = np.zeros(3), np.zeros(3)
        normal[axis], along[first] = 2 * end - 1, 1
        plane = file.add(f"PLANE('',{file.axes(points[loop[0]], tuple(normal), tuple(along))})")
        faces.append(file.face([side(i, j) for i, j in zip(loop, [*loop[1:], loop[0]], strict=True)], plane))
    return faces


def cylinder_text(radius: float, height: float, unit: str = "mm") -> str:
    """A cylinder about the z axis, standing on the xy plane."""
    file = _StepText()
    low, high = (0.0, 0.0, 0.0), (0.0, 0.0, height)
    seam = (radius, 0.0, 0.0), (radius, 0.0, height)
    below, above = (file.vertex(point) for point in seam)
    circles = [file.add(f"CIRCLE('',{file.axes(centre, Z, X)},{radius!r})") for centre in (low, high)]
    bottom, top = (file.edge(v, v, circle) for v, circle in zip((below, above), circles, strict=True))
    up = file.edge(below, above, file.line(*seam))
    mantle = file.add(f"CYLINDRICAL_SURFACE('',{file.axes(low, Z, X)},{radius!r})")
    around = [(bottom, True), (up, True), (top, False), (up, False)]
    faces = [
        file.face([file.oriented(edge, forward=forward) for edge, forward in around], mantle),
        file.face([file.oriented(top, forward=True)], file.add(f"PLANE('',{file.axes(high, Z, X)})")),
        file.face([file.oriented(bottom, forward=False)], file.add(f"PLANE('',{file.axes(low, (0, 0, -1), X)})")),
    ]
    return file.finish(faces, unit)


class _StepText:
    """Entities in order; each method adds one and returns its reference."""

    def __init__(self) -> None:
        self.entities: list[str] = []

    def add(self, entity: str) -> str:
        self.entities.append(entity)
        return f"#{len(self.entities)}"

    def triple(self, kind: str, values: Triple) -> str:
        return self.add(f"{kind}('',({','.join(repr(float(value)) for value in values)}))")

    def vertex(self, point: Triple) -> str:
        return self.add(f"VERTEX_POINT('',{self.triple('CARTESIAN_POINT', point)})")

    def axes(self, origin: Triple, z: Triple, x: Triple) -> str:
        place = self.triple("CARTESIAN_POINT", origin)
        return self.add(f"AXIS2_PLACEMENT_3D('',{place},{self.triple('DIRECTION', z)},{self.triple('DIRECTION', x)})")

    def line(self, start: Triple, stop: Triple) -> str:
        along = np.subtract(stop, start)
        direction = self.triple("DIRECTION", tuple(along / np.linalg.norm(along)))
        vector = self.add(f"VECTOR('',{direction},1.)")
        return self.add(f"LINE('',{self.triple('CARTESIAN_POINT', start)},{vector})")

    def edge(self, start: str, stop: str, curve: str) -> str:
        return self.add(f"EDGE_CURVE('',{start},{stop},{curve},.T.)")

    def oriented(self, edge: str, *, forward: bool) -> str:
        return self.add(f"ORIENTED_EDGE('',*,*,{edge},.{'T' if forward else 'F'}.)")

    def face(self, edges: list[str], surface: str) -> str:
        loop = self.add(f"EDGE_LOOP('',({','.join(edges)}))")
        bound = self.add(f"FACE_OUTER_BOUND('',{loop},.T.)")
        return self.add(f"ADVANCED_FACE('',({bound}),{surface},.T.)")

    def length_unit(self, unit: str) -> str:
        if unit == "in":
            inch = self.add(f"LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),{self.length_unit('mm')})")
            exponents = self.add("DIMENSIONAL_EXPONENTS(1.,0.,0.,0.,0.,0.,0.)")
            return self.add(f"(CONVERSION_BASED_UNIT('INCH',{inch}) LENGTH_UNIT() NAMED_UNIT({exponents}))")
        prefix = {"mm": ".MILLI.", "cm": ".CENTI.", "m": "$"}[unit]
        return self.add(f"(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT({prefix},.METRE.))")

    def context(self, unit: str) -> str:
        """Units of a geometry."""
        length = self.length_unit(unit)
        angle = self.add("(NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.))")
        solid_angle = self.add("(NAMED_UNIT(*) SI_UNIT($,.STERADIAN.) SOLID_ANGLE_UNIT())")
        accuracy = self.add(f"UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-6),{length},'accuracy','')")
        return self.add(
            f"(GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT(({accuracy})) "
            f"GLOBAL_UNIT_ASSIGNED_CONTEXT(({length},{angle},{solid_angle})) REPRESENTATION_CONTEXT('',''))"
        )

    def product(self, name: str, shape: str, application: str) -> str:
        """A product with a shape; returns its definition."""
        product_context = self.add(f"PRODUCT_CONTEXT('',{application},'mechanical')")
        part = self.add(f"PRODUCT('{name}','{name}','',({product_context}))")
        formation = self.add(f"PRODUCT_DEFINITION_FORMATION('','',{part})")
        stage = self.add(f"PRODUCT_DEFINITION_CONTEXT('part definition',{application},'design')")
        definition = self.add(f"PRODUCT_DEFINITION('','',{formation},{stage})")
        of_shape = self.add(f"PRODUCT_DEFINITION_SHAPE('','',{definition})")
        self.add(f"SHAPE_DEFINITION_REPRESENTATION({of_shape},{shape})")
        return definition

    def finish(self, faces: list[str], unit: str) -> str:
        """The solid within ``faces`` as the shape of a product: the whole file."""
        shell = self.add(f"CLOSED_SHELL('',({','.join(faces)}))")
        solid = self.add(f"MANIFOLD_SOLID_BREP('',{shell})")
        context = self.context(unit)
        world = self.axes((0.0, 0.0, 0.0), Z, X)
        shape = self.add(f"ADVANCED_BREP_SHAPE_REPRESENTATION('',({world},{solid}),{context})")
        self.product("part", shape, self.add("APPLICATION_CONTEXT('automotive design')"))
        return self.text()

    def text(self) -> str:
        """The whole file."""
        lines = "".join(f"#{i + 1}={entity};\n" for i, entity in enumerate(self.entities))
        return f"{HEADER}{lines}ENDSEC;\nEND-ISO-10303-21;\n"
