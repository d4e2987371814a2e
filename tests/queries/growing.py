"""Random expressions of every type, as analysts might write them, over the columns of `facts`."""

from collections.abc import Callable
from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

Texts = SearchStrategy[str]

DEEP = 3


def shared(grow: Callable[[int], Texts]) -> Callable[[int], Texts]:
    """Each depth of a kind of expressions is one strategy, made when it is drawn from."""
    return cache(lambda deep: st.deferred(lambda: grow(deep)))


def literal_texts() -> Texts:
    some = st.sampled_from(["", "a", "A", "%", "_", "\\", "50%", "é", "😀", "o'clock", " ", "12.5"])
    return some.map(lambda text: "'" + text.replace("'", "''") + "'")


def whole_literals() -> Texts:
    near = st.integers(-12, 12)
    far = st.sampled_from([2**31, 2**53, 2**61, -(2**31), 1000])
    return st.one_of(near, near, far).map(str)


def number_literals() -> Texts:
    some = ["0.5", "-0.25", "1.005", "0.001", "3.3333", "1e3", "0.1", "49.99"]
    return st.one_of(whole_literals(), st.sampled_from(some))


def date_literals() -> Texts:
    some = ["2024-01-01", "2023-12-31", "2024-02-29", "0001-01-01", "9999-12-31", "1969-12-31"]
    return st.sampled_from(some).map(lambda text: f"DATE '{text}'")


def stamp_literals() -> Texts:
    some = ["2024-01-01 00:00:00", "2023-12-31 23:59:59", "1969-12-31 12:00:01"]
    return st.sampled_from(some).map(lambda text: f"TIMESTAMP '{text}'")


@shared
def wholes(deep: int) -> Texts:
    leaf = st.one_of(st.sampled_from(["i", "i", "k", "j", "id"]), whole_literals())
    if not deep:
        return leaf
    one = wholes(deep - 1)
    unit = st.sampled_from(["second", "minute", "hour", "day", "week", "month", "quarter", "year"])
    day_part = st.sampled_from(["year", "quarter", "month", "day", "dow", "isodow", "doy"])
    return st.one_of(
        leaf,
        st.builds("({} {} {})".format, one, st.sampled_from(["+", "-", "*", "//", "%"]), one),
        st.builds("{}({})".format, st.sampled_from(["abs", "sign", "floor", "-"]), one),
        st.builds("{}({}, {})".format, st.sampled_from(["least", "greatest"]), one, one),
        st.builds("round({}, {})".format, numbers(deep - 1), st.integers(-2, 0)),
        st.builds("{}({})".format, st.sampled_from(["floor", "ceil", "round"]), numbers(deep - 1)),
        st.builds("cast({} as {})".format, numbers(deep - 1), st.sampled_from(["int", "bigint"])),
        st.builds("cast({} as int)".format, truths(deep - 1)),
        st.builds("try_cast({} as int)".format, texts(deep - 1)),
        st.builds("power({}, {})".format, one, st.integers(1, 3)),
        st.builds("clamp({}, {}, {})".format, one, st.integers(-9, 0), st.integers(0, 9)),
        st.builds("width_bucket({}, -3, {}, 4)".format, numbers(deep - 1), st.integers(-2, 9)),
        st.builds("length({})".format, texts(deep - 1)),
        st.builds("extract({} from {})".format, day_part, moments(deep - 1)),
        st.builds("{}({})".format, st.sampled_from(["hour", "minute", "second"]), stamps(deep - 1)),
        st.builds("date_diff('{}', {}, {})".format, unit, dates(deep - 1), dates(deep - 1)),
        st.builds("date_diff('{}', {}, {})".format, unit, stamps(deep - 1), stamps(deep - 1)),
        st.builds("({} - {})".format, dates(deep - 1), dates(deep - 1)),
        chosen(one, deep),
    )


@shared
def numbers(deep: int) -> Texts:
    leaf = st.one_of(st.sampled_from(["n", "n", "r", "m", "i"]), number_literals())
    if not deep:
        return leaf
    one = numbers(deep - 1)
    return st.one_of(
        leaf,
        wholes(deep - 1),
        st.builds("({} {} {})".format, one, st.sampled_from(["+", "-", "*", "/"]), one),
        st.builds("{}({})".format, st.sampled_from(["abs", "sqrt", "-"]), one),
        st.builds("{}({}, {})".format, st.sampled_from(["least", "greatest"]), one, one),
        st.builds("round({}, {})".format, one, st.integers(-1, 3)),
        st.builds("bin({}, {})".format, one, st.sampled_from(["0.5", "2", "0.3"])),
        st.builds("cast({} as {})".format, one, st.sampled_from(["double", "decimal(9, 1)"])),
        st.builds("cast({} as double)".format, texts(deep - 1)),
        st.builds("clamp({}, -1.5, {})".format, one, st.sampled_from(["-1.5", "0.001", "10"])),
        chosen(one, deep),
    )


