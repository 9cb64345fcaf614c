"""Names that both arms of a run-time `if` bind, and `nonlocal`."""

import numpy as np
import pytest
from support import dsl_support as support
from test_control_flow import check
from test_control_flow_rules import COUNTS, X, failing

import fairlead
from fairlead import cute


def test_numbers():
    @cute.jit
    def function(x, n):
        if x > 3:
            y = 1
            z = x
            flag = True
        elif x < -10:
            y = n
            z = 2
            flag = n > 5
        else:
            y = 3
            z = x * 2
            flag = False
            only_here = 5
            z = z + only_here
        if flag:
            z = z + 1000
        return y * 100 + z

    check(function, X, COUNTS)


def test_in_loops_and_branches():
    @cute.jit
    def function(x, n):
        total = 0
        for i in range(n):
            if i > 2:
                if x > 0:
                    step = i
                else:
                    step = -i
                total = total + step
            if total > 40:
                scale = 2
            else:
                scale = 3
            while total > 50:
                if scale == 2:
                    less = 7
                else:
                    less = 11
                total = total - less
            total = total + scale
        return total

    check(function, X, COUNTS)


def test_values_that_consist_of_values():
    @cute.jit
    def function(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor, n: cute.Int32):
        if n > 0:
            pair, source, shape = (n, 2), a, cute.make_layout((n, 4))
        else:
            pair, source, shape = (-n, 3), b, cute.make_layout((n + 9, 4))
        out[0] = pair[0] + 10 * pair[1]
        out[1] = source[1]
        out[2] = cute.size(shape)

    a, b, out = np.array([1, 2], np.int32), np.array([3, 4], np.int32), np.zeros(3, np.int32)
    function(a, b, out, 5)
    assert out.tolist() == [25, 2, 20]
    function(a, b, out, -5)
    assert out.tolist() == [35, 4, 16]


def test_branches_that_store_run_once():
    @cute.jit
    def function(out: cute.Tensor, n: cute.Int32):
        if n > 0:
            out[0] = out[0] + 1
            y = out[1]
        else:
            out[0] = out[0] + 10
            y = out[2]
        out[3] = y

    out = np.array([0, 7, 8, 0], np.int32)
    function(out, 1)
    assert out.tolist() == [1, 7, 8, 7]
    function(out, -1)
    assert out.tolist() == [11, 7, 8, 8]


@pytest.mark.parametrize("second", ["1.5", "(1, 2)", "None", "[]"])
def test_unlike_values_have_no_value_after_it(second):
    scope = {"cute": cute}
    source = f"""
def function(x):
    if x > 0:
        y = x
    else:
        y = {second}
    return y
"""
    import linecache

    linecache.cache["<unlike>"] = (len(source), None, source.splitlines(True), "<unlike>")
    exec(compile(source, "<unlike>", "exec"), scope)
    error = failing(cute.jit(scope["function"]))
    assert isinstance(error, NameError) and "'y' has no value here" in str(error)


def test_carried_names_beside_new_ones_keep_their_types():
    @cute.jit
    def function(out: cute.Tensor, n: cute.Int32):
        wide = cute.Int64(3)
        items = [cute.Int32(1), cute.Int32(2)]
        if n > 0:
            wide = 1
            items[0] = n
            new = 1
        else:
            wide = 2
            new = 2
        assert type(wide) is cute.Int64
        out[0] = wide.to(cute.Int32) + 10 * new + 100 * items[0]

    out = np.zeros(1, np.int32)
    function(out, 5)
    assert out[0] == 511
    function(out, 0)
    assert out[0] == 122


def test_nonlocal():
    @cute.jit
    def function(x, n):
        total = x
        calls = cute.Int32(0)

        def add(value):
            nonlocal total, calls
            calls += 1
            if value % 2 == 0:
                total = total + value
            else:
                total = total - 1

        def twice(value):
            if value > 3:
                add(value)
            add(value + 1)

        for i in range(n):
            if i > 1:
                twice(i)
        while total > 100:
            add(-50)
        add(1)
        return total * 10 + calls

    def expected(x, n):
        total, calls = x, 0
        values = [v for i in range(2, n) for v in ([i, i + 1] if i > 3 else [i + 1])]
        for value in values:
            calls += 1
            total += value if value % 2 == 0 else -1
        while total > 100:
            calls += 1
            total -= 50
        return (total - 1) * 10 + calls + 1

    got = support.run_map(function, np.int32, X, COUNTS)
    np.testing.assert_array_equal(
        got, [expected(x, n) for x, n in zip(X.tolist(), COUNTS.tolist(), strict=True)]
    )


def test_nonlocal_of_a_function_of_python():
    count = 0

    @cute.jit
    def function(x):
        nonlocal count
        count = count + 1
        return x + fairlead.Int32(1)

    error = failing(function)
    assert isinstance(error, NotImplementedError) and "nonlocal" in str(error) and count == 0


@pytest.mark.parametrize("first", [True, False])
def test_names_that_are_bound_again_before_they_are_read(first):
    """The value of the first `if` is never read: it is not handed on, and the next `if` takes none."""

    @cute.jit
    def function(x, n):
        result = x
        if x > 3:
            if cute.const_expr(first):
                y = cute.Uint32(0)
            else:
                y = cute.Uint16(0)
            if n > 2:
                y = cute.Int32(n)
                result = result + y
        return result

    got = support.run_map(function, np.int32, X, COUNTS)
    np.testing.assert_array_equal(got, np.where((X > 3) & (COUNTS > 2), X + COUNTS, X))
