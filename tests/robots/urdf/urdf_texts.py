"""Robots as URDF texts: by hand and random ones, for tests of what is made of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

MASSIVE = """\
    <inertial>
      <origin xyz="{xyz}" rpy="{rpy}"/>
      <mass value="{mass}"/>
      <inertia ixx="{ixx}" ixy="{ixy}" ixz="{ixz}" iyy="{iyy}" iyz="{iyz}" izz="{izz}"/>
    </inertial>"""

ARM = """\
<?xml version="1.0"?>
<!-- a serial arm with every type of joint -->
<robot name="arm">
  <material name="orange"><color rgba="1 0.5 0 1"/></material>
  <link name="base">
    <collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision>
  </link>
  <link name="column">
    <inertial>
      <origin xyz="0 0 0.2" rpy="0.1 -0.2 0.3"/>
      <mass value="4"/>
      <inertia ixx="0.06" ixy="0.001" ixz="-0.002" iyy="0.05" iyz="0.003" izz="0.02"/>
    </inertial>
    <visual>
      <origin xyz="0 0 0.2"/>
      <geometry><cylinder radius="0.05" length="0.4"/></geometry>
      <material name="orange"/>
    </visual>
    <collision>
      <origin xyz="0 0 0.2" rpy="0 0 0.5"/>
      <geometry><cylinder radius="0.06" length="0.4"/></geometry>
    </collision>
  </link>
  <link name="upper">
    <inertial>
      <origin xyz="0.15 0.01 0"/>
      <mass value="2.5"/>
      <inertia ixx="0.004" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.021"/>
    </inertial>
    <visual><geometry><sphere radius="0.07"/></geometry><material name=""><color rgba="0 0 1 1"/></material></visual>
  </link>
  <link name="slider">
    <inertial>
      <mass value="1.2"/>
      <inertia ixx="0.002" ixy="0.0001" ixz="0" iyy="0.003" iyz="0" izz="0.0025"/>
    </inertial>
  </link>
  <link name="flange"/>
  <link name="tool">
    <inertial>
      <origin xyz="0 0.02 0.05" rpy="0 1.1 0"/>
      <mass value="0.7"/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.0012" iyz="0" izz="0.0008"/>
    </inertial>
  </link>
  <link name="table">
    <inertial>
      <origin xyz="0.1 0 0"/>
      <mass value="3"/>
      <inertia ixx="0.03" ixy="0" ixz="0.001" iyy="0.04" iyz="0" izz="0.06"/>
    </inertial>
  </link>
  <link name="balloon">
    <inertial>
      <origin xyz="0 0 0.3" rpy="1 2 3"/>
      <mass value="0.4"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.011" iyz="0" izz="0.012"/>
    </inertial>
  </link>
  <joint name="turn" type="continuous">
    <parent link="base"/>
    <child link="column"/>
    <origin xyz="0 0 0.05" rpy="0 0 0.4"/>
    <axis xyz="0 0 1"/>
    <dynamics damping="0.3"/>
  </joint>
  <joint name="shoulder" type="revolute">
    <parent link="column"/>
    <child link="upper"/>
    <origin xyz="0.02 0 0.4" rpy="0.2 0.1 -0.3"/>
    <axis xyz="0 3 4"/>
    <limit lower="-1.5" upper="2" effort="80" velocity="3"/>
  </joint>
  <joint name="reach" type="prismatic">
    <parent link="upper"/>
    <child link="slider"/>
    <origin xyz="0.3 0 0" rpy="0 -0.7 0"/>
    <limit lower="0" upper="0.3" effort="200" velocity="1"/>
    <dynamics damping="12"/>
  </joint>
  <joint name="mount" type="fixed">
    <parent link="slider"/>
    <child link="flange"/>
    <origin xyz="0.05 0 0.01" rpy="0 1.5 0"/>
  </joint>
  <joint name="wrist" type="revolute">
    <parent link="flange"/>
    <child link="tool"/>
    <origin rpy="0.5 0 0"/>
    <axis xyz="-1 0 0"/>
    <limit lower="-3" upper="3" effort="5" velocity="6"/>
  </joint>
  <joint name="plane" type="planar">
    <parent link="tool"/>
    <child link="table"/>
    <origin xyz="0 0 0.1" rpy="0.3 0 0.2"/>
    <axis xyz="0 0 1"/>
  </joint>
  <joint name="tether" type="floating">
    <parent link="table"/>
    <child link="balloon"/>
    <origin xyz="0 0.2 0.3" rpy="0 0.4 0"/>
  </joint>
</robot>
"""

HEAVY_BASE = """\
    <inertial>
      <mass value="6"/>
      <inertia ixx="0.04" ixy="0.001" ixz="0" iyy="0.05" iyz="0" izz="0.06"/>
    </inertial>
"""
FLOATING_ARM = ARM.replace('<link name="base">\n', f'<link name="base">\n{HEAVY_BASE}')
"""The same on a base with mass: a free one without would turn without inertia about its only joint."""


def numbers(values: object) -> str:
    return " ".join(repr(float(each)) for each in np.atleast_1d(np.asarray(values)))


def random_inertial(rng: np.random.Generator) -> str:
    """Mass properties of some body, in a frame of inertia that is turned."""
    a, b, c = rng.uniform(0.01, 0.1, 3)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    inertia = turn @ np.diag([b + c, a + c, a + b]) @ turn.T
    xx, xy, xz, yy, yz, zz = (float(inertia[i, j]) for i in range(3) for j in range(i, 3))
    return MASSIVE.format(
        xyz=numbers(0.2 * rng.normal(size=3)),
        rpy=numbers(rng.normal(size=3)),
        mass=rng.uniform(0.5, 3.0),
        ixx=xx,
        ixy=xy,
        ixz=xz,
        iyy=yy,
        iyz=yz,
        izz=zz,
    )


def random_robot(
    rng: np.random.Generator, kinds: tuple[str, ...] = ("revolute", "continuous", "prismatic", "fixed")
) -> str:
    """A tree of 5 to 15 links with joints of these types; each parent is any link before, in any order in the file."""
    n = int(rng.integers(5, 16))
    parts = [f'  <link name="link {i}">\n{random_inertial(rng)}\n  </link>' for i in range(n)]
    for i in range(1, n):
        axis = "0 0 1" if (kind := str(rng.choice(kinds))) == "planar" else numbers(rng.normal(size=3))
        parts.append(
            f'  <joint name="joint {i}" type="{kind}">\n'
            f'    <parent link="link {rng.integers(i)}"/>\n'
            f'    <child link="link {i}"/>\n'
            f'    <origin xyz="{numbers(0.5 * rng.normal(size=3))}" rpy="{numbers(2.0 * rng.normal(size=3))}"/>\n'
            f'    <axis xyz="{axis}"/>\n'
            f'    <limit lower="-10" upper="10" effort="100" velocity="10"/>\n'
            f'    <dynamics damping="{rng.uniform(0.0, 0.5) if kind not in ("floating", "planar") else 0.0}"/>\n'
            f"  </joint>"
        )
    return '<robot name="random">\n' + "\n".join(parts[i] for i in rng.permutation(len(parts))) + "\n</robot>\n"


def written(folder: Path, text: str, name: str = "robot.urdf") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
