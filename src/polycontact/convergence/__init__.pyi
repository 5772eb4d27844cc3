from polycontact.convergence.convergence_result import Change as Change
from polycontact.convergence.convergence_result import Convergence as Convergence
from polycontact.convergence.convergence_result import LevelRun as LevelRun
from polycontact.convergence.convergence_result import ResultConvergence as ResultConvergence
from polycontact.convergence.extrapolation import Limit as Limit
from polycontact.convergence.extrapolation import limit_of as limit_of
