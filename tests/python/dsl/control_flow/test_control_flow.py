"""Run-time branches and loops against the same function run by Python."""

import numpy as np
import pytest
from support import dsl_support as support

import fairlead
from fairlead import Boolean, Float32, Int32, cute


def check(function, *inputs, out=np.int32):
    """The decorated function, compiled, gives the undecorated one's result for each element."""
    python = np.array(
        [function.function(*map(lambda v: v.item(), values)) for values in zip(*inputs)], out
    )
    got = support.run_map(function, out, *inputs)
    if np.dtype(out).kind == "f":
        np.testing.assert_allclose(got, python, rtol=1e-5)
    else:
        np.testing.assert_array_equal(got, python)


INTS = np.arange(-20, 41, dtype=np.int32)
OTHERS = np.roll(INTS, 17)


@cute.jit
def if_without_else(x):
    y = 0
    if x > 3:
        y = x * 2
    return y


@cute.jit
def if_elif_else(x):
    y = 0
    if x < 0:
        y = -1
    elif x == 0:
        y = 100
    elif x < 10:
        pass
    else:
        y = x
    return y


@cute.jit
def nested_if(x, z):
    y, w = 1, 2
    if x > 0:
        if z > 0:
            y = x + z
        else:
            w = x - z
            if w > 10:
                y = 5
    else:
        y, w = w, y
    return y * 100 + w


@cute.jit
def for_sum(x):
    total = 0
    for i in range(x):
        total += i
    return total


@cute.jit
def for_start_stop_step(x, z):
    total = 0
    for i in range(z, x, 3):
        total = total * 3 % 1001 + i
    return total


@cute.jit
def for_negative_step(x, z):
    total = 0
    for i in range(x, z, -2):
        total = total * 3 % 1001 + i
    return total


@cute.jit
def for_in_for(x):
    total = 0
    for i in range(x):
        for j in range(i, 0, -1):
            if (i + j) % 2 == 0:
                total += i * j
            else:
                total -= j
    return total


@cute.jit
def while_halving(x):
    steps = 0
    while x > 1:
        x = x // 2
        steps += 1
    return steps


@cute.jit
def collatz(x):
    steps = 0
    while x > 1 and steps < 200:
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        steps += 1
    return steps


@cute.jit
def while_in_for(x):
    total = 0
    for i in range(x):
        j = i
        while j > 0:
            total += j % 3
            j = j // 3
    return total


@cute.jit
def fibonacci(x):
    a, b = 0, 1
    for _ in range(x):
        a, b = b, (a + b) % 10007
    return a


@cute.jit
def ternary(x):
    return x if x > 0 else -x


@cute.jit
def nested_ternary(x, z):
    return 1 if x > z else (2 if x == z else 3)


@cute.jit
def logic(x, z):
    y = 0
    if x > 0 and z > 0:
        y += 1
    if x > 0 or z > 10:
        y += 2
    if not x > 5:
        y += 4
    if not (x > 0 and z > 3) or x == z:
        y += 8
    return y


@cute.jit
def chained(x, z):
    y = 0
    if -3 < x < z <= 20:
        y = 1
    if 0 <= x < 10:
        y += 2
    return y


@cute.jit
def loop_variable_after_a_python_loop(x):
    last = 0
    for k in (1, 2, 3):
        last = k
        x += k
    return x + last + k


@cute.jit
def break_and_continue_in_python_loops(x):
    total = x
    for k in [1, 2, 3, 4, 5, 6]:
        if k == 2:
            continue
        if k == 5:
            break
        total += k
    else:
        total += 1000
    for k in [1, 2]:
        total += k
    else:
        total += 100
    return total


@cute.jit
def static_early_return(x):
    for k in [3, 4, 5]:
        if k == 4:
            return x + k
    return x


@cute.jit
def min_max_abs(x, z):
    return min(x, z, 7) * 100 + max(x, z) + abs(x)


@cute.jit
def any_all(x, z):
    y = 0
    if any([x > 0, z > 0]):
        y = 1
    if all((x > 0, z > 0)):
        y += 2
    return y


@cute.jit
def reused_temporary(x):
    total = 0
    t = 5
    for i in range(x):
        t = i * 2
        total += t
    t = 1
    return total + t


@cute.jit
def python_while(x):
    k = 0
    while k < 4:
        x = x + k
        k += 1
    return x


ONE = [
    if_without_else,
    if_elif_else,
    for_sum,
    for_in_for,
    while_halving,
    collatz,
    while_in_for,
    fibonacci,
    ternary,
    loop_variable_after_a_python_loop,
    break_and_continue_in_python_loops,
    static_early_return,
    reused_temporary,
    python_while,
]
TWO = [
    nested_if,
    for_start_stop_step,
    for_negative_step,
    nested_ternary,
    logic,
    chained,
    min_max_abs,
    any_all,
]


