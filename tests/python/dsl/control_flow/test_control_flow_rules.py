"""The rules of control flow, one test each: the compiled function against the same one run by Python."""

import typing

import numpy as np
import pytest
from support import dsl_support as support
from test_control_flow import check

import fairlead
from fairlead import Boolean, Float32, Int32, cute

generator = np.random.default_rng(11)
X = generator.integers(-50, 50, 200, np.int32)
Y = generator.integers(-50, 50, 200, np.int32)
COUNTS = generator.integers(0, 20, 200, np.int32)


def failing(function, *inputs):
    """The error of compiling a function."""
    with pytest.raises(Exception) as caught:
        support.run_map(function, np.int32, *(inputs or (X,)))
    return caught.value


def test_predicates_decide_where_they_are_known():
    traced = support.Notes()
    flag = True

    @cute.jit
    def function(x):
        y = 0
        if flag:
            traced.append("flag")
            y = 1
        else:
            traced.append("not flag")
        if x > 3:
            traced.append("then")
            y = y + x
        elif x > -10:
            traced.append("elif")
        else:
            traced.append("else")
            y = y - x
        return y

    expected = [1 + (x if x > 3 else 0 if x > -10 else -x) for x in X.tolist()]
    np.testing.assert_array_equal(support.run_map(function, np.int32, X), expected)
    assert traced == ["flag", "then", "elif", "else"]


def test_const_expr_takes_what_is_known():
    @cute.jit
    def function(x):
        n = 3
        y = x
        while fairlead.const_expr(n > 0):
            y = y + n
            n -= 1
        if fairlead.const_expr(n == 0):
            y = y * 2
        return y

    np.testing.assert_array_equal(support.run_map(function, np.int32, X), (X + 6) * 2)

    @cute.jit
    def dynamic(x):
        if fairlead.const_expr(x > 0):
            x = x + 1
        return x

    assert "const_expr" in str(failing(dynamic)) and isinstance(failing(dynamic), TypeError)


def test_const_expr_of_an_identity():
    """A run-time Boolean is neither True nor False while a function is traced."""

    @cute.jit
    def function(x, known: cute.Constexpr = True):
        positive = x > 0
        y = x
        if fairlead.const_expr(positive is True):
            y = y * 0
        elif positive:
            y = y + 10
        if fairlead.const_expr(known is not False):
            y = y + 100
        return y

    expected = np.where(X > 0, X + 110, X + 100)
    np.testing.assert_array_equal(support.run_map(function, np.int32, X), expected)


def test_while():
    @cute.jit
    def function(x, y):
        steps = 0
        while x != y and steps < 100:
            if x < y:
                x += 3
            else:
                x -= 1
            steps += 1
        return steps * 1000 + x

    check(function, X, Y)


def test_range_of_constants_is_a_loop_of_the_program():
    bodies = support.Notes()

    @cute.jit
    def function(x):
        for i in range(4):
            bodies.append(i)
            x = x * 3 - i
        return x

    expected = X.copy()
    for i in range(4):
        expected = expected * 3 - i
    np.testing.assert_array_equal(support.run_map(function, np.int32, X), expected)
    assert len(bodies) == 1


@pytest.mark.parametrize(
    "attributes",
    [
        {"unroll": 1},
        {"unroll": 3},
        {"unroll_full": True},
        {"vectorize": True},
        {"prefetch_stages": 2},
        {"prefetch_stages": 0, "unroll": 2},
    ],
)
def test_loop_attributes_do_not_change_results(attributes):
    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        total = Float32(0.0)
        for i in fairlead.range(a.shape[1], **attributes):
            total += a[t, i] * a[t, (i * 7) % a.shape[1]]
            if i % 3 == 0:
                total -= a[t, 0]
        out[t] = total

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=1, block=16)

    for columns in (1, 2, 5, 33):
        a = generator.standard_normal((16, columns)).astype(np.float32)
        out = support.poisoned(16, np.float32)
        n = cute.sym_int()
        fake = cute.runtime.make_fake_compact_tensor(Float32, (16, n), stride_order=(1, 0))
        cute.compile(host, fake, support.vector(Float32), options="--target cpu")(a, out)
        others = a[:, np.arange(columns) * 7 % columns]
        expected = (a * others).sum(1) - a[:, 0] * len(range(0, columns, 3))
        np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5)


