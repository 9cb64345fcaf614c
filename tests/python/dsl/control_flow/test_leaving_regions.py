"""The ends of run-time regions: statements that may not leave them, and their replacements."""

import typing

import numpy as np
import pytest
from support import dsl_support as support
from test_control_flow import check
from test_control_flow_rules import COUNTS, X, failing

import fairlead
from fairlead import cute
from fairlead.errors import DSLError


@pytest.mark.parametrize("word", ["return x", "raise ValueError(x)", "try break", "try return"])
def test_regions_are_not_left_early(word, tmp_path):
    inside = f"            {word}\n"
    if word.startswith("try "):
        word = word.removeprefix("try ")
        inside = f"            try:\n                {word}\n            finally:\n                pass\n"
    source = (
        "from fairlead import cute\n@cute.jit\ndef function(x):\n    for i in range(x):\n"
        f"        if x > i:\n{inside}    return x\n"
    )
    path = tmp_path / "early.py"
    path.write_text(source)
    scope: dict[str, typing.Any] = {}
    exec(compile(source, str(path), "exec"), scope)
    error = failing(scope["function"])
    assert isinstance(error, NotImplementedError) and word.split()[0] in str(error)


def test_pass_everywhere():
    @cute.jit
    def function(x, n):
        if x > 0:
            pass
        elif x < -20:
            pass
        else:
            x = x + 1
        while x < 0 and n > 100:
            pass
        for _ in range(n):
            pass
        return x

    check(function, X, COUNTS)


def test_early_returns():
    """Guards, one after the other and in each other, in a kernel and in functions that it calls."""

    @cute.jit
    def store(out, i, x):
        if x < -20:
            return
        if x == 7:
            out[i] = 70
            return
        elif x > 20:
            if x == 22:
                out[i] = 1022
                return
            else:
                out[i] = 1000
            return
        if x == 8:
            out[i] = 80
        else:
            out[i] = x
        out[i] = out[i] + 1

    @cute.kernel
    def device(a, out):
        i, _, _ = cute.arch.thread_idx()
        if i >= a.shape[0]:
            return
        store(out, i, a[i])

    @cute.jit
    def launch(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=1, block=64)

    x = np.array([-30, -20, 0, 7, 8, 20, 21, 22], np.int32)
    out = np.full(8, -1, np.int32)
    launch(x, out)
    assert out.tolist() == [-1, -19, 1, 70, 81, 21, 1000, 1022]


def test_continue():
    @cute.jit
    def function(x, n):
        total = x
        for i in range(n):
            if i % 3 == 1:
                continue
            if i > 6:
                if x > 0:
                    total = total + 100
                continue
            total = total + i
        while n > 0:
            n = n - 1
            if n % 2 == 0:
                continue
            total = total + n
        return total

    check(function, X, COUNTS)


def test_what_comes_behind_an_end_known_while_tracing_is_not_traced():
    @cute.jit
    def function(out: cute.Tensor, stop: fairlead.Constexpr):
        out[0] = 1.0
        if stop:
            return
        later = 2.0
        out[0] = later
        for i in fairlead.range_constexpr(4):
            if i == 2:
                continue
            later = later + i
        out[1] = later

    out = np.zeros(2, np.float32)
    function(out, True)
    assert out.tolist() == [1, 0]
    function(out, False)
    assert out.tolist() == [2, 6]


def test_early_exit_as_pass_else():
    @cute.jit
    def inner(x):
        y = x
        if x < 0:
            pass
        else:
            y = y * 2
            if y > 20:
                pass
            else:
                y = y + 1
        return y

    @cute.jit
    def function(x):
        return inner(x) + inner(-x)

    expected = []
    for x in X.tolist():
        values = [(v if v < 0 else v * 2 if v * 2 > 20 else v * 2 + 1) for v in (x, -x)]
        expected.append(sum(values))
    np.testing.assert_array_equal(support.run_map(function, np.int32, X), expected)