@pytest.mark.parametrize("function", ONE, ids=lambda function: function.__name__)
def test_one_argument(function):
    check(function, INTS)


@pytest.mark.parametrize("function", TWO, ids=lambda function: function.__name__)
def test_two_arguments(function):
    check(function, INTS, OTHERS)


def test_loop_over_constants_is_a_run_time_loop():
    seen = support.Notes()

    @cute.jit
    def function(x):
        for i in range(3):
            seen.append(repr(i))
            x = x + i
        return x

    np.testing.assert_array_equal(support.run_map(function, np.int32, INTS), INTS + 3)
    assert seen == ["?"]


def test_range_constexpr_and_containers_are_python_loops():
    seen = support.Notes()

    @cute.jit
    def function(x):
        for i in fairlead.range_constexpr(3):
            for j, name in enumerate(["a", "b"]):
                seen.append((i, j, name))
                x = x + i * j
        return x

    np.testing.assert_array_equal(support.run_map(function, np.int32, INTS), INTS + 3)
    assert seen == [(i, j, "ab"[j]) for i in range(3) for j in range(2)]


@pytest.mark.parametrize(
    "options", [{}, {"unroll": 1}, {"unroll": 4}, {"unroll_full": True}, {"vectorize": True}]
)
def test_range_options(options):
    @cute.jit
    def function(x):
        total = Int32(0)
        for i in fairlead.range(0, 11, 2, **options):
            total += x * i
        return total

    np.testing.assert_array_equal(support.run_map(function, np.int32, INTS), INTS * 30)


@pytest.mark.parametrize("step", [-3, -1, 1, 2, 5])
def test_run_time_step(step):
    @cute.jit
    def function(x, s):
        total = 0
        for i in range(3, x, s):
            total = (total * 7 + i) % 1009
        return total

    check(function, INTS, np.full_like(INTS, step))


def test_static_predicates_fold():
    traced = support.Notes()

    @cute.jit
    def function(x):
        flag = None
        if flag is None:
            traced.append("then")
            y = x + 1
        else:
            traced.append("else")
            y = x.nothing
        if fairlead.const_expr(len("abc") == 3):
            z = y
        return z if True else undefined  # noqa: F821

    np.testing.assert_array_equal(support.run_map(function, np.int32, INTS), INTS + 1)
    assert traced == ["then"]


def test_guarded_load_does_not_run():
    """`and` and the ternary evaluate their second side only where the first allows it."""

    @cute.kernel
    def device(a, out):
        i = cute.arch.thread_idx()[0]
        v = a[i * 1_000_000_000] if i < 1 else Float32(-1.0)
        if i < 1 and a[i * 1_000_000_000] > 0:
            v = v + 1.0
        out[i] = v

    @cute.jit
    def host(a, out):
        device(a, out).launch(grid=1, block=8)

    compiled = cute.compile(
        host, support.vector(Float32), support.vector(Float32), options="--target cpu"
    )
    out = support.poisoned(8, np.float32)
    compiled(np.array([2.5], np.float32), out)
    np.testing.assert_array_equal(out, [3.5] + [-1.0] * 7)


def test_carried_tuple_and_list():
    @cute.jit
    def function(x):
        pair = (x, Float32(0.0))
        items = [x, x + 1]
        for i in range(5):
            pair = (pair[0] + i, pair[1] + 0.5)
            items = [items[1], items[0]]
        if x > 0:
            items[0] = Int32(-7)
        return pair[0] + (pair[1] * 2.0).to(Int32) + items[0] * 1000

    expected = [x + 10 + 5 + (-7 if x > 0 else x + 1) * 1000 for x in INTS.tolist()]
    np.testing.assert_array_equal(support.run_map(function, np.int32, INTS), expected)


def test_list_changed_in_place_in_a_loop():
    @cute.jit
    def function(x):
        sums = [Int32(0), Int32(0)]
        for i in range(x):
            if i % 2 == 0:
                sums[0] += i
            else:
                sums[1] += i
        return sums[0] * 1000 + sums[1]

    expected = [sum(range(0, x, 2)) * 1000 + sum(range(1, x, 2)) for x in INTS.tolist()]
    np.testing.assert_array_equal(support.run_map(function, np.int32, INTS), expected)


def test_tensor_rebound_in_a_branch():
    @cute.kernel
    def device(a, out):
        i = cute.arch.thread_idx()[0]
        row = a[0, None]
        if i > 3:
            row = a[1, None]
        for k in range(2):
            row = a[2, None] if k > 5 else row
            if i == 7:
                row = a[2, None]
        out[i] = row[i]

    @cute.jit
    def host(a, out):
        device(a, out).launch(grid=1, block=8)

    fake = cute.runtime.make_fake_compact_tensor(Int32, (3, 8), stride_order=(1, 0))
    compiled = cute.compile(host, fake, support.vector(Int32), options="--target cpu")
    a, out = np.arange(24, dtype=np.int32).reshape(3, 8), support.poisoned(8, np.int32)
    compiled(a, out)
    np.testing.assert_array_equal(out, [0, 1, 2, 3, 12, 13, 14, 23])


