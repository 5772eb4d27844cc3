"""Methods, laws and friction by kind in scenario files: keys follow from the classes, pairs change them key by key."""

from __future__ import annotations

import copy
import dataclasses
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import polycontact as pc
from polycontact.contact import kinds
from polycontact.contact.description import BUILT_IN
from polycontact.contact.options import options_of
from polycontact.report.view.pose_file import load_pose
from polycontact.scenario.loading import parse_scenario
from polycontact.scenario.schema.contact_keys import PARTS
from polycontact.scenario.schema.scenario import ScenarioModel, export_schema

TWO_BALLS = """
[scenario]
name = "two balls on a plate"
[simulation]
end_time = 0.01
[[bodies]]
name = "a"
shape = { kind = "sphere", radius = 0.1, subdivisions = 1 }
density = 100
position = [0, 0, 0.099]
[[bodies]]
name = "b"
shape = { kind = "sphere", radius = 0.1, subdivisions = 1 }
density = 100
position = [0.3, 0, 0.099]
[[bodies]]
name = "plate"
shape = { kind = "box", size = [1, 1, 0.1] }
position = [0, 0, -0.05]
fixed = true
"""


def descriptions(contact: str) -> dict[str, pc.ContactDescription]:
    """Descriptions of the contacts of the two balls, by their names."""
    contacts = parse_scenario(TWO_BALLS + contact).build().contacts
    return {name: each.description for name, each in contacts.items()}


def described_pair(contact: str) -> pc.ContactDescription:
    """The description of the contact a–plate, under [contact] with one pair."""
    return descriptions(f"{contact}\n[[contact.pairs]]\nbodies = ['a', 'plate']\n")["a–plate"]


def problems(contact: str) -> tuple[str, ...]:
    with pytest.raises(pc.ScenarioError) as caught:
        parse_scenario(TWO_BALLS + contact)
    return caught.value.problems


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kinds and plug-ins that a test announces are forgotten after it."""
    for name in ("_classes", "_only_part", "_asked"):
        monkeypatch.setattr(kinds, name, copy.copy(getattr(kinds, name)))


def test_every_option_of_the_package_has_a_meaning() -> None:
    for cls in BUILT_IN:
        for option in options_of(cls):
            assert option.meaning, f"{cls.__name__}.{option.name}"
            assert option.meaning in (cls.__doc__ or "").replace("\n", " "), "help() shows it"
        assert dataclasses.is_dataclass(cls)


def test_the_order_of_kinds_is_not_that_of_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {part: list(kinds.kinds_of(part)) for part in PARTS}
    monkeypatch.setattr(kinds, "_classes", dict(reversed(kinds._classes.items())))
    kinds._known_kinds.cache_clear()
    after = {part: list(kinds.kinds_of(part)) for part in PARTS}
    kinds._known_kinds.cache_clear()
    assert before["method"][:6] == ["polygonal", "penetration_lines", "node_block", "convex", "parametric", "implicit"]
    for part, names in before.items():
        built_in = [name for name in names if kinds.class_of(name) in BUILT_IN]
        assert after[part][: len(built_in)] == built_in


def test_tables_and_short_keys_say_the_same() -> None:
    tables = """
[contact.method]
kind = "penetration_lines"
base = "both"
max_penetration = 0.02
[contact.law]
stiffness = 1e6
damping = 10
[contact.friction]
coefficient = 0.3
"""
    short = """
