"""Layers that remember: input, two of them in series, and what one evaluation without a history gives."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polycontact as pc
from polycontact.contact.layers_in_series import networks_in_series
from polycontact.contact.linear_network import LinearNetwork
from polycontact.contact.rheological_layer import RheologicalLayer

RIGID = pc.ElasticLayer.rigid()
ELASTIC = (1e6, 0.0, 0.01)
"""E, ν and b of a layer with c = 1e8 N/m³."""


def impedance(network: LinearNetwork, w: float) -> complex:
    """Complex stiffness of a network at the angular frequency w."""
    s = 1j * w
    return network.spring + s * network.dashpot + sum(c * s * tau / (1.0 + s * tau) for c, tau in network.branches)


@pytest.mark.parametrize("seed", range(8))
def test_two_layers_in_series_add_their_compliances(seed: int) -> None:
    """At all frequencies, as complex compliances do; also where one is a thousand times as stiff."""
    rng = np.random.default_rng(seed)
    layers = []
    for scale in (1.0, 10.0 ** rng.uniform(-3, 3)):
        shares = rng.dirichlet(np.ones(4))[: rng.integers(1, 4)]
        times = 10.0 ** rng.uniform(-4, 1, len(shares))
        damping = rng.choice([0.0, 1e-3])
        layers.append(
            RheologicalLayer(1e6 * scale, 0.3, 0.01, prony=tuple(zip(shares, times, strict=True)), damping_time=damping)
        )
    first, second = (layer.network for layer in layers)
    both = networks_in_series((layers[0], layers[1]))
    for w in np.logspace(-3, 6, 19):
        expected = 1.0 / (1.0 / impedance(first, w) + 1.0 / impedance(second, w))
        # Modes of a symmetric matrix whose rates span ten decades are exact to some 1e-10 of the slowest one.
        assert abs(impedance(both, w) - expected) < 1e-9 * abs(expected)
    assert all(c > 0.0 and tau > 0.0 for c, tau in both.branches)


@pytest.mark.parametrize("ratio", [1.0, 1000.0])
def test_two_layers_of_spring_and_dashpot_against_their_equation(ratio: float) -> None:
    """(c₁ w + d₁ ẇ) = c₂ (u − w) + d₂ (u̇ − ẇ) for a depth u = sin 40 t, solved by an integrator of scipy."""
    first = RheologicalLayer.kelvin_voigt(*ELASTIC, damping_time=0.02)
    second = RheologicalLayer.kelvin_voigt(ratio * 1e6, 0.0, 0.01, damping_time=0.003)
    both = networks_in_series((first, second))
    (c1, d1), (c2, d2) = ((each.network.spring, each.network.dashpot) for each in (first, second))

    def u(t: float) -> float:
        return math.sin(40.0 * t)

    def rate(t: float) -> float:
        return 40.0 * math.cos(40.0 * t)

    def own_rates(t: float, y: np.ndarray) -> list[float]:
        return [(u(t) - q) / tau for q, (_, tau) in zip(y, both.branches, strict=True)]

    def rates(t: float, y: np.ndarray) -> list[float]:
        return [(c2 * (u(t) - y[0]) + d2 * rate(t) - c1 * y[0]) / (d1 + d2)]

    times = np.linspace(0.0, 0.2, 41)
    settings = {"t_eval": times, "rtol": 1e-11, "atol": 1e-13, "method": "Radau"}
    w = solve_ivp(rates, (0.0, 0.2), [0.0], **settings).y[0]
    q = solve_ivp(own_rates, (0.0, 0.2), [0.0] * len(both.branches), **settings).y
    depth, speed = np.sin(40.0 * times), 40.0 * np.cos(40.0 * times)
    expected = c1 * w + d1 * (c2 * (depth - w) + d2 * speed - c1 * w) / (d1 + d2)
    found = both.spring * depth + both.dashpot * speed
    found += sum(c * (depth - each) for each, (c, _) in zip(q, both.branches, strict=True))
    np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())


def test_a_rigid_layer_drops_out_and_equal_fluids_stay_fluid() -> None:
    maxwell = RheologicalLayer.maxwell(*ELASTIC, relaxation_time=0.1)
    assert networks_in_series((maxwell, RIGID)) == maxwell.network
    twice = networks_in_series((maxwell, maxwell))
    assert twice.spring == 0.0
    assert len(twice.branches) == 1
    assert twice.branches[0] == pytest.approx((0.5e8, 0.1), rel=1e-12)


def pressed(layers: tuple[pc.ElasticLayer, pc.ElasticLayer], **options: object) -> pc.ContactResult:
    """A ball pressed into a plane by 2 mm."""
    ball, plane = pc.shapes.sphere(0.05, 3), pc.shapes.plane((0.2, 0.2), (4, 4))
    pairing = pc.ContactPairing(ball, plane, layers=layers, **options)
    return pairing.evaluate(pc.RelativeKinematics(position=(0.0, 0.0, -0.048), velocity=(0.0, 0.0, 0.1)))


def test_an_evaluation_without_a_history_is_that_of_a_quick_load() -> None:
    """Elastic, with the modulus at once, also of two layers in series: eq. (12)."""
    soft = pc.ElasticLayer(5e5, 0.2, 0.01)
    elastic = pressed((pc.ElasticLayer(*ELASTIC), soft))
    relaxing = pressed((RheologicalLayer(*ELASTIC, prony=((0.5, 0.1), (0.3, 1.0))), soft))
    np.testing.assert_allclose(relaxing.force, elastic.force, atol=1e-12 * np.abs(elastic.force).max())
    np.testing.assert_allclose(relaxing.torque, elastic.torque, atol=1e-12 * np.abs(elastic.force).max())


def test_without_anything_to_remember_the_bits_are_those_of_the_layer_law() -> None:
    damped = pressed((RheologicalLayer.kelvin_voigt(*ELASTIC, damping_time=1e-3), RIGID))
    law = pressed((pc.ElasticLayer(*ELASTIC), RIGID), law=pc.LayerLaw(damping=1e5))
    assert (damped.force == law.force).all()
    assert (
        pressed((RheologicalLayer(*ELASTIC), RIGID)).force == pressed((pc.ElasticLayer(*ELASTIC), RIGID)).force
    ).all()


def test_a_pressure_above_the_yield_pressure_is_cut_off() -> None:
    """Without hardening no element bears more."""
    elements = pressed((RheologicalLayer.plastic(*ELASTIC, yield_pressure=5e4), RIGID)).elements
    assert (elements.depth * 1e8).max() > 1e5
    assert elements.pressure.max() <= 5e4 * (1.0 + 1e-12)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"prony": ((0.5, -0.1),)}, "time of term 1 of the Prony series is -0.1 s; it must be positive"),
        ({"prony": ((0.5, 0.0),)}, "time of term 1 of the Prony series is 0.0 s"),
        ({"prony": ((0.5, 0.1), (-0.2, 0.1))}, "share of term 2 of the Prony series is -0.2"),
        ({"prony": ((0.5, 0.1), (0.6, 0.2))}, "add up to 1.1"),
        ({"prony": ((0.5,),)}, "term 1 of the Prony series is (0.5,)"),
        ({"prony": 0.5}, "prony is 0.5; give a list of terms"),
        ({"prony": ((0.5, "3 kg"),)}, "time of term 1 of the Prony series"),
        ({"damping_time": -1.0}, "damping_time is -1.0 s"),
        ({"yield_pressure": 0.0}, "yield_pressure is 0.0 Pa"),
        ({"yield_pressure": 1e5, "hardening": -1.0}, "hardening is -1.0 N/m³"),
        ({"hardening": 1e6}, "without a yield pressure there is no dent"),
        ({"healing_time": 2.0}, "without a yield pressure there is no dent"),
        ({"yield_pressure": 1e5, "damping_time": 0.1}, "give a Prony term instead"),
        ({"yield_pressure": math.nan}, "yield_pressure is nan Pa"),
    ],
)
def test_bad_input_is_told(options: dict[str, object], told: str) -> None:
    with pytest.raises(pc.ContactError) as raised:
        RheologicalLayer(*ELASTIC, **options)  # type: ignore[arg-type]
    assert told in str(raised.value)


def test_bad_pairs_of_layers_are_told() -> None:
    plastic = RheologicalLayer.plastic(*ELASTIC, yield_pressure=1e5)
    with pytest.raises(pc.ContactError, match="RestitutionLaw takes its stiffness from elastic layers alone"):
        pc.ContactDescription(law=pc.laws.RestitutionLaw(), layers=(plastic, RIGID))
    with pytest.raises(pc.ContactError, match="both layers are rigid"):
        networks_in_series((RIGID, RIGID))


def test_times_may_have_units_and_files_keep_layers() -> None:
    layer = RheologicalLayer("1 MPa", 0.0, "10 mm", prony=((0.5, "20 ms"),))  # type: ignore[arg-type]
    assert layer.prony == ((0.5, 0.02),)
    described = pc.ContactDescription(layers=(layer, RIGID))
    assert pc.ContactDescription.from_plain(described.to_plain()) == described
    assert layer.relaxation(0.02) == pytest.approx(1e8 * (0.5 + 0.5 / math.e))
