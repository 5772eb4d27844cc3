"""Assemblies from STEP, 3MF and glTF files as bodies: names, places, units, shared surfaces, and what is refused."""

from __future__ import annotations

import json
import math
import zipfile
from pathlib import Path

import numpy as np
import pytest
import trimesh

import polycontact as pc
from polycontact.cli import main
from polycontact.scenario.parsing import parse_scenario
from polycontact.surfaces.reading import cad_extra
from step_texts import assembly_text, box_text

turned = trimesh.transformations.rotation_matrix
moved = trimesh.transformations.translation_matrix

CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Target="/3D/3dmodel.model" Id="r" '
    'Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>'
)

SINGLE = 2e-7  # glTF, and STEP on its way through glTF, hold numbers of single precision


SIZES = {"plate": (100.0, 50.0, 10.0), "pin": (5.0, 5.0, 40.0)}
"""Of the two parts of a jig, mm."""
PLACES = [
    ("base", "plate", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
    ("left pin", "pin", (10.0, 10.0, 10.0), (1.0, 0.0, 0.0)),
    ("right pin", "pin", (80.0, 10.0, 10.0), (0.0, 1.0, 0.0)),
]


@pytest.fixture(scope="module")
def step(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plate of 100 mm × 50 mm × 10 mm with two pins of 5 mm × 5 mm × 40 mm, one of them turned by 90°."""
    path = tmp_path_factory.mktemp("step") / "jig.step"
    path.write_text(assembly_text(SIZES, PLACES))
    return path


@pytest.fixture(scope="module")
def jig(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as glTF, which is read in no time: for what has nothing to do with the format of the file."""
    scene = trimesh.Scene()
    blocks = {
        part: trimesh.creation.box(1e-3 * np.array(size), moved(0.5e-3 * np.array(size)))
        for part, size in SIZES.items()
    }
    for name, part, origin, (x, y, _) in PLACES:
        place = moved(1e-3 * np.array(origin)) @ turned(math.atan2(y, x), (0, 0, 1))
        scene.add_geometry(blocks[part], node_name=name, geom_name=part, transform=place)
    path = tmp_path_factory.mktemp("gltf") / "jig.glb"
    scene.export(path)
    return path


@pytest.fixture
def glb(tmp_path: Path) -> Path:
    scene = trimesh.Scene()
    block = trimesh.creation.box((0.1, 0.2, 0.3))
    scene.add_geometry(block, node_name="base", geom_name="block")
    scene.add_geometry(block, node_name="far", geom_name="block", transform=moved((5, 0, 0)) @ turned(0.5, (1, 2, 3)))
    scene.add_geometry(trimesh.creation.icosphere(2, 0.1), node_name="ball 10", transform=moved((0, 0, 1)))
    scene.add_geometry(trimesh.creation.icosphere(2, 0.1), node_name="ball 9", transform=moved((0, 0, 2)))
    path = tmp_path / "set.glb"
    scene.export(path)
    return path


def threemf(path: Path, unit: str) -> Path:
    """A tetrahedron of 1 × 1 × 1 units placed twice, once mirrored and twice as large."""
    corners = "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)))
    faces = "".join(
        f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))
    )
    text = (
        f'<?xml version="1.0"?><model unit="{unit}" xmlns="{CORE}"><resources><object id="1" name="tetra" type="model">'
        f"<mesh><vertices>{corners}</vertices><triangles>{faces}</triangles></mesh></object></resources><build>"
        '<item objectid="1"/><item objectid="1" transform="-2 0 0 0 2 0 0 0 2 10 0 0"/></build></model>'
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_rels/.rels", RELATIONS)
        archive.writestr("3D/3dmodel.model", text)
    return path


@pytest.mark.parametrize("file", ["step", "jig"])
def test_parts_have_names_places_and_masses(file: str, request: pytest.FixtureRequest) -> None:
    assembly = pc.load_assembly(request.getfixturevalue(file), material="steel")
    assert list(assembly.parts) == ["base", "left pin", "right pin"]
    left, right = assembly.parts["left pin"], assembly.parts["right pin"]
    assert left.surface is right.surface
    np.testing.assert_allclose(left.size, [0.005, 0.005, 0.04], rtol=SINGLE)
    np.testing.assert_allclose(right.position, [0.08, 0.01, 0.01], rtol=SINGLE)
    np.testing.assert_allclose(right.rotation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=SINGLE)
    assert assembly.parts["base"].mass_properties().mass == pytest.approx(7850.0 * 0.1 * 0.05 * 0.01, rel=1e-6)
    assert left.mass_properties().mass == pytest.approx(7850.0 * 1e-6, rel=1e-6)


def test_gltf_parts_stand_where_trimesh_has_them(glb: Path) -> None:
    assembly = pc.load_assembly(glb)
    assert list(assembly.parts) == ["ball 9", "ball 10", "base", "far"]
    assert assembly.parts["base"].surface is assembly.parts["far"].surface
    assert assembly.parts["ball 9"].surface is assembly.parts["ball 10"].surface  # equal, though they are two meshes
    scene = trimesh.load_scene(glb)
    for part in assembly.parts.values():
        matrix = scene.graph[part.name][0]
        np.testing.assert_allclose(part.rotation, matrix[:3, :3], atol=SINGLE)
        np.testing.assert_allclose(part.position, matrix[:3, 3], atol=1e-6)  # 5 m in single precision
        assert np.allclose(part.rotation @ part.rotation.T, np.eye(3), atol=1e-14)


@pytest.mark.parametrize(("unit", "metres"), [("millimeter", 1e-3), ("inch", 0.0254), ("meter", 1.0)])
def test_units_scales_and_mirrors_of_3mf(tmp_path: Path, unit: str, metres: float) -> None:
    assembly = pc.load_assembly(threemf(tmp_path / "tetra.3mf", unit), density=1000.0)
    small, large = sorted(assembly.parts.values(), key=lambda part: part.mass_properties().mass)
    assert small.mass_properties().mass == pytest.approx(1000.0 * metres**3 / 6.0)
    assert large.mass_properties().mass == pytest.approx(8.0 * 1000.0 * metres**3 / 6.0)  # positive: not inside out
    centre = large.position + large.rotation @ large.mass_properties().centre
    np.testing.assert_allclose(centre, metres * np.array([9.5, 0.5, 0.5]))
    assert np.linalg.det(large.rotation) == pytest.approx(1.0)


def test_parts_become_bodies(jig: Path) -> None:
    system = pc.MultibodySystem()
    assembly = pc.load_assembly(jig, density={"left pin": 2700.0, "right pin": 7850.0})
    pc.multibody.add_assembly(
        system,
        assembly,
        fixed=["base"],
        prefix="jig ",
        position=(1.0, 0.0, 0.0),
        rotation=[[0, -1, 0], [1, 0, 0], [0, 0, 1]],
    )
    assert list(system.bodies) == ["jig base", "jig left pin", "jig right pin"]
    assert system.degrees_of_freedom == 12
    found = system.compile().evaluate(0.0, system.compile().start_state())
    _, r = found.bodies.pose("jig right pin")
    np.testing.assert_allclose(r, [1.0 - 0.01, 0.08, 0.01], atol=1e-8)
    assert system.bodies["jig left pin"].mass == pytest.approx(2.7e-3, rel=1e-6)
    assert system.bodies["jig left pin"].shapes[0].surface is system.bodies["jig right pin"].shapes[0].surface
    pc.multibody.add_assembly(system, jig, material="steel", fixed="all", leave_out=["base"], geometry="convex")
    assert list(system.bodies)[3:] == ["left pin", "right pin"]
    assert {system.bodies[name].shapes[0].material_name for name in ("left pin", "right pin")} == {"steel"}


MISTAKES = {
    "both": ({"density": 1.0, "material": "steel"}, "both density and material are given"),
    "unknown material": ({"material": "unobtainium"}, "there is no material 'unobtainium'"),
    "part": ({"density": {"left": 1.0}}, "there is no part 'left'"),
    "negative": ({"density": -1.0}, "density"),
    "nan": ({"density": float("nan")}, "density"),
    "no density": ({}, "part 'base' has no density; give density (kg/m³) or material"),
    "fixed": ({"fixed": ["bottom"]}, "there is no part 'bottom'"),
    "fixed word": ({"fixed": "base"}, 'give a list of names of parts, or "all"'),
    "left out": ({"leave_out": ["x"]}, "there is no part 'x'"),
    "geometry": ({"fixed": "all", "geometry": "round"}, "geometry is 'round'"),
    "prefix": ({"fixed": "all", "prefix": 3}, "prefix is 3"),
    "place": ({"fixed": "all", "position": (0, 0)}, "position"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_leave_the_system_as_it_was(jig: Path, name: str) -> None:
    options, message = MISTAKES[name]
    system = pc.MultibodySystem()
    with pytest.raises(pc.PolycontactError) as caught:
        pc.multibody.add_assembly(system, jig, **options)
    assert message in str(caught.value)
    assert not system.bodies


def test_names_that_are_taken(jig: Path) -> None:
    system = pc.MultibodySystem()
    system.add_body("left pin", fixed=True)
    with pytest.raises(pc.MultibodyError, match="left pin"):
        pc.multibody.add_assembly(system, jig, fixed="all")
    assert list(system.bodies) == ["left pin"]


def test_files_without_parts(tmp_path: Path) -> None:
    pc.save_surface(pc.shapes.box((1.0, 1.0, 1.0)), tmp_path / "box.stl")
    with pytest.raises(pc.SurfaceError, match="stl files hold one mesh, no parts with names and places; export the"):
        pc.load_assembly(tmp_path / "box.stl")


def test_without_the_extra(step: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = cad_extra.find_spec
    monkeypatch.setattr(cad_extra, "find_spec", lambda name: None if name == "cascadio" else installed(name))
    with pytest.raises(pc.SurfaceError, match=r'pip install "polycontact\[cad\]"'):
        pc.load_assembly(step)


def test_check_lists_the_parts(step: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(step), "--material", "steel", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [part["name"] for part in record["parts"]] == ["base", "left pin", "right pin"]
    assert record["parts"][1]["surface"] == record["parts"][2]["surface"]
    assert sum(part["mass"] for part in record["parts"]) == pytest.approx(7850.0 * 52e-6, rel=1e-6)
    assert main(["check", str(step)]) == 0
    told = capsys.readouterr().out
    assert "3 parts, 2 different surfaces" in told
    assert "100×50×10" in told
    assert main(["check", str(step), "--material", "stel"]) == 2
    assert "there is no material 'stel'" in capsys.readouterr().err


def test_a_single_part_is_a_mesh(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "box.step"
    path.write_text(box_text((10.0, 10.0, 10.0)))
    assert main(["check", str(path)]) == 0
    assert "12 triangles" in capsys.readouterr().out


def test_view_of_an_assembly(step: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert main(["view", str(step), "-o", str(page), "--no-open"]) == 0
    assert page.stat().st_size > 50_000


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("part.igs", "this is an IGES file"),
        ("part.SLDPRT", "a file of SolidWorks's own, which only that program reads; export it from there as STEP"),
        ("part.x_t", "Parasolid geometry is not read; open it in a CAD program, and export it from there as STEP"),
        ("part.dae", "COLLADA is not read; convert it to glTF, OBJ, PLY or STL"),
        ("part.xyz", "from a CAD program best STEP, from others STL, OBJ or PLY"),
    ],
)
def test_other_formats_tell_what_to_do(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / name).write_text("nothing that anybody knows")
    for load in (pc.load_surface, pc.load_assembly):
        with pytest.raises(pc.SurfaceError) as caught:
            load(tmp_path / name)
        assert message in str(caught.value)


def test_iges_is_known_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "part.dat").write_text(f"{'a part':72}S      1\n{'1H,,1H;,':72}G      1\n")
    with pytest.raises(pc.SurfaceError, match="this is an IGES file"):
        pc.load_surface(tmp_path / "part.dat")


SCENARIO = """
[scenario]
name = "jig"
[simulation]
end_time = 0.1
[materials.coated]
material = "steel"
youngs_modulus = 1e9
thickness = "2 mm"
[[assemblies]]
name = "jig"
file = "jig.glb"
prefix = "a_"
material = "steel"
materials = { "left pin" = "coated" }
fixed = ["base"]
position = [0, 0, 1]
[[bodies]]
name = "ball"
shape = { kind = "sphere", radius = 0.01 }
material = "aluminium"
position = [0, 0, 2]
[[forces]]
kind = "spring_damper"
name = "string"
body_a = "a_right pin"
body_b = "world"
stiffness = 10
[contact]
automatic = true
stiffness = 1e9
"""


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(pc.ScenarioError) as caught:
        parse_scenario(text, folder).build()
    return list(caught.value.problems)


@pytest.mark.parametrize("file", ["step", "jig"])
def test_a_scenario_with_an_assembly_and_materials_of_the_library(file: str, request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue(file)
    scenario = parse_scenario(SCENARIO.replace("jig.glb", path.name), path.parent)
    assert scenario.mesh_files == (path.name,)
    system = scenario.build()
    assert list(system.bodies) == ["ball", "a_base", "a_left pin", "a_right pin"]
    assert system.bodies["a_right pin"].mass == pytest.approx(7850e-6, rel=1e-6)
    made_of = {name: body.shapes[0].material_name for name, body in system.bodies.items()}
    assert made_of == {"ball": "aluminium", "a_base": "steel", "a_left pin": "coated", "a_right pin": "steel"}
    assert system.bodies["ball"].mass == pytest.approx(
        2700.0 * system.bodies["ball"].shapes[0].surface.mass_properties(1.0).volume
    )
    assert system.bodies["a_left pin"].shapes[0].layer == pc.ElasticLayer(1e9, 0.3, 2e-3)
    assert system.bodies["a_right pin"].shapes[0].layer is None
    assert len(system.contacts) == 6


SCENARIO_MISTAKES = {
    "material of an assembly": (
        'material = "steel"\nmaterials',
        'material = "stel"\nmaterials',
        'there is no material "stel"',
    ),
    "material of a body": ('"aluminium"', '"aluminum"', 'did you mean "aluminium"'),
    "material of a table": (
        'material = "steel"\nyoungs',
        'material = "stone"\nyoungs',
        'no material of the library "stone"',
    ),
    "material of a part": ('"left pin" = "coated"', '"left pin" = "x"', 'there is no material "x"'),
    "part": ('"left pin" = "coated"', '"left" = "coated"', 'there is no part "left"'),
    "fixed": ('fixed = ["base"]', 'fixed = ["bottom"]', 'there is no part "bottom"'),
    "file": ('"jig.glb"', '"gig.glb"', "gig.glb"),
    "body of a force": ('"a_right pin"', '"right pin"', 'there is no body "right pin"'),
    "mass": ('material = "steel"\nmaterials = { "left pin" = "coated" }', "", "give a material or a density"),
    "incompressible": ('material = "steel"\nyoungs', 'material = "rubber_60"\nyoungs', "is incompressible"),
    "taken": ('name = "ball"', 'name = "a_base"', "has the name of a body already"),
    "both": ('fixed = ["base"]', "density = 3", "give density or material, not both"),
}


def test_a_library_beside_nonsense(jig: Path) -> None:
    start = SCENARIO.index("[materials.coated]")
    text = "materials = 3\n" + SCENARIO[:start] + SCENARIO[SCENARIO.index("[[assemblies]]") :]
    assert any(each.startswith("materials: 3") for each in problems(jig.parent, text))


@pytest.mark.parametrize("name", SCENARIO_MISTAKES)
def test_mistakes_of_a_scenario(jig: Path, name: str) -> None:
    old, new, message = SCENARIO_MISTAKES[name]
    assert old in SCENARIO
    told = problems(jig.parent, SCENARIO.replace(old, new))
    assert any(message in each for each in told), told
