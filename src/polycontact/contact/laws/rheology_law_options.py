"""The normal law of layers that remember, of both bodies together; layers make it, nobody else has to."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.laws.contact_law import PreparedLaw
from polycontact.contact.laws.layer_law_options import LayerLaw
from polycontact.contact.linear_network import LinearNetwork
from polycontact.tolerances import KEPT_TIMES


@dataclass(frozen=True)
class Slider:
    """What of a layer yields: ``yield_pressure`` Pa, ``hardening`` N/m³, ``healing_time`` s of the dent, maybe inf."""

    yield_pressure: float
    hardening: float = 0.0
    healing_time: float = math.inf


@dataclass(frozen=True)
class RheologyLaw:
    """Two layers in series: a linear network, and up to two sliders that leave dents; ``law``: damping beside them."""

    network: LinearNetwork
    sliders: tuple[Slider, ...]
    law: LayerLaw
    tells_loss = True

    @property
    def damping(self) -> float:
        """Damping d_l beside both layers, N s/m³."""
        return self.law.damping + self.network.dashpot

    @property
    def memory_width(self) -> int:
        """Numbers of an element: what is left, area, depths of the network and its dashpots, dents, time."""
        return 4 + len(self.network.branches) + (1 + len(self.sliders) if self.sliders else 0)

    def dent_volumes(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Volume of the dent of each slider, (n, number of sliders) m³, from what is remembered of n elements."""
        first = 4 + len(self.network.branches)
        return values[:, first : first + len(self.sliders)]

    @property
    def keeps(self) -> float:
        """How long elements are remembered after they have left, s: until the layer has recovered."""
        longest = max([self.network.slowest, *(slider.healing_time for slider in self.sliders)])
        return KEPT_TIMES * longest

    def prepare(self, stiffness: float | None) -> PreparedLaw:
        """The compiled law; ``stiffness`` of the layers is known to it."""
        from polycontact.kernels.contact.rheology_law import PRESS_REMEMBERING_AT, RheologyParameters

        parameters = RheologyParameters()
        parameters.reserve(n=len(self.network.branches), n_sliders=len(self.sliders))
        parameters.spring, parameters.instant = self.network.spring, self.network.instant
        parameters.damping = self.damping
        parameters.damping_out = self.damping if self.law.damping_in == "both" else 0.0
        parameters.transition_depth = self.law.transition_depth
        for j, (c, time) in enumerate(self.network.branches):
            parameters.stiffness[j], parameters.time[j] = c, time
        for i, slider in enumerate(self.sliders):
            parameters.yields[i], parameters.hardening[i] = slider.yield_pressure, slider.hardening
            parameters.healing[i] = slider.healing_time
        return PreparedLaw(
            PRESS_REMEMBERING_AT,
            parameters,
            memory_width=self.memory_width,
            keeps=self.keeps,
            n_work=4 * len(self.network.branches),
        )
