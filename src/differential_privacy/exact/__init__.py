"""Rationals, public grids, floats with a direction, enclosures, and special functions in floats."""

from differential_privacy.exact.binomials import binomial_mass, binomial_tail, odds_of_tail
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
from differential_privacy.exact.special import (
    log_factorial,
    log_normal_cdf,
    normal_quantile,
    normal_tail,
)

__all__ = [
    "Grid",
    "Interval",
    "Number",
    "binomial_mass",
    "binomial_tail",
    "boolean",
    "exp",
    "float_down",
    "float_log",
    "float_up",
    "integer",
    "log",
    "log_factorial",
    "log_normal_cdf",
    "lowest",
    "nonnegative",
    "normal_cdf",
    "normal_quantile",
    "normal_tail",
    "odds_of_tail",
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
