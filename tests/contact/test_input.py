"""Bad input is refused with an error that names the thing and its value: no nan, no silent default."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.contact.description import BUILT_IN, describe_contact
from polycontact.contact.kinds import kinds_of
from polycontact.contact.methods import PenetrationLines, PolygonalMethod
from scenes import LAW, pairing, rotation

SPHERE = pc.shapes.sphere(0.1, 2)
BOX = pc.shapes.box((0.3, 0.3, 0.3), 2)
IDENTITY = np.eye(3)
NEAR = np.array([0.15, 0.02, 0.01])
PAIR = pairing(SPHERE, SPHERE, name="the pair")


def shear() -> np.ndarray:
    out = np.eye(3)
    out[0, 1] = 1e-3
    return out


BAD_ROTATIONS = {
    "zero": np.zeros((3, 3)),
    "scaled": 2.0 * IDENTITY,
    "slightly scaled": (1.0 + 1e-5) * IDENTITY,
    "sheared": shear(),
    "reflection": np.diag([1.0, 1.0, -1.0]),
    "inversion": -IDENTITY,
    "nan": np.full((3, 3), np.nan),
    "one nan": np.where(np.eye(3) == 1, 1.0, np.array([[0, 0, 0], [0, 0, np.nan], [0, 0, 0]])),
    "inf": np.full((3, 3), np.inf),
    "huge": np.full((3, 3), 1e200),
}
BAD_SHAPES = {
    "flat": np.ones(9),
    "transposed stack": np.ones((3, 3, 1)),
    "too small": np.eye(2),
    "empty": np.zeros((0, 3)),
    "scalar": 1.0,
    "string": "identity",
    "list of strings": [["a"] * 3] * 3,
    "none": None,
    "ragged": [[1, 0, 0], [0, 1], [0, 0, 1]],
}
BAD_VECTORS = {
    "nan": (0.0, math.nan, 0.0),
    "inf": (math.inf, 0.0, 0.0),
    "minus inf": (0.0, 0.0, -math.inf),
    "two": (1.0, 2.0),
    "four": (1.0, 2.0, 3.0, 4.0),
    "column": np.zeros((3, 1)),
    "scalar": 0.0,
    "string": "origin",
    "strings": ("a", "b", "c"),
    "none": None,
    "dictionary": {"x": 1.0},
}


@pytest.mark.parametrize("which", [*BAD_ROTATIONS, *BAD_SHAPES])
def test_bad_rotation(which: str) -> None:
    bad: Any = {**BAD_ROTATIONS, **BAD_SHAPES}[which]
    with pytest.raises(pc.ContactError, match="rotation"):
        pc.RelativeKinematics(rotation=bad)
    with pytest.raises(pc.ContactError, match="rotation"):
        PAIR.wrench(bad, NEAR)


@pytest.mark.parametrize("name", ["position", "velocity", "angular_velocity"])
@pytest.mark.parametrize("which", BAD_VECTORS)
def test_bad_vector(name: str, which: str) -> None:
    bad: Any = BAD_VECTORS[which]
    with pytest.raises(pc.ContactError, match=name):
        pc.RelativeKinematics(**{name: bad})
    state: dict[str, Any] = {"r": NEAR, "v": np.zeros(3), "w": np.zeros(3)}
    state[{"position": "r", "velocity": "v", "angular_velocity": "w"}[name]] = bad
    with pytest.raises(pc.ContactError, match=name):
        PAIR.wrench(IDENTITY, **state)


def test_message_names_the_value() -> None:
    with pytest.raises(pc.ContactError, match=r"position is not finite: \[1\.0, nan, 3\.0\]"):
        pc.RelativeKinematics(position=(1.0, math.nan, 3.0))
    with pytest.raises(pc.ContactError, match=r"position has shape \(2,\); expected \(3,\)"):
        pc.RelativeKinematics(position=(1.0, 2.0))
    with pytest.raises(pc.ContactError, match=r"not a proper rotation.*determinant -1"):
        pc.RelativeKinematics(rotation=np.diag([1.0, 1.0, -1.0]))
    with pytest.raises(pc.ContactError, match=r"not a proper rotation.*determinant 8"):
        PAIR.wrench(2.0 * IDENTITY, NEAR)


def test_complex_kinematics_are_refused() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(pc.ContactError, match="position"):
            pc.RelativeKinematics(position=np.array([0.1 + 1j, 0, 0]))
        with pytest.raises(pc.ContactError, match="position"):
            PAIR.wrench(IDENTITY, np.array([0.15 + 1j, 0, 0]))


def test_huge_kinematics_never_give_nan() -> None:
    for r, v, w in (
        (1.5e308, 1.5e308, 1.5e308),
        (1e308, 0.0, 1.7e308),
        (1e300, 1e300, 1e300),
        (1e160, 0.0, 0.0),
    ):
        state = [np.full(3, x) for x in (r, v, w)]
        try:
            wrench = PAIR.wrench(IDENTITY, *state)
        except pc.ContactError:
            continue
        assert np.isfinite(wrench).all()


def test_a_rotation_with_the_drift_of_an_integrator_is_accepted() -> None:
    R = rotation((1, 2, 3), 0.7) @ (np.eye(3) + 1e-8)
    assert PAIR.wrench(R, NEAR).any()
    assert pc.RelativeKinematics(rotation=R).arrays()[0].tobytes() == R.tobytes()


def test_lists_and_integers_are_accepted() -> None:
    expected = PAIR.wrench(IDENTITY, NEAR)
    assert PAIR.wrench([[1, 0, 0], [0, 1, 0], [0, 0, 1]], NEAR.tolist()).tobytes() == expected.tobytes()
    assert PAIR.wrench(np.asfortranarray(IDENTITY), np.repeat(NEAR, 2)[::2]).tobytes() == expected.tobytes()


def test_an_error_leaves_the_pairing_usable() -> None:
    pair = pairing(SPHERE, SPHERE)
    expected = pair.wrench(IDENTITY, NEAR).tobytes()
    for bad in (np.full((3, 3), np.nan), 2.0 * IDENTITY):
        with pytest.raises(pc.ContactError):
            pair.wrench(bad, NEAR + 0.01)
        assert pair.wrench(IDENTITY, NEAR).tobytes() == expected


def test_kinematics_do_not_follow_later_changes_of_the_arrays() -> None:
    r = NEAR.copy()
    kinematics = pc.RelativeKinematics(position=r)
    r[:] = 99.0
    np.testing.assert_array_equal(kinematics.position, NEAR)
    with pytest.raises(ValueError):
        kinematics.arrays()[1][0] = 1.0


# Layers and laws


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, -math.inf])
def test_bad_modulus_and_thickness(value: float) -> None:
    with pytest.raises(pc.ContactError, match=rf"Young's modulus is {value}.*Pa"):
        pc.ElasticLayer(value, 0.3, 0.01)
    with pytest.raises(pc.ContactError, match=rf"thickness is {value}.*m;"):
        pc.ElasticLayer(1e6, 0.3, value)


@pytest.mark.parametrize("value", [0.5, 0.6, -1.0, -2.0, math.nan, math.inf])
def test_bad_poisson_ratio(value: float) -> None:
    with pytest.raises(pc.ContactError, match=f"Poisson's ratio is {value}"):
        pc.ElasticLayer(1e6, value, 0.01)


@pytest.mark.parametrize("value", [0.45, 0.49, 0.4999])
def test_poisson_ratio_near_one_half_warns(value: float) -> None:
    with pytest.warns(pc.ContactWarning, match=f"Poisson's ratio {value}"):
        pc.ElasticLayer(1e6, value, 0.01)


@pytest.mark.filterwarnings("error::polycontact.ContactWarning")
@pytest.mark.parametrize("value", [-0.9, 0.0, 0.3, 0.4499])
def test_ordinary_poisson_ratios_do_not_warn(value: float) -> None:
    assert pc.ElasticLayer(1e6, value, 0.01).stiffness > 0.0


@pytest.mark.parametrize("arguments", [(math.inf, math.nan, 1.0), (math.inf, 0.7, 1.0), (math.inf, 0.3, math.inf)])
def test_an_infinite_modulus_does_not_excuse_the_rest(arguments: tuple[float, float, float]) -> None:
    with pytest.raises(pc.ContactError):
        pc.ElasticLayer(*arguments)


def test_two_rigid_layers() -> None:
    rigid, soft = pc.ElasticLayer.rigid(), pc.ElasticLayer(1e6, 0.3, 0.01)
    with pytest.raises(pc.ContactError, match="both layers are rigid"):
        pc.laws.combined_stiffness(rigid, rigid)
    with pytest.raises(pc.ContactError, match="both layers are rigid"):
        pc.ContactPairing(SPHERE, SPHERE, layers=(rigid, rigid))
    assert pc.laws.combined_stiffness(rigid, soft) == pytest.approx(soft.stiffness)
    assert pc.ContactPairing(SPHERE, SPHERE, layers=(rigid, soft)).wrench(IDENTITY, NEAR).any()


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf, 0.0])
def test_bad_stiffness(value: float) -> None:
    with pytest.raises(pc.ContactError, match=rf"stiffness is {value} N/m³"):
        pc.LayerLaw(stiffness=value)


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
def test_bad_damping_and_transition_depth(value: float) -> None:
    with pytest.raises(pc.ContactError, match=rf"damping is {value} N s/m³"):
        pc.LayerLaw(stiffness=1e6, damping=value)
    with pytest.raises(pc.ContactError, match=rf"transition depth is {value} m"):
        pc.LayerLaw(stiffness=1e6, transition_depth=value)


@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf])
def test_bad_friction(value: float) -> None:
    with pytest.raises(pc.ContactError, match=rf"friction coefficient is {value}"):
        pc.RegularisedCoulomb(coefficient=value)
    with pytest.raises(pc.ContactError, match=rf"velocity is {value} m/s"):
        pc.RegularisedCoulomb(coefficient=0.3, velocity=value)
    with pytest.raises(pc.ContactError, match=r"velocity is 0.0 m/s"):
        pc.RegularisedCoulomb(coefficient=0.3, velocity=0.0)


WRONG_TYPES: dict[str, tuple[Callable[[], object], str]] = {
    "modulus": (lambda: pc.ElasticLayer("soft", 0.3, 0.01), "soft"),  # type: ignore[arg-type]
    "Poisson's ratio": (lambda: pc.ElasticLayer(1e6, "rubber", 0.01), "rubber"),  # type: ignore[arg-type]
    "thickness": (lambda: pc.ElasticLayer(1e6, 0.3, None), "None"),  # type: ignore[arg-type]
    "stiffness": (lambda: pc.LayerLaw(stiffness="stiff"), "stiff"),  # type: ignore[arg-type]
    "damping": (lambda: pc.LayerLaw(stiffness=1e6, damping=None), "None"),  # type: ignore[arg-type]
    "coefficient": (lambda: pc.RegularisedCoulomb(coefficient="ice"), "ice"),  # type: ignore[arg-type]
    "friction": (lambda: pc.ContactPairing(SPHERE, SPHERE, law=LAW, friction=0.3), "0.3"),  # type: ignore[arg-type]
    "law": (lambda: pc.ContactPairing(SPHERE, SPHERE, law=1e7), "10000000"),  # type: ignore[arg-type]
    "layers": (lambda: pc.ContactPairing(SPHERE, SPHERE, layers=5), "5"),  # type: ignore[arg-type]
    "max_penetration": (
        lambda: pc.ContactPairing(SPHERE, SPHERE, law=LAW, max_penetration="deep"),  # type: ignore[arg-type]
        "deep",
    ),
    "surface E": (lambda: pc.ContactPairing(None, SPHERE, law=LAW), "None"),  # type: ignore[arg-type]
    "surface F": (lambda: pc.ContactPairing(SPHERE, "part.obj", law=LAW), "part.obj"),  # type: ignore[arg-type]
    "kinematics": (lambda: PAIR.evaluate(None), "None"),  # type: ignore[arg-type]
    "batch of numbers": (lambda: pc.PairingBatch([1]), "1"),  # type: ignore[list-item]
}


@pytest.mark.parametrize("what", WRONG_TYPES)
def test_wrong_types_are_named(what: str) -> None:
    build, value = WRONG_TYPES[what]
    with pytest.raises(pc.ContactError, match=value):
        build()


# Pairings


def test_stiffness_or_layers_not_both_not_neither() -> None:
    layers = (pc.ElasticLayer(1e6, 0.3, 0.01), pc.ElasticLayer(2e6, 0.3, 0.01))
    with pytest.raises(pc.ContactError, match=r"my pair: both layers and a stiffness of 10000000.0 N/m³"):
        pairing(SPHERE, SPHERE, layers=layers, name="my pair")
    with pytest.raises(pc.ContactError, match="my pair: no stiffness"):
        pc.ContactPairing(SPHERE, SPHERE, name="my pair")
    with pytest.raises(pc.ContactError, match="no stiffness"):
        pc.ContactPairing(SPHERE, SPHERE, law=pc.LayerLaw(damping=1e3))
    with pytest.raises(pc.ContactError, match="layers"):
        pc.ContactPairing(SPHERE, SPHERE, layers=layers[:1])  # type: ignore[arg-type]
    with pytest.raises(pc.ContactError, match="layers"):
        pc.ContactPairing(SPHERE, SPHERE, layers=(1e6, 1e6))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("base", "G"),
        ("base", 0),
        ("elements", "cut"),
        ("elements", 1),
        ("elements", ""),
        ("depth", "normal"),
        ("method", "gjk"),
        ("method", ""),
        ("containment", "ignore"),
        ("containment", True),
    ],
)
def test_unknown_options(option: str, value: object) -> None:
    with pytest.raises(pc.ContactError, match=rf"my pair: {option} is {value!r}; allowed"):
        pairing(SPHERE, SPHERE, name="my pair", **{option: value})


def test_an_array_is_no_option() -> None:
    with pytest.raises(pc.ContactError, match="base"):
        pairing(SPHERE, SPHERE, base=np.zeros(3))


def test_unknown_keywords_and_missing_surfaces() -> None:
    with pytest.raises(TypeError):
        pairing(SPHERE, SPHERE, stifness=1e6)
    with pytest.raises(TypeError):
        pc.ContactPairing(SPHERE, law=LAW)  # type: ignore[call-arg]


@pytest.mark.parametrize("value", [0.0, -0.1, math.nan, math.inf])
def test_bad_line_length(value: float) -> None:
    with pytest.raises(pc.ContactError, match=f"max_penetration is {value} m"):
        pairing(SPHERE, SPHERE, method="penetration_lines", max_penetration=value)


@pytest.mark.parametrize(
    ("old", "new", "method"),
    [
        ("intersection", "polygonal", PolygonalMethod),
        ("penetration_lines", "penetration_lines", PenetrationLines),
    ],
)
def test_the_old_name_of_the_method_still_works(old: str, new: str, method: type) -> None:
    with pytest.warns(DeprecationWarning, match=rf"generator='{old}' is called method='{new}' now") as caught:
        pair = pc.ContactPairing(SPHERE, SPHERE, law=LAW, generator=old, base="both")  # type: ignore[arg-type]
    assert [Path(entry.filename).name for entry in caught] == [Path(__file__).name]
    assert isinstance(pair.method, method)
    assert pair.description == pairing(SPHERE, SPHERE, method=new, base="both").description


def test_the_old_name_of_the_method_with_a_wrong_or_a_second_value() -> None:
    with pytest.raises(pc.ContactError, match=r"generator is 'gjk'; .* give method='polygonal' or 'penetration_lines'"):
        pairing(SPHERE, SPHERE, generator="gjk")
    with pytest.raises(pc.ContactError, match="both a method and generator='intersection', its old name, are given"):
        pairing(SPHERE, SPHERE, generator="intersection", method="polygonal")
    with pytest.raises(pc.ContactError, match="both a description and generator are given"):
        pairing(SPHERE, SPHERE, law=None, generator="intersection", description=pc.ContactDescription(law=LAW))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"method": "polygonal", "max_penetration": 0.1}, "max_penetration = 0.1 means nothing to method='polygonal'"),
        ({"method": "convex", "base": "E"}, "base = 'E' means nothing to method='convex'"),
        ({"method": PolygonalMethod(), "base": "E"}, "base and a method are given"),
        ({"method": 3}, "method is 3; expected a method such as PolygonalMethod"),
    ],
)
def test_options_that_a_method_does_not_have(options: dict[str, object], told: str) -> None:
    with pytest.raises(pc.ContactError, match=told):
        pairing(SPHERE, SPHERE, **options)


def test_every_method_has_its_name() -> None:
    named = {name: method for name, method in kinds_of("method").items() if method in BUILT_IN}
    assert len(named) == 6
    for name, method in named.items():
        assert type(describe_contact(law=LAW, method=name).method) is method
    whole = describe_contact(law=LAW, method="penetration_lines", elements="whole", base="F")
    assert whole.method == PenetrationLines(base="F")  # type: ignore[arg-type]


def test_penetration_lines_cannot_clip() -> None:
    with pytest.raises(pc.ContactError, match="penetration lines have no polygons"):
        pairing(SPHERE, SPHERE, method="penetration_lines", elements="clipped")


# Output arrays: six numbers are written without asking, so a wrong array must be refused first.


@pytest.mark.parametrize("shape", [3, 5, 7, (6, 1), (1, 6), 0])
def test_out_of_the_wrong_shape(shape: int | tuple[int, ...]) -> None:
    room = np.full(256, 7.0)
    size = int(np.prod(shape))
    out = room[:size].reshape(shape)
    with pytest.raises(pc.ContactError, match="out"):
        PAIR.wrench(IDENTITY, NEAR, out=out)
    assert (room == 7.0).all()


@pytest.mark.parametrize("kind", ["float32", "integers", "read-only", "list"])
def test_out_of_the_wrong_kind(kind: str) -> None:
    out: Any = {
        "float32": np.zeros(6, dtype=np.float32),
        "integers": np.zeros(6, dtype=int),
        "read-only": np.zeros(6),
        "list": [0.0] * 6,
    }[kind]
    if kind == "read-only":
        out.flags.writeable = False
    with pytest.raises(pc.ContactError, match="out"):
        PAIR.wrench(IDENTITY, NEAR, out=out)


def test_out_of_a_batch() -> None:
    batch = pc.PairingBatch([pairing(SPHERE, SPHERE), pairing(SPHERE, SPHERE)])
    R, r = np.stack([IDENTITY] * 2), np.stack([NEAR] * 2)
    room = np.full(256, 7.0)
    for out in (room[:6].reshape(1, 6), room[:12], room[:10].reshape(2, 5)):
        with pytest.raises(pc.ContactError, match="out"):
            batch.wrenches(R, r, out=out)
    assert (room == 7.0).all()


# Batches


def test_bad_batches() -> None:
    pair = pairing(SPHERE, SPHERE)
    with pytest.raises(pc.ContactError, match="entry 1 is None; expected a ContactPairing"):
        pc.PairingBatch([pair, None])  # type: ignore[list-item]
    batch = pc.PairingBatch([pair, pairing(SPHERE, BOX)])
    R, r = np.stack([IDENTITY] * 2), np.stack([NEAR] * 2)
    with pytest.raises(pc.ContactError, match=r"rotation has shape \(3, 3\); expected \(2, 3, 3\)"):
        batch.wrenches(IDENTITY, r)
    with pytest.raises(pc.ContactError, match=r"position has shape \(3,\)"):
        batch.wrenches(R, NEAR)
    with pytest.raises(pc.ContactError, match="velocity"):
        batch.wrenches(R, r, np.zeros(3))
    with pytest.raises(pc.ContactError, match="rotation"):
        batch.wrenches(2.0 * R, r)
    with pytest.raises(pc.ContactError, match="position"):
        batch.wrenches(R, np.full((2, 3), np.nan))
    with pytest.raises(pc.ContactError, match="rotation"):
        batch.wrenches("identity", r)
    assert pc.PairingBatch([]).wrenches(np.zeros((0, 3, 3)), np.zeros((0, 3))).shape == (0, 6)
