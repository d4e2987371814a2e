"""The one door: pay, look, add noise; and the answers that come through it."""

from differential_privacy.release.answer import Answer
from differential_privacy.release.door import Door, Payers, Released
from differential_privacy.release.frames import Columns
from differential_privacy.release.noisy import Noisy
from differential_privacy.release.ratios import ratio_interval

__all__ = ["Answer", "Columns", "Door", "Noisy", "Payers", "Released", "ratio_interval"]
