"""Mistakes in losses, and in the theorems about them."""

from tests.mutants.mutant import Mutant

__all__ = ["OF_LOSSES"]

ROUNDING = "tests/exact/test_directed_rounding.py"
RATIONALS = "tests/exact/test_rationals.py"
ENCLOSURES = "tests/exact/test_enclosures.py"
GRIDS = "tests/exact/test_grid_law.py"
ADDING = "tests/privacy/test_losses_add.py"
TRUTH = "tests/privacy/test_losses_never_below_the_truth.py"
MEANING = "tests/privacy/test_what_a_loss_means.py"
NORMS = "tests/privacy/test_sensitivities.py"
COMPOSING = "tests/accounting/test_composition_theorems.py"
FILTERS = "tests/accounting/test_filters_stop_every_strategy.py"
NUMERICAL = "tests/accounting/test_numerical_losses_bound_the_truth.py"
FINITE = "tests/accounting/test_finite_mechanisms.py"
SHUFFLING = "tests/accounting/test_shuffling_bounds_the_truth.py"
REPLAYED = "tests/ledger/test_replay_laws.py"

OF_LOSSES = (
    Mutant(
        "what is to be rounded up is rounded down",
        "exact/directed.py",
        "return math.ceil(x / unit) * unit",
        "return math.floor(x / unit) * unit",
        (f"{ROUNDING}::test_rounding_has_its_direction",),
    ),
    Mutant(
        "the float above is the float below",
        "exact/directed.py",
        "return nearest if nearest >= x else math.nextafter(nearest, math.inf)",
        "return nearest if nearest <= x else math.nextafter(nearest, -math.inf)",
        (
            f"{ROUNDING}::test_float_up_is_the_least_float_not_below_and_float_down_the_greatest_not_above",
        ),
    ),
    Mutant(
        "a float is read by its bits",
        "exact/rational.py",
        "return _read_text(float.__repr__(value))",
        "return Fraction(value) if abs(value) < LONGEST else None",
        (f"{RATIONALS}::test_a_float_is_its_shortest_decimal",),
    ),
    Mutant(
        "an enclosure of a root leaves the root out",
        "exact/functions.py",
        "return Interval(Fraction(root, 1 << work), Fraction(root + 1, 1 << work))",
        "return Interval(Fraction(root, 1 << work), Fraction(root, 1 << work))",
        (f"{ENCLOSURES}::test_sqrt_is_enclosed_within_its_relative_precision",),
    ),
    Mutant(
        "values near the middle of two points are left to floats",
        "exact/grid.py",
        "indices[place] = self._exact_index(float(bounded[place]))",
        "indices[place] = indices[place]",
        (
            f"{GRIDS}::test_adversarial_halves_stay_close",
            f"{GRIDS}::test_every_grid_gives_the_nearest_point",
        ),
    ),
    Mutant(
        "two releases cost what the dearer costs",
        "privacy/pure.py",
        "return PureLoss(short_up(self.epsilon + other.epsilon))",
        "return PureLoss(max(self.epsilon, other.epsilon))",
        (f"{ADDING}::test_the_numbers_add_exactly",),
    ),
    Mutant(
        "the delta of the second release is forgotten",
        "privacy/pure.py",
        "return ApproximateLoss(short_up(self.epsilon + other.epsilon), short_up(delta))",
        "return ApproximateLoss(short_up(self.epsilon + other.epsilon), self.delta)",
        (f"{ADDING}::test_the_numbers_add_exactly",),
    ),
    Mutant(
        "parts side by side cost what the cheapest costs",
        "privacy/pure.py",
        "return PureLoss(max(self.epsilon, other.epsilon))",
        "return PureLoss(min(self.epsilon, other.epsilon))",
        (f"{ADDING}::test_either_is_covered_by_both",),
    ),
    Mutant(
        "a budget of three thirds holds two",
        "privacy/pure.py",
        '''"""Whether the epsilon does not pass the budget's."""
        return self.epsilon <= budget.epsilon''',
        '''"""Whether the epsilon does not pass the budget's."""
        return self.epsilon < budget.epsilon''',
        (f"{REPLAYED}::test_three_thirds_fit_and_nothing_after_them",),
    ),
    Mutant(
        "a Renyi divergence becomes too small an epsilon",
        "privacy/renyi.py",
        "- (log(delta) + log(order)) / (order - 1)",
        "- (log(delta) + log(order)) / order",
        (f"{TRUTH}::test_renyi_conversions",),
    ),
    Mutant(
        "the delta of a Renyi divergence forgets the order",
        "privacy/renyi.py",
        "exponent = (order - 1) * (divergence - epsilon + log(1 - 1 / order)) - log(order)",
        "exponent = order * (divergence - epsilon + log(1 - 1 / order)) - log(order)",
        (f"{TRUTH}::test_renyi_conversions",),
    ),
    Mutant(
        "the second term of a Gaussian delta is too large",
        "privacy/gaussian.py",
        "below = exp(epsilon) * normal_cdf(-self.mu / 2 - epsilon / self.mu)",
        "below = exp(epsilon) * normal_cdf(self.mu / 2 - epsilon / self.mu)",
        (f"{TRUTH}::test_gaussian_delta",),
    ),
    Mutant(
        "squares of moves are believed to be those of the farthest alone",
        "privacy/sensitivity.py",
        "implied = total * farthest",
        "implied = farthest * farthest",
        (f"{NORMS}::test_norms_that_follow_hold_for_every_set_of_moves",),
    ),
    Mutant(
        "a group of k is charged k and not its square in L2",
        "privacy/sensitivity.py",
        '("l2_squared", 2)',
        '("l2_squared", 1)',
        (f"{NORMS}::test_norms_that_follow_hold_for_every_set_of_moves",),
    ),
    Mutant(
        "a belief forgets that a ratio may be twice as large",
        "privacy/meaning.py",
        "shrunk = exp(-loss.epsilon_at(missed / 4)).low / 2",
        "shrunk = exp(-loss.epsilon_at(missed / 4)).low",
        (f"{MEANING}::test_beliefs_stay_in_the_bounds_except_with_the_chance_told",),
    ),
    Mutant(
        "a belief is rounded so that it sounds safer",
        "privacy/meaning.py",
        "_tenths(self.most, math.ceil)",
        "_tenths(self.most, math.floor)",
        (f"{MEANING}::test_words_never_sound_safer_than_the_numbers",),
    ),
    Mutant(
        "a pure epsilon has a quarter of its rho",
        "accounting/conversion.py",
        "return ConcentratedLoss(loss.epsilon**2 / 2)",
        "return ConcentratedLoss(loss.epsilon**2 / 8)",
        (f"{TRUTH}::test_a_weaker_kind_never_promises_more",),
    ),
    Mutant(
        "a concentrated loss has half of its divergences",
        "accounting/conversion.py",
        "return RenyiLoss({order: loss.rho * order for order in _exact(orders)})",
        "return RenyiLoss({order: loss.rho * (order - 1) for order in _exact(orders)})",
        (f"{TRUTH}::test_gaussian_becomes_the_divergences_of_normals",),
    ),
    Mutant(
        "a group of k costs k rho",
        "accounting/groups.py",
        "return ConcentratedLoss(k**2 * loss.rho, loss.delta)",
        "return ConcentratedLoss(k * loss.rho, loss.delta)",
        (f"{COMPOSING}::test_groups_of_other_kinds",),
    ),
    Mutant(
        "deltas of a group are added as they are",
        "accounting/groups.py",
        "delta = round_up(((exp(epsilon) - 1) / (exp(loss.epsilon) - 1)).high * loss.delta)",
        "delta = round_up(k * loss.delta)",
        (f"{COMPOSING}::test_a_climbing_chain_reaches_the_group",),
    ),
    Mutant(
        "what is told for sure does not add up in the optimal bound",
        "accounting/composition.py",
        "rest = (total - told) / (1 - told)",
        "rest = total",
        (f"{COMPOSING}::test_the_optimal_bound_of_approximate_losses_is_exact",),
    ),
    Mutant(
        "a sample hides as if each row were drawn twice",
        "accounting/amplification.py",
        "log(share + (1 - share) * exp(-loss.epsilon))",
        "log(share * share + (1 - share * share) * exp(-loss.epsilon))",
        (f"{COMPOSING}::test_a_poisson_sample_of_rows_is_amplified",),
    ),
    Mutant(
        "a filter compares before it adds",
        "accounting/filters.py",
        "if not spent.within(self.budget):\n            raise refusal",
        "if not self.spent.within(self.budget):\n            raise refusal",
        (
            f"{FILTERS}::test_what_is_admitted_adds_up_within_the_budget_and_a_refusal_changes_nothing",
        ),
    ),
    Mutant(
        "an advanced filter has a constant too small",
        "accounting/filters.py",
        "root = sqrt(-2 * log(self.slack) * self.squares)",
        "root = sqrt(-1 * log(self.slack) * self.squares)",
        (f"{FILTERS}::test_an_advanced_filter_admits_by_its_theorem",),
    ),
    Mutant(
        "losses between two points of the grid go to the lower",
        "accounting/masses.py",
        "upper = chances * np.minimum(1.0, share + split)",
        "upper = chances * 0.0",
        (f"{NUMERICAL}::test_discrete_laplace_noise",),
    ),
    Mutant(
        "the chance of an infinite loss is forgotten",
        "accounting/numerical.py",
        "told = masses.infinite + masses.lost\n    if place",
        "told = masses.lost\n    if place",
        (f"{NUMERICAL}::test_what_tells_all_with_chance_delta",),
    ),
    Mutant(
        "infinite losses of two releases do not add up",
        "accounting/masses.py",
        "one.infinite + two.infinite - one.infinite * two.infinite,",
        "max(one.infinite, two.infinite),",
        (f"{NUMERICAL}::test_what_tells_all_with_chance_delta",),
    ),
    Mutant(
        "an impossible output is dropped from a table",
        "accounting/finite.py",
        "mine, theirs = sum((one[output] for output in impossible), Fraction(0)), Fraction(0)",
        "mine, theirs = Fraction(0), Fraction(0)",
        (f"{FINITE}::test_the_factor_is_the_least_over_all_events_and_the_worst_event_needs_it",),
    ),
    Mutant(
        "everybody hides among clones of themselves as well",
        "accounting/shuffling.py",
        "least=1), MOST_PEOPLE) - 1",
        "least=1), MOST_PEOPLE) + 1",
        (f"{SHUFFLING}::test_the_pair_of_the_theorem_is_covered_and_reached",),
    ),
)
