from polycontact.seeking.condition import Condition as Condition
from polycontact.seeking.optimum import Optimum as Optimum
from polycontact.seeking.threshold import Threshold as Threshold
from polycontact.seeking.threshold import TriedValue as TriedValue
