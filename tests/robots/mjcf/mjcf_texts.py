"""Texts of MJCF files: one model that has most things, and random ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np

CUBE = "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1"
CUBE_FACES = "0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7"

ARM = f"""<mujoco model="arm">
  <compiler angle="degree" eulerseq="xyz"/>
  <option gravity="0.3 -0.5 -9"/>
  <default>
    <geom density="700" rgba="0.2 0.4 0.6 1"/>
    <joint damping="0.3"/>
    <default class="light">
      <geom density="120" size="0.03 0.2"/>
      <joint axis="1 1 0" stiffness="2"/>
    </default>
  </default>
  <asset>
    <material name="red" rgba="1 0 0 1"/>
    <mesh name="cube" vertex="{CUBE}" face="{CUBE_FACES}" scale="0.2 0.1 0.3" refpos="0.2 0.1 0.3"
          refquat="0.9 0.1 -0.3 0.2"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="turret" pos="0 0 0.5" euler="10 20 30">
      <joint name="yaw" type="hinge" axis="0 0 1" range="-90 90" ref="12" springref="20" stiffness="5"/>
      <geom type="cylinder" size="0.1 0.05" mass="1.5" material="red"/>
      <site name="top" pos="0 0 0.05" zaxis="1 0 1"/>
      <body name="upper" pos="0.1 0 0" axisangle="1 2 3 40" childclass="light">
        <joint name="shoulder" pos="0 0 0.1"/>
        <joint name="reach" type="slide" class="main" axis="1 0 1" range="-0.2 0.3"/>
        <geom type="capsule" fromto="0 0 0 0.1 0.3 0.2"/>
        <geom type="box" size="0.02 0.03 0.04" pos="0 0.1 0" zaxis="0 1 1"/>
        <body name="wrist" pos="0.2 0.3 0.1" xyaxes="1 0 1 0 1 0">
          <joint name="ball" type="ball" pos="0 0.01 0.02" damping="0" stiffness="0"/>
          <geom type="ellipsoid" size="0.03 0.05 0.07" density="2000"/>
          <frame pos="0 0 0.1" euler="0 0 45">
            <geom type="mesh" mesh="cube" pos="0.01 0.02 0.03" euler="30 0 10"/>
            <body name="tip" pos="0 0.1 0"><geom type="sphere" size="0.02"/></body>
          </frame>
        </body>
      </body>
    </body>
    <body name="lump" pos="1 2 3" quat="0.5 0.1 0.2 0.7">
      <freejoint/>
      <inertial mass="2" pos="0.1 0 0.2" quat="1 2 3 4" diaginertia="0.2 0.3 0.4"/>
    </body>
  </worldbody>
  <actuator>
    <position name="hold yaw" joint="yaw" kp="30" kv="2" gear="2"/>
    <motor name="push" joint="reach" gear="3" ctrlrange="-5 5"/>
    <velocity name="spin" joint="shoulder" kv="0.7"/>
  </actuator>
