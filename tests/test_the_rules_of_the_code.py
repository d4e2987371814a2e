"""Rules that no linter knows: where randomness may enter, what a package shows, what errors say."""

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import differential_privacy
from differential_privacy import errors, mechanisms, privacy

SOURCE = Path(differential_privacy.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
PACKAGES = sorted(module.name for module in pkgutil.iter_modules([str(SOURCE)]) if module.ispkg)
RANDOM = {"random", "secrets", "numpy.random", "uuid", "cryptography"}


def names_used(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute):
            yield ast.unparse(node).replace("np.", "numpy.")


def enters_randomness(text: str) -> set[str]:
    used = set(names_used(ast.parse(text)))
    by_root = {name for name in used for root in RANDOM if (name + ".").startswith(root + ".")}
    return by_root | (used & {"os.urandom", "os.getrandom"})


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_only_sampling_touches_randomness(module: Path) -> None:
    if module.parent.name != "sampling":
        assert not enters_randomness(module.read_text())


@pytest.mark.parametrize(
    "planted",
    [
        "import random",
        "from numpy.random import default_rng",
        "import numpy as np\nx = np.random.laplace()",
        "import os\nos.urandom(8)",
        "from secrets import randbits",
    ],
)
def test_the_rule_on_randomness_catches_what_breaks_it(planted: str) -> None:
    assert enters_randomness(planted)


def test_only_the_keystream_asks_the_operating_system() -> None:
    asking = [path.name for path in MODULES if "os.urandom(" in path.read_text()]
    assert asking == ["keystream.py"]


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_scipy_judges_and_never_serves(module: Path) -> None:
    roots = {name.partition(".")[0] for name in names_used(ast.parse(module.read_text()))}
    assert "scipy" not in roots


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_shows_what_it_names_once_and_documented(package: str) -> None:
    front = importlib.import_module(f"differential_privacy.{package}")
    assert len(front.__all__) == len(set(front.__all__))
    for name in front.__all__:
        shown = getattr(front, name)
        if inspect.isfunction(shown) or inspect.isclass(shown):
            assert inspect.getdoc(shown), name


def test_every_mechanism_and_loss_has_its_theorem() -> None:
    proved = [
        getattr(mechanisms, name)
        for name in mechanisms.__all__
        if hasattr(getattr(mechanisms, name), "loss") and name != "Mechanism"
    ]
    proved += [getattr(privacy, name) for name in privacy.__all__ if name.endswith("Loss")]
    assert len(proved) > 12
    for shown in proved:
        document = inspect.getdoc(shown) or ""
        assert "Theorem:" in document or shown is privacy.Loss or "Renyi" in document, shown


def test_every_error_is_in_the_tree_and_knows_its_status() -> None:
    classes = [getattr(errors, name) for name in errors.__all__]
    assert all(name in (errors.__doc__ or "") for name in errors.__all__)
    assert all(issubclass(shown, errors.DifferentialPrivacyError) for shown in classes)
    assert {shown.status for shown in classes} == {400, 402, 404, 422, 500, 501, 502, 503}


def test_a_private_argument_is_never_shown() -> None:
    error = errors.PrivateArgumentError("exact", "must be whole numbers")
    assert str(error) == "exact: must be whole numbers"


def test_a_long_value_is_cut() -> None:
    assert len(str(errors.InvalidArgumentError("epsilon", "9" * 10_000, "must be short"))) < 200