def test_assert_and_raise_on_what_is_known():
    @cute.jit
    def function(x):
        assert len([1, 2]) == 2
        if x > 0:
            if fairlead.const_expr(1 > 2):
                raise ValueError("not reached")
            x = x + 1
        return x

    check_expected = np.where(X > 0, X + 1, X)
    np.testing.assert_array_equal(support.run_map(function, np.int32, X), check_expected)

    @cute.jit
    def broken(x):
        assert 1 > 2, "as Python says it"
        return x

    error = failing(broken)
    assert isinstance(error, AssertionError) and str(error) == "as Python says it"

    @cute.jit
    def on_a_value(x):
        assert x > 0
        return x

    assert isinstance(failing(on_a_value), (TypeError, DSLError))
    # The failure leaves no state.
    np.testing.assert_array_equal(support.run_map(function, np.int32, X), check_expected)


def test_raise_where_the_innermost_condition_is_known():
    """It says what cannot be compiled, and is shown as it is; also inside of run-time regions."""

    @cute.jit
    def function(x, kind: fairlead.Constexpr):
        total = x
        for i in range(x):
            if kind == "sum":
                total = total + i
            elif kind == "product":
                total = total * i
            else:
                raise LookupError(f"no such kind: {kind}")
        return total

    got = support.run_map(lambda x: function(x, "sum"), np.int32, COUNTS)
    np.testing.assert_array_equal(got, [x + sum(range(x)) for x in COUNTS.tolist()])
    with pytest.raises(LookupError, match="no such kind: mean") as caught:
        support.run_map(lambda x: function(x, "mean"), np.int32, COUNTS)
    assert not isinstance(caught.value, DSLError)

    @cute.jit
    def caught_inside(x):
        try:
            if fairlead.const_expr(True):
                raise KeyError("a")
        except KeyError:
            x = x + 1
        return x

    np.testing.assert_array_equal(support.run_map(caught_inside, np.int32, X), X + 1)


def test_break():
    @cute.jit
    def function(x, n):
        total = x
        last = -1
        for i in range(2, n, 3):
            last = i
            if x + i > 40:
                total = total + 1000
                break
            if i > 15:
                break
            total = total + i
        while n > 0:
            n = n - 1
            if x > 20 and n == 7:
                break
            if n % 2 == 0:
                continue
            total = total * 2 + n
        return total * 31 + last

    check(function, X, COUNTS)


def test_break_of_a_loop_without_an_end():
    @cute.jit
    def function(x, n):
        steps = 0
        while True:
            if x == 1 or steps > n:
                break
            steps = steps + 1
            if x % 2 == 0:
                x = x // 2
            else:
                x = 3 * x + 1
        return steps * 1000 + x

    check(function, np.abs(X) + 1, COUNTS)


def test_break_and_continue_on_some_ways_through_a_branch():
    @cute.jit
    def function(x, n):
        total = 0
        for i in range(n):
            if i % 2 == 0:
                if i > x:
                    break
                total = total + 1
                if i % 3 == 0:
                    continue
            else:
                if i == 9:
                    total = total + 500
                    continue
                elif i > 12:
                    total = total - 1
                    break
            total = total * 2
            for j in range(i):
                if j > 3:
                    if j == x:
                        break
                    total = total + j
                total = total + 1
        return total

    check(function, X % 12, COUNTS)


def test_else_of_a_loop_that_may_be_left():
    @cute.jit
    def function(x, n):
        found = -1
        for i in range(n):
            if i == x:
                found = i
                break
        else:
            found = -7
        k = n
        while k > 0:
            k = k - 3
            if k == 2:
                break
        else:
            k = 100
        return 1000 * found + k

    check(function, X % 12, COUNTS)


def test_break_of_loops_known_while_tracing():
    """The loop is Python's, the condition the program's: the statements behind it are skipped after a break."""

    @cute.jit
    def function(x, n):
        total = 0
        for i in fairlead.range_constexpr(6):
            if i == 5:
                break
            if x > 0:
                if i * 3 > n:
                    break
            total = total + i + 1
        for each in [1, 2, 3]:
            if each == 2:
                break
            total = total + 100 * each
        k = 0
        while k < 10:
            if k == 4:
                break
            k = k + 1
        return total + 10000 * k

    check(function, X, COUNTS)


