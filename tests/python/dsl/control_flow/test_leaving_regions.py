"""The ends of run-time regions: what may not leave them, and what stands in for it."""

import typing

import dsl_support as support
import numpy as np
import pytest
from test_control_flow import check
from test_control_flow_rules import COUNTS, X, failing

import fairlead
from fairlead import cute
from fairlead.errors import DSLError


@pytest.mark.parametrize("word", ["break", "return", "return x", "raise ValueError(x)"])
def test_regions_are_not_left_early(word, tmp_path):
    source = (
        "from fairlead import cute\n@cute.jit\ndef function(x):\n    for i in range(x):\n"
        f"        if x > i:\n            {word}\n    return x\n"
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
    # What failed leaves nothing behind.
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
