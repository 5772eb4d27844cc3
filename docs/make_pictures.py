"""Make the pictures of the documentation, in docs/pictures: runs of the built-in scenarios, one contact, meshes.

    python docs/make_pictures.py              all of them, some minutes
    python docs/make_pictures.py contact …    only these

Needs Pillow, and for pictures of pages playwright and Chromium. The same program gives the same pictures, as far as
chaotic runs are the same.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import base_plot
import force_plot
import numpy as np
import stiffness_plot
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageDraw, ImageFont

import polycontact as pc
from polycontact.cli import main as main_of_commands
from polycontact.report.patches.patch_mesh import mesh_of_result
from polycontact.report.picture import Camera, Look, render
from polycontact.report.picture.camera import Projection
from polycontact.report.picture.picture_colours import rgb
from polycontact.report.picture.picture_scene import Scene, scene_of_surfaces
from polycontact.report.picture.render import draw, fit
from polycontact.report.view.boxes import level_boxes

PICTURES = Path(__file__).resolve().parent / "pictures"
FINE = 2  # lines are drawn on a picture this many times as fine
CUT, INNER, ORDINARY = "#f4a261", "#2a9d8f", "#8fa3b5"
Lines = list[tuple[NDArray[np.float64], str, int]]
"""Polylines (n, 3) m with their colour and width in pixels."""


def bubbles() -> Image.Image:
    """The bubbles while they bounce into each other."""
    with tempfile.TemporaryDirectory() as folder:
        run = _recorded("bubbles", folder, end_time=1.2)
        camera = Camera(-40.0, 30.0, target=(0.06, 0.0, 0.3), distance=2.05)
        return render(run, 1.06, camera=camera, size=(1200, 560))


def pedestrian() -> Image.Image:
    """Four moments of the crash."""
    with tempfile.TemporaryDirectory() as folder:
        run = _recorded("pedestrian", folder)
        look = {"size": (560, 370), "colour_by": "none"}
        return _tiled([render(run, time, **look) for time in (0.0, 0.15, 0.3, 1.5)], columns=2)


def parts() -> Image.Image:
    """Scenarios of edges, flanks, threads and teeth, with their pressures."""
    with tempfile.TemporaryDirectory() as folder:
        nut = _recorded("nut_on_bolt", folder, end_time=0.1)
        gears = _recorded("spur_gears", folder, end_time=0.03)
        slide = _recorded("dovetail", folder, end_time=0.06)
        box = _recorded("box_over_edge", folder, end_time=0.22)
        size = (560, 400)
        return _tiled(
            [
                render(nut, 0.1, camera=Camera(30.0, 20.0), size=size),
                render(gears, 0.03, camera=Camera(-80.0, 55.0), size=size),
                render(slide, 0.06, camera=Camera(25.0, -8.0, target=(0.05, 0.0, 0.005), distance=0.5), size=size),
                render(box, 0.2, camera=Camera(-50.0, 22.0, target=(0.4, 0.05, 0.0), distance=1.5), size=size),
            ],
            columns=2,
        )


def maps() -> Image.Image:
    """Wear of a cam and, seen through it, of its follower: the run of their guide."""
    text = (PICTURES.parent / "howto" / "maps.md").read_text(encoding="utf-8")
    code = text.partition("```python\n")[2].partition("```")[0]
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        exec(code.replace('"cam.h5"', repr(str(Path(folder) / "cam.h5"))), names)
        run = names["run"].trajectory
        look = {"size": (560, 400), "colour_by": "wear", "ground": False, "caption": False}
        views = [
            render(run, 0.1571, camera=Camera(195.0, 30.0), limit=8e-11, **look),
            render(run, 0.1571, camera=Camera(215.0, 20.0), transparent=("cam",), opacity=0.12, **look),
        ]
        return _tiled(views, columns=2)


def close_up() -> Image.Image:
    """Contacts from near, with their forces: two bubbles, and a nut on its bolt."""
    with tempfile.TemporaryDirectory() as folder:
        bubbles = _recorded("bubbles", folder, end_time=0.55)
        nut = _recorded("nut_on_bolt", folder, end_time=0.1)
        look = {"size": (560, 400), "forces": "pairing"}
        return _tiled(
            [
                render(bubbles, 0.5, zoom="bubble 1-bubble 2", **look),
                render(nut, 0.1, camera=Camera(30.0, 20.0), zoom="nut-bolt", **look),
            ],
            columns=2,
        )


def collisions() -> Image.Image:
    """Scenarios of collision handling, each at a moment that tells."""
    with tempfile.TemporaryDirectory() as folder:
        shown = {
            "thrown_ball": (0.28, Camera(-60.0, 18.0, target=(0.0, 0.0, 0.1), distance=2.7)),
            "five_bodies": (0.75, Camera(-60.0, 20.0)),
            "spinning_pyramid": (1.4, Camera(-55.0, 20.0, target=(0.45, 0.0, 0.0), distance=1.8)),
            "gripping": (1.5, Camera(-55.0, 15.0, target=(0.25, 0.0, 0.12), distance=1.2)),
            "cosine_ball": (3.0, Camera(-75.0, 15.0, target=(-0.9, 0.0, 0.0), distance=4.2)),
            "hitting_nodes": (0.4, Camera(-60.0, 45.0)),
        }
        look = {"size": (560, 370), "colour_by": "none"}
        runs = {name: _recorded(name, folder, end_time=time + 0.01) for name, (time, _) in shown.items()}
        return _tiled(
            [render(runs[name], time, camera=camera, **look) for name, (time, camera) in shown.items()], columns=2
        )


def robots() -> Image.Image:
    """The arm pressing and sliding, the six-legged robot in a step on flat and on wavy ground."""
    with tempfile.TemporaryDirectory() as folder:
        arm = Camera(-55.0, 15.0, target=(0.15, 0.0, 0.33), distance=1.9)
        walker = Camera(-50.0, 24.0, target=(0.1, 0.0, 0.07), distance=2.3)
        shown = {
            "manipulator_normal": (1.2, arm),
            "manipulator_free": (1.55, arm),
            "hexapod": (2.2, walker),
            "hexapod_polygonal": (2.7, walker),
        }
        look = {"size": (560, 400), "colour_by": "none"}
        runs = {name: _recorded(name, folder, end_time=time + 0.01) for name, (time, _) in shown.items()}
        return _tiled(
            [render(runs[name], time, camera=camera, **look) for name, (time, camera) in shown.items()], columns=2
        )


def robot_forces() -> Image.Image:
    """Forces of the arm's tool on four plates, and of the six-legged robot's feet."""
    return _tiled([force_plot.tool("normal"), force_plot.tool("free"), *force_plot.feet()], columns=2)


def billiard_balls() -> Image.Image:
    """Three balls before and after an impact, by three responses."""
    scenario = pc.load_scenario("billiard_balls")
    choices = {
        "before": "compliant",
        "compliant": "compliant",
        "impulses, propagation": pc.ImpulseResponse(),
        "impulses, simultaneous": pc.ImpulseResponse(update="simultaneous"),
    }
    size, font = (560, 150), ImageFont.load_default(size=16)
    camera = Camera(-90.0, 12.0, target=(0.03, 0.0, 0.0), distance=0.42)
    panels = []
    for name, response in choices.items():
        settings = {**scenario.settings, "response": response}
        run = pc.simulate(scenario.build(), **settings).trajectory
        image = render(run, 0.0 if name == "before" else 0.15, camera=camera, size=size, colour_by="none")
        ImageDraw.Draw(image).text((14, 10), name, fill="#16202a", font=font)
        panels.append(image)
    return _tiled(panels, columns=2)


def contact() -> Image.Image:
    """One evaluation: both bodies, polygons with active triangles, elements with their pressure."""
    bubble = pc.shapes.bubble_with(4000)
    skin = pc.ElasticLayer(youngs_modulus=5500.0, poissons_ratio=0.4, thickness=0.01)
    pair = pc.ContactPairing(bubble, bubble, layers=(skin, skin))
    place = np.array([0.185, 0.03, 0.0])
    result = pair.evaluate(pc.RelativeKinematics(position=place))
    both = scene_of_surfaces(
        [(bubble, np.eye(3), np.zeros(3)), (bubble, np.eye(3), place)], [rgb("#4c84b8"), rgb("#c9ced6")]
    )
    alone = scene_of_surfaces([(bubble, np.eye(3), np.zeros(3))], [rgb(ORDINARY)])
    active = np.zeros(bubble.n_triangles, dtype=bool)
    active[result.active_triangles[0]] = True
    cut = active & ~_wholly_inside(bubble, result)
    marked = _coloured(alone, [(active & ~cut, INNER), (cut, CUT)])
    borders: Lines = [(_closed(polygon.points), "#16202a", 4) for polygon in result.polygons]
    edges: Lines = [(_closed(corners), "#3d4b59", 1) for corners in alone.corners[active]]
    pressed = Scene(**{**vars(alone), "patches": mesh_of_result(result)})
    camera = Camera(-22.0, 16.0, target=(0.06, 0.0, 0.0), distance=1.0)
    close = Camera(-6.0, 8.0, target=(0.09, 0.12, 0.0), distance=0.36)
    return _tiled(
        [
            _drawn(both, camera, [], "1  two surfaces", "none"),
            _drawn(marked, close, edges + borders, "2  intersection polygons, active triangles", "none"),
            _drawn(pressed, close, borders, "3  contact elements, clipped", "pressure"),
        ],
        columns=3,
    )


def boxes() -> Image.Image:
    """Levels of the tree of boxes around a bubble, each box as a solid."""
    bubble = pc.shapes.bubble()
    levels = level_boxes(bubble, np.eye(3), np.zeros(3))
    camera = Camera(-35.0, 20.0, target=(0.0, 0.0, 0.0), distance=1.0)
    alone = scene_of_surfaces([(bubble, np.eye(3), np.zeros(3))], [rgb("#4c84b8")])
    panels = [_drawn(alone, camera, [], f"{bubble.n_triangles} triangles", "none")]
    for depth in (0, 2, 4, 6, 8):
        solids = [_solid(box) for box in levels[depth]]
        colours = [rgb(("#e9c46a", "#f4a261", "#e76f51")[i % 3]) for i in range(len(solids))]
        scene = scene_of_surfaces([(solid, np.eye(3), np.zeros(3)) for solid in solids], colours)
        n = len(solids)
        panels.append(_drawn(scene, camera, [], f"level {depth}: {n} box{'es' if n > 1 else ''}", "none"))
    return _tiled(panels, columns=3)


def mesh_problems() -> Image.Image:
    """A mesh with a hole, a crack and triangles that are turned over, before and after what repair can do."""
    sound = pc.shapes.horseshoe(segments=32)
    vertices, triangles = sound.vertices.copy(), sound.triangles.copy()
    middles = vertices[triangles].mean(axis=1)
    front = middles[:, 1] < -0.0059
    left, right = middles[:, 0] < -0.05, middles[:, 0] > 0.05
    low = middles[:, 2] < 0.05
    hole = front & right & (np.abs(middles[:, 2] - 0.02) < 0.006)
    turned = front & left & low & (middles[:, 2] > 0.02)
    torn = middles[:, 2] > 0.105
    triangles[turned] = triangles[turned][:, ::-1]
    triangles, turned, torn = triangles[~hole], turned[~hole], torn[~hole]
    first = len(vertices)
    vertices = np.concatenate([vertices, vertices])
    triangles[torn] += first  # the arch has vertices of its own: a crack along its edge
    used = np.unique(triangles)
    vertices, triangles = vertices[used], np.searchsorted(used, triangles)
    repaired = pc.surfaces.repair_with_log((vertices, triangles)).surface
    borders = [(edge, "#d1495b", 4) for edge in _border_edges(vertices, triangles)]
    mended = [(edge, "#d1495b", 4) for edge in _border_edges(repaired.vertices, repaired.triangles)]
    camera = Camera(-78.0, 14.0, zoom=0.85)
    seen = np.where(turned[:, None], triangles[:, ::-1], triangles)  # drawn from outside, in a colour of their own
    before = _coloured(_raw_scene(vertices, seen), [(turned, "#e9c46a")])
    after = scene_of_surfaces([(repaired, np.eye(3), np.zeros(3))], [rgb(ORDINARY)])
    return _tiled(
        [
            _drawn(before, camera, borders, "crack, hole, triangles turned over", "none"),
            _drawn(after, camera, mended, "after repair: holes are left as they are", "none"),
        ],
        columns=2,
    )


def balanced() -> Image.Image:
    """The section of a cylinder of 16 sides in a plate, with the circle it stands for: as it is, and balanced."""
    mesh = pc.shapes.cylinder(1.0, 1.0, segments=16, rings=1, cap_rings=1)
    turn = np.pi / 2 - np.pi / 16  # a side lies flat on the plate
    panels = []
    for surface, title in ((mesh, "mesh as it is: inside the body"), (mesh.balanced(), "balanced: as much out as in")):
        rim = surface.vertices[np.hypot(*surface.vertices.T[:2]) > 0.9]
        panels.append(_section(float(np.hypot(*rim[0, :2])), 16, turn, title))
    return _tiled(panels, columns=2)


def _section(radius: float, sides: int, turn: float, title: str) -> Image.Image:
    """The lower part of a polygon and of the unit circle; what the polygon lacks is blue, what it has more orange."""
    size, scale, middle = (600, 190), 800.0, (300.0, -632.0)
    image = Image.new("RGB", (FINE * size[0], FINE * size[1]), "white")

    def places(radius: float, n: int) -> list[tuple[float, float]]:
        angle = turn + 2.0 * np.pi * np.arange(n + 1) / n
        x, y = middle[0] + scale * radius * np.cos(angle), middle[1] + scale * radius * np.sin(angle)
        return [(FINE * float(a), FINE * float(b)) for a, b in zip(x, y, strict=True)]

    circle, polygon = places(1.0, 720), places(radius, sides)
    inside, covered = (Image.new("L", image.size, 0) for _ in range(2))
    for mask, outline in ((inside, circle), (covered, polygon)):
        ImageDraw.Draw(mask).polygon(outline, fill=255)
    image.paste(rgb_bytes("#e8edf2"), mask=ImageChops.multiply(inside, covered))
    image.paste(rgb_bytes("#4c84b8"), mask=ImageChops.subtract(inside, covered))
    image.paste(rgb_bytes("#f4a261"), mask=ImageChops.subtract(covered, inside))
    pencil = ImageDraw.Draw(image)
    pencil.line(circle, fill="#16202a", width=2)
    pencil.line(polygon, fill="#16202a", width=5, joint="curve")
    level = FINE * (middle[1] + 0.98 * scale)
    pencil.line([(0, level), (image.size[0], level)], fill="#d1495b", width=3)
    image = image.resize(size, Image.Resampling.LANCZOS)
    ImageDraw.Draw(image).text((24, 12), title, fill="#16202a", font=ImageFont.load_default(size=16))
    ImageDraw.Draw(image).rectangle((0, 0, *size), outline="white", width=8)
    return image


def rgb_bytes(colour: str) -> tuple[int, int, int]:
    """A colour "#rrggbb" as three numbers."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