[contact]
method = "penetration_lines"
base = "both"
max_penetration = 0.02
stiffness = 1e6
damping = 10
friction = { coefficient = 0.3 }
"""
    expected = pc.ContactDescription(
        method=pc.contact.PenetrationLines(base=pc.Base.BOTH, max_penetration=0.02),
        law=pc.LayerLaw(stiffness=1e6, damping=10.0),
        friction=pc.RegularisedCoulomb(coefficient=0.3),
    )
    assert described_pair(tables) == described_pair(short) == expected


def test_a_key_for_the_pairs_alone_may_stand_above_them() -> None:
    """Without automatic = true no contact has the common options by themselves."""
    contact = "[contact]\nstiffness = 1e6\nmax_penetration = 0.01\n[[contact.pairs]]\nbodies = ['a', 'plate']\n"
    (description,) = descriptions(contact + 'method = "penetration_lines"').values()
    assert description.method == pc.contact.PenetrationLines(base=pc.Base.E, max_penetration=0.01)


def test_whole_elements_may_be_told_of_penetration_lines() -> None:
    found = described_pair("[contact]\nstiffness = 1\nmethod = 'penetration_lines'\nelements = 'whole'")
    assert found.method == pc.contact.PenetrationLines(base=pc.Base.E), "the sharper body"


@pytest.mark.parametrize(
    ("contact", "told"),
    [
        ("stiffness = 1e6\nresponse = 'penetration_lines'", 'contact.response is called method now: write method = "p'),
        ("stiffness = 1e6\n[[contact.pairs]]\nbodies = ['a', 'plate']\nresponse = 'penetration_lines'", "pairs\\[0\\]"),
    ],
)
def test_the_old_name_of_the_method_is_read_and_told(contact: str, told: str) -> None:
    pairs = "" if "pairs" in contact else "\n[[contact.pairs]]\nbodies = ['a', 'plate']\n"
    with pytest.warns(pc.ContactWarning, match=told) as caught:
        found = descriptions(f"[contact]\n{contact}{pairs}")
    assert len(caught) == 1
    assert found == descriptions(f"[contact]\n{contact.replace('response', 'method')}{pairs}")


def test_a_file_with_both_names_is_refused() -> None:
    with pytest.raises(pc.ScenarioError) as caught:
        described_pair("[contact]\nstiffness = 1\nmethod = 'polygonal'\nresponse = 'none'")
    assert caught.value.problems == ("contact.response: is called method now, which is given too; leave response out",)


def test_a_name_that_no_method_has_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(pc.ScenarioError) as caught:
        described_pair("[contact]\nstiffness = 1\nmethod = 'poligonal'")
    (problem,) = caught.value.problems
    assert problem.startswith('contact.method: "poligonal"; allowed is one of "')
    assert problem.endswith('or a table with one of these as its kind; did you mean "polygonal"?')


def test_values_are_changed_by_the_old_key_too() -> None:
    scenario = pc.load_scenario("ball_on_table")
    with pytest.warns(pc.ContactWarning, match="contact.response is called method now: name the key method"):
        changed = scenario.with_values({"contact.response": "penetration_lines"})
    assert changed.model.contact is not None
    assert changed.model.contact.method == "penetration_lines"


COMMON = """
[contact]
method = { elements = "whole", base = "both" }
law = { stiffness = 1e6, damping = 10 }
friction = { coefficient = 0.3, velocity = 0.02 }
"""


@pytest.mark.parametrize(
    ("common", "pair", "part", "expected"),
    [
        ("", 'method = { base = "F" }', "method", pc.contact.PolygonalMethod(base=pc.Base.F, elements="whole")),
        ("", 'base = "F"', "method", pc.contact.PolygonalMethod(base=pc.Base.F, elements="whole")),
        ("", 'method = { kind = "penetration_lines" }', "method", pc.contact.PenetrationLines(base=pc.Base.E)),
        ("", 'method = "penetration_lines"', "method", pc.contact.PenetrationLines(base=pc.Base.E)),
        ("", "law = { damping = 20 }", "law", pc.LayerLaw(stiffness=1e6, damping=20.0)),
        ("", "damping = 20", "law", pc.LayerLaw(stiffness=1e6, damping=20.0)),
        ("", 'law = { kind = "layer", stiffness = 5 }', "law", pc.LayerLaw(stiffness=5.0, damping=10.0)),
        ("", "friction = { coefficient = 0.5 }", "friction", pc.RegularisedCoulomb(coefficient=0.5, velocity=0.02)),
        ("", "friction = { velocity = 0.5 }", "friction", pc.RegularisedCoulomb(coefficient=0.3, velocity=0.5)),
        ("", "friction = { coefficient = 0 }", "friction", None),
        ("", 'friction = { kind = "none" }', "friction", None),
        # In shorthand throughout, what both methods have goes on, whatever the method.
        (
            "[contact]\nbase = 'both'\nelements = 'clipped'\nstiffness = 1",
            'method = "penetration_lines"',
            "method",
            pc.contact.PenetrationLines(base=pc.Base.BOTH),
        ),
        (
            "[contact]\nstiffness = 1\nbase = 'F'",
            'method = { kind = "penetration_lines" }',
            "method",
            pc.contact.PenetrationLines(base=pc.Base.E),
        ),
    ],
)
def test_a_pair_changes_key_by_key(common: str, pair: str, part: str, expected: object) -> None:
    other = f"{common or COMMON}\n[[contact.pairs]]\nbodies = ['b', 'plate']\n"
    found = descriptions(f"{other}[[contact.pairs]]\nbodies = ['a', 'plate']\n{pair}\n")
    assert getattr(found["a–plate"], part) == expected
    assert found["b–plate"] == descriptions(other)["b–plate"], "the other pair has what [contact] says"


@pytest.mark.parametrize("off", ['method = "none"', 'method = { kind = "none" }'])
def test_a_pair_without_contact(off: str) -> None:
    text = f"[contact]\nstiffness = 1e6\nautomatic = true\n[[contact.pairs]]\nbodies = ['a', 'plate']\n{off}\n"
    assert set(descriptions(text)) == {"a–b", "b–plate"}


LAWS = '"half_space", "hertz_point", "hunt_crossley", "layer", "restitution", "spring_damper", "user_law"'
"""Kinds of normal laws, as messages list them."""

MISTAKES = [
    (
        'law = { kind = "layr" }',
        f'contact.law.kind: "layr"; allowed is one of {LAWS}; did you mean "layer"?',
    ),
    (
        'law = { kind = "regularised_coulomb" }',
        f'contact.law.kind: "regularised_coulomb"; allowed is one of {LAWS}',
    ),
    ("law = { kind = 5 }", f"contact.law.kind: 5; allowed is one of {LAWS}"),
    ("law = 5", f"contact.law: 5; allowed is a table with kind = one of {LAWS}"),
    ("law = { stifness = 5 }", 'contact.law.stifness: unknown key; did you mean "stiffness"?'),
    ("law = { stiffness = -5 }", "contact.law.stiffness: -5; allowed is a number greater than 0, in N/m³"),
    ("law = { damping = nan }", "contact.law.damping: nan; allowed is a finite number"),
    ("law = { damping = true }", "contact.law.damping: true; allowed is a number of at least 0, in N s/m³"),
    ("law = { damping = 1 }\nstiffness = 1", "contact.law: is given, and in short by stiffness too; give the table or"),
    ('method = { base = "E" }\ndepth = "base_normal"', "contact.method: is given, and in short by depth too"),
    ('method = { base = "G" }', 'contact.method.base: "G"; allowed is one of "E", "F", "both", "auto"'),
    (
        'method = { kind = "polygonal", max_penetration = 1 }',
        "contact.method.max_penetration: unknown key; allowed are",
    ),
    ('method = { kind = "none", base = "E" }', "contact.method.base: unknown key; allowed are kind"),
    (
        "max_penetration = 0.1",
        'contact.max_penetration: 0.1 means nothing to the method "polygonal", which has base, el',
    ),
    ("friction = { velocity = 1 }", "contact.friction.coefficient: is missing; give coefficient of friction μ"),
    ("friction = { coefficient = -1 }", "contact.friction.coefficient: -1; allowed is a number of at least 0"),
    ('law = { kind = "user_law" }', "contact.law.name: is missing; give name under which the function was announced"),
    ('law = { kind = "user_law", name = "x" }', "contact.law: law 'x' is not known here"),
    (
        'law = { kind = "user_law", name = "x", parameters = [1, "2"] }',
        'contact.law.parameters[1]: "2"; allowed is a num',
    ),
]


@pytest.mark.parametrize(("contact", "told"), MISTAKES)
def test_mistakes_have_path_value_and_remedy(contact: str, told: str) -> None:
    found = problems(f"[contact]\n{contact}\n[[contact.pairs]]\nbodies = ['a', 'plate']\n")
    assert any(each.startswith(told) for each in found), found


@pytest.mark.parametrize(
    ("pair", "told"),
    [
        ("friction = { velocity = 1 }", "friction.coefficient: is missing; give coefficient of friction μ"),
        ("law = { damping = -1 }", "law.damping: -1; allowed is a number of at least 0, in N s/m³"),
        ("law = { damping = 1 }", "law.stiffness: is missing: none of the bodies has an elastic layer"),
        ("law = { dampin = 1 }", 'law.dampin: unknown key; did you mean "damping"?'),
        ("max_penetration = 0.1", 'max_penetration: 0.1 means nothing to the method "polygonal"'),
        ('law = { kind = "user_law", name = "x" }', "law: law 'x' is not known here"),
    ],
)
def test_mistakes_of_a_pair(pair: str, told: str) -> None:
    found = problems(f"[contact]\n[[contact.pairs]]\nbodies = ['a', 'plate']\n{pair}\n")
    assert any(each.startswith(f'contact.pairs[0] "a"–"plate": {told}') for each in found), found


def test_mistakes_are_told_together() -> None:
    text = "[contact.method]\nkind = 'x'\n[contact.law]\ndamping = -1\n[contact.friction]\nvelocity = 0\n"
    found = problems(f"{text}[[contact.pairs]]\nbodies = ['a', 'plate']\nlaw = {{ stiffness = 'soft' }}\n")
    assert [each.partition(": ")[0] for each in found[:4]] == [
        "contact.method.kind",
        "contact.law.damping",
        "contact.friction.velocity",
        "contact.friction.coefficient",
    ]
    assert any('law.stiffness: "soft"; allowed is a number greater than 0, in N/m³' in each for each in found)


def test_the_model_can_be_written_and_read() -> None:
    model = parse_scenario(TWO_BALLS + COMMON + "[[contact.pairs]]\nbodies = ['a', 'plate']\nbase = 'F'\n").model
    again = ScenarioModel.model_validate_json(model.model_dump_json(exclude_unset=True))
    assert again == model


def test_a_single_contact_has_the_same_keys(tmp_path: Path) -> None:
    text = """
