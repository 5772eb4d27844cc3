"""Maps of what surfaces go through: closed forms of sliding blocks and rolling balls, and sums against the ledger."""

from __future__ import annotations

import csv
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.errors import ContactError, SimulationError, SimulationWarning, SurfaceError
from polycontact.laws import ArchardWear, SpringDamperLaw
from polycontact.multibody import ConstantVelocity
from polycontact.simulation.recording.map_rows import MAP_QUANTITIES

SIDE, MASS, GRAVITY = 0.1, 2.0, 9.81
LOAD = MASS * GRAVITY
STIFFNESS, COEFFICIENT, SPEED, END = 1e8, 0.3, 0.5, 0.4
WAY = SPEED * END
WEAR = ArchardWear(coefficient=1e-4, hardness=1e9, share_e=0.25)
WORN = 1e-4 * LOAD * WAY / 1e9
"""Worn volume by Archard's law, k N s / H, m³."""

ON_LEDGER = 1e-9
"""Sums over maps and the ledger's friction are the same numbers, added up in another order."""


def sliding_block(base: str = "E", wear: ArchardWear | None = WEAR, **options: Any) -> pc.MultibodySystem:
    """A block pressed on a plate by its weight, at rest in its direction, and drawn over it at constant speed."""
    system = pc.MultibodySystem("block", gravity=(0.0, 0.0, -GRAVITY))
    system.add_body("plate", surface=pc.shapes.box((1.0, 0.3, 0.05), (20, 6, 1)), fixed=True, position=(0, 0, -0.025))
    system.add_body("carriage", mass=1.0, inertia=np.eye(3))
    system.add_joint("drive", "prismatic", "world", "carriage", axis=(1, 0, 0), motion=ConstantVelocity(SPEED))
    system.add_body("block", surface=pc.shapes.box(SIDE, 4), mass=MASS)
    depth = LOAD / (STIFFNESS * SIDE**2)
    system.add_joint(
        "lift", "prismatic", "carriage", "block", axis=(0, 0, 1), at=(-0.2, 0, 0), coordinates=[0.5 * SIDE - depth]
    )
    law = pc.LayerLaw(stiffness=STIFFNESS, damping=1e6)
    friction = pc.RegularisedCoulomb(coefficient=COEFFICIENT, velocity=1e-3)
    said = {"method": pc.contact.PolygonalMethod(base=pc.Base(base)), "law": law, "friction": friction, "wear": wear}
    system.add_contact("block", "plate", name="rub", **(said | options))
    return system


def run_of(system: pc.MultibodySystem, **options: Any) -> pc.Run:
    """A run with maps."""
    said: dict[str, Any] = {"end_time": END, "maps": True, "atol": 1e-8, "rtol": 1e-6, "output_step": 0.1}
    return pc.simulate(system, **(said | options))


@pytest.fixture(scope="module")
def block() -> pc.Run:
    return run_of(sliding_block())


