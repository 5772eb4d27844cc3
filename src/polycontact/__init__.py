"""Compliant contact between complexly shaped surfaces, for multibody dynamics.

The names below are the public interface. They are loaded when first used, so that importing polycontact is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from polycontact.version import __version__

if TYPE_CHECKING:
    from polycontact.comparison.compare import Comparison as Comparison
    from polycontact.comparison.compare import compare as compare
    from polycontact.comparison.responses.response_comparison import ResponseComparison as ResponseComparison
    from polycontact.comparison.responses.response_comparison import compare_responses as compare_responses
    from polycontact.contact.batch import PairingBatch as PairingBatch
    from polycontact.contact.convex_kinds import ConvexMethod as ConvexMethod
    from polycontact.contact.description import ContactDescription as ContactDescription
    from polycontact.contact.distance import Distance as Distance
    from polycontact.contact.distance import DistanceStatus as DistanceStatus
    from polycontact.contact.kinds import described as described
    from polycontact.contact.kinematics import RelativeKinematics as RelativeKinematics
    from polycontact.contact.laws import ContactProperties as ContactProperties
    from polycontact.contact.laws import HertzPoint as HertzPoint
    from polycontact.contact.laws import HuntCrossley as HuntCrossley
    from polycontact.contact.laws import LayerLaw as LayerLaw
    from polycontact.contact.laws import RegularisedCoulomb as RegularisedCoulomb
    from polycontact.contact.laws import RestitutionLaw as RestitutionLaw
    from polycontact.contact.laws import SpinFriction as SpinFriction
    from polycontact.contact.laws import SpringDamperLaw as SpringDamperLaw
    from polycontact.contact.laws import StickFriction as StickFriction
    from polycontact.contact.layers import ElasticLayer as ElasticLayer
    from polycontact.contact.layers import combined_stiffness as combined_stiffness
    from polycontact.contact.materials import Material as Material
    from polycontact.contact.materials import materials as materials
    from polycontact.contact.materials import rubber as rubber
    from polycontact.contact.methods import Base as Base
    from polycontact.contact.methods import PenetrationLines as PenetrationLines
    from polycontact.contact.methods import PolygonalMethod as PolygonalMethod
    from polycontact.contact.node_block_options import NodeBlockMethod as NodeBlockMethod
    from polycontact.contact.options import option as option
    from polycontact.contact.pairing import ContactPairing as ContactPairing
    from polycontact.contact.result import ContactElements as ContactElements
    from polycontact.contact.result import ContactPatch as ContactPatch
    from polycontact.contact.result import ContactResult as ContactResult
    from polycontact.contact.result import ContactStatus as ContactStatus
    from polycontact.contact.result import IntersectionPolygon as IntersectionPolygon
    from polycontact.contact.smooth_methods import ImplicitMethod as ImplicitMethod
    from polycontact.contact.smooth_methods import ParametricMethod as ParametricMethod
    from polycontact.contact.stiffness_choice import stiffness_for_depth as stiffness_for_depth
    from polycontact.contact.stiffness_choice import stiffness_like_hertz as stiffness_like_hertz
    from polycontact.contact.user_law import UserLaw as UserLaw
    from polycontact.contact.user_law import contact_law as contact_law
    from polycontact.errors import ContactError as ContactError
    from polycontact.errors import ContactWarning as ContactWarning
    from polycontact.errors import IdentificationError as IdentificationError
    from polycontact.errors import IdentificationWarning as IdentificationWarning
    from polycontact.errors import IntegrationError as IntegrationError
    from polycontact.errors import MultibodyError as MultibodyError
    from polycontact.errors import PolycontactError as PolycontactError
    from polycontact.errors import RobotError as RobotError
    from polycontact.errors import RobotWarning as RobotWarning
    from polycontact.errors import ScenarioError as ScenarioError
    from polycontact.errors import SimulationError as SimulationError
    from polycontact.errors import SimulationWarning as SimulationWarning
    from polycontact.errors import StudyError as StudyError
    from polycontact.errors import SurfaceError as SurfaceError
    from polycontact.errors import SurfaceWarning as SurfaceWarning
    from polycontact.errors import UnitError as UnitError
    from polycontact.identification.fit_parameter import FitParameter as FitParameter
    from polycontact.identification.identification_result import Estimate as Estimate
    from polycontact.identification.identification_result import FittedCurve as FittedCurve
    from polycontact.identification.identification_result import Identification as Identification
    from polycontact.identification.identify import identify as identify
    from polycontact.identification.measured_curve import MeasuredCurve as MeasuredCurve
    from polycontact.identification.search_log import IdentifyProgress as IdentifyProgress
    from polycontact.multibody.assembly_bodies import Assembly as Assembly
    from polycontact.multibody.assembly_bodies import AssemblyPart as AssemblyPart
    from polycontact.multibody.assembly_bodies import add_assembly as add_assembly
    from polycontact.multibody.assembly_bodies import load_assembly as load_assembly
    from polycontact.multibody.broad_phases import ALL_PAIRS as ALL_PAIRS
    from polycontact.multibody.broad_phases import SWEEP_AND_PRUNE as SWEEP_AND_PRUNE
    from polycontact.multibody.broad_phases import UNIFORM_GRID as UNIFORM_GRID
    from polycontact.multibody.broad_phases import BroadPhase as BroadPhase
    from polycontact.multibody.broad_phases import broad_phase as broad_phase
    from polycontact.multibody.built_in_forces import AppliedForce as AppliedForce
    from polycontact.multibody.built_in_forces import EndStop as EndStop
    from polycontact.multibody.built_in_forces import JointEffort as JointEffort
    from polycontact.multibody.built_in_forces import JointSpring as JointSpring
    from polycontact.multibody.built_in_forces import Motor as Motor
    from polycontact.multibody.built_in_forces import SpringDamper as SpringDamper
    from polycontact.multibody.built_in_forces import SwingTwistStop as SwingTwistStop
    from polycontact.multibody.bushing import Bushing as Bushing
    from polycontact.multibody.friction_in_joints import JointFriction as JointFriction
    from polycontact.multibody.joint_couplers import Coupler as Coupler
    from polycontact.multibody.joint_couplers import Gear as Gear
    from polycontact.multibody.joint_couplers import RackAndPinion as RackAndPinion
    from polycontact.multibody.joint_couplers import Screw as Screw
    from polycontact.multibody.joint_types import Joint as Joint
    from polycontact.multibody.joint_types import JointKind as JointKind
    from polycontact.multibody.motion_functions import ConstantVelocity as ConstantVelocity
    from polycontact.multibody.motion_functions import ExpressionMotion as ExpressionMotion
    from polycontact.multibody.motion_functions import Harmonic as Harmonic
    from polycontact.multibody.motion_functions import SplineMotion as SplineMotion
    from polycontact.multibody.motion_functions import TableMotion as TableMotion
    from polycontact.multibody.multibody_system import MultibodySystem as MultibodySystem
    from polycontact.multibody.rigid_bodies import Body as Body
    from polycontact.multibody.rigid_bodies import Marker as Marker
    from polycontact.multibody.rigid_bodies import Shape as Shape
    from polycontact.multibody.user_force import ForceElement as ForceElement
    from polycontact.multibody.user_force import ForceView as ForceView
    from polycontact.multibody.user_force import PythonForce as PythonForce
    from polycontact.report.patches.run_contact import contact_at as contact_at
    from polycontact.report.view.live.simulating import simulate_live as simulate_live
    from polycontact.report.view.showing import Page as Page
    from polycontact.report.view.showing import save_page as save_page
    from polycontact.report.view.showing import show as show
    from polycontact.robots.following import JointFollowing as JointFollowing
    from polycontact.robots.gait import Foot as Foot
    from polycontact.robots.gait import GaitPlan as GaitPlan
    from polycontact.robots.gait import TripodGait as TripodGait
    from polycontact.robots.gait import plan_tripod_gait as plan_tripod_gait
    from polycontact.robots.hexapod import hexapod as hexapod
    from polycontact.robots.inverse_kinematics import inverse_kinematics as inverse_kinematics
    from polycontact.robots.manipulator import manipulator as manipulator
    from polycontact.robots.mjcf.mjcf_building import add_mjcf as add_mjcf
    from polycontact.robots.mjcf.mjcf_building import load_mjcf as load_mjcf
    from polycontact.robots.mjcf.mjcf_model import MjcfActuator as MjcfActuator
    from polycontact.robots.mjcf.mjcf_model import MjcfBody as MjcfBody
    from polycontact.robots.mjcf.mjcf_model import MjcfGeom as MjcfGeom
    from polycontact.robots.mjcf.mjcf_model import MjcfJoint as MjcfJoint
    from polycontact.robots.mjcf.mjcf_model import MjcfKey as MjcfKey
    from polycontact.robots.mjcf.mjcf_model import MjcfLoop as MjcfLoop
    from polycontact.robots.mjcf.mjcf_model import MjcfMesh as MjcfMesh
    from polycontact.robots.mjcf.mjcf_model import MjcfModel as MjcfModel
    from polycontact.robots.mjcf.mjcf_model import MjcfSite as MjcfSite
    from polycontact.robots.mjcf.mjcf_reading import read_mjcf as read_mjcf
    from polycontact.robots.urdf.urdf_building import add_urdf as add_urdf
    from polycontact.robots.urdf.urdf_building import load_urdf as load_urdf
    from polycontact.robots.urdf.urdf_reading import read_urdf as read_urdf
    from polycontact.robots.urdf.urdf_robot import JointLimits as JointLimits
    from polycontact.robots.urdf.urdf_robot import UrdfJoint as UrdfJoint
    from polycontact.robots.urdf.urdf_robot import UrdfLink as UrdfLink
    from polycontact.robots.urdf.urdf_robot import UrdfRobot as UrdfRobot
    from polycontact.scenario.builtin import list_scenarios as list_scenarios
    from polycontact.scenario.loading import load_scenario as load_scenario
    from polycontact.simulation.integrators.integrator_statistics import IntegratorStatistics as IntegratorStatistics
    from polycontact.simulation.ledger import EnergyLedger as EnergyLedger
    from polycontact.simulation.recording.run_peaks import RunPeaks as RunPeaks
    from polycontact.simulation.recording.trajectory import Trajectory as Trajectory
    from polycontact.simulation.responses.contact_solver import ResponseStatistics as ResponseStatistics
    from polycontact.simulation.responses.response import CompliantResponse as CompliantResponse
    from polycontact.simulation.responses.response import ImpulseResponse as ImpulseResponse
    from polycontact.simulation.responses.response import MultiplierResponse as MultiplierResponse
    from polycontact.simulation.run_result import Progress as Progress
    from polycontact.simulation.run_result import Run as Run
    from polycontact.simulation.run_statistics import RunStatistics as RunStatistics
    from polycontact.simulation.simulate import simulate as simulate
    from polycontact.simulation.stepper import Stepper as Stepper
    from polycontact.simulation.stepper import StepperProblem as StepperProblem
    from polycontact.simulation.stop_conditions import BelowHeight as BelowHeight
    from polycontact.simulation.stop_conditions import FartherThan as FartherThan
    from polycontact.simulation.stop_conditions import StopCondition as StopCondition
    from polycontact.simulation.stop_conditions import StopFound as StopFound
    from polycontact.simulation.stop_conditions import TiltedBeyond as TiltedBeyond
    from polycontact.studies.designs import StudyDesign as StudyDesign
    from polycontact.studies.page.study_page import save_study_page as save_study_page
    from polycontact.studies.parameters import StudyParameter as StudyParameter
    from polycontact.studies.sensitivity_design import SensitivityDesign as SensitivityDesign
    from polycontact.studies.sensitivity_design import TornadoDesign as TornadoDesign
    from polycontact.studies.sensitivity_design import sensitivity_design as sensitivity_design
    from polycontact.studies.sensitivity_design import tornado_design as tornado_design
    from polycontact.studies.sobol_indices import SobolIndices as SobolIndices
    from polycontact.studies.sobol_indices import sobol_indices as sobol_indices
    from polycontact.studies.study import study as study
    from polycontact.studies.study_progress import StudyProgress as StudyProgress
    from polycontact.studies.study_table import StudyTable as StudyTable
    from polycontact.studies.tornado import Tornado as Tornado
    from polycontact.studies.tornado import tornado as tornado
    from polycontact.surfaces import convex as convex
    from polycontact.surfaces import implicit as implicit
    from polycontact.surfaces import parametric as parametric
    from polycontact.surfaces import shapes as shapes
    from polycontact.surfaces.alternatives import alternatives_of as alternatives_of
    from polycontact.surfaces.alternatives import geometry_of as geometry_of
    from polycontact.surfaces.check import SurfaceReport as SurfaceReport
    from polycontact.surfaces.check import check_surface as check_surface
    from polycontact.surfaces.geometry import Geometry as Geometry
    from polycontact.surfaces.implicit.user_implicit_surface import implicit_surface as implicit_surface
    from polycontact.surfaces.mass import MassProperties as MassProperties
    from polycontact.surfaces.mesh_loading import load_surface as load_surface
    from polycontact.surfaces.parametric.user_parametric_surface import parametric_surface as parametric_surface
    from polycontact.surfaces.queries import ClosestPoints as ClosestPoints
    from polycontact.surfaces.queries import RayHits as RayHits
    from polycontact.surfaces.repair import repair_surface as repair_surface
    from polycontact.surfaces.repair import repair_with_log as repair_with_log
    from polycontact.surfaces.save import save_surface as save_surface
    from polycontact.surfaces.surface import Surface as Surface
    from polycontact.units import quantity as quantity


_HOME = {
    "ALL_PAIRS": "multibody.broad_phases",
    "AppliedForce": "multibody.built_in_forces",
    "Assembly": "multibody.assembly_bodies",
    "AssemblyPart": "multibody.assembly_bodies",
    "Base": "contact.methods",
    "BelowHeight": "simulation.stop_conditions",
    "Body": "multibody.rigid_bodies",
    "BroadPhase": "multibody.broad_phases",
    "Bushing": "multibody.bushing",
    "ClosestPoints": "surfaces.queries",
    "Comparison": "comparison.compare",
    "CompliantResponse": "simulation.responses.response",
    "ConstantVelocity": "multibody.motion_functions",
    "ContactDescription": "contact.description",
    "ContactElements": "contact.result",
    "ContactError": "errors",
    "ContactPairing": "contact.pairing",
    "ContactPatch": "contact.result",
    "ContactProperties": "contact.laws",
    "ContactResult": "contact.result",
    "ContactStatus": "contact.result",
    "ContactWarning": "errors",
    "ConvexMethod": "contact.convex_kinds",
    "Coupler": "multibody.joint_couplers",
    "Distance": "contact.distance",
    "DistanceStatus": "contact.distance",
    "ElasticLayer": "contact.layers",
    "EndStop": "multibody.built_in_forces",
    "EnergyLedger": "simulation.ledger",
    "Estimate": "identification.identification_result",
    "ExpressionMotion": "multibody.motion_functions",
    "FartherThan": "simulation.stop_conditions",
    "FitParameter": "identification.fit_parameter",
    "FittedCurve": "identification.identification_result",
    "Foot": "robots.gait",
    "ForceElement": "multibody.user_force",
    "ForceView": "multibody.user_force",
    "GaitPlan": "robots.gait",
    "Gear": "multibody.joint_couplers",
    "Geometry": "surfaces.geometry",
    "Harmonic": "multibody.motion_functions",
    "HertzPoint": "contact.laws",
    "HuntCrossley": "contact.laws",
    "Identification": "identification.identification_result",
    "IdentificationError": "errors",
    "IdentificationWarning": "errors",
    "IdentifyProgress": "identification.search_log",
    "ImplicitMethod": "contact.smooth_methods",
    "ImpulseResponse": "simulation.responses.response",
    "IntegrationError": "errors",
    "IntegratorStatistics": "simulation.integrators.integrator_statistics",
    "IntersectionPolygon": "contact.result",
    "Joint": "multibody.joint_types",
    "JointEffort": "multibody.built_in_forces",
    "JointFollowing": "robots.following",
    "JointFriction": "multibody.friction_in_joints",
    "JointKind": "multibody.joint_types",
    "JointLimits": "robots.urdf.urdf_robot",
    "JointSpring": "multibody.built_in_forces",
    "LayerLaw": "contact.laws",
    "Marker": "multibody.rigid_bodies",
    "Material": "contact.materials",
    "MassProperties": "surfaces.mass",
    "MjcfActuator": "robots.mjcf.mjcf_model",
    "MjcfBody": "robots.mjcf.mjcf_model",
    "MjcfGeom": "robots.mjcf.mjcf_model",
    "MjcfJoint": "robots.mjcf.mjcf_model",
    "MjcfKey": "robots.mjcf.mjcf_model",
    "MjcfLoop": "robots.mjcf.mjcf_model",
    "MjcfMesh": "robots.mjcf.mjcf_model",
    "MjcfModel": "robots.mjcf.mjcf_model",
    "MjcfSite": "robots.mjcf.mjcf_model",
    "MeasuredCurve": "identification.measured_curve",
    "Motor": "multibody.built_in_forces",
    "MultibodyError": "errors",
    "MultibodySystem": "multibody.multibody_system",
    "MultiplierResponse": "simulation.responses.response",
    "NodeBlockMethod": "contact.node_block_options",
    "Page": "report.view.showing",
    "PairingBatch": "contact.batch",
    "ParametricMethod": "contact.smooth_methods",
    "PenetrationLines": "contact.methods",
    "PolycontactError": "errors",
    "PolygonalMethod": "contact.methods",
    "Progress": "simulation.run_result",
    "PythonForce": "multibody.user_force",
    "RackAndPinion": "multibody.joint_couplers",
    "RayHits": "surfaces.queries",
    "RegularisedCoulomb": "contact.laws",
    "RelativeKinematics": "contact.kinematics",
    "ResponseComparison": "comparison.responses.response_comparison",
    "ResponseStatistics": "simulation.responses.contact_solver",
    "RestitutionLaw": "contact.laws",
    "RobotError": "errors",
    "RobotWarning": "errors",
    "Run": "simulation.run_result",
    "RunPeaks": "simulation.recording.run_peaks",
    "RunStatistics": "simulation.run_statistics",
    "SWEEP_AND_PRUNE": "multibody.broad_phases",
    "ScenarioError": "errors",
    "Screw": "multibody.joint_couplers",
    "SensitivityDesign": "studies.sensitivity_design",
    "Shape": "multibody.rigid_bodies",
    "SimulationError": "errors",
    "SimulationWarning": "errors",
    "SobolIndices": "studies.sobol_indices",
    "SpinFriction": "contact.laws",
    "SplineMotion": "multibody.motion_functions",
    "SpringDamper": "multibody.built_in_forces",
    "SpringDamperLaw": "contact.laws",
    "Stepper": "simulation.stepper",
    "StepperProblem": "simulation.stepper",
    "StickFriction": "contact.laws",
    "StopCondition": "simulation.stop_conditions",
    "StopFound": "simulation.stop_conditions",
    "Surface": "surfaces.surface",
    "SurfaceError": "errors",
    "SurfaceReport": "surfaces.check",
    "SurfaceWarning": "errors",
    "SwingTwistStop": "multibody.built_in_forces",
    "TableMotion": "multibody.motion_functions",
    "TiltedBeyond": "simulation.stop_conditions",
    "Tornado": "studies.tornado",
    "TornadoDesign": "studies.sensitivity_design",
    "Trajectory": "simulation.recording.trajectory",
    "TripodGait": "robots.gait",
    "UNIFORM_GRID": "multibody.broad_phases",
    "UnitError": "errors",
    "UrdfJoint": "robots.urdf.urdf_robot",
    "UrdfLink": "robots.urdf.urdf_robot",
    "UrdfRobot": "robots.urdf.urdf_robot",
    "UserLaw": "contact.user_law",
    "add_assembly": "multibody.assembly_bodies",
    "add_mjcf": "robots.mjcf.mjcf_building",
    "add_urdf": "robots.urdf.urdf_building",
    "alternatives_of": "surfaces.alternatives",
    "broad_phase": "multibody.broad_phases",
    "check_surface": "surfaces.check",
    "combined_stiffness": "contact.layers",
    "compare": "comparison.compare",
    "compare_responses": "comparison.responses.response_comparison",
    "contact_at": "report.patches.run_contact",
    "contact_law": "contact.user_law",
    "convex": "surfaces.convex",
    "described": "contact.kinds",
    "geometry_of": "surfaces.alternatives",
    "hexapod": "robots.hexapod",
    "identify": "identification.identify",
    "implicit": "surfaces.implicit",
    "implicit_surface": "surfaces.implicit.user_implicit_surface",
    "inverse_kinematics": "robots.inverse_kinematics",
    "list_scenarios": "scenario.builtin",
    "load_assembly": "multibody.assembly_bodies",
    "load_mjcf": "robots.mjcf.mjcf_building",
    "load_scenario": "scenario.loading",
    "load_surface": "surfaces.mesh_loading",
    "load_urdf": "robots.urdf.urdf_building",
    "manipulator": "robots.manipulator",
    "option": "contact.options",
    "parametric": "surfaces.parametric",
    "parametric_surface": "surfaces.parametric.user_parametric_surface",
    "plan_tripod_gait": "robots.gait",
    "materials": "contact.materials",
    "quantity": "units",
    "read_mjcf": "robots.mjcf.mjcf_reading",
    "read_urdf": "robots.urdf.urdf_reading",
    "repair_surface": "surfaces.repair",
    "repair_with_log": "surfaces.repair",
    "rubber": "contact.materials",
    "save_page": "report.view.showing",
    "save_surface": "surfaces.save",
    "sensitivity_design": "studies.sensitivity_design",
    "shapes": "surfaces.shapes",
    "show": "report.view.showing",
    "simulate": "simulation.simulate",
    "simulate_live": "report.view.live.simulating",
    "sobol_indices": "studies.sobol_indices",
    "stiffness_for_depth": "contact.stiffness_choice",
    "stiffness_like_hertz": "contact.stiffness_choice",
    "StudyError": "errors",
    "StudyDesign": "studies.designs",
    "StudyParameter": "studies.parameters",
    "study": "studies.study",
    "StudyProgress": "studies.study_progress",
    "StudyTable": "studies.study_table",
    "save_study_page": "studies.page.study_page",
    "tornado": "studies.tornado",
    "tornado_design": "studies.sensitivity_design",
}

_PACKAGES = ("convex", "implicit", "parametric", "shapes")
"""Names that are packages themselves."""

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'polycontact' has no attribute {name!r}")
    module = importlib.import_module(f"polycontact.{_HOME[name]}")
    value = module if name in _PACKAGES else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
