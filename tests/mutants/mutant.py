"""A mutant: the package with one mistake planted in its source."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import differential_privacy

__all__ = ["SOURCE", "Mutant", "copied"]

SOURCE = Path(differential_privacy.__file__).parent


@dataclass(frozen=True, slots=True)
class Mutant:
    """One edit of one file, and the tests that must fail on it; `name` says what goes wrong."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def module(self) -> str:
        """What must still be there to be imported."""
        return ".".join((SOURCE.name, *Path(self.file).with_suffix("").parts))

    def fits(self, source: Path) -> bool:
        """Whether the text to replace is in the file, once."""
        place = source / self.file
        return place.exists() and place.read_text("utf-8").count(self.old) == 1

    def plant(self, source: Path) -> None:
        """Makes the edit in a copy of the package."""
        place = source / self.file
        place.write_text(place.read_text("utf-8").replace(self.old, self.new), "utf-8")


def copied(source: Path, folder: Path) -> Path:
    """The package as it is; without compiled files, which could be taken for those of an edit."""
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(source, folder / SOURCE.name, ignore=ignored))
