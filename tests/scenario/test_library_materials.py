"""Materials of the library fill in what a table of a scenario does not say."""

from __future__ import annotations

from typing import Any

import pytest

from polycontact.contact.materials import materials
from polycontact.scenario.library_materials import check_library, with_library
from polycontact.scenario.readable_tables import readable
from polycontact.scenario.schema.scenario import ScenarioModel


def filled(**given: Any) -> dict[str, Any]:
    table = with_library({"materials": {"mine": {"material": "steel", **given}}})["materials"]["mine"]
    return {key: value for key, value in table.items() if key != "material"}


def test_a_table_gets_density_and_with_a_thickness_the_layer() -> None:
    steel = materials["steel"]
    assert filled() == {"density": steel.density}
    layer = {"youngs_modulus": steel.youngs_modulus, "poissons_ratio": steel.poissons_ratio}
    assert filled(thickness=0.01) == {"thickness": 0.01, "density": steel.density, **layer}


def test_what_a_table_says_counts() -> None:
    own = {"density": 1.0, "thickness": 0.01, "youngs_modulus": 2.0, "poissons_ratio": 0.1}
    assert filled(**own) == own


def test_a_name_of_the_library_without_a_table_gets_one_and_the_text_stays() -> None:
    raw = {"bodies": [{"name": "b", "material": "steel"}]}
    assert with_library(raw)["materials"] == {"steel": {"material": "steel", "density": materials["steel"].density}}
    assert "materials" not in raw


@pytest.mark.parametrize(("ratio", "refused"), [({}, True), ({"poissons_ratio": 0.49}, False)])
def test_layers_that_cannot_be(ratio: dict[str, float], refused: bool) -> None:
    incompressible = [name for name, each in materials.items() if each.poissons_ratio >= 0.5]
    assert incompressible
    raw = {"materials": {"mine": {"material": incompressible[0], "thickness": 0.01, **ratio}}}
    told = list(check_library(readable(ScenarioModel, raw)))
    assert bool(told) is refused
    assert not told or "incompressible" in told[0].text
