"""Views: one class body is layout, allocation, Python object and compiled type."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import textwrap
from typing import Any

import numba
import numpy as np
import pytest

from polycontact.kernels.packed_rows import Columns
from polycontact.kernels.views import (
    View,
    cast_to,
    count,
    doubles,
    inline,
    ints,
    longs,
    nested,
    number,
    reference,
)


class Place(View):
    """A place."""

    corner = inline(2, 3, unit="m", doc="two points")
    weight = number("weight", "kg")


class Crowd(View):
    """Some places."""

    room = count("places that fit")
    n = count("places")
    where = doubles("room", 3, unit="m", doc="positions")
    who = ints("room", doc="numbers")
    stamp = longs(4, doc="four stamps")


class House(View):
    """Rooms with places."""

    first = nested(Place)
    crowd = nested(Crowd)
    other = reference(Place)
    status = count("bits")


as_house = cast_to(House)


@numba.njit
def _fill(crowd: Crowd, place: Place) -> float:
    for i in range(crowd.room):
        crowd.who[i] = 10 + i
        crowd.where[i, 2] = place.weight * i
    crowd.n = crowd.room
    place.weight = place.weight + place.corner[1, 2]
    return place.weight


@numba.njit
def _enter(row: np.ndarray) -> float:
    house = as_house(row)
    house.status |= 4
    return _fill(house.crowd, house.first) + 1000.0 * _fill(house.crowd, house.other)


def make_house() -> House:
    house, elsewhere = House(), Place()
    house.other = elsewhere
    house.crowd.reserve(room=5)
    house.crowd.allocate("stamp")
    house.first.weight, elsewhere.weight = 2.0, 0.5
    house.first.corner[1, 2] = 0.25
    return house


def test_compiled_code_and_python_see_the_same_memory() -> None:
    house = make_house()
    assert _enter(house.row) == 2.25 + 1000.0 * 0.5
    assert house.status == 4
    assert house.crowd.n == 5
    assert house.crowd.who.tolist() == [10, 11, 12, 13, 14]
    np.testing.assert_array_equal(house.crowd.where[:, 2], 0.5 * np.arange(5))  # the second filling won
    assert house.first.weight == 2.25
    assert house.other.weight == 0.5


def test_the_same_body_runs_on_the_python_objects() -> None:
    compiled, plain = make_house(), make_house()
    _fill(compiled.crowd, compiled.first)
    _fill.py_func(plain.crowd, plain.first)
    np.testing.assert_array_equal(compiled.row[[0, 1, 2, 3, 4, 5, 6]], plain.row[[0, 1, 2, 3, 4, 5, 6]])
    np.testing.assert_array_equal(compiled.crowd.where, plain.crowd.where)


def test_slots_follow_the_class_body() -> None:
    assert Place.n_slots == 7
    assert [field.slot for field in House.fields.values()] == [0, 7, 12, 13]
    assert House.fields["crowd"].doc == "Some places."
    assert Place.weight.__doc__ == "weight, kg"  # type: ignore[attr-defined]


def test_growing_keeps_the_address() -> None:
    house = make_house()
    before = house.address, house.crowd.address
    house.crowd.reserve(room=500)
    assert (house.address, house.crowd.address) == before
    assert house.crowd.where.shape == (500, 3)
    _fill(house.crowd, house.first)
    assert house.crowd.who[499] == 509


@pytest.mark.parametrize(
    "array",
    [np.zeros((5, 2)), np.zeros((4, 3)), np.zeros((5, 3), dtype=np.float32), np.zeros((3, 5)).T],
    ids=["columns", "rows", "type", "order"],
)
def test_an_array_that_is_not_as_declared_is_refused(array: np.ndarray) -> None:
    house = make_house()
    with pytest.raises(TypeError, match=r"Crowd\.where got .* declared is a contiguous float64 \(5, 3\) \(room, 3\)"):
        house.crowd.where = array


def test_a_reference_takes_its_kind_only() -> None:
    with pytest.raises(TypeError, match=r"House\.other .* expected a Place"):
        make_house().other = Crowd()  # type: ignore[assignment]
    with pytest.raises(AttributeError, match=r"House\.first lies in its view"):
        make_house().first = Place()


def test_kernels_cannot_replace_an_array() -> None:
    @numba.njit
    def replace(crowd: Crowd) -> None:
        crowd.who = crowd.who

    with pytest.raises(Exception, match="write into it, not over it"):
        replace(make_house().crowd)


def test_an_unknown_attribute_is_an_error_of_compilation() -> None:
    @numba.njit
    def look(crowd: Crowd) -> int:
        return crowd.nobody  # type: ignore[attr-defined]

    with pytest.raises(numba.TypingError, match="nobody"):
        look(make_house().crowd)


def test_casts_work_with_the_jit_off() -> None:
    script = """
        from polycontact.kernels.views import View, cast_to, count, nested, number
        class Inner(View):
            weight = number("w")
        class Outer(View):
            inner = nested(Inner)
            n = count("n")
        outer = Outer()
        outer.inner.weight = 3.0
        assert cast_to(Outer)(outer.row) is outer
        assert cast_to(Inner)(outer.address).weight == 3.0
        print("fine")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        check=True,
        env={**__import__("os").environ, "NUMBA_DISABLE_JIT": "1"},
    )
    assert done.stdout.strip() == "fine"


def test_nothing_changes_where_memory_runs_out() -> None:
    house = make_house()
    with pytest.raises((MemoryError, ValueError)):
        house.crowd.reserve(room=10**16)
    assert house.crowd.room == 5
    assert house.crowd.where.shape == (5, 3)


def test_views_are_never_copied() -> None:
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="House holds addresses of this process"):
            copied(make_house())


def test_a_view_of_the_same_name_is_another_type() -> None:
    """As when a cell of a notebook is edited and run again."""

    def define(with_more: bool) -> type[View]:
        fields = {"more": count("another")} if with_more else {}
        return type("Edited", (View,), {**fields, "value": number("a value")})

    @numba.njit
    def read(view: Any) -> float:
        return view.value

    for with_more in (False, True):
        view: Any = define(with_more)()
        view.value = 7.0
        assert read(view) == 7.0


def test_views_have_no_heirs() -> None:
    with pytest.raises(TypeError, match="a view has no heirs"):
        type("Heir", (Place,), {"n": count("more")})


def test_first_rows_are_copied_in_one_block() -> None:
    house = make_house()
    crowd = house.crowd
    crowd.where[:] = np.arange(crowd.where.size).reshape(crowd.where.shape)
    crowd.who[:] = np.arange(crowd.room) + 7
    columns = Columns(Crowd, ("who", "where"))
    rows = columns.copy(crowd, 3)
    crowd.where[:] = -1.0
    assert rows.n == 3
    assert rows.by_name["who"].tolist() == [7, 8, 9]
    assert rows.by_name["where"].tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]
    assert columns.copy(crowd, 0).by_name["where"].shape == (0, 3)
