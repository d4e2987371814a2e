"""All mutants; each file of them holds those of a few packages."""

from tests.mutants.mutant import Mutant
from tests.mutants.of_answers import OF_ANSWERS
from tests.mutants.of_losses import OF_LOSSES
from tests.mutants.of_noise import OF_NOISE
from tests.mutants.of_questions import OF_QUESTIONS
from tests.mutants.of_records import OF_RECORDS
from tests.mutants.of_rows import OF_ROWS

__all__ = ["MUTANTS"]

MUTANTS: tuple[Mutant, ...] = (
    *OF_LOSSES,
    *OF_NOISE,
    *OF_RECORDS,
    *OF_ROWS,
    *OF_QUESTIONS,
    *OF_ANSWERS,
)
