"""What a step with rigid contact reads and writes: rules of the run, points, impulses, states on the way."""

from __future__ import annotations

from polycontact.kernels.dynamics.stop_limits import StopLimits
from polycontact.kernels.response.contact_system import ContactSystem
from polycontact.kernels.response.following_steps import StepLength
from polycontact.kernels.response.point_work import PointWork
from polycontact.kernels.response.response_views import ResponseMemory, SolverSettings
from polycontact.kernels.response.touched_groups import Groups
from polycontact.kernels.views import View, cast_to, count, doubles, inline, ints, longs, nested, number, reference


class RigidRules(View):
    """What never changes during a run with rigid contact."""

    n_pairs = count("pairs")
    n_speeds = count("speeds of all joints")
    rest_speed = number("impacts that are slower do not rebound", "m/s")
    slop = number("depth that is left alone", "m")
    unpressed_speed = number("speed that counts as none where bodies touch without being pressed together", "m/s")
    some_driven = count("1 where the motion of a joint is prescribed")
    in_threads = count("1 where contacts are evaluated in several threads")
    friction = doubles("n_pairs", doc="coefficients of friction")
    restitution = doubles("n_pairs", doc="coefficients of restitution")
    stiffness = doubles("n_pairs", doc="infinite where contacts are rigid", unit="N/m³, of points N/m")
    small = doubles("n_pairs", doc="reach up to which a patch counts as a point", unit="m")
    choose = longs("n_pairs", doc="address of the kernel that chooses the points of a contact; 0 until it is known")
    driven = longs("n_speeds", doc="1 for speeds of joints whose motion is prescribed")


class RigidPoints(View):
    """The points at which bodies touch, or gape a little; see `ContactPoints`."""

    room = count("points that fit")
    triple = count("3 room")
    n = count("points")
    pair = longs("room", doc="number of the contact")
    body_e = ints("room", doc="body of E")
    body_f = ints("room", doc="body of F")
    support = doubles("room", 8, doc="point, direction that pushes E, depth, area, frame of E")
    point = doubles("room", 3, doc="point in the world", unit="m")
    frame = doubles("room", 9, doc="normal, which pushes E away from F, and two tangents, in world axes")
    direction = doubles("triple", 12, doc="wrenches of unit impulses on the bodies of E and F at their origins")


class Gaps(View):
    """Nearest points of contacts that are held and gape, which Python finds."""

    n_pairs = count("pairs")
    known = count("1 where they are those of the pose at hand")
    found = longs("n_pairs", doc="1 where a pair has such a point")
    support = doubles("n_pairs", 8, doc="as `RigidPoints.support`, with a negative depth")


class Solves(View):
    """What the solver did: counters of a run, what of the step at hand was not solved, and the last answer."""

    room = count("contacts that fit")
    triple = count("3 room")
    problems = count("problems solved")
    sweeps = count("steps of Newton's methods in all")
    most_sweeps = count("and of one problem")
    most_points = count("points at once")
    unsolved = count("problems whose residual stayed above the tolerance")
    worst_residual = number("of all problems", "m/s")
    worst_share = number("of the unsolved ones, as a share of the speed that contacts had to change")
    left = number("largest residual that a problem of the step at hand left, 0 where all were solved", "m/s")
    left_share = number("that as a share of the speed that contacts had to change")
    left_pair = count("and the pair where it is")
    n_last = count("contacts of the last problem")
    last_pair = longs("room", doc="their pairs")
    last = doubles("room", 3, doc="its impulses in world axes", unit="N s")
    last_point = doubles("room", 3, doc="where they were", unit="m")


