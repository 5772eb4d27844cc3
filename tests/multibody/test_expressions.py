"""Formulas: values against numpy on random ones, derivatives against differences, mistakes told with their place."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.kernels.dynamics.expression_values import expression_at
from polycontact.multibody.expressions import MAX_LENGTH, read_expression
from polycontact.simulation.motion_times import MotionTimes
from scenes import Tally, examples

PARAMETERS = {"a": 0.7, "big_b": -1.3, "c2": 2.0}
NUMPY = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "min": lambda *values: np.min(np.broadcast_arrays(*values), axis=0),
    "max": lambda *values: np.max(np.broadcast_arrays(*values), axis=0),
    "step": lambda x: np.where(np.asarray(x) >= 0.0, 1.0, 0.0),
    "smoothstep": lambda x: np.clip(x, 0.0, 1.0) ** 2 * (3.0 - 2.0 * np.clip(x, 0.0, 1.0)),
    "pi": np.pi,
}


def jet(text: str, t: float, x: float = 0.0, rate: float = 0.0) -> NDArray[np.float64]:
    tree = read_expression("test", text, PARAMETERS)
    return np.array(expression_at(tree.numbers(), 0, len(tree.nodes), t, x, rate))


def by_numpy(text: str, t: float) -> float:
    """Python's own grammar with numpy's functions; the text is one that `random_formula` made."""
    with np.errstate(all="ignore"):  # numpy's numbers: powers of Python's may be complex
        text = re.sub(r"(?<![\w.])(\d+\.?\d*(?:e-?\d+)?|\.\d+)", r"number(\1)", text)
        names = {name: np.float64(value) for name, value in PARAMETERS.items()}
        return float(eval(text, {"__builtins__": {}}, {**NUMPY, **names, "number": np.float64, "t": np.float64(t)}))


def random_formula(rng: np.random.Generator, depth: int) -> str:
    if depth == 0 or rng.random() < 0.15:
        return str(rng.choice(["t", "pi", "a", "big_b", "c2", "0.5", "3.", ".25", "1e-1", "2"]))
    kind = rng.integers(0, 8)
    inner = [random_formula(rng, depth - 1) for _ in range(3)]
    if kind < 4:
        return f"{inner[0]} {rng.choice(['+', '-', '*', '/'])} {inner[1]}"  # precedence decides
    if kind == 4:
        return f"({inner[0]})"
    if kind == 5:
        return f"-{inner[0]}" if rng.random() < 0.5 else f"({inner[0]}) ** {rng.choice(['2', '3', '-1', 'c2', '0.5'])}"
    if kind == 6:
        return f"{rng.choice(['min', 'max'])}({', '.join(inner[: rng.integers(2, 4)])})"
    names = ["sin", "cos", "tan", "exp", "log", "sqrt", "abs", "step", "smoothstep"]
    return f"{rng.choice(names)}({inner[0]})"


def test_random_formulas_have_numpys_values() -> None:
    rng = np.random.default_rng(5)
    compared = Tally()
    for _ in range(examples(1500)):
        text, t = random_formula(rng, 5), float(rng.uniform(0.0, 3.0))
        if len(text) > MAX_LENGTH:
            continue
        expected, found = by_numpy(text, t), jet(text, t)[0]
        compared.note(np.isfinite(expected))
        if np.isfinite(expected):
            # The same operations in the same order; numpy's powers and functions may round otherwise, and tan or a
            # quotient may magnify that.
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-9), (text, t)
        elif math.isnan(expected):
            assert not np.isfinite(found), (text, t)
    compared.assert_share(0.6)


def test_derivatives_are_those_of_differences() -> None:
    rng = np.random.default_rng(6)
    compared, h = Tally(), 1e-5
    for _ in range(examples(800)):
        text, t = random_formula(rng, 4), float(rng.uniform(0.2, 2.0))
        near = np.array([jet(text, t + k * h)[0] for k in (-2, -1, 0, 1, 2)])
        value, rate, second = jet(text, t)
        far = np.array([jet(text, t + k * 2e-3)[0] for k in (-2, -1, 0, 1, 2)])
        rough = np.abs(np.diff(far, 4)).max() > 1e-6 * np.abs(far).max() if np.isfinite(far).all() else True
        smooth = np.isfinite([value, rate, second]).all() and not rough and np.abs(near).max() <= 1e3
        compared.note(smooth)
        if not smooth:
            continue  # a step, a corner or a pole is near: no difference quotient tells there
        assert rate == pytest.approx((near[3] - near[1]) / (2 * h), rel=1e-4, abs=1e-5), text
        wide = (far[3] - 2 * far[2] + far[1]) / 2e-3**2
        assert second == pytest.approx(wide, rel=2e-2, abs=2e-2 * max(1.0, abs(rate))), text
    compared.assert_share(0.375)


def test_precedence_is_pythons() -> None:
    for text, value in {
        "-2**2": -4.0,
        "2**3**2": 512.0,
        "2**-1": 0.5,
        "8/4/2": 1.0,
        "1-2-3": -4.0,
        "--3": 3.0,
        "-t**2": -9.0,
        "2*-3": -6.0,
        "min(3, 1, 2)": 1.0,
        "max(3, t + 1, 2)": 4.0,
        "step(0)": 1.0,
        "smoothstep(0.25)": 0.15625,
        "1e3 + .5": 1000.5,
    }.items():
        assert jet(text, 3.0)[0] == value, text


def test_powers_and_roots_at_zero_have_their_derivatives() -> None:
    np.testing.assert_array_equal(jet("t**2", 0.0), (0.0, 0.0, 2.0))
    np.testing.assert_array_equal(jet("t**1", 0.0), (0.0, 1.0, 0.0))
    np.testing.assert_array_equal(jet("t**0", 0.0), (1.0, 0.0, 0.0))
    np.testing.assert_array_equal(jet("(-t)**3", 1.0), (-1.0, -3.0, -6.0))
    np.testing.assert_allclose(jet("t**t", 1.0), (1.0, 1.0, 2.0), rtol=1e-14)  # x^x: (ln x + 1)², + 1/x
    assert math.isnan(jet("sqrt(0 - t)", 1.0)[0])
    assert math.isnan(jet("(-2)**0.5", 0.0)[0])
    assert jet("exp(1000 * t)", 1.0)[0] == math.inf
    assert jet("10**t", 400.0)[0] == math.inf


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ("the formula is ''", "give a text")),
        ("2 +", ("the formula ends where a number", "character 4")),
        ("2 ** ", ("the formula ends",)),
        ("sin(t", ("')' is missing", "character 6")),
        ("(t", ("')' is missing",)),
        ("t)", ("')' is not expected", "character 2")),
        ("2 t", ("'t' is not expected", "an operator such as + or * may be missing", "2 ▸t")),
        ("2^t", ("'^' means nothing here; write ** for a power", "character 2")),
        ("sine(t)", ("'sine' is unknown; did you mean 'sin'?", "known: t, q, v, pi")),
        ("sin t", ("sin is a function; '(' is missing",)),
        ("sin(t, 2)", ("sin takes one argument, not 2",)),
        ("min(t)", ("min takes two arguments or more, not 1",)),
        ("__import__('os')", ("means nothing here",)),
        ("t.real", ("means nothing here", "'.'")),
        ("1e999", ("1e999 is too large",)),
        ("(" * 60 + "t" + ")" * 60, ("more than 50 parentheses",)),
        ("2**" * 60 + "t", ("more than 32 operations wait",)),
        ("+".join("(t" for _ in range(40)) + ")" * 40, ("operations wait for their second argument",)),
        ("t+" * 600 + "t", ("1201 characters", "1000")),
        (3.0, ("the formula is 3.0",)),
    ],
)
def test_mistakes_are_told_with_their_place(text: str, told: tuple[str, ...]) -> None:
    with pytest.raises(pc.MultibodyError) as caught:
        pc.multibody.ExpressionMotion(text)
    for part in told:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"t": 1.0}, "'t' cannot name a parameter"),
        ({"2a": 1.0}, "'2a' cannot name a parameter"),
        ({"a": math.nan}, "parameter a is nan"),
        ({"a": "1"}, "parameter a is '1'"),
    ],
)
def test_bad_parameters(parameters: dict[str, float], told: str) -> None:
    with pytest.raises(pc.MultibodyError, match=told):
        pc.multibody.ExpressionMotion("t", parameters)


def test_a_long_sum_needs_no_depth() -> None:
    assert jet("+".join(["t"] * 400), 0.5)[0] == 200.0


def test_a_formula_moves_a_joint_as_its_kind_does() -> None:
    """The same harmonic motion by its kind and as a formula: coordinates, speeds, accelerations and drives."""
    found = []
    formula = pc.multibody.ExpressionMotion("offset + a * sin(2*pi*f*t + 0.3)", {"a": 0.2, "f": 1.5, "offset": 0.1})
    for motion in (pc.multibody.Harmonic(0.2, 1.5, 0.3, 0.1), formula):
        system = pc.MultibodySystem("shaker")
        system.add_body("table", mass=3.0, inertia=(1.0, 1.0, 1.0))
        system.add_joint("rail", "prismatic", "world", "table", motion=motion)
        compiled = system.compile()
        evaluation = compiled.evaluate(0.4, compiled.start_state(0.4))
        found.append(np.concatenate([evaluation.acceleration.ravel(), evaluation.reactions.drive("rail")]))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-13)


def test_steps_stop_where_a_formula_bends() -> None:
    system = pc.MultibodySystem("pulse", gravity=(0.0, 0.0, 0.0))
    system.add_body("b", mass=1.0, inertia=(1.0, 1.0, 1.0))
    formula = "step(t - 5) - step(2*t - 10.2) + smoothstep((t - 6)/0.5) + abs(t - 8) + max(t, 9 - t) + sin(0.01*t)"
    system.add_force(pc.multibody.AppliedForce("push", "b", force=(formula, 0.0, 0.0)))
    times = MotionTimes(system.compile().setup)
    t, met = 1e-9, []
    while t < 8.0:
        t = times.next_break(t)
        met.append(t)
    np.testing.assert_allclose(met, [4.5, 5.0, 5.1, 6.0, 6.5, 8.0], rtol=1e-15)
    assert all(times.bends_at(each) for each in met)
