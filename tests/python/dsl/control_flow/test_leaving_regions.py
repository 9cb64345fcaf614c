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


@pytest.mark.parametrize("word", ["break", "continue", "return x", "raise ValueError(x)"])
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
