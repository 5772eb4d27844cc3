"""The normal law of two bodies' layers in series: springs and dashpots in closed form, what yields beside them."""

from __future__ import annotations

import math
from dataclasses import replace

from polycontact.contact.laws import LayerLaw
from polycontact.contact.laws.contact_law import ContactLaw
from polycontact.contact.laws.rheology_law_options import RheologyLaw, Slider
from polycontact.contact.layers import ElasticLayer
from polycontact.contact.linear_network import LinearNetwork
from polycontact.contact.rheological_layer import RheologicalLayer, network_of, remembers
from polycontact.errors import ContactError


def law_of_layers(law: ContactLaw, layers: tuple[ElasticLayer, ElasticLayer] | None) -> ContactLaw:
    """``law`` itself, or where layers do more than spring back, what both layers make of it."""
    if layers is None or not any(map(remembers, layers)):
        return law
    if not isinstance(law, LayerLaw):
        raise ContactError(
            f"{type(law).__name__} takes its stiffness from elastic layers alone, and a layer here relaxes, is damped "
            f"or yields; take LayerLaw, or ElasticLayer"
        )
    network = networks_in_series(layers)
    sliders = tuple(each for layer in layers if (each := _slider_of(layer)) is not None)
    if sliders and network.dashpot > 0.0:
        raise ContactError(
            "one layer yields, and dashpots beside all springs of the other would carry any load past its yield "
            "pressure; give the other layer a Prony term instead of a damping time"
        )
    if not sliders and not network.branches:
        return replace(law, damping=law.damping + network.dashpot)  # the stiffness is that of eq. (12)
    return RheologyLaw(network, sliders, law)


def yielding(layers: tuple[ElasticLayer, ElasticLayer]) -> tuple[int, ...]:
    """Which of two layers yield, 0 of E and 1 of F: whose dents the sliders of their law are, in that order."""
    return tuple(i for i, layer in enumerate(layers) if _slider_of(layer) is not None)


def networks_in_series(layers: tuple[ElasticLayer, ElasticLayer]) -> LinearNetwork:
    """Springs and dashpots of both layers together; a rigid layer drops out."""
    networks = [each for layer in layers if (each := network_of(layer)) is not None]
    if not networks:
        raise ContactError("both layers are rigid: their contact has no finite stiffness; give one body a layer")
    return networks[0] if len(networks) == 1 else networks[0].in_series(networks[1])


def _slider_of(layer: ElasticLayer) -> Slider | None:
    """What of a layer yields; None where nothing does."""
    if not isinstance(layer, RheologicalLayer) or layer.yield_pressure is None or layer.is_rigid:
        return None
    healing = math.inf if layer.healing_time is None else layer.healing_time
    return Slider(layer.yield_pressure, layer.hardening, healing)
