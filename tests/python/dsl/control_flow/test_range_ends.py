"""Loops whose range reaches the end of its type run as often as Python's do."""

import itertools

import numpy as np
import pytest

import fairlead
from fairlead import cute

RANGES = {
    "Int8": (-128, 127),
    "Uint8": (0, 255),
    "Int16": (-32768, 32767),
    "Int32": (-(2**31), 2**31 - 1),
    "Uint32": (0, 2**32 - 1),
    "Int64": (-(2**63), 2**63 - 1),
}


def cases(name):
    """start, stop, step near the ends of a type; none of more than a few hundred rounds."""
    least, most = RANGES[name]
    points = {least, least + 3, most, most - 4, 0, (least + most) // 2 + 7}
    steps = {1, 2, 3, 85, most // 10, most // 2 + 1, most}
    steps |= {-step for step in steps} if least else set()
    for start, stop, step in itertools.product(sorted(points), sorted(points), sorted(steps)):
        if step and -300 < (stop - start) // step < 300:
            yield start, stop, step


def count_rounds(dtype, static):
    """A function that counts the rounds of a loop and adds up its variable; `static` is its step, or None."""

    @cute.kernel
    def device(ends: cute.Tensor, out: cute.Tensor):
        rounds, total = fairlead.Int32(0), fairlead.Int64(0)
        step = ends[2] if fairlead.const_expr(static is None) else static
        for i in range(ends[0], ends[1], step):
            rounds += 1
            total += i.to(fairlead.Int64)
        out[0] = rounds.to(fairlead.Int64)
        out[1] = total

    @cute.jit
    def run(ends: cute.Tensor, out: cute.Tensor):
        device(ends, out).launch(grid=1, block=1)

    fakes = [
        cute.runtime.make_fake_compact_tensor(getattr(fairlead, dtype), (3,)),
        cute.runtime.make_fake_compact_tensor(fairlead.Int64, (2,)),
    ]
    return cute.compile(run, *fakes, options="--target cpu")


def check(function, name, start, stop, step):
    out = np.full(2, -1, np.int64)
    function(np.array([start, stop, step], name.lower()), out)
    rounds = range(start, stop, step)
    total = sum(rounds) & (2**64 - 1)
    assert out.view(np.uint64)[1] == total and out[0] == len(rounds), (name, start, stop, step)


@pytest.mark.parametrize("name", RANGES)
def test_steps_known_at_run_time(name):
    function = count_rounds(name, None)
    for start, stop, step in cases(name):
        check(function, name, start, stop, step)


@pytest.mark.parametrize("name", ["Int8", "Uint8", "Int32", "Int64"])
def test_steps_known_while_tracing(name):
    by_step = {}
    for start, stop, step in cases(name):
        by_step.setdefault(step, []).append((start, stop))
    for step, pairs in by_step.items():
        function = count_rounds(name, step)
        for start, stop in pairs:
            check(function, name, start, stop, step)


def test_a_step_of_zero_that_the_run_finds():
    out = np.full(2, -1, np.int64)
    count_rounds("Int32", None)(np.array([0, 5, 0], np.int32), out)
    assert out[0] == 0


def test_loops_of_constants():
    @cute.jit
    def run(n: fairlead.Int32, out: cute.Tensor):
        rounds = fairlead.Int32(0)
        for _ in range(fairlead.Int8(124), fairlead.Int8(127), fairlead.Int8(2)):
            rounds += 1
        out[0] = rounds
        rounds = fairlead.Int32(0)
        for _ in range(n, 2147483647, 2):
            rounds += 1
        out[1] = rounds
        rounds = fairlead.Int32(0)
        for _ in range(0, n, 200000000):
            rounds += 1
        out[2] = rounds

    out = np.zeros(3, np.int32)
    function = cute.compile(run, fairlead.Int32(1), out, options="--target cpu")
    function(2147483640, out)
    assert out.tolist() == [2, 4, 11]
