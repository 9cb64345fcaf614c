"""Exceptions that a program catches while it is traced: inside a run-time region they are Python's, and behind the
region that they leave they are an error at the user's line."""

import contextlib

import numpy as np
import pytest
from support import dsl_support as support
from test_control_flow import check
from test_control_flow_rules import COUNTS, X, failing

import fairlead
from fairlead import Int32, cute
from fairlead.errors import DSLError


def missing(value):
    raise LookupError("missing")


@cute.jit
def caught_in_loop(x, n):
    total = x
    for i in range(n):
        try:
            total += 1
            missing(i)
            total += 100
        except LookupError:
            total += i
        finally:
            total += 2
    return total


@cute.jit
def raised_and_caught_in_branch(x, n):
    result = 0
    if x > 3:
        try:
            result = n
            raise ValueError("here")
        except ValueError:
            result = result + 1
    return result


@contextlib.contextmanager
def ignoring():
    with contextlib.suppress(ValueError):
        yield


@cute.jit
def raised_in_with(x, n):
    for i in range(n):
        with ignoring():
            x = x + i
            raise ValueError("ignored")
        x = x + 1
    return x


@cute.jit
def swallowed(x, n):
    result = 0
    with contextlib.suppress(LookupError):
        result = x
        missing(n)
        result = n
    return result


@cute.jit
def handler_reads_what_the_loop_bound(x, n):
    y = 0
    try:
        for k in (1, 2, 3):
            y = k
            if k == 2:
                missing(k)
        y = 7
    except LookupError:
        y = y * 10 + x
    return y


@cute.jit
def handler_reads_what_the_branch_bound(x, n):
    y = 1
    try:
        if fairlead.const_expr(True):
            y = 2
            missing(x)
        y = 3
    except LookupError:
        y = y * 10
    return y + x


@cute.jit
def after_a_swallowed_error(x, n):
    y = 1
    with contextlib.suppress(LookupError):
        for k in (5, 6):
            y = k
            missing(x)
    return y + x


@cute.jit
def branches_in_a_try(x, n):
    y = 0
    try:
        if x > 0:
            y = 2
        missing(x)
        y = 3
    except LookupError:
        y = y * 10
    else:
        y = 1
    return y


@cute.jit
def raised_anew(x, n):
    try:
        try:
            raise KeyError("a")
        except KeyError as error:
            raise ValueError("b") from error
    except ValueError as error:
        return x + len(str(error))
    return n


PROGRAMS = [
    caught_in_loop,
    raised_and_caught_in_branch,
    raised_in_with,
    swallowed,
    handler_reads_what_the_loop_bound,
    handler_reads_what_the_branch_bound,
    after_a_swallowed_error,
    branches_in_a_try,
    raised_anew,
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.function.__name__)
def test_against_python(function):
    check(function, X, COUNTS)
    kinds = [support.vector(Int32) for _ in range(3)]
    assert cute.compile(support.map2, function, *kinds, options="--target cuda:sm_90a").ptx


@cute.jit
def behind_if(x, n):
    try:
        if x > 3:
            missing(x)
    except LookupError:
        x = n
    return x


@cute.jit
def behind_for(x, n):
    with contextlib.suppress(LookupError):
        for i in range(n):
            x = x + 1
            missing(i)
    return x


@cute.jit
def behind_while(x, n):
    try:
        while n > 0:
            n = n - 1
            missing(n)
    except Exception:
        pass
    return x


@cute.jit
def behind_conditional(x, n):
    try:
        x = n if x > 3 else missing(x)
    except LookupError:
        x = 1
    return x


@cute.jit
def behind_and(x, n):
    try:
        if x > 3 and missing(x):
            x = 1
    except LookupError:
        x = 2
    return x


@cute.jit
def helper(x):
    if x > 3:
        missing(x)
    return x


@cute.jit
def behind_a_helper(x, n):
    try:
        x = helper(x)
    except LookupError:
        x = n
    return x


@pytest.mark.parametrize(
    ("function", "construct"),
    [
        (behind_if, "if"),
        (behind_for, "for"),
        (behind_while, "while"),
        (behind_conditional, "a if p else b"),
        (behind_and, "and"),
        (behind_a_helper, "if"),
    ],
)
def test_what_leaves_a_region_is_not_caught_behind_it(function, construct):
    error = failing(function, X, COUNTS)
    assert isinstance(error, DSLError) and isinstance(error, NotImplementedError)
    text = str(error)
    assert (
        f"`LookupError: missing` outside the run-time `{construct}` in which it was raised" in text
    )
    assert f"{__file__}:" in text and '    raise LookupError("missing")\n    ^~~' in text
    # The trace is clean: the next one works.
    check(caught_in_loop, X, COUNTS)


def test_own_errors_are_not_caught():
    @cute.jit
    def changes_type(x, n):
        y = 1
        try:
            if x > 3:
                y = 1.5
        except TypeError:
            y = 2
        return y

    @cute.jit
    def raises(x, n):
        for _ in range(n):
            try:
                if x > 0:
                    raise ValueError("positive")
            except Exception:
                x = 0
        return x

    assert "`y` must keep its type in a run-time `if`" in str(failing(changes_type, X, COUNTS))
    assert "`raise` in a run-time `if`" in str(failing(raises, X, COUNTS))


def test_errors_of_handlers_are_shown():
    @cute.jit
    def translated(x, n):
        try:
            if x > 3:
                missing(x)
        except LookupError as error:
            raise ArithmeticError("translated") from error
        return x

    @cute.jit
    def another(x, n):
        with contextlib.suppress(LookupError):
            if x > 3:
                missing(x)
        raise ArithmeticError("later")

    assert type(failing(translated, X, COUNTS)) is ArithmeticError
    # The first of two errors.
    assert "outside the run-time `if`" in str(failing(another, X, COUNTS))


@pytest.mark.parametrize("outcome", ["launch", "escape in host", "escape in kernel"])
def test_kernels_that_fail(outcome):
    kept = []

    @cute.kernel
    def fails(a: cute.Tensor):
        kept.append(a[0] + 1)
        raise ValueError("static")

    @cute.kernel
    def works(a: cute.Tensor):
        a[1] = kept[0] if outcome == "escape in kernel" else 5

    @cute.jit
    def host(a: cute.Tensor):
        with contextlib.suppress(ValueError):
            fails(a).launch(grid=1, block=1)
        if outcome == "escape in host":
            a[1] = kept[0]
        works(a).launch(grid=1, block=1)

    a = np.arange(3, dtype=np.int32)
    if outcome == "launch":
        host(a)
        np.testing.assert_array_equal(a, [0, 5, 2])
    else:
        with pytest.raises(RuntimeError, match="a value computed inside"):
            host(a)


def test_values_of_a_region_that_was_left():
    kept = []

    @cute.jit
    def function(x, n):
        with contextlib.suppress(LookupError):
            if x > 3:
                kept.append(x + 1)
                missing(x)
        return kept[0]

    # The value that is used is not the first thing that is wrong.
    error = failing(function, X, COUNTS)
    assert "`LookupError: missing` outside the run-time `if`" in str(error)
