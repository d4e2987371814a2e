"""Whether no mechanism escapes the laws."""

import inspect

from tests.mechanisms.cases import CASES

from differential_privacy import mechanisms

NO_MECHANISMS = {
    "Blend": "the error of several noises together",
    "Estimate": "what an estimator returns",
    "Mechanism": "the contract itself",
    "SparseVectorRun": "a run of SparseVector, whose case runs it",
}


def without_case(exported: dict[str, type]) -> set[str]:
    covered = {type(case.mechanism) for case in CASES}
    return {name for name, kind in exported.items() if kind not in covered} - set(NO_MECHANISMS)


def test_every_exported_class_has_a_case() -> None:
    exported = {name: getattr(mechanisms, name) for name in mechanisms.__all__}
    functions = {
        name for name, shown in exported.items() if inspect.isfunction(inspect.unwrap(shown))
    }
    assert functions == {"errors_along", "partition_selection"}
    classes = {name: kind for name, kind in exported.items() if inspect.isclass(kind)}
    assert len(classes) + len(functions) == len(exported)
    assert without_case(classes) == set()


def test_a_mechanism_without_a_case_is_found() -> None:
    assert without_case({"Staircase": type("Staircase", (), {})}) == {"Staircase"}


def test_both_noises_are_on_the_grid() -> None:
    on_grid = [case.mechanism for case in CASES if isinstance(case.mechanism, mechanisms.OnGrid)]
    noises = {type(mechanism.noise) for mechanism in on_grid}
    assert noises == {mechanisms.Geometric, mechanisms.DiscreteGaussian}


def test_both_monotonic_settings_have_a_case() -> None:
    settings = {
        (type(case.mechanism).__name__, case.mechanism.monotonic)
        for case in CASES
        if hasattr(case.mechanism, "monotonic")
    }
    names = {"Exponential", "PermuteAndFlip", "ReportNoisyMax", "SparseVector"}
    assert settings == {(name, monotonic) for name in names for monotonic in (False, True)}


def test_names_of_cases_differ() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
