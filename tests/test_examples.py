"""The examples run, print what they promise, and return what a closed form or an invariant says."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

import polycontact as pc

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def main_of(name: str) -> Callable[[], float]:
    """The main function of an example."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    main: Callable[[], float] = module.main
    return main


def test_every_example_is_tested() -> None:
    named = Path(__file__).read_text(encoding="utf-8")
    for path in EXAMPLES.glob("*.py"):
        assert f'main_of("{path.stem}")' in named


def test_layer_of_the_block() -> None:
    """K = (1 - ν)/((1 + ν)(1 - 2ν)) E = 0.75/(1.25 · 0.5) E = 1.2 E (2), c = K/b (3), p = c u (1)."""
    layer = pc.ElasticLayer(youngs_modulus=5e6, poissons_ratio=0.25, thickness=0.01)
    assert layer.modulus == pytest.approx(6e6, rel=1e-14)
    assert layer.stiffness == pytest.approx(6e8, rel=1e-14)
    assert layer.pressure(1e-4) == pytest.approx(6e4, rel=1e-14)
    soft = pc.ElasticLayer(youngs_modulus=2.5e6, poissons_ratio=0.25, thickness=0.01)
    assert pc.laws.combined_stiffness(layer, soft) == pytest.approx(2e8, rel=1e-14)  # 6e8 · 3e8 / 9e8 (12)


def test_block_on_plate(capsys: pytest.CaptureFixture[str]) -> None:
    """F = c A u = 6e8 N/m³ · 0.1 m · 0.06 m · 1e-4 m (4)."""
    assert main_of("block_on_plate")() == pytest.approx(360.0, rel=1e-10)
    assert "K = 6.00 MPa, c = 6e+08 N/m³" in capsys.readouterr().out


def test_bubbles_in_contact(capsys: pytest.CaptureFixture[str]) -> None:
    """Action and reaction, and two patches."""
    assert main_of("bubbles_in_contact")() < 1e-9
    assert capsys.readouterr().out.count("patch ") == 2


def test_own_simulator() -> None:
    """The ball rests at the depth of m g = c V, but for the chord error of 5,120 triangles.

    Facets lie 7e-4 R inside the sphere on average, of a depth of 0.2 R.
    """
    assert main_of("own_simulator")() == pytest.approx(1.0, abs=0.01)


def test_bouncing_ball(capsys: pytest.CaptureFixture[str]) -> None:
    """Greatest depth of the energy balance, but for the chord error of 20,480 triangles; no height is lost."""
    assert main_of("bouncing_ball")() == pytest.approx(1.0, abs=1e-3)
    printed = capsys.readouterr().out
    assert "start of ball–plate" in printed
    assert "end of ball–plate" in printed
    assert "it rises to 200.00 mm" in printed


def test_slider_crank(capsys: pytest.CaptureFixture[str]) -> None:
    """Samples are projected onto the closed loop: the slider is where the closed form says."""
    assert main_of("slider_crank")() < 1e-9
    assert "stroke 200.000 mm" in capsys.readouterr().out


def test_own_force_element() -> None:
    """v∞ tanh(g t / v∞)."""
    assert main_of("own_force_element")() == pytest.approx(1.0, abs=1e-6)


def test_nut_on_bolt(capsys: pytest.CaptureFixture[str]) -> None:
    """A turn is a pitch; the nut rides over facets by parts of a µm, in 0.15 turns, 0.2 mm."""
    assert main_of("nut_on_bolt")() == pytest.approx(1.0, abs=2e-3)
    printed = capsys.readouterr().out
    assert "pitch 1.5000 mm" in printed
    assert "evaluations of" in printed