class TestASlidingBlock:
    def test_friction_energy_is_the_ledgers_on_either_body(self, block: pc.Run) -> None:
        lost = block.trajectory.energies["friction"]
        lost = abs(lost[-1] - lost[0])
        for surface in block.maps.shapes:
            assert surface.total("friction_energy") == pytest.approx(lost, rel=ON_LEDGER)
        assert block.maps.friction_energy == pytest.approx(lost, rel=ON_LEDGER)
        assert block.maps.contacts["rub"].friction_energy == pytest.approx(lost, rel=ON_LEDGER)
        assert block.maps.unplaced == 0.0

    def test_friction_energy_is_spread_evenly_over_the_bottom(self, block: pc.Run) -> None:
        surface = block.maps["block"]
        bottom = surface.vertices[surface.triangles][:, :, 2].max(axis=1) < -0.49 * SIDE
        expected = COEFFICIENT * LOAD * WAY / SIDE**2
        # 1e-6: the block stands still to the tolerance of the run
        assert surface.friction_energy[bottom] == pytest.approx(expected, rel=1e-6)
        assert surface.friction_energy[~bottom].max() < 1e-9 * expected

    def test_wear_is_archards_in_the_shares_of_the_bodies(self, block: pc.Run) -> None:
        surface = block.maps["block"]
        bottom = surface.vertices[surface.triangles][:, :, 2].max(axis=1) < -0.49 * SIDE
        assert surface.wear[bottom] == pytest.approx(0.25 * WORN / SIDE**2, rel=1e-6)
        assert surface.total("wear") == pytest.approx(0.25 * WORN, rel=1e-6)
        assert block.maps["plate"].total("wear") == pytest.approx(0.75 * WORN, rel=1e-6)
        totals = block.maps.contacts["rub"]
        assert (totals.wear_volume_e, totals.wear_volume_f) == pytest.approx((0.25 * WORN, 0.75 * WORN), rel=1e-6)

    def test_time_sliding_and_pressure_are_those_of_the_bottom(self, block: pc.Run) -> None:
        surface = block.maps["block"]
        bottom = surface.vertices[surface.triangles][:, :, 2].max(axis=1) < -0.49 * SIDE
        assert surface.contact_time[bottom] == pytest.approx(END, rel=1e-9)
        assert surface.sliding[bottom] == pytest.approx(WAY, rel=1e-9)
        assert surface.pressure[bottom] == pytest.approx(LOAD / SIDE**2, rel=1e-6)
        # what slides on the plate has been everywhere under the block's way, and nowhere else
        plate = block.maps["plate"]
        middles = plate.vertices[plate.triangles].mean(axis=1)
        under = (middles[:, 2] > 0.0249) & (np.abs(middles[:, 1]) < 0.5 * SIDE)
        under &= (middles[:, 0] > -0.25) & (middles[:, 0] < -0.15 + WAY)
        assert (plate.sliding[under] > 0.0).all()
        assert plate.sliding[~under].max() < 1e-3 * WAY  # of its sides, which are submerged by 20 µm

    @pytest.mark.slow
    @pytest.mark.parametrize("base", ["F", "both"])
    @pytest.mark.parametrize("integrator", ["cvode-bdf", "dopri5"])
    def test_every_base_and_a_stepper_in_python_agree(self, base: str, integrator: str) -> None:
        run = run_of(sliding_block(base), integrator=integrator)
        for surface, share in ((run.maps["block"], 0.25), (run.maps["plate"], 0.75)):
            assert surface.total("friction_energy") == pytest.approx(COEFFICIENT * LOAD * WAY, rel=1e-5)
            assert surface.total("friction_energy") == pytest.approx(run.maps.friction_energy, rel=ON_LEDGER)
            assert surface.total("wear") == pytest.approx(share * WORN, rel=1e-3)  # steps of DOPRI5 at its limit

    def test_without_wear_there_is_none(self) -> None:
        run = run_of(sliding_block(wear=None), end_time=0.05)
        assert not run.maps["block"].wear.any()
        assert [each.name for each in run.maps["block"].quantities] == [each.name for each in MAP_QUANTITIES[:4]]


