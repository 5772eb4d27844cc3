from polycontact.statics.linearise import Linearisation as Linearisation
from polycontact.statics.modes import Mode as Mode
from polycontact.statics.named_signals import Signal as Signal
from polycontact.statics.rest_motions import RestMotion as RestMotion
from polycontact.statics.rest_path import EquilibriumPath as EquilibriumPath
from polycontact.statics.resting import Residual as Residual
from polycontact.statics.resting import RestContact as RestContact