def base() -> Image.Image:
    """Force with the other body as the base, over the depth."""
    return base_plot.draw()


def stiffness() -> Image.Image:
    """Lengths of steps of an explicit and of an implicit integrator while a ball bounces and comes to rest."""
    return stiffness_plot.draw()


def view() -> Image.Image:
    """The page that plays the bubbles, at the first impact."""
    with tempfile.TemporaryDirectory() as folder:
        _recorded("bubbles", folder)
        page = Path(folder) / "bubbles.html"
        assert main_of_commands(["view", str(page.with_suffix(".h5")), "-o", str(page), "--no-open"]) == 0
        return _seen(page, (1280, 760), "polycontactView.player.pause(), polycontactView.player.seek(0.4)")


def report() -> Image.Image:
    """The report of the pedestrian."""
    with tempfile.TemporaryDirectory() as folder:
        _recorded("pedestrian", folder)
        page = Path(folder) / "pedestrian.html"
        assert main_of_commands(["report", str(page.with_suffix(".h5")), "-o", str(page)]) == 0
        return _seen(page, (1280, 900))


def _seen(page: Path, size: tuple[int, int], script: str = "null") -> Image.Image:
    """A page in Chromium."""
    from playwright.sync_api import sync_playwright

    arguments = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        shown = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme="light")
        shown.goto(page.as_uri())
        shown.wait_for_timeout(3000)
        shown.evaluate(script)
        shown.wait_for_timeout(2000)
        image = Image.open(io.BytesIO(shown.screenshot())).convert("RGB")
        browser.close()
    return image


