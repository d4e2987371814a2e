"""Whether the secure stream keeps its rules: own keys, no octet twice, no state that outlives."""

import copy
import os
import pickle
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.sampling.conftest import DRAWS, FALSE_ALARM, luck

from differential_privacy import sampling
from differential_privacy.sampling import keystream
from differential_privacy.sampling.keystream import BLOCK_OCTETS, STATE_OCTETS, Keystream

FORKS = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def in_child(action: Callable[[], bytes]) -> bytes:
    """What the action returns in a forked child, as bytes."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.write(write_end, action())
            code = 0
        finally:
            os._exit(code)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        told = pipe.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return told


def draw() -> bytes:
    return sampling.secure_bits().octets(64).tobytes()


@FORKS
def test_no_draw_is_reused_after_a_fork() -> None:
    draw()
    drawn = [in_child(draw) for _ in range(5)] + [draw()]
    assert len(set(drawn)) == len(drawn)


@FORKS
def test_a_child_of_a_child_draws_anew() -> None:
    draw()
    drawn = [in_child(draw), in_child(lambda: in_child(draw)), draw()]
    assert len(set(drawn)) == len(drawn)


@FORKS
def test_a_stream_held_across_a_fork_draws_anew() -> None:
    stream = Keystream()
    stream.octets(8)
    drawn = [in_child(lambda: stream.octets(64).tobytes()) for _ in range(3)]
    drawn.append(stream.octets(64).tobytes())
    assert len(set(drawn)) == len(drawn)


@FORKS
def test_the_process_number_alone_is_enough_where_the_hook_does_not_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = Keystream()
    state = bytes(stream._state)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    stream.octets(8)
    assert bytes(stream._state) != state


@FORKS
def test_noise_of_forked_workers_differs() -> None:
    def noise() -> bytes:
        return sampling.discrete_laplace(10**6, 1000).tobytes()

    noise()
    drawn = [in_child(noise) for _ in range(4)] + [noise()]
    assert len(set(drawn)) == len(drawn)


def test_threads_share_no_block() -> None:
    together = threading.Barrier(16)

    def work(_: int) -> list[bytes]:
        together.wait()
        return [sampling.secure_bits().octets(32).tobytes() for _ in range(500)]

    with ThreadPoolExecutor(16) as pool:
        drawn = [octets for some in pool.map(work, range(16)) for octets in some]
    assert len(set(drawn)) == 16 * 500


def test_one_stream_gives_no_block_twice() -> None:
    stream = Keystream()
    blocks = stream.octets(5 * BLOCK_OCTETS).view("V16")
    assert len(set(blocks.tolist())) == blocks.size


def test_octets_are_uniform() -> None:
    counts = np.bincount(Keystream().octets(min(DRAWS, 10_000_000)), minlength=256)
    assert luck(counts, np.full(256, 1 / 256)) > FALSE_ALARM


def test_every_block_has_a_key_of_its_own() -> None:
    stream = Keystream()
    states = set()
    for _ in range(10):
        stream.octets(BLOCK_OCTETS - STATE_OCTETS)
        states.add(bytes(stream._state))
    assert len(states) == 10


def test_what_became_a_key_or_was_handed_out_is_erased() -> None:
    stream = Keystream()
    handed = stream.octets(1000)
    assert not stream._block[: STATE_OCTETS + 1000].any()
    assert stream._block[STATE_OCTETS + 1000 :].any()
    assert handed.any()
    assert bytes(stream._state) not in stream._block.tobytes() + handed.tobytes()


def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many octets the operating system is asked for, in a list that grows."""
    # This test watches the one place that asks.
    urandom, counts = os.urandom, []  # noqa: TID251

    def counted(count: int) -> bytes:
        counts.append(count)
        return urandom(count)

    monkeypatch.setattr(os, "urandom", counted)
    return counts


def test_the_stream_is_keyed_anew_after_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = asked(monkeypatch)
    stream = Keystream()
    stream.octets(8)
    assert counts == [STATE_OCTETS]
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + keystream.GENERATION_SECONDS)
    stream.octets(8)
    assert counts == [STATE_OCTETS] * 2


def test_the_stream_is_keyed_anew_after_so_many_octets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keystream, "GENERATION_OCTETS", 4 * BLOCK_OCTETS)
    monkeypatch.setattr(keystream, "GENERATION_SECONDS", 1000)
    counts = asked(monkeypatch)
    stream = Keystream()
    for _ in range(9):
        stream.octets(BLOCK_OCTETS - STATE_OCTETS)
    assert counts == [STATE_OCTETS] * 3


def test_a_signal_handler_inside_a_draw_gets_other_octets() -> None:
    stream = Keystream()
    stream._busy = True
    inner = stream.octets(64)
    stream._busy = False
    assert inner.tobytes() != stream.octets(64).tobytes()


def test_a_stream_cannot_be_stored_or_copied() -> None:
    stream = Keystream()
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="never copied or stored"):
            attempt(stream)


def test_the_shared_source_holds_no_state() -> None:
    source = sampling.secure_bits()
    assert not hasattr(source, "__dict__")
    assert type(source).__slots__ == ()


def test_octets_belong_to_the_caller_and_are_aligned() -> None:
    stream = Keystream()
    stream.octets(3)
    octets = stream.octets(64)
    assert octets.ctypes.data % 8 == 0
    assert octets.base is None
    assert stream.octets(0).size == 0
