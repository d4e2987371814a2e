"""Rationals, public grids, floats with a direction, and enclosures of exp, log and normal tails."""

from differential_privacy.exact.directed import (
    float_down,
    float_log,
    float_up,
    round_down,
    round_up,
    short_up,
)
from differential_privacy.exact.functions import exp, log, normal_cdf, pi, sqrt
from differential_privacy.exact.grid import Grid
from differential_privacy.exact.interval import Interval
from differential_privacy.exact.rational import (
    Number,
    boolean,
    integer,
    nonnegative,
    open_probability,
    positive,
    probability,
    rational,
    shown,
    small_probability,
)
from differential_privacy.exact.search import lowest, proved, root

__all__ = [
    "Grid",
    "Interval",
    "Number",
    "boolean",
    "exp",
    "float_down",
    "float_log",
    "float_up",
    "integer",
    "log",
    "lowest",
    "nonnegative",
    "normal_cdf",
    "open_probability",
    "pi",
    "positive",
    "probability",
    "proved",
    "rational",
    "root",
    "round_down",
    "round_up",
    "short_up",
    "shown",
    "small_probability",
    "sqrt",
]