def _recorded(name: str, folder: str, **settings: float) -> pc.Trajectory:
    scenario = pc.load_scenario(name)
    path = Path(folder) / f"{name}.h5"
    options = {**scenario.settings, **settings}
    return pc.simulate(scenario.build(), record=path, elements=True, **options).trajectory


def _drawn(scene: Scene, camera: Camera, lines: Lines, title: str, colour_by: str) -> Image.Image:
    """A panel with polylines over it; those behind the bodies are left out."""
    size = (400, 290)
    fine = (FINE * size[0], FINE * size[1])
    look = Look(size=fine, colour_by=colour_by, samples=1, caption=False, ground=False)
    fitted = fit(scene.focus, camera, look)
    image = draw(scene, look, fitted)
    projection = Projection(fitted, *fine)
    pencil = ImageDraw.Draw(image)
    for points, colour, width in lines:
        places = projection.project(points)[:, :2]
        pencil.line([tuple(place) for place in places], fill=colour, width=width, joint="curve")
    image = image.resize(size, Image.Resampling.LANCZOS)
    font = ImageFont.load_default(size=15)
    ImageDraw.Draw(image).text((14, size[1] - 28), title, fill="#16202a", font=font)
    return image


def _coloured(scene: Scene, marks: list[tuple[NDArray[np.bool_], str]]) -> Scene:
    colours = scene.colour.copy()
    for chosen, colour in marks:
        colours[chosen] = rgb(colour)
    return Scene(**{**vars(scene), "colour": colours})


