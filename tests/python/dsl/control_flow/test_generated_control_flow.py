"""Branches and loops that a program builds itself: ``if_generate``, ``while_generate``, ``for_generate``."""

import inspect

import numpy as np
import pytest
from support import dsl_support as support
from test_control_flow import check
from test_control_flow_rules import COUNTS, X, failing

from fairlead import Boolean, Float32, Int32, cute


def compiled_for_gpu(function):
    kinds = [support.vector(Int32) for _ in range(3)]
    return cute.compile(support.map2, function, *kinds, options="--target cuda:sm_90a").ptx


def against(function, python):
    expected = [python(x, n) for x, n in zip(X.tolist(), COUNTS.tolist(), strict=True)]
    np.testing.assert_array_equal(support.run_map(function, np.int32, X, COUNTS), expected)
    assert compiled_for_gpu(function)


def test_if_with_results():
    def function(x, n):  # not rewritten: the control flow is what it calls
        return cute.if_generate(x > n, lambda a, b: a - b, lambda a, b: b * 2, [x, n], [Int32])

    def pair(x, n):
        larger, positive = cute.if_generate(
            cute.not_(x > n), lambda: (n, x > 0), lambda: [x, True], None, [Int32, Boolean]
        )
        return larger * 10 + positive.to(Int32)

    against(cute.jit(preprocess=False)(function), lambda x, n: x - n if x > n else n * 2)
    against(
        cute.jit(preprocess=False)(pair),
        lambda x, n: x * 10 + 1 if x > n else n * 10 + (x > 0),
    )


def test_if_without_results():
    def function(x, n):
        cell = cute.make_rmem_tensor((1,), Int32)
        cell[0] = n

        def then():
            cell[0] = x

        assert cute.if_generate(x > 5, then) is None
        cute.if_generate(True, lambda: None)
        return cell[0]

    against(cute.jit(preprocess=False)(function), lambda x, n: x if x > 5 else n)


def test_conditions_that_are_known():
    called = []

    @cute.jit(preprocess=False)
    def function(x, n):
        value = cute.if_generate(3 > 2, lambda: x, lambda: called.append(1), return_types=[Int32])
        return value if cute.not_(False) else called[5]

    against(function, lambda x, n: x)
    assert not called


def test_while():
    def function(x, n):
        loop = cute.while_generate([n, 0], lambda left, total: left > 0)
        with loop as (left, total):
            cute.yield_out([left - 2, total + left * x])
        left, total = loop.results
        return left + total * 3

    def python(x, n):
        left, total = n, 0
        while left > 0:
            left, total = left - 2, total + left * x
        return left + total * 3

    against(cute.jit(preprocess=False)(function), python)
    against(cute.jit(function), python)


def nested(x, n):
    rows = cute.for_generate(0, n, 1, [x])
    with rows as (i, (total,)):
        columns = cute.for_generate(i, iter_args=[total])
        with columns as (j, (inner,)):
            found = cute.if_generate(
                j % 2 == 0, lambda: inner + j, lambda: inner - 1, return_types=[Int32]
            )
            cute.yield_out(found)
        halves = cute.while_generate(columns.results, lambda value: value > 20)
        with halves as (value,):
            cute.yield_out(value // 2)
        cute.yield_out(halves.results)
    return rows.results[0]


def nested_in_python(x, n):
    total = x
    for i in range(n):
        for j in range(i):
            total = total + j if j % 2 == 0 else total - 1
        while total > 20:
            total = total // 2
    return total


def test_for_and_nesting():
    against(cute.jit(preprocess=False)(nested), nested_in_python)


def test_for_without_values():
    def function(x, n):
        cell = cute.make_rmem_tensor((1,), Int32)
        cell[0] = x
        with cute.for_generate(n, -3, -2) as i:
            cell[0] = cell[0] + i
        return cell[0]

    against(cute.jit(preprocess=False)(function), lambda x, n: x + sum(range(n, -3, -2)))


def test_errors():
    def results(*values):
        return lambda x: cute.if_generate(
            x > 0, lambda: values, lambda: values, return_types=[Int32]
        )

    def loop(ends):
        def function(x):
            opened = cute.while_generate([x], lambda value: value > 0)
            with opened as _:
                if ends is not None:
                    cute.yield_out(ends)
            return opened.results[0]

        return function

    for function, kind, text in [
        (
            results(1, 2),
            ValueError,
            "`if` must yield a value for each of its 1 variables, but it yields 2",
        ),
        (results(Float32(1.5)), TypeError, "`result 0` must keep its type in a run-time `if`"),
        (loop([1, 2]), ValueError, "each of its 1 variables, but it yields 2"),
        (loop(None), ValueError, "each of its 1 variables, but it yields 0"),
        (loop([1.5]), TypeError, "`value 0` must keep its type in a run-time `while`"),
        (lambda x: cute.yield_out([x]), RuntimeError, "yield_out of no while_generate"),
        (lambda x: cute.if_generate(x > 0, list, list, [], [int]), TypeError, "numeric class"),
    ]:
        error = failing(cute.jit(preprocess=False)(function))
        assert isinstance(error, kind) and text in str(error), error
    # Nothing remains.
    check(cute.jit(lambda x, n: x + n), X, COUNTS)


def test_an_error_takes_the_loop_away():
    def function(x, n):
        try:
            with cute.for_generate(0, n):
                raise LookupError("inside")
        except LookupError:
            return x
        return n

    with pytest.raises(
        NotImplementedError, match="outside the run-time `for` in which it was raised"
    ):
        support.run_map(cute.jit(preprocess=False)(function), np.int32, X, COUNTS)


def test_a_loop_that_is_not_left():
    def function(x):
        cute.for_generate(0, x).__enter__()
        return x

    error = failing(cute.jit(preprocess=False)(function))
    assert isinstance(error, NotImplementedError)
    assert "a `for_generate` that is entered and not left" in str(error)
    check(cute.jit(lambda x, n: x + n), X, COUNTS)


def test_published_names():
    (names,) = support.published("cutlass_dsl")
    for name in ("if_generate", "while_generate", "for_generate", "yield_out", "not_"):
        assert inspect.unwrap(getattr(names, name)) is getattr(cute, name)
