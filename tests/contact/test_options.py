"""Options of described classes: what their fields tell, and what a constructor that asks them refuses."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

import polycontact as pc
from polycontact.contact import kinds
from polycontact.contact.options import check_options, options_of


@dataclass(frozen=True, kw_only=True)
class Everything:
    """One option of each sort."""

    size: float = field(metadata=pc.contact.option("how large it is", "m", title="the size", above=1.0))
    share: float = field(default=0.5, metadata=pc.contact.option("part of it", at_least=0.25, below=2.0))
    cold: float = field(
        default=-5.0, metadata=pc.contact.option("temperature", "°C", below=0.0, because="it is frozen")
    )
    many: int = field(default=1, metadata=pc.contact.option("how many", at_least=1))
    free: float | None = field(default=None, metadata=pc.contact.option("any number"))
    base: pc.Base = field(default=pc.Base.E, metadata=pc.contact.option("which side"))
    mode: Literal["slow", "quick"] = "slow"
    rest: Any = None

    def __post_init__(self) -> None:
        check_options(self, "thing")


def test_what_an_option_tells() -> None:
    found = {option.name: option for option in options_of(Everything)}
    assert list(found) == ["size", "share", "cold", "many", "free", "base", "mode", "rest"]
    assert [option.name for option in found.values() if option.is_required] == ["size"]
    assert (found["size"].meaning, found["size"].unit) == ("how large it is", "m")
    assert found["base"].choices == ("E", "F", "both", "auto")
    assert found["mode"].choices == ("slow", "quick")
    assert (found["free"].values, found["free"].may_be_left_open) == (float, True)
    assert found["mode"].title == "mode"
    assert pc.LayerLaw.__doc__ is not None
    assert "- ``damping`` (N s/m³): layer damping d_l." in pc.LayerLaw.__doc__


def test_values_that_are_allowed() -> None:
    made = Everything(size=2, share=0.25, free=-1e9, base="both", many=3, mode="quick", rest=object())  # type: ignore[arg-type]
    assert made.base is pc.Base.BOTH, "by its value, as files have it"


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"size": 1.0}, "thing: the size is 1.0 m; it must be greater than 1 and finite"),
        ({"size": math.inf}, "thing: the size is inf m; it must be greater than 1 and finite"),
        ({"size": True}, "thing: the size is True m; it must be greater than 1 and finite"),
        ({"share": 0.2}, "thing: share is 0.2; it must be at least 0.25 and less than 2"),
        ({"share": 2.0}, "thing: share is 2.0; it must be at least 0.25 and less than 2"),
        ({"cold": 0.0}, "thing: cold is 0.0 °C; it must be less than 0 and finite, because it is frozen"),
        ({"many": 1.5}, "thing: many is 1.5; it must be a whole number, at least 1 and finite"),
        ({"many": 0}, "thing: many is 0; it must be a whole number, at least 1 and finite"),
        ({"free": "x"}, "thing: free is x; it must be a finite number"),
        ({"base": "G"}, "thing: base is 'G'; allowed: 'E', 'F', 'both', 'auto'"),
        ({"base": None}, "thing: base is None; allowed: 'E', 'F', 'both', 'auto'"),
        ({"mode": ["slow"]}, r"thing: mode is \['slow'\]; allowed: 'slow', 'quick'"),
    ],
)
def test_values_that_are_refused(values: dict[str, Any], told: str) -> None:
    with pytest.raises(pc.ContactError, match=f"^{told}$"):
        Everything(**{"size": 2.0, **values})


def test_parts_that_a_kind_can_be(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """By what its class can do, or as it says."""
    request.addfinalizer(kinds._known_kinds.cache_clear)  # what is known here is not known to other tests
    for name in ("_classes", "_only_part"):
        monkeypatch.setattr(kinds, name, copy.copy(getattr(kinds, name)))

    @dataclass(frozen=True)
    class Law:
        margin: float = 0.0

        def prepare(self, stiffness: float | None) -> Any: ...

    pc.contact.described("plain")(Everything)
    pc.contact.described("any law")(Law)
    pc.contact.described("only friction", part="friction")(Law)
    found = {
        part: set(kinds.kinds_of(part)) & {"plain", "any law", "only friction"}
        for part in ("method", "law", "friction")
    }
    assert found == {"method": set(), "law": {"any law"}, "friction": {"any law", "only friction"}}


def test_laws_of_users_must_be_known() -> None:
    with pytest.raises(pc.ContactError, match=r"law 'unheard of' is not known here .*; import the module"):
        pc.laws.UserLaw("unheard of")
    description = {"kind": "contact", "law": {"kind": "user_law", "name": "unheard of", "parameters": []}}
    with pytest.raises(pc.ContactError, match="law 'unheard of' is not known here"):
        pc.ContactDescription.from_plain(description)