def _raw_scene(vertices: NDArray[np.float64], triangles: NDArray[np.int64]) -> Scene:
    """A scene of a mesh that is no valid surface."""
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    n = len(triangles)
    return Scene(
        corners=corners,
        normals=np.repeat(normals[:, None], 3, axis=1),
        colour=np.tile(rgb(ORDINARY), (n, 1)),
        body=np.zeros(n, dtype=np.int64),
        is_open=np.ones(n, dtype=bool),
        focus=vertices,
    )


def _wholly_inside(surface: pc.Surface, result: pc.ContactResult) -> NDArray[np.bool_]:
    """Triangles of E that an element covers entirely."""
    elements = result.elements
    covered = np.zeros(surface.n_triangles)
    own = elements.side == 0
    np.add.at(covered, elements.base_triangle[own], elements.area[own])
    return covered > (1.0 - 1e-9) * surface.areas


def _border_edges(vertices: NDArray[np.float64], triangles: NDArray[np.int64]) -> list[NDArray[np.float64]]:
    """Edges with one triangle only, as pairs of points."""
    sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges, counts = np.unique(sides, axis=0, return_counts=True)
    return [vertices[edge] for edge in edges[counts == 1]]


def _solid(box: NDArray[np.float64]) -> pc.Surface:
    """A box given by a corner and three edges, as a surface."""
    corner, edges = box[0], box[1:]
    size = np.linalg.norm(edges, axis=1)
    return pc.shapes.box(size=size).transformed(position=corner + edges.sum(axis=0) / 2)