def test_boolean_carried():
    @cute.jit
    def function(x):
        found = False
        for i in range(10):
            found = found or i * i == x
        return Boolean(found)

    expected = [x in [i * i for i in range(10)] for x in INTS.tolist()]
    np.testing.assert_array_equal(support.run_map(function, np.bool_, INTS), expected)


def test_helpers_are_inlined_and_return():
    @cute.jit
    def helper(x, y=3):
        r = x
        if x > y:
            r = x - y
        return r, y

    @cute.jit
    def function(x):
        a, b = helper(x)
        c, _ = helper(a, y=b + 1)
        return c

    def python(x):
        a = x - 3 if x > 3 else x
        return a - 4 if a > 4 else a

    np.testing.assert_array_equal(
        support.run_map(function, np.int32, INTS), [python(x) for x in INTS.tolist()]
    )


def test_closures_and_nested_functions():
    scale = 3

    @cute.jit
    def function(x):
        def local(v):
            r = v
            if v > 2:
                r = v * scale
            return r

        double = lambda v: v * 2 if v > 0 else v  # noqa: E731
        return local(x) + double(x)

    expected = [(x * 3 if x > 2 else x) + (x * 2 if x > 0 else x) for x in INTS.tolist()]
    np.testing.assert_array_equal(support.run_map(function, np.int32, INTS), expected)
    scale = 5
    expected = [(x * 5 if x > 2 else x) + (x * 2 if x > 0 else x) for x in INTS.tolist()]
    np.testing.assert_array_equal(support.run_map(function, np.int32, INTS), expected)


def test_methods():
    class Scaler:
        def __init__(self, factor):
            self.factor = factor

        @cute.kernel
        def device(self, a: cute.Tensor, out: cute.Tensor):
            i = cute.arch.thread_idx()[0]
            if i < a.shape[0]:
                if self.factor > 2:
                    out[i] = a[i] * self.factor
                else:
                    out[i] = a[i]

        @cute.jit
        def __call__(self, a: cute.Tensor, out: cute.Tensor):
            self.device(a, out).launch(grid=1, block=64)

    a, out = np.arange(10, dtype=np.float32), support.poisoned(10, np.float32)
    n = cute.sym_int()
    compiled = cute.compile(
        Scaler(3), support.vector(Float32, n), support.vector(Float32, n), options="--target cpu"
    )
    compiled(a, out)
    np.testing.assert_array_equal(out, a * 3)


def test_source_from_a_notebook_cell():
    """IPython keeps a cell's text in linecache under a made-up file name."""
    import linecache

    text = "@cute.jit\ndef cell(x):\n    y = 0\n    if x > 0:\n        y = x\n    return y\n"
    linecache.cache["<ipython-input-7>"] = (
        len(text),
        None,
        text.splitlines(True),
        "<ipython-input-7>",
    )
    names = {"cute": cute}
    exec(compile(text, "<ipython-input-7>", "exec"), names)
    np.testing.assert_array_equal(
        support.run_map(names["cell"], np.int32, INTS), np.maximum(INTS, 0)
    )


def test_frames_of_a_traceback_show_no_names_of_ours():
    """Notebooks show the arguments of each frame of a failing kernel, and mark its line."""

    @cute.jit
    def function(x):
        y = x
        for i in range(4):
            if y > i:
                y = y.astype(3)
        return y

    with pytest.raises(AttributeError, match="astype") as raised:
        support.run_map(function, np.int32, INTS)
    first = function.__wrapped__.__code__.co_firstlineno
    frames = [each for each in raised.traceback if each.frame.code.raw.co_filename == __file__]
    inner = [each for each in frames if each.frame.code.raw.co_firstlineno > first]
    assert inner and inner[-1].lineno + 1 == first + 5
    for frame in frames:
        code = frame.frame.code.raw
        assert not any(name.startswith("_fl_") for name in code.co_varnames[: code.co_argcount])


def test_print_happens_while_tracing(capsys):
    """Print the type of a run-time value, and the function that shows its number."""

    @cute.jit
    def function(x):
        print("tracing", x, f"{x * 4}", (x, 4), Int32(3))
        return x

    support.run_map(function, np.int32, INTS)
    assert capsys.readouterr().out == (
        "tracing <Int32, known at run time: cute.printf shows it> "
        "<Int32 {div=4}, known at run time: cute.printf shows it> (?, 4) 3\n"
    )
