"""The classic attacks, carried out: against exact answers, and against a curator of ours."""

from differential_privacy.audit.attacks.averaging import averaging
from differential_privacy.audit.attacks.k_anonymity import k_anonymity
from differential_privacy.audit.attacks.known import ATTACKS, Attack
from differential_privacy.audit.attacks.linkage import linkage
from differential_privacy.audit.attacks.membership_of_a_mean import membership_of_a_mean
from differential_privacy.audit.attacks.reconstruction import reconstruction
from differential_privacy.audit.attacks.report import Line, Outcome, Picture, Report
from differential_privacy.audit.attacks.share import Share
from differential_privacy.audit.attacks.uniqueness import uniqueness

__all__ = [
    "ATTACKS",
    "Attack",
    "Line",
    "Outcome",
    "Picture",
    "Report",
    "Share",
    "averaging",
    "k_anonymity",
    "linkage",
    "membership_of_a_mean",
    "reconstruction",
    "uniqueness",
]