@pytest.mark.parametrize("name", ["Int8", "Int32", "Uint16", "Int64"])
@pytest.mark.parametrize("step", [1, -1, 3, -7, "dynamic"])
def test_break_in_ranges_of_every_type(name, step):
    kind = getattr(cute, name)
    low = 0 if name.startswith("Uint") else -100

    @cute.jit
    def function(x, n):
        first, last, by = kind(x), kind(n), step
        if fairlead.const_expr(step == "dynamic"):
            by = kind(3)
        rounds = 0
        end = kind(0)
        for i in range(first, last, by):
            rounds = rounds + 1
            end = i
            if rounds == 17:
                break
        return rounds * 1000 + end.to(cute.Int32)

    starts = np.random.default_rng(5).integers(low, 120, 100).astype(np.int32)
    stops = np.random.default_rng(6).integers(low, 120, 100).astype(np.int32)
    if name == "Int8":
        starts[:2], stops[:2] = (-128, 127), (127, -128)
    if name.startswith("Uint") and step in (-1, -7):
        return
    got = support.run_map(function, np.int32, starts, stops)
    by = 3 if step == "dynamic" else step
    for start, stop, value in zip(starts.tolist(), stops.tolist(), got.tolist(), strict=True):
        numbers = list(range(start, stop, by))[:17]
        assert value == len(numbers) * 1000 + (numbers[-1] if numbers else 0)


def test_break_out_of_a_loop_around_a_barrier():
    """All threads leave together, and the kernel goes on behind it."""

    @cute.kernel
    def device(a, out):
        t, _, _ = cute.arch.thread_idx()
        sums = cute.SmemAllocator().allocate_tensor(cute.Float32, 64)
        for i in range(a.shape[0]):
            sums[t] = a[i] * t
            cute.arch.sync_threads()
            if a[i] > 3:
                break
            out[t] = out[t] + sums[63 - t]
            cute.arch.sync_threads()
        cute.arch.sync_threads()
        out[t] = out[t] + 0.5

    @cute.jit
    def launch(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=1, block=64)

    a, out = np.array([1, 2, 3, 4, 5], np.float32), np.zeros(64, np.float32)
    launch(a, out)
    np.testing.assert_array_equal(out, (63 - np.arange(64)) * 6 + 0.5)


def test_return_out_of_loops():
    @cute.jit
    def store(out, i, x, n):
        out[i] = 0
        for j in range(n):
            for k in fairlead.range_constexpr(4):
                if j * 4 + k == x:
                    return
                out[i] = out[i] + 1
            if j > 3:
                out[i] = out[i] + 100
                return
        while x < 10:
            x = x + 1
            if x == 5:
                out[i] = -out[i]
                return
        out[i] = out[i] + 1000

    @cute.kernel
    def device(a, b, out):
        i, _, _ = cute.arch.thread_idx()
        if i < a.shape[0]:
            store(out, i, a[i], b[i])

    @cute.jit
    def launch(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor):
        device(a, b, out).launch(grid=1, block=256)

    x, n = (X % 30).astype(np.int32), COUNTS % 7
    out, expected = np.full(200, -1, np.int32), np.zeros(200, np.int32)
    launch(x, n, out)
    for i in range(200):
        store.function(expected, i, int(x[i]), int(n[i]))
    np.testing.assert_array_equal(out, expected)


def test_values_returned_from_branches():
    @cute.jit
    def inner(x):
        if x < -20:
            return -1
        elif x > 20:
            y = x // 2
            if y > 15:
                return y
            return y + 100
        z = x * 3
        return z

    @cute.jit
    def pair(x):
        if x > 0:
            return x, 1
        return -x, 0

    @cute.jit
    def function(x):
        first, second = pair(x)
        return inner(x) * 7 + first + 1000 * second

    expected = []
    for x in X.tolist():
        if x < -20:
            value = -1
        elif x > 20:
            value = x // 2 if x // 2 > 15 else x // 2 + 100
        else:
            value = x * 3
        expected.append(value * 7 + abs(x) + (1000 if x > 0 else 0))
    np.testing.assert_array_equal(support.run_map(function, np.int32, X), expected)

    @cute.jit
    def unlike(x):
        if x > 0:
            return x
        return x, x

    @cute.jit
    def outer(x):
        return unlike(x)

    error = failing(outer)
    assert isinstance(error, TypeError) and "numbers of one type, or tuples of one length" in str(
        error
    )


def test_a_value_returned_in_a_nested_else_says_what_is_missing():
    @cute.jit
    def partly(x):
        if x > 3:
            return x
        else:
            if x > 1:
                return x + 1
            else:
                pass

    @cute.jit
    def outer(x):
        return partly(x)

    error = failing(outer)
    assert isinstance(error, NotImplementedError)
    assert "another way through the function returns none" in str(error)
