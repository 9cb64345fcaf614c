"""Objects that a region changes without naming them: in containers, captured by functions, behind bound methods."""

import dataclasses
import functools

import numpy as np
import pytest
from support import dsl_support as support

import fairlead
from fairlead import Boolean, Int32, cute

X = np.arange(-5, 10, dtype=np.int32)


class Counter:
    def __init__(self, value):
        self.value = value

    @cute.jit
    def add(self, step):
        self.value = self.value + step

    @cute.jit
    def add_odd(self, step):
        if step % 2 == 1:
            self.value = self.value + step


def bump(counter, step):
    counter.value = counter.value + step


def run(function):
    """Return the results of a function of one number for each of X."""
    return support.run_map(function, np.int32, X)


def test_in_lists_tuples_and_dicts():
    @cute.jit
    def function(x):
        counters = [Counter(x), Counter(x * 2)]
        pair = (Counter(x), 3)
        named = {"a": [Counter(x)], "b": Counter(x)}
        for i in range(4):
            counters[0].add(i)
            for counter in counters:
                counter.value = counter.value + 1
            if x > 0:
                pair[0].value += pair[1]
                named["a"][0].add_odd(i)
                bump(named["b"], i)
        return (
            counters[0].value
            + counters[1].value * 10
            + pair[0].value * 100
            + named["a"][0].value * 1000
            + named["b"].value * 10000
        )

    expected = []
    for x in X.tolist():
        positive = x > 0
        first, second = x + 6 + 4, x * 2 + 4
        a, b = x + 4 * positive, x + 6 * positive
        expected.append(first + second * 10 + (x + 12 * positive) * 100 + a * 1000 + b * 10000)
    np.testing.assert_array_equal(run(function), expected)


def test_captured_by_functions():
    @cute.jit
    def function(x):
        counter, other = Counter(x), Counter(x)

        def step(i):
            counter.value = counter.value + i

        def twice(i):
            step(i)
            step(i)

        @cute.jit
        def odd(i):
            if i % 2 == 1:
                other.value = other.value + i

        for i in range(4):
            twice(i)
            odd(i)
        if x > 0:
            step(100)
        return counter.value * 1000 + other.value

    expected = [(x + 12 + (100 if x > 0 else 0)) * 1000 + x + 4 for x in X.tolist()]
    np.testing.assert_array_equal(run(function), expected)


def test_bound_methods_and_partial():
    @cute.jit
    def function(x):
        counter, other = Counter(x), Counter(x)
        add = counter.add
        step = functools.partial(bump, other)
        for i in range(4):
            add(i)
            step(step=i * 2)
        while other.value < 20:
            step(5)
        return counter.value * 1000 + other.value

    expected = []
    for x in X.tolist():
        other = x + 12
        while other < 20:
            other += 5
        expected.append((x + 6) * 1000 + other)
    np.testing.assert_array_equal(run(function), expected)


def test_both_branches_begin_alike():
    @cute.jit
    def function(x):
        counters = [Counter(x)]
        if x > 2:
            counters[0].add(1)
        elif x > 0:
            counters[0].add(10)
        else:
            counters[0].value = counters[0].value * 2
        return counters[0].value

    expected = [x + 1 if x > 2 else x + 10 if x > 0 else x * 2 for x in X.tolist()]
    np.testing.assert_array_equal(run(function), expected)


def test_the_same_object_by_several_ways():
    @cute.jit
    def function(x):
        counter = Counter(x)
        counters, add = [counter, counter], counter.add
        for _ in range(3):
            counter.add(1)
            counters[0].add(10)
            counters[1].add(100)
            add(1000)
        return counters[0].value + counter.value

    np.testing.assert_array_equal(run(function), 2 * (X + 3333))


def test_numbers_of_python_in_what_is_reached():
    """They become numbers of the program: changes of a region happen where it runs."""

    class Log:
        def __init__(self):
            self.lines = 0

    log = Log()

    def note(x):
        log.lines += 1
        return x

    @cute.jit
    def function(x):
        total = x
        if x > 0:
            total = note(note(total)) + 1
        else:
            total = note(total) - 1
        return total * 10 + log.lines

    expected = [(x + 1) * 10 + 2 if x > 0 else (x - 1) * 10 + 1 for x in X.tolist()]
    np.testing.assert_array_equal(run(function), expected)


def test_types_do_not_change():
    @cute.jit
    def function(x):
        counters = [Counter(x)]
        if x > 0:
            counters[0].value = counters[0].value * 0.5
        return counters[0].value

    with pytest.raises(
        TypeError,
        match=r"`counters\[0\].value` must keep .* it was Int32 before and is Float32",
    ):
        run(function)


def test_objects_are_as_before_after_an_error():
    counter = Counter(0)

    @cute.jit
    def function(x, fail: fairlead.Constexpr):
        counter.value = x
        counters = [counter]
        for i in range(3):
            counters[0].add(i)
            if fail:
                raise LookupError("as asked")
        return counters[0].value

    with pytest.raises(LookupError, match="as asked"):
        run(lambda x: function(x, True))
    np.testing.assert_array_equal(run(lambda x: function(x, False)), X + 3)


def test_in_kernels():
    @cute.kernel
    def device(out: cute.Tensor, n: Int32):
        thread, _, _ = cute.arch.thread_idx()
        states = [Counter(thread), Counter(n)]
        for i in range(thread):
            states[0].add(1)
            states[1].add_odd(i)
        out[thread] = states[0].value * 100 + states[1].value

    @cute.jit
    def host(out: cute.Tensor, n: Int32):
        device(out, n).launch(grid=1, block=8)

    out = np.zeros(8, np.int32)
    cute.compile(host, support.vector(Int32), Int32, options="--target cpu")(out, 5)
    expected = [t * 2 * 100 + 5 + sum(i for i in range(t) if i % 2) for t in range(8)]
    assert out.tolist() == expected


@dataclasses.dataclass
class Signal:
    holds: Boolean
    count: int

    def __call__(self):
        return self.holds

    @cute.jit
    def counted(self, x, n):
        total = Int32(0)
        for _ in range(n):
            if self():
                total += x
        return total


def test_dataclasses_in_tuples_are_the_same_in_both_arms():
    def counted(first, second, x, n):
        return first.counted(x, n) + second.counted(n, n)

    @cute.jit
    def function(x, n):
        signals = Signal(x > 2, 3), Signal(n > 2, 4)
        total = Int32(0)
        if n > 3:
            total = counted(*signals, x, n)
        else:
            total = counted(*signals, x, n) + 1
        return total

    def python(x, n):
        total = (x if x > 2 else 0) * n + (n if n > 2 else 0) * n
        return total if n > 3 else total + 1

    counts = (X - X.min()) % 7
    expected = [python(x, n) for x, n in zip(X.tolist(), counts.tolist(), strict=True)]
    np.testing.assert_array_equal(support.run_map(function, np.int32, X, counts), expected)
