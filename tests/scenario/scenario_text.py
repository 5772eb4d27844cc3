"""A scenario that uses every kind of table, as a text that tests change line by line."""

FULL = """\
gravity = [0, 0, -9.81]

[scenario]
name = "everything"
description = "one of each"

[simulation]
end_time = 1
integrator = "cvode-bdf"
rtol = 1e-4
atol = 1e-4
velocity_atol = 1e-3
max_step = 0.1
first_step = 1e-4
output_step = 0.01
contact_events = false
step_limit = true
workers = 2

[[simulation.stop_when]]
kind = "tilted_beyond"
body = "ball"
angle = 1.0
axis = [0, 0, 1]
meaning = "fell over"

[[simulation.stop_when]]
kind = "below_height"
body = "ball"
height = -100.0
point = [0, 0, 0.1]

[[simulation.stop_when]]
kind = "farther_than"
body = "ball"
distance = 100.0
origin = [0, 0, 0]

[materials.rubber]
youngs_modulus = 1e6
poissons_ratio = 0.3
thickness = 0.01
density = 1000

[materials.steel]
rigid = true
density = 7800

[[bodies]]
name = "ground"
shape = { kind = "plane", size = 2, divisions = 2 }
material = "steel"
fixed = true
orientation = { quaternion = [1, 0, 0, 0] }

[[bodies]]
name = "ball"
shape = { kind = "sphere", radius = 0.25, subdivisions = 1 }
material = "rubber"
position = [0, 0, 0.5]
orientation = { axis = [0, 0, 1], angle_degrees = 30 }
velocity = [0, 0, -1]
angular_velocity = [1, 0, 0]
colour = "#ff0000"

[[bodies]]
name = "hammer"
contact = true
[[bodies.shapes]]
kind = "cylinder"
radius = 0.02
length = 0.3
segments = 8
material = "rubber"
[[bodies.shapes]]
kind = "box"
size = [0.1, 0.05, 0.05]
position = [0, 0, 0.15]
orientation = { angles_degrees = [0, 90, 0] }
density = 7800
contact = false

[[bodies]]
name = "crank"
mass = 1
centre = [0.05, 0, 0]
inertia = [0.01, 0.01, 0.01]

[[bodies]]
name = "rod"
mass = 2
inertia_matrix = [[0.01, 0, 0], [0, 0.01, 0.001], [0, 0.001, 0.01]]

[[bodies]]
name = "head"
shape = { kind = "torus", major_radius = 0.1, minor_radius = 0.02, segments = 6, tube_segments = 4 }
mass = 3

[[joints]]
name = "bearing"
kind = "revolute"
parent = "ground"
child = "crank"
at = [0, 0, 1]
axis = [0, 1, 0]
motion = { kind = "constant_velocity", speed = 6.28, start = 0.1 }

[[joints]]
name = "pin"
kind = "universal"
parent = "crank"
child = "rod"
axis = [0, 1, 0]
second_axis = [1, 0, 0]
coordinates = [0.1, 0]
speeds = [0, 0]

[[joints]]
name = "neck"
kind = "spherical"
parent = "rod"
child = "head"
coordinates = [1, 0, 0, 0]
child_at = [0, 0, -0.1]
child_orientation = { matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] }

[[loops]]
name = "rope"
kind = "distance"
body_a = "rod"
body_b = "world"
at_a = [0, 0, 0.1]
length = 1.5

[[couplers]]
kind = "gear"
name = "gears"
joint_a = "pin"
joint_b = "bearing"
ratio = -7

[[forces]]
kind = "spring_damper"
name = "spring"
body_a = "world"
body_b = "ball"
stiffness = 10
length = 0.1

[[forces]]
kind = "joint_spring"
name = "torsion"
joint = "pin"
coordinate = 1
stiffness = 5

[[forces]]
kind = "end_stop"
name = "stop"
joint = "pin"
lower = -1
upper = 1
stiffness = 100

[[forces]]
kind = "swing_twist_stop"
name = "neck stop"
joint = "neck"
swing = 1
twist = 0.5
stiffness = 50

[[forces]]
kind = "motor"
name = "drive"
joint = "pin"
target = { kind = "table", times = [0, 1, 2], values = [0, 1, 0] }
stiffness = 10
damping = 1
limit = 5

[[forces]]
kind = "applied_force"
name = "push"
body = "ball"
force = [1, "2 * sin(3 * t)", { kind = "table", times = [0, 0.5], values = [0, 4] }]
point = [0, 0, 0.01]
axes = "body"

[[forces]]
kind = "joint_effort"
name = "torque"
joint = "pin"
effort = { kind = "expression", formula = "-b * v", parameters = { b = 0.1 } }

[[forces]]
kind = "joint_friction"
name = "rust"
joint = "neck"
dry = 0.2

[[forces]]
kind = "bushing"
name = "mount"
body_a = "head"
body_b = "ground"
stiffness = [9, 9, 9, 9, 9, 9]
preload = [1, 0, 0, 0, 0, 0]

[contact]
method = "polygonal"
damping = 100
transition_depth = 1e-3
friction = { coefficient = 0.3, velocity = 1e-3 }
base = "E"
elements = "clipped"
depth = "base_normal"
automatic = true
exclude = [["head", "ground"]]

[[contact.pairs]]
bodies = ["ball", "hammer"]
name = "hit"
base = "both"
stiffness = 1e6

[[contact.pairs]]
bodies = ["hammer", "ground"]
method = { kind = "penetration_lines", max_penetration = 0.01 }
law = { stiffness = 2e6, damping = 10 }
friction = { coefficient = 0.1 }
"""