@shared
def texts(deep: int) -> Texts:
    leaf = st.one_of(st.sampled_from(["t", "u", "v", "w"]), literal_texts())
    if not deep:
        return leaf
    one = texts(deep - 1)
    return st.one_of(
        leaf,
        st.builds("{}({})".format, st.sampled_from(["upper", "lower", "trim"]), one),
        st.builds("({} || {})".format, one, one),
        st.builds("concat({}, {})".format, one, one),
        st.builds("left({}, {})".format, one, st.integers(0, 3)),
        st.builds("substring({}, {}, {})".format, one, st.integers(1, 3), st.integers(0, 2)),
        st.builds("cast({} as text)".format, wholes(deep - 1)),
        chosen(one, deep),
    )


@shared
def dates(deep: int) -> Texts:
    leaf = st.one_of(st.sampled_from(["d", "d", "e"]), date_literals())
    if not deep:
        return leaf
    unit = st.sampled_from(["day", "week", "month", "quarter", "year"])
    long = st.sampled_from(["10", "-3", "400000"])
    return st.one_of(
        leaf,
        st.builds("({} + interval '{}' day)".format, dates(deep - 1), long),
        st.builds("({} - {})".format, dates(deep - 1), st.integers(0, 40)),
        st.builds("date_trunc('{}', {})".format, unit, moments(deep - 1)),
        st.builds("cast({} as date)".format, stamps(deep - 1)),
        st.builds("try_cast({} as date)".format, texts(deep - 1)),
        chosen(dates(deep - 1), deep),
    )


@shared
def stamps(deep: int) -> Texts:
    leaf = st.one_of(st.sampled_from(["s", "s", "z"]), stamp_literals())
    clock = st.sampled_from(["hour", "minute", "second"])
    if not deep:
        return leaf
    return st.one_of(
        leaf,
        st.builds("({} + interval '{}' hour)".format, stamps(deep - 1), st.integers(-30, 30)),
        st.builds("date_trunc('{}', {})".format, clock, stamps(deep - 1)),
        st.builds("cast({} as timestamp)".format, dates(deep - 1)),
        chosen(stamps(deep - 1), deep),
    )


@shared
def moments(deep: int) -> Texts:
    return st.one_of(dates(deep), stamps(deep))


@shared
def truths(deep: int) -> Texts:
    leaf = st.sampled_from(["b", "b", "y", "true", "false", "null"])
    if not deep:
        return leaf
    one = truths(deep - 1)
    sign = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
    kinds = [numbers(deep - 1), wholes(deep - 1), dates(deep - 1), stamps(deep - 1)]
    known = [*kinds, texts(deep - 1)]
    like = st.sampled_from(["like", "not like", "ilike"])
    holding = st.sampled_from(["contains", "starts_with", "ends_with"])
    return st.one_of(
        leaf,
        *(st.builds("({} {} {})".format, kind, sign, kind) for kind in kinds),
        *(st.builds("({} between {} and {})".format, kind, kind, kind) for kind in kinds),
        *(st.builds("({} in ({}, {}, null))".format, kind, kind, kind) for kind in known),
        *(st.builds("({} not in ({}, {}))".format, kind, kind, kind) for kind in known),
        *(st.builds("({} is not null)".format, kind) for kind in known),
        *(st.builds("({} is distinct from {})".format, kind, kind) for kind in known),
        st.builds("({} = {})".format, texts(deep - 1), texts(deep - 1)),
        st.builds("({} {} {})".format, texts(deep - 1), like, literal_texts()),
        st.builds("({} like {} escape '%')".format, texts(deep - 1), st.just("'%%a_'")),
        st.builds("{}({}, {})".format, holding, texts(deep - 1), literal_texts()),
        st.builds("({} {} {})".format, one, st.sampled_from(["and", "or"]), one),
        st.builds("(not {})".format, one),
        st.builds("({} is {})".format, one, st.sampled_from(["true", "not false", "null"])),
        chosen(one, deep),
    )


def chosen(kind: Texts, deep: int) -> Texts:
    test = truths(deep - 1)
    return st.one_of(
        st.builds("case when {} then {} else {} end".format, test, kind, kind),
        st.builds("case when {} then {} when {} then null end".format, test, kind, test),
        st.builds("case {} when {} then {} else {} end".format, kind, kind, kind, kind),
        st.builds("if({}, {}, {})".format, test, kind, kind),
        st.builds("coalesce({}, {})".format, kind, kind),
        st.builds("nullif({}, {})".format, kind, kind),
    )


def expressions(deep: int = DEEP) -> Texts:
    return st.one_of(wholes(deep), numbers(deep), texts(deep), moments(deep), truths(deep))
