"""Mistakes in draws, and in the mechanisms that are built on them."""

from tests.mutants.mutant import Mutant

__all__ = ["OF_NOISE"]

EXACT = "tests/sampling/test_exactness.py"
KEYSTREAM = "tests/sampling/test_keystream.py"
COINS = "tests/sampling/test_coins.py"
FINDING = "tests/mechanisms/test_partition_selection.py"
QUANTILES = "tests/mechanisms/test_quantiles.py"
HOLDING = "tests/mechanisms/test_the_loss_holds.py"
SUBSETS = "tests/sampling/test_subsets.py"
CHOICE = "tests/sampling/test_choice.py"
DRAWN = "tests/mechanisms/test_draws_follow.py"
ONCE = "tests/test_attacks_that_once_worked.py"
ERRORS = "tests/mechanisms/test_error_bars.py"
EXTREMES = "tests/mechanisms/test_extremes.py"
DRAWS = f"{DRAWN}::test_draws_follow_the_probabilities"
HOLDS = f"{HOLDING}::test_no_output_tells_neighbors_apart_by_more_than_the_loss"

OF_NOISE = (
    Mutant(
        "zero is drawn twice as often, one by one",
        "sampling/rejection.py",
        "if size:\n            return -size",
        "return -size",
        (f"{EXACT}::test_all_short_strings_give_rejected_draws_their_probability",),
    ),
    Mutant(
        "zero is drawn twice as often, by the array",
        "sampling/blocks.py",
        "np.where(guide < 0, OPEN, (guide >> 1) ^ -(guide & 1))",
        "np.where(guide < 0, OPEN, (guide >> 1) * (1 - 2 * (guide & 1)))",
        (DRAWS,),
    ),
    Mutant(
        "a threshold of the table is another's",
        "sampling/laplace.py",
        "left.append(power * middle >> work)",
        "left.append(power * q_low >> work)",
        (f"{EXACT}::test_every_threshold_and_guide_cell_is_right_to_its_last_digit",),
    ),
    Mutant(
        "a word equal to a threshold is above it",
        "sampling/table.py",
        'word, side="left")',
        'word, side="right")',
        (f"{EXACT}::test_a_word_equal_to_a_threshold_is_decided_by_more_bits",),
    ),
    Mutant(
        "a digit is told before it is proved",
        "sampling/table.py",
        "if floors == raised:",
        "if raised:",
        (f"{EXACT}::test_a_floor_that_is_not_proven_is_computed_again",),
    ),
    Mutant(
        "a place in a block is always kept",
        "sampling/blocks.py",
        "refused = unsure[~kept]",
        "refused = unsure[~kept][:0]",
        (f"{EXACT}::test_a_place_that_its_odds_refuse_is_drawn_again",),
    ),
    Mutant(
        "a coin falls on heads once too often",
        "sampling/coins.py",
        "return Reader(source).below(exact.denominator) < exact.numerator",
        "return Reader(source).below(exact.denominator) <= exact.numerator",
        (
            f"{COINS}::test_coins_fall_with_their_probability",
            f"{COINS}::test_certain_coins_never_fall_otherwise",
        ),
    ),
    Mutant(
        "floats decide coins near their probability as well",
        "sampling/coins.py",
        "heads[place] = is_below(exact(int(place)), int(word[place]), WORD, reader)",
        "heads[place] = apart[place] < 0",
        (f"{EXACT}::test_a_coin_inside_the_band_is_decided_as_outside_it",),
    ),
    Mutant(
        "the keystream goes on after a fork",
        "sampling/keystream.py",
        """            self._family != _forks
            or self._process != os.getpid()
            or time.monotonic()""",
        "            time.monotonic()",
        (f"{KEYSTREAM}::test_no_draw_is_reused_after_a_fork",),
    ),
    Mutant(
        "octets that were handed out stay in memory",
        "sampling/keystream.py",
        "source.fill(0)\n        return handed",
        "return handed",
        (f"{KEYSTREAM}::test_what_became_a_key_or_was_handed_out_is_erased",),
    ),
    Mutant(
        "every block of the stream has the first one's key",
        "sampling/keystream.py",
        "self._state[:] = block[:STATE_OCTETS]",
        "self._state = self._state",
        (f"{KEYSTREAM}::test_one_stream_gives_no_block_twice",),
    ),
    Mutant(
        "words that are too large are folded back",
        "sampling/uniform.py",
        "again = np.flatnonzero(drawn > largest)",
        "drawn %= bound\n    again = np.flatnonzero(drawn > largest)",
        (f"{COINS}::test_a_word_that_is_too_large_is_drawn_again",),
    ),
    Mutant(
        "equal keys of a shuffle stay in their order",
        "sampling/subsets.py",
        "        if run.size:\n",
        "        if run.size > count:\n",
        (f"{SUBSETS}::test_every_order_is_equally_likely_when_most_keys_are_equal",),
    ),
    Mutant(
        "what floats propose is always chosen",
        "sampling/choice.py",
        "if is_below(odds, reader.take(64), 64, reader):",
        "if odds is not None:",
        (
            f"{CHOICE}::test_a_refused_proposal_is_made_again",
            f"{CHOICE}::test_half_of_the_odds_may_lie_with_a_million_unlikely_candidates",
        ),
    ),
    Mutant(
        "noise of half the scale",
        "mechanisms/geometric.py",
        "discrete_laplace(self.scale, shape, bits=bits)",
        "discrete_laplace(self.scale / 2, shape, bits=bits)",
        (DRAWS,),
    ),
    Mutant(
        "the sensitivity is forgotten",
        "mechanisms/geometric.py",
        "return PureLoss(sensitivity.need_l1() / self.scale)",
        "return PureLoss(1 / self.scale)",
        (HOLDS,),
    ),
    Mutant(
        "noise of one half of the variance",
        "mechanisms/gaussian.py",
        "discrete_gaussian_of_variance(self.variance,",
        "discrete_gaussian_of_variance(self.variance / 2,",
        (DRAWS,),
    ),
    Mutant(
        "a choice by score costs half",
        "mechanisms/selection.py",
        "return PureLoss((1 if monotonic else 2) * rate * sensitivity.need_most())",
        "return PureLoss(rate * sensitivity.need_most())",
        (HOLDS,),
    ),
    Mutant(
        "the threshold of the sparse vector is not blurred",
        "mechanisms/sparse_vector.py",
        "blurred = level + discrete_laplace(self.threshold_scale, bits=bits)",
        "blurred = level",
        (f"{DRAWS}[sparse vector, 1 positives]",),
    ),
    Mutant(
        "after a positive the sparse vector adds no noise",
        "mechanisms/sparse_vector.py",
        "told = int(value) + noise >= self._blurred",
        "told = int(value) + (0 if self._told else noise) >= self._blurred",
        (f"{DRAWN}::test_values_after_a_positive_have_noise_of_their_own",),
    ),
    Mutant(
        "a value at the threshold is below it",
        "mechanisms/sparse_vector.py",
        "told = int(value) + noise >= self._blurred",
        "told = int(value) + noise > self._blurred",
        (f"{DRAWS}[sparse vector, 1 positives]",),
    ),
    Mutant(
        "the positives of the sparse vector cost what one does",
        "mechanisms/sparse_vector.py",
        "times = (1 if self.monotonic else 2) * self.positives",
        "times = 1 if self.monotonic else 2",
        (HOLDS,),
    ),
    Mutant(
        "groups that tell together have the delta of one",
        "mechanisms/truncated_geometric.py",
        "return ApproximateLoss(most * self.epsilon, any_of(most, self.delta))",
        "return ApproximateLoss(most * self.epsilon, self.delta)",
        (
            f"{FINDING}::test_deltas_of_groups_make_the_whole_and_hardly_less",
            f"{FINDING}::test_the_loss_of_truncated_geometric_holds_for_all_neighbors_and_is_reached",
        ),
    ),
    Mutant(
        "the chance to keep a group turns one person late",
        "mechanisms/truncated_geometric.py",
        "if people <= turn:\n            return _grown",
        "if people <= turn + 1:\n            return _grown",
        (f"{FINDING}::test_the_chance_to_keep_is_the_largest_that_the_recurrence_allows",),
    ),
    Mutant(
        "a group that nobody is in may be shown",
        "mechanisms/gaussian_threshold.py",
        "(noisy >= self.threshold) & (exact >= 1)",
        "noisy >= self.threshold",
        (
            f"{FINDING}::test_groups_of_none_are_never_kept_and_very_large_ones_always",
            f"{FINDING}::test_a_group_is_kept_as_often_as_stated",
        ),
    ),
    Mutant(
        "the threshold is one too low for its delta",
        "mechanisms/gaussian_threshold.py",
        "return GaussianThreshold(variance, 1 + least_whole(enough, guess=guess))",
        "return GaussianThreshold(variance, least_whole(enough, guess=guess))",
        (f"{FINDING}::test_the_threshold_is_the_least_of_which_the_delta_holds",),
    ),
    Mutant(
        "of equal noisy scores the last wins",
        "mechanisms/noisy_max.py",
        "return int(np.argmax(noisy))",
        "return len(scores) - 1 - int(np.argmax(np.asarray(noisy)[::-1]))",
        (DRAWS,),
    ),
    Mutant(
        "rounding to a grid is not paid for",
        "mechanisms/on_grid.py",
        "Fraction(self.grid.steps(sensitivity.l1) + self.count - 1)",
        "Fraction(self.grid.steps(sensitivity.l1))",
        (f"{ONCE}::test_an_array_on_a_grid_pays_for_each_of_its_roundings",),
    ),
    Mutant(
        "sums that pass 64 bits wrap around",
        "mechanisms/integers.py",
        "return None if bool((((one ^ sums) & (two ^ sums)) < 0).any()) else sums",
        "return sums",
        (f"{EXTREMES}::test_sums_of_64_bits_never_wrap",),
    ),
    Mutant(
        "only one kind of lie counts in randomized response",
        "mechanisms/randomized_response.py",
        "return max((1 - p) / q, p / (1 - q), q / (1 - p), (1 - q) / p)",
        "return max((1 - p) / q, q / (1 - p))",
        (HOLDS,),
    ),
    Mutant(
        "every quantile costs what a median costs",
        "mechanisms/quantile.py",
        "return max(self.quantile, 1 - self.quantile)",
        "return Fraction(1, 2)",
        (f"{QUANTILES}::test_the_losses_hold_for_all_small_data_and_all_neighbors",),
    ),
    Mutant(
        "a rank counts the value itself",
        "mechanisms/quantile.py",
        "below = np.concatenate([reached[:-1], reached]) * self._unit",
        "below = np.concatenate([reached[1:], reached]) * self._unit",
        (f"{QUANTILES}::test_chances_are_those_of_the_definition",),
    ),
    Mutant(
        "an error bar forgets one side of the noise",
        "mechanisms/geometric.py",
        "return 2 * exp(-(error + 1) / self.scale) / (1 + exp(-1 / self.scale))",
        "return exp(-(error + 1) / self.scale) / (1 + exp(-1 / self.scale))",
        (f"{ERRORS}::test_noise_is_within_the_error_at_the_confidence_and_not_within_less",),
    ),
)