def test_prefetching_is_in_the_program(tmp_path, monkeypatch):
    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        total = Float32(0.0)
        for i in fairlead.range(a.shape[0] // 64, prefetch_stages=4):
            total += a[i * 64 + t]
        out[t] = total

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=1, block=64)

    fakes = support.vector(Float32), support.vector(Float32)
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    compiled = cute.compile(host, *fakes, options="--target cpu --keep-ir")
    assert "llvm.intr.prefetch" in compiled.__mlir__ or "llvm.prefetch" in compiled.__mlir__
    a = generator.standard_normal(64 * 100).astype(np.float32)
    out = support.poisoned(64, np.float32)
    compiled(a, out)
    np.testing.assert_allclose(out, a.reshape(100, 64).sum(0), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "attributes, message",
    [
        ({"unroll": -1}, "0 or more as unroll"),
        ({"prefetch_stages": -2}, "0 or more as prefetch_stages"),
        ({"prefetch_stages": 1.5}, "an int as prefetch_stages"),
        ({"pipelining": 1}, "pipelining"),
    ],
)
def test_bad_loop_attributes(attributes, message):
    with pytest.raises((TypeError, ValueError), match=message):
        fairlead.range(4, **attributes)


def test_range_constexpr_takes_what_is_known():
    @cute.jit
    def function(x):
        for i in fairlead.range_constexpr(1, 8, 3):
            x = x * (i + 1)
        return x

    np.testing.assert_array_equal(support.run_map(function, np.int32, X), X * 2 * 5 * 8)

    @cute.jit
    def dynamic(x):
        for _ in fairlead.range_constexpr(x):
            x = x + 1
        return x

    assert "range_constexpr" in str(failing(dynamic))


def test_old_names():
    @cute.jit
    def function(x):
        if fairlead.dynamic_expr(x > 0):
            x = x * 2
        for i in fairlead.range_dynamic(3):
            x = x + i
        return x

    expected = np.where(X > 0, X * 2, X) + 3
    np.testing.assert_array_equal(support.run_map(function, np.int32, X), expected)


def test_containers_are_loops_of_python():
    @cute.jit
    def function(x):
        y = x
        for factor, (place, name) in zip([2, 3], enumerate("ab"), strict=True):
            y = y * factor + place
            if name == "b":
                y = y + 100
        return y

    np.testing.assert_array_equal(support.run_map(function, np.int32, X), X * 6 + 101)


def test_names_of_a_region_end_with_it():
    @cute.jit
    def function(x):
        if x > 0:
            inner = x * 2
            x = inner + 1
        return x

    check(function, X)

    @cute.jit
    def after(x):
        if x > 0:
            inner = x * 2
        return inner  # noqa: F821

    error = failing(after)
    assert isinstance(error, NameError) and "inner" in str(error)


def test_numbers_of_python_are_promoted():
    @cute.jit
    def function(x, n):
        count, half, found = 0, 0.5, False
        for i in range(n):
            count = count + i
            half = half * 1.5
            found = found or x == i
        result = count + (half * 8.0).to(Int32)
        if found:
            result = -result
        return result

    def reference(x, n):
        half = np.float32(0.5)
        for _ in range(n):
            half = half * np.float32(1.5)
        result = sum(range(n)) + int(half * 8)
        return -result if 0 <= x < n else result

    expected = [reference(x, n) for x, n in zip(X.tolist(), COUNTS.tolist(), strict=True)]
    np.testing.assert_array_equal(support.run_map(function, np.int32, X, COUNTS), expected)


def test_types_do_not_change():
    @cute.jit
    def function(x):
        n = 10
        if x > 0:
            n = 10.0
        return n

    error = failing(function)
    assert isinstance(error, TypeError) and "`n`" in str(error) and "Int32" in str(error)


