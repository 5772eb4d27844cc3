"""Shapes of robots: which elements count, where meshes are found, how they are scaled, and colours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from urdf_texts import ARM, written

import polycontact as pc

ROBOT = """\
<robot name="r">
  <link name="body">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    {shapes}
  </link>
</robot>
"""


def shape(tag: str, file: str, scale: str = "") -> str:
    scaled = f' scale="{scale}"' if scale else ""
    return f'<{tag}><geometry><mesh filename="{file}"{scaled}/></geometry></{tag}>\n'


def saved(path: Path, size: tuple[float, float, float] = (1.0, 2.0, 3.0)) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pc.save_surface(pc.shapes.box(size), path)
    return path


def only_shape(path: Path, **options: object) -> pc.Shape:
    (found,) = pc.load_urdf(path, **options).bodies["body"].shapes
    return found


def test_shapes_are_placed_and_coloured(tmp_path: Path) -> None:
    path = written(tmp_path, ARM)
    column = pc.load_urdf(path).bodies["column"].shapes[0]
    R, r = column.placement()
    np.testing.assert_allclose(r, (0.0, 0.0, 0.2))
    np.testing.assert_allclose(R[0], (np.cos(0.5), -np.sin(0.5), 0.0), atol=1e-15)
    assert column.contact
    assert column.colour == "#ff8000"
    low, high = column.surface.bounds
    np.testing.assert_allclose(high - low, (0.12, 0.12, 0.4), rtol=1e-12)  # the axis of a cylinder is z
    assert pc.load_urdf(path).bodies["upper"].shapes[0].colour == "#0000ff"


def test_which_elements_take_part_in_contact(tmp_path: Path) -> None:
    path = written(tmp_path, ARM)

    def radius_and_contact(**options: object) -> dict[str, list[tuple[float, bool]]]:
        bodies = pc.load_urdf(path, **options).bodies
        return {
            name: [(round(float(each.surface.bounds[1, 0]), 3), each.contact) for each in bodies[name].shapes]
            for name in ("base", "column", "upper")
        }

    assert radius_and_contact() == {"base": [(0.1, True)], "column": [(0.06, True)], "upper": [(0.07, False)]}
    assert radius_and_contact(contact="visual") == {"base": [], "column": [(0.05, True)], "upper": [(0.07, True)]}
    assert radius_and_contact(contact=None) == {
        "base": [(0.1, False)],
        "column": [(0.05, False)],
        "upper": [(0.07, False)],
    }


def test_convex_geometries(tmp_path: Path) -> None:
    saved(tmp_path / "box.stl")
    arm = pc.load_urdf(written(tmp_path, ARM, "arm.urdf"), geometry="convex").bodies
    assert isinstance(arm["base"].shapes[0].surface, pc.convex.Box)
    assert isinstance(arm["column"].shapes[0].surface, pc.convex.Cylinder)
    assert isinstance(arm["upper"].shapes[0].surface, pc.Surface)  # only seen
    path = written(tmp_path, ROBOT.format(shapes=shape("collision", "box.stl")))
    assert isinstance(only_shape(path, geometry="convex").surface, pc.convex.ConvexMesh)
    pc.save_surface(pc.shapes.torus(0.1, 0.03), tmp_path / "box.stl")
    with pytest.raises(pc.errors.RobotError, match=r"line 4: link 'body': box: the surface is not convex"):
        only_shape(path, geometry="convex")


def test_the_layer_is_that_of_what_touches(tmp_path: Path) -> None:
    layer = pc.ElasticLayer(1e6, 0.3, 0.01)
    bodies = pc.load_urdf(written(tmp_path, ARM), layer=layer).bodies
    assert bodies["base"].shapes[0].layer is layer
    assert bodies["upper"].shapes[0].layer is None


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "off"])
def test_meshes_beside_the_file(tmp_path: Path, suffix: str) -> None:
    saved(tmp_path / "meshes" / f"box.{suffix}")
    path = written(tmp_path, ROBOT.format(shapes=shape("collision", f"meshes/box.{suffix}")))
    np.testing.assert_allclose(only_shape(path).surface.bounds, [(-0.5, -1.0, -1.5), (0.5, 1.0, 1.5)], rtol=1e-6)


@pytest.mark.parametrize("scale", ["0.001 0.001 0.001", "1 2 0.5", "1 -1 1", "-2 -2 -2"])
def test_scales(tmp_path: Path, scale: str) -> None:
    """Along each axis; a mirrored mesh still has its normals outside."""
    saved(tmp_path / "box.off")
    path = written(tmp_path, ROBOT.format(shapes=shape("collision", "box.off", scale)))
    surface = only_shape(path).surface
    factors = np.array([float(word) for word in scale.split()])
    low, high = surface.bounds
    np.testing.assert_allclose(high - low, np.abs(factors) * (1.0, 2.0, 3.0), rtol=1e-12)
    assert surface.mass_properties().mass == pytest.approx(abs(6.0 * factors.prod()), rel=1e-12)


@pytest.mark.parametrize("geometry", ["mesh", "convex"])
def test_equal_shapes_share_one_geometry(tmp_path: Path, geometry: str) -> None:
    saved(tmp_path / "box.off")
    ball = '<collision><geometry><sphere radius="1"/></geometry></collision>'
    path = written(tmp_path, ROBOT.format(shapes=2 * shape("collision", "box.off") + 2 * ball))
    first, second, third, fourth = pc.load_urdf(path, geometry=geometry).bodies["body"].shapes
    assert first.surface is second.surface
    assert third.surface is fourth.surface


@pytest.mark.parametrize("scheme", ["package", "model"])
def test_packages_are_found_on_the_way_up(tmp_path: Path, scheme: str) -> None:
    """In a folder of the package's name, above or beside, and in one that says it is a package."""
    text = ROBOT.format(shapes=shape("collision", f"{scheme}://nice_robot/meshes/box.stl"))
    saved(tmp_path / "a" / "nice_robot" / "meshes" / "box.stl")
    only_shape(written(tmp_path / "a" / "nice_robot" / "urdf", text))
    only_shape(written(tmp_path / "a" / "other" / "urdf", text))
    saved(tmp_path / "b" / "nice_robot-main" / "meshes" / "box.stl")
    (tmp_path / "b" / "nice_robot-main" / "package.xml").write_text("<package/>")
    only_shape(written(tmp_path / "b" / "nice_robot-main" / "urdf", text))