[e]
kind = "sphere"
radius = 0.1
[f]
kind = "box"
size = [0.5, 0.5, 0.05]
[contact]
method = { kind = "penetration_lines", max_penetration = 0.03 }
law = { stiffness = 1e6 }
[kinematics]
position = [0, 0, -0.105]
"""
    file = tmp_path / "pose.toml"
    file.write_text(text, encoding="utf-8")
    assert load_pose(file).pairing.method == pc.contact.PenetrationLines(base=pc.Base.E, max_penetration=0.03)
    for change, told in (
        ('law = { kind = "user_law", name = "x" }', "contact.law: law 'x' is not known here"),
        (
            'law = { stiffness = 1e6 }\nresponse = "none"',
            "contact.response: is called method now, which is given too; leave response out",
        ),
    ):
        file.write_text(text.replace("law = { stiffness = 1e6 }", change), encoding="utf-8")
        with pytest.raises(pc.ScenarioError, match=told):
            load_pose(file)
    file.write_text(text.replace("penetration_lines", "none").replace(", max_penetration = 0.03", ""))
    with pytest.raises(pc.ScenarioError, match="there is no contact to look at"):
        load_pose(file)


# Kinds from outside of the package --------------------------------------------------------------------------

OUTSIDE = '''
from dataclasses import dataclass, field
from typing import Any

import polycontact as pc


@pc.laws.contact_law("cubic")
def cubic(elements, parameters):
    for k in range(elements.n):
        force = elements.share * elements.area[k] * parameters[0] * elements.depth[k] ** 3
        elements.normal_force[k] = elements.elastic_force[k] = force
        elements.energy[k] = force * elements.depth[k] / 4


@pc.contact.described("finer_base")
@dataclass(frozen=True, kw_only=True)
class FinerBase:
    """The surface with more triangles is the base."""

    ratio: float = field(default=1.0, metadata=pc.contact.option("how many times more triangles F needs", above=0.0))

    def prepare(self, e: Any, f: Any, description: Any, name: str) -> Any:
        finer = len(f.triangles) > self.ratio * len(e.triangles)
        return pc.contact.PolygonalMethod(base=pc.Base.F if finer else pc.Base.E).prepare(e, f, description, name)

    def margin(self, e: Any, f: Any) -> float:
        return 0.0
'''
"""A module that adds a law and a method, as anyone may write it."""

USING = """
[contact.method]
kind = "finer_base"
ratio = 2
[contact.law]
kind = "user_law"
name = "cubic"
parameters = [1e12]
[[contact.pairs]]
bodies = ["a", "plate"]
"""


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forgetful: None) -> Path:
    """A folder with the module and, as if it were installed, its entry point."""
    (tmp_path / "added_contacts.py").write_text(OUTSIDE, encoding="utf-8")
    about = tmp_path / "added_contacts-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: added_contacts\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text("[polycontact.contacts]\nadded = added_contacts\n", encoding="utf-8")
    monkeypatch.delitem(sys.modules, "added_contacts", raising=False)
    return tmp_path


def test_a_kind_is_known_once_its_module_is_imported(outside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 'contact.method.kind: "finer_base"; allowed is one of' in "\n".join(problems(USING))
    assert "finer_base" not in export_schema()["$defs"]["Contact"]["properties"]["method"]["discriminator"]["mapping"]
    monkeypatch.setattr(kinds, "_asked", [kinds.GROUP])  # the import alone must do
    monkeypatch.syspath_prepend(outside)
    added: Any = __import__("added_contacts")
    found = descriptions(USING)["a–plate"]
    assert found.method == added.FinerBase(ratio=2.0)
    assert found.law == pc.laws.UserLaw("cubic", (1e12,))
    assert "contact.method.ratio: -1; allowed is a number greater than 0" in problems(USING.replace("= 2", "= -1"))
    table = export_schema()["$defs"]["FinerBase"]
    assert table["description"] == "The surface with more triangles is the base."
    assert table["properties"]["ratio"]["description"] == "how many times more triangles F needs"


@pytest.mark.slow
def test_an_installed_package_adds_kinds_to_every_command(outside: Path) -> None:
    """The scenario runs, its contact is recorded whole, and the report tells the method and the law."""
    (outside / "balls.toml").write_text(TWO_BALLS + USING, encoding="utf-8")
    program = (
        "import sys, polycontact.cli as cli; "
        "status = cli.main(['run', 'balls.toml', '-o', 'run.h5', '--json']); "
        "sys.exit(status or cli.main(['report', 'run.h5', '-o', 'run.html', '--no-pictures', '--no-playback']))"
    )
    source = str(Path(pc.__file__).parents[1])
    variables = os.environ | {"PYTHONPATH": os.pathsep.join((source, str(outside)))}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=outside, env=variables, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (record,) = pc.Trajectory.open(outside / "run.h5").description.pairings
    assert record.contact["method"] == {"kind": "finer_base", "ratio": 2.0}
    assert record.contact["law"] == {"kind": "user_law", "name": "cubic", "parameters": [1e12]}
    assert "finer base" in (outside / "run.html").read_text(encoding="utf-8")


def test_an_installed_package_that_fails_is_warned_of(outside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (outside / "added_contacts.py").write_text("raise RuntimeError('not today')\n", encoding="utf-8")
    monkeypatch.setattr(kinds, "_asked", [])
    monkeypatch.syspath_prepend(outside)
    with pytest.warns(pc.ContactWarning, match=r"added_contacts, entry point 'added' .*not today.*are not known"):
        kinds.import_installed()


def test_a_kind_without_options(forgetful: None) -> None:
    made = dataclasses.make_dataclass("Bare", [], frozen=True, namespace={"prepare": print, "margin": print})
    pc.contact.described("bare")(made)
    contact = "[contact]\nmethod = { kind = 'bare' }\nstiffness = 1\n[[contact.pairs]]\nbodies = ['a', 'plate']\n"
    assert descriptions(contact)["a–plate"].method == made()
    (told,) = problems(f"{contact}base = 'F'\n")
    assert told.endswith('base: "F" means nothing to the method "bare", which has no keys; leave it out')


def test_what_cannot_be_announced(forgetful: None) -> None:
    with pytest.raises(pc.ContactError, match="must be a dataclass without a field named kind"):
        pc.contact.described("plain")(type("Plain", (), {}))
    with pytest.raises(pc.ContactError, match="must be a dataclass without a field named kind"):
        pc.contact.described("kindly")(dataclasses.make_dataclass("Kindly", ["kind"]))
    with pytest.raises(pc.ContactError, match="kind 'layer' is LayerLaw already; give Other another name"):
        pc.contact.described("layer")(dataclasses.make_dataclass("Other", ["x"]))
