"""`make demo`: what this package does so far, in half a minute, with numbers that it computes."""

import time

import differential_privacy as dp
from differential_privacy.accounting import (
    Filter,
    advanced,
    laplace_loss,
    optimal,
    repeated,
    to_concentrated,
)
from differential_privacy.mechanisms import DiscreteGaussian, Geometric, RandomizedResponse
from differential_privacy.privacy import PureLoss, Sensitivity, TradeOff, belief
from differential_privacy.sampling import discrete_laplace

WIDTH = 40


def main() -> None:
    """Walk through the parts, from what a loss means to what many releases cost."""
    what_it_means()
    noise_with_its_error()
    what_many_answers_cost()
    a_budget()
    exact_and_fast()
    mistakes()


def what_it_means() -> None:
    """Beliefs and hits for a few losses."""
    title("What a loss means for a person")
    for epsilon in (0.1, 0.5, 1, 5):
        print(f"  epsilon {epsilon:>3}: {belief(PureLoss(epsilon), prior=0.4)}")
    print("\n  A test that wrongly accuses 1 in 100 finds at most")
    for epsilon in (0.1, 0.5, 1, 5):
        hits = TradeOff(PureLoss(epsilon)).most_hits(0.01)
        print(
            f"  epsilon {epsilon:>3}: {float(hits):6.1%} of those in the data  {bar(float(hits))}"
        )


def noise_with_its_error() -> None:
    """The error of an answer is known before anything is asked."""
    title("A count at epsilon 0.1: the error is known before any data is read")
    noise = Geometric.for_loss(PureLoss(0.1), sensitivity=Sensitivity(l1=1))
    print(f"  {noise}: within {noise.error(confidence=0.95)} of the truth, 95 times in 100")
    print(f"  the true count is 1234; one answer: {noise.release(1234)}")
    bell = DiscreteGaussian(variance=100)
    print(f"  {bell}: within {bell.error(confidence=0.95)}, at {bell.loss(Sensitivity(l1=1))}")
    coins = RandomizedResponse("1/4", "1/4")
    guess = coins.estimate(ones=560, answers=1000)
    print(f"  two coins, 560 of 1000 said yes: {float(guess.value):.0%} would, by an honest count;")
    print(f"  surely (95 %) from {float(guess.low):.0%} to {float(guess.high):.0%}")


def what_many_answers_cost() -> None:
    """One epsilon for a thousand answers, by five theorems."""
    title("1,000 answers at epsilon 0.1 each, delta one in a million: their epsilon together")
    each, times, delta = PureLoss(0.1), 1000, 1e-6
    start = time.perf_counter()
    bounds = {
        "sum": repeated(each, times=times).epsilon,
        "advanced (2010)": advanced(each, times=times, slack=delta).epsilon,
        "concentrated": repeated(to_concentrated(each), times=times).epsilon_at(delta),
        "best for any epsilon": optimal(each, times=times, delta=delta).epsilon,
        "Laplace, numerically": repeated(laplace_loss(0.1), times=times).epsilon_at(delta),
    }
    taken = time.perf_counter() - start
    for name, epsilon in bounds.items():
        print(f"  {name:<22}{float(epsilon):8.3f}  {bar(float(epsilon) / 100)}")
    print(f"  every one an upper bound, computed in {taken:.2f} s together")


def a_budget() -> None:
    """A filter refuses what would pass its budget."""
    title("A budget of 1, spent by whoever asks next")
    budget = Filter(PureLoss(1), PureLoss(0))
    for epsilon in (0.5, 0.3, 0.3):
        try:
            budget = budget.admit(PureLoss(epsilon))
            print(f"  {epsilon}: granted, {budget.spent} spent")
        except dp.DifferentialPrivacyError as error:
            print(f"  {epsilon}: refused. {error}")


def exact_and_fast() -> None:
    """Ten million draws of exact noise."""
    title("Exact noise, ten million draws")
    for scale in (1, 100, 10**6):
        discrete_laplace(scale, 1000)
        start = time.perf_counter()
        draws = discrete_laplace(scale, 10**7)
        taken = time.perf_counter() - start
        speed = f"{taken:5.2f} s, {taken * 100:5.1f} ns a draw"
        print(f"  scale {scale:>9,}: {speed}, mean {draws.mean():,.1f}")


def mistakes() -> None:
    """Errors name the argument, the value and the rule."""
    title("The usual mistakes")
    for mistake in (
        lambda: PureLoss(-1),
        lambda: PureLoss(float("nan")),
        lambda: Geometric(0),
        lambda: Geometric(10).release(12.5),  # type: ignore[arg-type]
        lambda: dp.privacy.sum_sensitivity(0, None, dp.privacy.AddRemoveRows()),
    ):
        try:
            mistake()
        except dp.DifferentialPrivacyError as error:
            print(f"  {error}")


def title(text: str) -> None:
    """A line above a part."""
    print(f"\n{text}\n{'-' * len(text)}")


def bar(share: float) -> str:
    """A share as a length."""
    return "#" * round(share * WIDTH)


if __name__ == "__main__":
    main()