def test_packages_that_are_given_come_first(tmp_path: Path) -> None:
    text = ROBOT.format(shapes=shape("collision", "package://parts/box.off"))
    saved(tmp_path / "parts" / "box.off")
    saved(tmp_path / "elsewhere" / "box.off", (4.0, 4.0, 4.0))
    path = written(tmp_path, text)
    assert only_shape(path).surface.bounds[1, 0] == 0.5
    assert only_shape(path, packages={"parts": tmp_path / "elsewhere"}).surface.bounds[1, 0] == 2.0


def test_files_by_their_address(tmp_path: Path) -> None:
    mesh = saved(tmp_path / "far away" / "box.stl")
    for written_so in (mesh.as_uri(), str(mesh)):
        only_shape(written(tmp_path / "here", ROBOT.format(shapes=shape("collision", written_so))))


def test_a_missing_mesh_tells_where_it_was_looked_for(tmp_path: Path) -> None:
    path = written(tmp_path, ROBOT.format(shapes=shape("collision", "meshes/box.stl")))
    with pytest.raises(pc.errors.RobotError) as caught:
        pc.load_urdf(path)
    assert "robot.urdf: line 4: mesh 'meshes/box.stl' was not found; looked for" in str(caught.value)
    assert "copy the file there, or correct its path" in str(caught.value)
    path = written(tmp_path, ROBOT.format(shapes=shape("collision", "package://parts/box.stl")))
    with pytest.raises(pc.errors.RobotError) as caught:
        pc.load_urdf(path)
    assert "say where the package is: packages={'parts': folder}" in str(caught.value)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("package://parts", "names no file in a package; write package://PACKAGE/FILE"),
        ("https://example.org/box.stl", "not by https://"),
        ("", "<mesh> has no filename"),
        ("a\tb\\0.stl", "was not found"),
        ("x" * 5000 + ".stl", "was not found"),  # no file system has such names, and says so by an error
    ],
)
def test_addresses_that_make_no_sense(tmp_path: Path, file: str, message: str) -> None:
    with pytest.raises(pc.errors.RobotError) as caught:
        pc.load_urdf(written(tmp_path, ROBOT.format(shapes=shape("collision", file))))
    assert message in str(caught.value)


def test_a_zero_scale_is_refused(tmp_path: Path) -> None:
    saved(tmp_path / "box.off")
    with pytest.raises(pc.errors.RobotError, match="no factor may be zero"):
        pc.load_urdf(written(tmp_path, ROBOT.format(shapes=shape("collision", "box.off", "1 0 1"))))


def test_pictures_that_nobody_reads_are_listed(tmp_path: Path) -> None:
    """A COLLADA file that is only seen is no reason to do without the robot; one that touches is."""
    path = written(tmp_path, ROBOT.format(shapes=shape("visual", "box.dae")))
    with pytest.warns(pc.errors.RobotWarning, match=r"line 4: link 'body': the picture 'box.dae'"):
        assert pc.load_urdf(path).bodies["body"].shapes == ()
    (tmp_path / "box.dae").write_text("<COLLADA/>")
    with pytest.raises(pc.errors.RobotError, match=r"link 'body': box.dae: COLLADA is not read"):
        pc.load_urdf(path, contact="visual")


def test_a_broken_mesh_is_mended_where_asked_for(tmp_path: Path) -> None:
    box = pc.shapes.box((1.0, 1.0, 1.0))
    facets = [*box.triangles.tolist(), box.triangles[0].tolist()]  # one triangle twice
    lines = [f"v {x} {y} {z}" for x, y, z in box.vertices.tolist()]
    lines += ["f " + " ".join(str(i + 1) for i in facet) for facet in facets]
    (tmp_path / "box.obj").write_text("\n".join(lines))
    path = written(tmp_path, ROBOT.format(shapes=shape("collision", "box.obj")))
    with pytest.raises(pc.errors.RobotError, match="repair=True mends what can be mended"):
        pc.load_urdf(path)
    assert only_shape(path, repair=True).surface.is_closed


def test_contacts_by_the_names_of_links(tmp_path: Path) -> None:
    """A ball of a robot falls on a floor, and rests at m g / c."""
    text = ROBOT.format(shapes='<collision><geometry><sphere radius="0.1"/></geometry></collision>')
    system = pc.load_urdf(written(tmp_path, text), geometry="convex", fixed_base=False, position=(0.0, 0.0, 0.1))
    system.add_body("floor", surface=pc.convex.Box((1.0, 1.0, 0.2)), fixed=True, position=(0.0, 0.0, -0.1))
    system.add_contact("floor", "body", law=pc.LayerLaw(stiffness=1e4, damping=200.0))
    run = pc.simulate(system, end_time=2.0, rtol=1e-6, atol=1e-8)
    depth = 0.1 - run.trajectory.body("body").position[-1, 2]
    assert depth == pytest.approx(9.81 / 1e4, rel=1e-3)  # critically damped: at rest long before
