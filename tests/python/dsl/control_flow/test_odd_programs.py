"""Programs that use Python in unusual ways, against Python."""

import numpy as np
import pytest
from support import dsl_support as support
from test_control_flow import check
from test_control_flow_rules import COUNTS, X, failing

import fairlead
from fairlead import Int32, cute


@cute.jit
def functions_see_the_last_value(x, n):
    functions = []
    for k in (1, 2, 3):
        t = k * 10
        functions.append(lambda v: v * k + t)
        t = t + 1

        def named(v):
            return v - k * t

        functions.append(named)
    return functions[0](x) + functions[1](n) + functions[2](1)


@cute.jit
def functions_of_nested_loops(x, n):
    functions = [lambda v: v]
    for a in (1, 2):
        for b in (3, 4):
            functions.append(lambda v: v * a + b)
    a = 7
    return functions[1](x) + functions[2](n)


@cute.jit
def functions_and_run_time_regions(x, n):
    y = 0

    def see():
        return y

    for i in range(n):
        y = y + i
        here = lambda: y + i  # noqa: E731
        y = here() - i
        if y > 3:
            y = see() - 1
    return see() + x


@cute.jit
def generators_see_the_last_value(x, n):
    generators = []
    for k in (1, 2, 3):
        generators.append(v * k for v in (x, n))
        total = sum(v * k for v in (x, n))
    return sum(generators[0]) * 100 + total


@cute.jit
def leaving_through_finally(x, n):
    total = 0
    for k in (1, 2, 3, 4, 5):
        try:
            if k == 2:
                continue
            for j in (1, 2):
                try:
                    if k == 4:
                        break
                finally:
                    total += j
            if k == 4:
                break
            total += x
        except ValueError:
            total = 0
        finally:
            total = total * 2 + n
    return total


@cute.jit
def returning_through_finally(x, n):
    try:
        for k in (1, 2):
            try:
                if k == 2:
                    return x
            finally:
                x = x + n
    finally:
        n = 0
    return n


@cute.jit
def functions_with_defaults(x, n):
    functions = [lambda v, k=k: v * k for k in (1, 2, 3)]
    return functions[0](x) + functions[2](n)


@cute.jit
def walrus_in_while(x, n):
    total = 0
    while (left := n - total) > 1:
        total += 1
        x = x + left // 2
        for k in (1, 2):
            if k == 2:
                continue
            x += left
    while step := (3 if total == 0 else 0):
        total += step
    return x + total * 100 + left


@cute.jit
def match_values(x, n):
    total = 0
    for i in range(n):
        match i % 4:
            case 0:
                total += 1
            case 1 | 2 if x > 3:
                total += 10
            case k if k > 2:
                total += k * 100
            case _:
                total -= 1
    match "b":
        case "a":
            total = 0
        case "b" as letter:
            total += len(letter)
    return total


@cute.jit
def truth_as_an_object(x, n):
    result = 0
    match x > 3:
        case True:
            result = 1
        case False:
            result = 2
    if (n > 2) is True:
        result += 10
    if (n > 2) is not False and x is not True:
        result += 100
    return result + (1000 if (x == n) is False else 0)


@cute.jit
def match_structures(x, n):
    match (x, [1, 2]):
        case (value, [1, *rest]) if len(rest) == 1:
            result = value + rest[0]
        case _:
            result = n
    return result


@cute.jit
def containment(x, n):
    result = 0
    if x in (1, 2, n):
        result += 1
    if x not in [3, 4]:
        result += 10
    if x in {5: "a", 6: "b"}:
        result += 100
    if n in range(1, 9, 3):
        result += 1000
    if n in range(x, 2, -2):
        result += 10000
    if 0 < n in (2, 3):
        result += 100000
    if "a" in "cat" and 3 in range(5):
        result += 1000000
    return result


@cute.jit
def values_of_and_and_or(x, n):
    first = n or x
    second = n and x
    third = (x > 3) and n
    fourth = (x > 100) or n or x
    fifth = n and x and 5
    f = lambda v: v * 7  # noqa: E731
    return first + second * 3 + third * 5 + f(n or 9) + fourth * 11 + fifth


@cute.jit
def truth_of_and_and_or(x, n):
    result = 0
    if n or x > 3:
        result = 1
    while result < 3 and (n or x):
        result += 1
    return result if not (n and x > 2) else -result


@cute.jit
def ranges_as_values(x, n):
    total = x + len(range(5)) + list(range(3))[1] + range(2, 9)[3] + sum(range(4))
    for i in reversed(range(4)):
        total = total * 2 + i
    a, _, c = range(3)
    if range(3) == range(0, 3, 1) and range(2) != range(3) and a + c == 2:
        total += 1000
    return total


@cute.jit
def other_names_of_builtins(x, n):
    min = max
    abs = lambda v: v + 1  # noqa: E731
    quotient, rest = divmod(x, 3)
    return min(x, n) + abs(x) + quotient * 10 + rest


@cute.jit
def generators_inside(x, n):
    def twice(value):
        for k in (1, 2):
            yield value * k

    return sum(twice(x)) + sum(v for v in twice(n))


class Slotted:
    __slots__ = ("a",)


class SlottedMore(Slotted):
    __slots__ = ("__dict__", "b")

    @property
    def total(self):
        return self.a + self.b

    @total.setter
    def total(self, value):
        self.a, self.b = value, self.b * 0


@cute.jit
def slots(x, n):
    it = SlottedMore()
    it.a, it.b, it.c = x, n, x
    if n > 3:
        it.a, it.b, it.c = n, x, it.c + 1
    for i in range(n):
        it.total = it.total + i
    return it.a * 100 + it.b * 10 + it.c