</mujoco>
"""


def written(folder: Path, text: str, name: str = "model.xml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def numbers(values: object) -> str:
    return " ".join(repr(float(value)) for value in np.atleast_1d(values))


class RandomModel:
    """A random model with most of what the reader knows."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.degrees = bool(self.rng.integers(2))
        self.count = 0
        self.joints: list[str] = []

    def angle(self, size: int = 1) -> str:
        angles = self.rng.uniform(-1.5, 1.5, size)
        return numbers(np.degrees(angles) if self.degrees else angles)

    def place(self, scale: float = 0.3) -> str:
        rng = self.rng
        turned = [
            "",
            f'quat="{numbers(rng.normal(size=4))}"',
            f'euler="{self.angle(3)}"',
            f'axisangle="{numbers(rng.normal(size=3))} {self.angle()}"',
            f'xyaxes="{numbers(rng.normal(size=6))}"',
            f'zaxis="{numbers(rng.normal(size=3))}"',
        ]
        return f'pos="{numbers(rng.normal(scale=scale, size=3))}" {rng.choice(turned)}'

    def geom(self) -> str:
        rng = self.rng
        weight = rng.choice(["", f'density="{rng.uniform(100, 3000)!r}"', f'mass="{rng.uniform(0.1, 2)!r}"'])
        size = numbers(rng.uniform(0.05, 0.2, size=3))
        ends = numbers(rng.normal(scale=0.2, size=6))
        kinds = [
            f'type="sphere" size="{size}" {self.place()}',
            f'size="{size}" {self.place()}',
            f'type="box" size="{size}" {self.place()}',
            f'type="ellipsoid" size="{size}" {self.place()}',
            f'type="capsule" size="{size}" {self.place()}',
            f'type="cylinder" size="{size}" {self.place()}',
            f'type="capsule" size="0.04" fromto="{ends}"',
            f'type="cylinder" size="0.05" fromto="{ends}"',
            f'type="box" size="0.06" fromto="{ends}"',
            f'type="mesh" mesh="cube" {self.place()}',
            f'class="heavy" size="{size}" {self.place()}',
        ]
        group = rng.choice(["", 'group="2"', 'contype="0" conaffinity="0"'])
        return f"<geom {rng.choice(kinds)} {weight} {group}/>"

    def joint(self, kind: str) -> str:
        rng = self.rng
        name = f"j{len(self.joints)}"
        if kind in ("hinge", "slide"):
            self.joints.append(name)
            ref, spring = (self.angle() if kind == "hinge" else numbers(rng.normal(scale=0.2)) for _ in range(2))
            extra = (
                f'axis="{numbers(rng.normal(size=3))}" ref="{ref}" springref="{spring}" '
                f'stiffness="{rng.uniform(0, 5)!r}" damping="{rng.uniform(0, 2)!r}"'
            )
        else:
            self.joints.append("")
            extra = 'damping="0"'
        position = "" if kind == "free" else f'pos="{numbers(rng.normal(scale=0.1, size=3))}"'
        return f'<joint name="{name}" type="{kind}" {position} {extra}/>'

    def joints_of(self, top: bool) -> str:
        kinds = ["hinge", "slide", "ball", "hinge slide", "slide slide slide ball", "hinge hinge", ""]
        if top:
            kinds.append("free")
        return "".join(self.joint(kind) for kind in str(self.rng.choice(kinds)).split())

    def body(self, depth: int) -> str:
        rng = self.rng
        self.count += 1
        name = f"b{self.count}"
        parts = [self.joints_of(depth == 0)]
        if rng.random() < 0.3:
            a, b, c = rng.uniform(0.01, 0.3, size=3)
            full = numbers([b + c, a + c, a + b, 0.1 * a, 0.05 * b, -0.1 * c])
            shape = rng.choice(
                [
                    f'diaginertia="{numbers([b + c, a + c, a + b])}" {self.place()}',
                    f'fullinertia="{full}" pos="0.1 0 0"',
                ]
            )
            parts.append(f'<inertial mass="{rng.uniform(0.5, 3)!r}" {shape}/>')
        parts += [self.geom() for _ in range(rng.integers(1, 4))]
        parts.append(f'<site name="s{self.count}" {self.place()}/>')
        inner = [self.body(depth + 1) for _ in range(rng.integers(0, 3))] if depth < 4 else []
        if inner and rng.random() < 0.4:
            inner[0] = f"<frame {self.place()}>{inner[0]}{self.geom()}</frame>"
        return f'<body name="{name}" {self.place()}>{"".join(parts)}{"".join(inner)}</body>'

    def actuators(self) -> str:
        rng = self.rng
        made = []
        for name in self.joints:
            if not name or rng.random() < 0.5:
                continue
            gear = f'gear="{rng.uniform(0.5, 2)!r}"'
            made.append(
                str(
                    rng.choice(
                        [
                            f'<position joint="{name}" kp="{rng.uniform(1, 9)!r}" kv="{rng.uniform(0, 1)!r}" {gear}/>',
                            f'<velocity joint="{name}" kv="{rng.uniform(1, 3)!r}" {gear}/>',
                            f'<motor joint="{name}" {gear} ctrlrange="-1 1" forcerange="-0.4 0.4"/>',
                            f'<general joint="{name}" {gear} gainprm="2" biastype="affine" biasprm="0.3 -4 -0.5"/>',
                        ]
                    )
                )
            )
        return "".join(made)

    def text(self) -> str:
        rng = self.rng
        sequence = "".join(rng.choice(list("xyz"), 3)) if rng.integers(2) else "".join(rng.choice(list("XYZ"), 3))
        bodies = "".join(self.body(0) for _ in range(2))
        scale = numbers(rng.uniform(0.05, 0.3, size=3))
        settings = rng.choice(["", 'settotalmass="7"', 'inertiafromgeom="true"', 'boundmass="0.8" boundinertia="0.02"'])
        return (
            f'<mujoco><compiler angle="{"degree" if self.degrees else "radian"}" eulerseq="{sequence}" {settings}/>'
            f'<option gravity="{numbers(rng.normal(scale=5, size=3))}"><flag contact="disable"/></option>'
            '<default><geom density="900"/><default class="heavy"><geom density="5000" type="ellipsoid" '
            'size="0.1 0.2 0.3"/></default></default>'
            f'<asset><mesh name="cube" vertex="{CUBE}" face="{CUBE_FACES}" scale="{scale}" '
            f'refpos="{numbers(rng.normal(scale=0.5, size=3))}" refquat="{numbers(rng.normal(size=4))}"/></asset>'
            f"<worldbody>{bodies}</worldbody><actuator>{self.actuators()}</actuator></mujoco>"
        )