def test_ternaries():
    @cute.jit
    def function(x, y):
        a = x if x > y else y
        b = 0 if x == 0 else 100 // (x if x != 0 else 1)
        c = 0.0 if y < 0 else Float32(1.5)
        return a * 10 + b + (c * 2.0).to(Int32)

    expected = [
        max(x, y) * 10 + (0 if x == 0 else 100 // x) + (0 if y < 0 else 3)
        for x, y in zip(X.tolist(), Y.tolist(), strict=True)
    ]
    np.testing.assert_array_equal(support.run_map(function, np.int32, X, Y), expected)


def test_logic():
    @cute.jit
    def function(x, y):
        both = x > 0 and y > 0
        one = x > 10 or y > 10 or x == y
        neither = not (both or one)
        between = -5 < x <= y < 40
        result = 0
        if both and not one:
            result = 1
        if neither:
            result = result + 2
        if between or None is not None:
            result = result + 4
        return result

    check(function, X, Y)


def test_builtins_that_choose():
    @cute.jit
    def function(x, y):
        low = min(x, y, 3)
        high = fairlead.max(x, -2, y)
        some = any([x > 20, y > 20])
        every = all((x > -20, y > -20))
        result = low * 100 + high + abs(x)
        if some:
            result = result + 1
        if every:
            result = result + 2
        assert type(max(x, Float32(1.0))) is Float32
        return result

    def reference(x, y):
        result = min(x, y, 3) * 100 + max(x, -2, y) + abs(x)
        return result + (x > 20 or y > 20) + 2 * (x > -20 and y > -20)

    expected = [reference(x, y) for x, y in zip(X.tolist(), Y.tolist(), strict=True)]
    np.testing.assert_array_equal(support.run_map(function, np.int32, X, Y), expected)


def test_builtins_that_choose_as_arguments():
    @cute.jit
    def folded(x, y, choose, convert=float):
        assert type(convert(x)) is Float32
        return choose(choose(x, 3), y)

    @cute.jit
    def function(x, y):
        return folded(x, y, max) * 100 + folded(x, y, choose=min)

    expected = [max(x, 3, y) * 100 + min(x, 3, y) for x, y in zip(X.tolist(), Y.tolist())]
    np.testing.assert_array_equal(support.run_map(function, np.int32, X, Y), expected)


def test_underscore_and_scopes(tmp_path):
    @cute.jit
    def function(x, n):
        for _ in range(n):
            _, x = x * 2, x + 1
        return x

    check(function, X, COUNTS)
    for statement in ("global seen", "nonlocal seen"):
        text = (
            "from fairlead import cute\ndef outer():\n    seen = 0\n    @cute.jit\n"
            f"    def function(x):\n        {statement}\n        seen = 1\n        return x\n"
            "    return function\n"
        )
        if statement.startswith("global"):
            text = text.replace("    seen = 0\n", "", 1)
        path = tmp_path / f"{statement.split()[0]}.py"
        path.write_text(text)
        scope: dict[str, typing.Any] = {}
        exec(compile(text, str(path), "exec"), scope)
        error = failing(scope["outer"]())
        assert isinstance(error, NotImplementedError) and statement.split()[0] in str(error)


def test_nested_functions_in_regions():
    @cute.jit
    def function(x, n):
        def step(value, i):
            result = value + i
            if result % 2 == 0:
                result = result // 2
            return result

        for i in range(n):
            x = step(x, i)
        return x

    check(function, X, COUNTS)


def test_elect_one():
    @cute.kernel
    def device(out: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        out[t] = 0
        with cute.arch.elect_one():
            out[t] = 1

    @cute.jit
    def host(out: cute.Tensor):
        device(out).launch(grid=1, block=96)

    out = support.poisoned(96, np.int32)
    cute.compile(host, support.vector(Int32), options="--target cpu")(out)
    assert out.reshape(3, 32).sum(1).tolist() == [1, 1, 1]


def test_booleans_are_carried_as_such():
    @cute.jit
    def function(x, n):
        seen = Boolean(False)
        for i in range(n):
            seen = seen ^ (x == i)
        return seen.to(Int32)

    expected = [int(0 <= x < n) for x, n in zip(X.tolist(), COUNTS.tolist(), strict=True)]
    np.testing.assert_array_equal(support.run_map(function, np.int32, X, COUNTS), expected)