class Private:
    def __init__(self):
        self.__hidden = 3

    def __twice(self, value):
        return value * 2

    @cute.jit
    def __call__(self, x):
        __own = 1
        if x > 2:
            __own = self.__hidden
        return self.__twice(x) + __own

    def plain(self, x):
        return self.__twice(x) + (self.__hidden if x > 2 else 1)


PROGRAMS = [
    functions_see_the_last_value,
    functions_of_nested_loops,
    functions_and_run_time_regions,
    functions_with_defaults,
    generators_see_the_last_value,
    leaving_through_finally,
    returning_through_finally,
    walrus_in_while,
    match_values,
    truth_as_an_object,
    match_structures,
    containment,
    values_of_and_and_or,
    truth_of_and_and_or,
    ranges_as_values,
    other_names_of_builtins,
    generators_inside,
    slots,
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.function.__name__)
def test_against_python(function):
    check(function, X, COUNTS)
    kinds = [support.vector(Int32) for _ in range(3)]
    assert cute.compile(support.map2, function, *kinds, options="--target cuda:sm_90a").ptx


def test_private_names():
    private = Private()
    got = support.run_map(cute.jit(lambda x: private(x)), np.int32, X)
    np.testing.assert_array_equal(got, [private.plain(x) for x in X.tolist()])


@cute.jit
def walrus_behind_and(x):
    y = 0
    if x > 0 and (y := x + 1) > 2:
        y = 1
    return y


@cute.jit
def walrus_and_continue(x):
    while (y := x - 1) > 0:
        x = y
        if y is None:
            continue
    return x


@cute.jit
def pattern_of_a_structure(x):
    match (x, 1):
        case (3, 1):
            x = 0
    return x


@cute.jit
def float_or_int(x):
    return x or 2.5


@cute.jit
def range_of_run_time_as_a_list(x):
    return sum([i for i in range(x)])


@cute.jit
def asserted(x):
    assert x < 100, "large"
    return x


@pytest.mark.parametrize(
    ("function", "kind", "text"),
    [
        (walrus_behind_and, NotImplementedError, "`:=` in a part of a run-time `and`"),
        (walrus_and_continue, NotImplementedError, "`:=` in the condition of a `while` with"),
        (pattern_of_a_structure, TypeError, "Here Python tests it: in `assert`"),
        (float_or_int, TypeError, "`a or b`, whose arms are both"),
        (range_of_run_time_as_a_list, TypeError, "range() in a comprehension or in a function"),
        (asserted, TypeError, "Here Python tests it: in `assert`"),
    ],
)
def test_what_is_not_possible_is_said_at_its_line(function, kind, text):
    error = failing(function)
    line = function.function.__code__.co_firstlineno
    assert isinstance(error, kind) and text in str(error), error
    place = int(str(error).removeprefix(f"{__file__}:").partition(":")[0])
    assert line < place < line + 8


def returns_number(a: cute.Tensor):
    a[0] = 1
    return a[1] + 1


def returns_dict(a: cute.Tensor):
    return {"first": a[0]}


def returns_object(a: cute.Tensor):
    result = Slotted.__new__(type("Result", (), {}))
    result.value = a[0]
    return result


@pytest.mark.parametrize("function", [returns_number, returns_dict, returns_object])
def test_run_time_values_are_not_returned(function):
    with pytest.raises(TypeError, match="returns a run-time value") as caught:
        cute.jit(function)(np.arange(3, dtype=np.int32))
    assert "\n    return " in str(caught.value) and f"{__file__}:" in str(caught.value)


def test_syntax_errors_of_direct_calls_have_a_line():
    @cute.jit
    def function(a: cute.Tensor):
        yield a

    with pytest.raises(NotImplementedError, match="test_odd_programs.py:") as caught:
        function(np.arange(3, dtype=np.int32))
    assert "\n    yield a\n    ^~~~~~~" in str(caught.value)


@cute.jit
def host_only(a: cute.Tensor, n: Int32):
    if n > 2:
        a[0] = a[1] + n


@cute.kernel
def device(a: cute.Tensor):
    a[0] = 1


@cute.jit
def launching(a: cute.Tensor, n: Int32):
    traced.append(1)
    device(a).launch(grid=1, block=1)


traced: list[int] = []


def test_functions_without_kernels_run_where_their_arguments_are(monkeypatch):
    monkeypatch.delenv("FAIRLEAD_TARGET", raising=False)
    monkeypatch.setenv("CUTE_DSL_ARCH", "sm_90a")
    a = np.arange(3, dtype=np.int32)
    host_only(a, 5)
    np.testing.assert_array_equal(a, [6, 1, 2])
    compiled = cute.compile(host_only, cute.runtime.from_dlpack(a), 4)
    compiled(a, 9)
    assert a[0] == 10 and compiled.target.is_cpu
    # Kernels are compiled for the named arguments.
    compiled = cute.compile(launching, cute.runtime.from_dlpack(a), 4)
    assert str(compiled.target) == "cuda:sm_90a" and ".target sm_90a" in compiled.ptx
    monkeypatch.setenv("FAIRLEAD_TARGET", "cuda:sm_80")
    compiled = cute.compile(host_only, cute.runtime.from_dlpack(a), 4)
    assert str(compiled.target) == "cuda:sm_80"


def test_wrong_arguments_name_the_function():
    with pytest.raises(TypeError, match="`host_only`: missing a required argument: 'n'"):
        cute.compile(host_only, fairlead.Float32)