class StepWork(View):
    """One step of Moreau's rule: where it begins, its middle, what it makes, and work space."""

    n_states = count("length of the state y")
    n_speeds = count("speeds of all joints")
    n_bodies = count("bodies, the world included")
    n_pairs = count("pairs")
    room = count("points that fit")
    triple = count("3 room")
    t = number("time at the start of the step", "s")
    h = number("its length", "s")
    asked = number("its length, were it not shortened to follow the motion", "s")
    halvings = count("how often it was halved")
    rebounds = count("1 where contacts may rebound; else the step is so short that none meet in its middle")
    touched = count("1 where contacts in the middle have been evaluated already")
    start = doubles("n_states", doc="state at the start")
    halfway = doubles("n_states", doc="state in the middle, with the speeds of the start")
    reached = doubles("n_states", doc="state at the end")
    drift = doubles("n_states", doc="change of the speeds without contacts, zero for what is no speed")
    rates = doubles("n_states", doc="dy/dt without contacts")
    speeds = doubles("n_speeds", doc="of all joints at the start")
    after = doubles("n_speeds", doc="and at the end")
    mean_speeds = doubles("n_speeds", doc="mean of those at both ends, prescribed ones too")
    change = doubles("n_speeds", doc="change of joint speeds by impulses")
    drive = doubles("n_speeds", doc="speeds that prescribed motions keep, and those that obey loops with them")
    lift = doubles("n_speeds", doc="joint speeds that take back depth during the step")
    velocity = doubles("n_bodies", 6, doc="velocities of the bodies for some joint speeds")
    other_velocity = doubles("n_bodies", 6, doc="and for others")
    acceleration = doubles("n_bodies", 6, doc="of the bodies without contacts", unit="rad/s², m/s²")
    z = doubles("n_speeds", doc="coordinates of impulses")
    other_z = doubles("n_speeds", doc="coordinates of others")
    before = doubles("triple", doc="relative velocities before the step", unit="m/s")
    free = doubles("triple", doc="those after it without impulses", unit="m/s")
    behind = doubles("triple", doc="those after it", unit="m/s")
    mean = doubles("triple", doc="mean velocities", unit="m/s")
    held = doubles("triple", doc="right-hand side that stops points", unit="m/s")
    thrown = doubles("triple", doc="right-hand side that throws back those that rebound", unit="m/s")
    impulse = doubles("triple", doc="impulses", unit="N s")
    other_impulse = doubles("triple", doc="other impulses", unit="N s")
    friction = doubles("room", doc="coefficients of friction of the points")
    parting_friction = doubles("room", doc="those while depth is taken back")
    wrench = doubles("n_pairs", 6, doc="of each contact during the step: force and torque on E at F", unit="N, N m")
    first_state = count("where states of force elements begin in y")
    work = inline(5, unit="J", doc="of contacts, lost in their damping and friction and in joints, put in by drives")
    lifts = count("1 where some of the depth is taken back")
    pushed = count("1 where a contact pushed")
    overlapped = count("1 where bodies overlap when the first step begins: these are parted, whatever that costs")
    taken = number("energy that contacts have taken since the start: what parting bodies may cost", "J")
    lost = number("energy that the rule of the step took, and not the system", "J")
    made = number("energy that steps have made by themselves in the motion of bodies since the start", "J")
    most_made = number("that, when it was greatest; below zero where they took it", "J")


class StepSeries(View):
    """Steps that are made one after the other, until Python is needed."""

    t = number("time reached", "s")
    t_old = number("time at the start of the last step", "s")
    until = number("time that no step goes past", "s")
    stop_at = number("time from which on no step begins", "s")
    step = number("longest step asked for", "s")
    most = count("steps at most")
    made = count("steps made")
    limited = count("steps that were limited by the motion of bodies towards each other")
    solved = count("steps with solved problems since the last one that was not")
    is_limited = count("1 where steps are limited so")
    limit = number("longest step from the state reached, by that", "s")
    limit_before = number("and from the one before", "s")
    lost = number("energy that the rule of the steps has taken", "J")
    lost_old = number("that at the start of the last step", "J")
    ended = count("a `StepsEnd`")
    seen = count("status bits of contacts in any of the steps")
    stops = reference(StopLimits)
    is_made = count("1 where the step at hand is made, and it is looked whether contacts stay held")
    stays = count("1 where they do")


class RigidStep(View):
    """Steps with rigid contact of one system."""

    rules = nested(RigidRules)
    length = nested(StepLength)
    choosing = nested(PointWork)
    gaps = nested(Gaps)
    points = nested(RigidPoints)
    work = nested(StepWork)
    solves = nested(Solves)
    series = nested(StepSeries)
    groups = reference(Groups)
    contacts = reference(ContactSystem)
    settings = reference(SolverSettings)
    memory = reference(ResponseMemory)


step_at = cast_to(RigidStep)
"""``step_at(row)``: the `RigidStep` whose slots a row holds."""