class TestABouncingBall:
    """A ball that falls, slides and rolls: contacts come and go between the ends of steps."""

    @pytest.fixture(scope="class")
    @classmethod
    def run(cls) -> pc.Run:
        system = pc.MultibodySystem("ball", gravity=(0.0, 0.0, -GRAVITY))
        system.add_body(
            "plate", surface=pc.shapes.box((2.0, 0.3, 0.05), (80, 12, 1)), fixed=True, position=(0, 0, -0.025)
        )
        system.add_body(
            "ball", surface=pc.shapes.sphere(0.05), density=1000.0, position=(-0.8, 0, 0.07), velocity=(2, 0, 0)
        )
        law = pc.LayerLaw(stiffness=1e8, damping=2e5)
        friction = pc.RegularisedCoulomb(coefficient=0.3, velocity=1e-2)
        system.add_contact("ball", "plate", law=law, friction=friction)
        return pc.simulate(system, end_time=0.6, maps=True, rtol=1e-6, atol=1e-7)

    @pytest.mark.slow
    def test_maps_add_up_to_the_ledger(self, run: pc.Run) -> None:
        lost = run.trajectory.energies["friction"]
        lost = abs(lost[-1] - lost[0])
        assert lost > 0.1  # J: it begins to roll
        for surface in run.maps.shapes:
            assert surface.total("friction_energy") == pytest.approx(lost, rel=ON_LEDGER)
        assert run.maps.corrected < 0.05

    @pytest.mark.slow
    def test_the_trace_of_the_rolling_ball_has_no_gaps(self, run: pc.Run) -> None:
        plate = run.maps["plate"]
        middles = plate.vertices[plate.triangles].mean(axis=1)
        end = float(run.trajectory.body("ball").position[-1, 0])
        in_middle = (middles[:, 2] > 0.0249) & (np.abs(middles[:, 1]) < 0.0126)
        rolled = in_middle & (middles[:, 0] > -0.48) & (middles[:, 0] < end - 0.02)  # it bounces no more
        assert np.count_nonzero(rolled) > 40
        assert (plate.contact_time[rolled] > 0.0).all()

    @pytest.mark.slow
    def test_greatest_pressure_and_contact_time_are_those_of_the_run(self, run: pc.Run) -> None:
        # pressures are looked at twice in a step, peaks also between: of the sharpest impact within 5 %
        (name, peaks), *_ = run.peaks.contacts.items()
        assert run.maps["ball"].pressure.max() == pytest.approx(peaks.pressure.value, rel=0.05)
        area = run.trajectory.pairing(name).area
        integral = float(np.trapezoid(area, run.trajectory.time))  # of samples, ten times a contact
        assert run.maps["ball"].total("contact_time") == pytest.approx(integral, rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("base", ["E", "both"])
def test_a_layer_that_yields_keeps_its_dent(base: str) -> None:
    """Pressed in by u at a yield pressure σ without hardening, a layer of stiffness c keeps a dent of u - σ/c."""
    sunk, yield_pressure = 3e-4, 1e4
    layer = pc.RheologicalLayer(1e6, 0.0, 0.01, yield_pressure=yield_pressure)  # c = 1e8 N/m³
    system = pc.MultibodySystem("press", gravity=(0.0, 0.0, 0.0))
    system.add_body("plate", surface=pc.shapes.box((0.3, 0.3, 0.05), (6, 6, 1)), fixed=True, position=(0, 0, -0.025))
    system.add_body("block", surface=pc.shapes.box(SIDE, 4), mass=MASS, layer=layer)
    down = ConstantVelocity(1e-3)
    system.add_joint("press", "prismatic", "world", "block", at=(0, 0, 0.5 * SIDE), axis=(0, 0, -1), motion=down)
    system.add_contact("block", "plate", base=pc.Base(base))
    run = pc.simulate(system, end_time=sunk / 1e-3, maps=True, max_step=0.01)
    surface = run.maps["block"]
    bottom = surface.vertices[surface.triangles][:, :, 2].max(axis=1) < -0.49 * SIDE
    inner = bottom & (np.abs(surface.vertices[surface.triangles]).max(axis=1)[:, :2] < 0.45 * SIDE).all(axis=1)
    # 1 %: the depth at the last step that the law has committed
    assert surface.dent[inner] == pytest.approx(sunk - yield_pressure / 1e8, rel=0.01)
    assert not run.maps["plate"].dent.any()
    assert "dent" in [each.name for each in surface.quantities]


class TestFiles:
    def test_a_run_file_has_the_maps_and_goes_on_with_them(self, tmp_path: Path) -> None:
        path = tmp_path / "run.h5"
        whole = run_of(sliding_block())
        run_of(sliding_block(), end_time=0.5 * END, record=path)
        half = pc.Trajectory.open(path).maps
        assert half["block"].total("wear") == pytest.approx(0.125 * WORN, rel=1e-6)
        run_of(sliding_block(), maps=False, continue_from=path)
        maps = pc.Trajectory.open(path).maps
        for each in MAP_QUANTITIES:  # the block is the base; the plate's depend a little on where steps end
            there = maps["block"].array(each.name)
            assert there == pytest.approx(whole.maps["block"].array(each.name), rel=1e-3, abs=1e-3 * there.max())
            if each.adds_up:
                total = whole.maps["plate"].total(each.name)
                assert maps["plate"].total(each.name) == pytest.approx(total, rel=1e-3)
        assert maps.friction_energy == pytest.approx(whole.maps.friction_energy, rel=1e-6)
        assert maps["block"].total("friction_energy") == pytest.approx(maps.friction_energy, rel=ON_LEDGER)

    def test_the_table_has_a_row_for_each_triangle(self, block: pc.Run, tmp_path: Path) -> None:
        block.maps.to_csv(tmp_path / "maps.csv")
        with (tmp_path / "maps.csv").open(encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        assert len(rows) == sum(len(each.triangles) for each in block.maps.shapes)
        areas, wear = (np.array([float(row[title]) for row in rows]) for title in ("area [m²]", "wear depth [m]"))
        assert areas @ wear == pytest.approx(WORN, rel=1e-6)


class TestBadInput:
    def test_wear_refuses_impossible_numbers(self) -> None:
        with pytest.raises(ContactError, match="wear coefficient is -1e-05"):
            ArchardWear(coefficient=-1e-5, hardness=1e9)
        with pytest.raises(ContactError, match="hardness"):
            ArchardWear(coefficient=1e-5, hardness=0.0)
        with pytest.raises(ContactError, match="share of the first body"):
            ArchardWear(coefficient=1e-5, hardness=1e9, share_e=1.5)
        with pytest.raises(ContactError, match="expected ArchardWear"):
            pc.ContactDescription(law=pc.LayerLaw(stiffness=1e8), wear=1e-5)  # type: ignore[arg-type]

    def test_methods_without_triangles_are_refused(self) -> None:
        law = SpringDamperLaw(stiffness=1e6)
        system = sliding_block(method=pc.contact.ConvexMethod(), law=law, wear=None)
        with pytest.raises(SimulationError, match=r"'rub' \(ConvexMethod\) find points, not triangles"):
            run_of(system)

    def test_a_contact_without_triangles_among_others_is_told(self) -> None:
        system = sliding_block()
        system.add_body("ball", surface=pc.shapes.sphere(0.01), density=1000.0, position=(0.3, 0.1, 0.5))
        system.add_contact("ball", "plate", method=pc.contact.ConvexMethod(), law=SpringDamperLaw(stiffness=1e4))
        with pytest.warns(
            SimulationWarning, match="1 contact without triangles leave nothing on the maps: 'ball–plate'"
        ):
            run_of(system, end_time=0.01)

    def test_rigid_contacts_have_no_maps(self) -> None:
        with pytest.raises(SimulationError, match="maps is True, which multipliers do not use; leave it out, or read"):
            run_of(sliding_block(), response="multipliers", atol=1e-4, rtol=1e-4)

    def test_runs_without_maps_say_so(self) -> None:
        run = run_of(sliding_block(), maps=False, end_time=0.01)
        with pytest.raises(SimulationError, match="maps of the surfaces were not recorded; simulate with maps=True"):
            _ = run.maps

    def test_unknown_names_are_told(self, block: pc.Run) -> None:
        with pytest.raises(SimulationError, match="no body with maps 'blok'; did you mean 'block'"):
            _ = block.maps["blok"]
        with pytest.raises(SimulationError, match="no maps of"):
            _ = block.maps["block", 3]
        with pytest.raises(SimulationError, match="no map 'heat'"):
            block.maps["block"].array("heat")
        assert "block" in block.maps
        assert "blok" not in block.maps

    def test_a_continuation_needs_maps_of_its_meshes(self, tmp_path: Path) -> None:
        path = tmp_path / "run.h5"
        run_of(sliding_block(), end_time=0.02, record=path, maps=False)
        with pytest.raises(SimulationError, match="the part of the run before has none"):
            run_of(sliding_block(), end_time=0.04, continue_from=path)
        run_of(sliding_block(), end_time=0.02, record=path)
        finer = sliding_block()
        finer.bodies["block"].shapes[0].__dict__["surface"] = pc.shapes.box(SIDE, 5)
        with pytest.raises(
            SimulationError, match="192 triangles there is shape 0 of body 'block' with 300 triangles here"
        ):
            run_of(finer, end_time=0.04, continue_from=path)


class TestWornSurfaces:
    def test_a_worn_block_is_lower_and_as_wide(self, block: pc.Run) -> None:
        surface = pc.shapes.box(SIDE, 4)
        depth = 1e6 * block.maps["block"].wear
        worn = surface.worn(depth)
        lost = 1e6 * 0.25 * WORN / SIDE**2
        assert worn.bounds[0] == pytest.approx([-0.5 * SIDE, -0.5 * SIDE, -0.5 * SIDE + lost], rel=1e-9)
        assert worn.bounds[1] == pytest.approx([0.5 * SIDE] * 3, rel=1e-9)

    def test_the_volume_lost_is_the_integral_of_the_map(self) -> None:
        surface = pc.shapes.sphere(0.1)
        depth = 1e-4 * np.exp(-(((surface.barycentres[:, 2] - 0.1) / 0.05) ** 2))
        # of second order: the depth is a thousandth of the radius
        assert surface.volume - surface.worn(depth).volume == pytest.approx(float(depth @ surface.areas), rel=2e-3)

    def test_no_wear_is_the_same_surface(self) -> None:
        surface = pc.shapes.sphere(0.1)
        assert surface.worn(np.zeros(surface.n_triangles)) is surface

    def test_what_is_no_depth_is_refused(self) -> None:
        surface = pc.shapes.box(0.1)
        with pytest.raises(SurfaceError, match=r"depths have shape \(3,\), the surface has 12 triangles"):
            surface.worn([1e-4, 1e-4, 1e-4])
        with pytest.raises(SurfaceError, match=r"the depth of triangle 0 is -0\.0001 m"):
            surface.worn(np.full(12, -1e-4))
        with pytest.raises(SurfaceError, match="the depth of triangle 0 is nan m"):
            surface.worn(np.full(12, math.nan))

    def test_a_plate_that_is_worn_through_is_refused(self) -> None:
        plate = pc.shapes.box((0.1, 0.1, 0.001), 4)
        with pytest.raises(SurfaceError, match=r"worn by up to 0\.002 m, .* wear less between two runs"):
            plate.worn(np.where(plate.normals[:, 2] > 0.5, 2e-3, 0.0))


def test_a_map_says_what_it_holds(block: pc.Run) -> None:
    assert "192 triangles; greatest: greatest pressure 1962 Pa" in repr(block.maps["block"])
    assert "'plate', 'block'; friction energy 1.177 J" in repr(block.maps)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(block.maps) == 2