def _closed(points: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate([points, points[:1]])


def _tiled(images: list[Image.Image], columns: int) -> Image.Image:
    width, height = images[0].size
    rows = -(-len(images) // columns)
    sheet = Image.new("RGB", (columns * width, rows * height), "white")
    for i, image in enumerate(images):
        sheet.paste(image, ((i % columns) * width, (i // columns) * height))
    return sheet


MAKERS: dict[str, Callable[[], Image.Image]] = {
    each.__name__: each
    for each in (
        bubbles,
        pedestrian,
        parts,
        maps,
        close_up,
        collisions,
        billiard_balls,
        robots,
        robot_forces,
        contact,
        boxes,
        mesh_problems,
        balanced,
        base,
        stiffness,
        view,
        report,
    )
}


def main(words: list[str]) -> int:
    """Make the pictures named, or all."""
    unknown = [word for word in words if word not in MAKERS]
    if unknown:
        print(f"no picture {unknown[0]!r}; there are {', '.join(MAKERS)}", file=sys.stderr)
        return 2
    PICTURES.mkdir(exist_ok=True)
    for name in words or MAKERS:
        path = PICTURES / (f"{name}.jpg" if MAKERS[name] in (view, report) else f"{name}.png")
        MAKERS[name]().save(path, optimize=True, quality=85)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
