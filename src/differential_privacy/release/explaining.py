"""How an answer was made, and the theorems that its guarantee rests on, in words."""

from differential_privacy.mechanisms import DiscreteGaussian, GaussianThreshold, Geometric
from differential_privacy.privacy import ApproximateLoss, ConcentratedLoss
from differential_privacy.queries import Linear, Plan

__all__ = ["explained", "theorems"]

LAPLACE = (
    "discrete Laplace noise of scale s / epsilon on integers of L1 sensitivity s has pure loss "
    "epsilon [Ghosh, Roughgarden, Sundararajan 2009, section 2]"
)
GAUSSIAN = (
    "discrete Gaussian noise of variance s / (2 rho) on integers of squared L2 sensitivity s has "
    "concentrated loss rho [Canonne, Kamath, Steinke 2020, theorem 14]"
)
CHOICE = (
    "choosing in proportion to e^(rate score) has a loss of 2 rate times the sensitivity of the "
    "score [McSherry, Talwar 2007, theorem 6; Cesar, Rogers 2020, lemma 3.4]"
)
OPTIMAL = (
    "keeping groups by the truncated geometric rule [Desfontaines, Voss, Gipson, Mandayam 2020, "
    "theorem 1]"
)
THRESHOLD = (
    "keeping groups whose noisy number of people passes a threshold that one person alone passes "
    "with chance delta at most [Bun, Steinke 2016, section 8]"
)
SUM = "losses of one question add up, also adaptively [Rogers, Roth, Ullman, Vadhan 2016]"
CONVERT = "a rho is within an epsilon at a delta [Canonne, Kamath, Steinke 2020, proposition 12]"


def theorems(plan: Plan) -> tuple[str, ...]:
    """What the guarantee of a plan rests on."""
    priced = plan.priced
    kinds = {type(noise) for _, noise in priced.noises}
    found = [
        (Geometric in kinds, LAPLACE),
        (DiscreteGaussian in kinds, GAUSSIAN),
        (bool(priced.quantiles), CHOICE),
        (isinstance(priced.finding, GaussianThreshold), THRESHOLD),
        (priced.finding is not None and not isinstance(priced.finding, GaussianThreshold), OPTIMAL),
        (len(priced.noises) + len(priced.quantiles) > 1, SUM),
        (
            isinstance(priced.losses[0], ConcentratedLoss)
            and isinstance(plan.loss, ApproximateLoss),
            CONVERT,
        ),
    ]
    return tuple(text for applies, text in found if applies)


def explained(plan: Plan) -> str:
    """How an answer is made: the bound, the noise, the groups."""
    reach = plan.reach
    lines = [f"bounded: {plan.bounding.words}"]
    for column in plan.columns:
        if isinstance(column.output, Linear) and column.output.terms:
            deviation = plan.blend(column.output).deviation
            noise = f"{plan.priced.noise_name} noise of standard deviation {deviation:.6g}"
            lines.append(f"{column.name}: {noise}")
    for percentile, choice in plan.priced.quantiles:
        share = float(percentile.share)
        lines.append(f"percentile {share:g}: chosen by rank, rate {float(choice.rate):.6g} a row")
    if plan.priced.finding is not None:
        half = plan.priced.finding.people_for("1/2")
        lines.append(f"groups are shown where about {half} people or more are in them")
    if reach.unit > 1:
        lines.append("rows of people with more than the bound count in proportion")
    if plan.why:
        lines.append(f"why: {plan.why}")
    return "\n".join(lines)
