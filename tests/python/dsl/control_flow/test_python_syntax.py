"""In traced functions, Python's syntax works for values known while tracing."""

import dataclasses
import enum
import functools
import types
import typing

import numpy as np
import pytest
from support import dsl_support as support

import fairlead
from fairlead import Float32, Int32, cute

X = np.arange(-5, 10, dtype=np.int32)


class Mode(enum.Enum):
    SUM = 1
    PRODUCT = 2


@dataclasses.dataclass
class Config:
    factor: int = 3
    names: tuple = ("a", "b")


@cute.jit
def add(values, *rest, scale=1, **named):
    return (values.x + rest[0] + named["z"]) * scale


@cute.jit
def containers(x):
    values = [x * i for i in range(3)]
    pairs = {name: value for name, value in zip("abc", values, strict=True)}
    first, *others = values
    total = sum(value for value in others) + pairs["b"]
    return total + len({*pairs}) + len(f"{first}{Mode.SUM.value}")


@cute.jit
def calls(x):
    values = types.SimpleNamespace(x=x)
    step = functools.partial(add, values, scale=2)
    keywords = {"z": x + 1}
    return step(*(x, 5), **keywords) + (lambda a, b=2: a * b)(x)


@cute.jit
def walrus(x):
    if (y := x + 1) > 2:
        x = y * 10
    return x + y


@cute.jit
def underscore(x):
    _, last = x, x + 1
    for _ in range(2):
        last = last + 1
    return last


@cute.jit
def patterns(x, mode: fairlead.Constexpr):
    match mode:
        case Mode.SUM:
            return x + 1
        case Mode.PRODUCT:
            return x * 2
        case {"times": int(n)}:
            return x * n
        case [a, b]:
            return x + a * b
        case _:
            return x


@cute.jit
def exceptions(x):
    try:
        value = {"a": x}["b"]
    except KeyError as error:
        value = x + len(str(error))
    finally:
        value = value + 1
    return value


@cute.jit
def classes(x):
    class Local:
        offset = 4

        def __init__(self, value):
            self.value = value

        def get(self):
            return self.value + self.offset

    class Pair(typing.NamedTuple):
        x: Int32
        y: Int32

    pair = Pair(Local(x).get(), 2)
    assert isinstance(pair, tuple) and pair.y == 2, "known while tracing"
    return pair.x * pair.y + Config(factor=5).factor


@cute.jit
def deleted(x):
    if x > 1:
        y = x + 1
        x = y
        del y
    return x


@cute.jit
def annotated(x):
    y: Int32 = x + 1
    y += 2
    y -= 1
    y *= 3
    y //= 2
    y %= 17
    y <<= 2
    y |= 1
    y ^= 5
    return y


@cute.jit
def loops(x):
    total = x
    for index, (name, value) in enumerate(zip(("a", "b"), (1, 2), strict=True)):
        if name == "b":
            total = total + index * value
    for value in reversed([1, 2, 3]):
        if value == 1:
            break
        total = total * value
    else:
        total = total + 1000
    while fairlead.const_expr(len(Config().names) < 2):
        total = total + 1
    return total


def annotated_python(x):
    return ((((x + 2) * 3 // 2) % 17) << 2 | 1) ^ 5


@pytest.mark.parametrize(
    ("function", "python"),
    [
        (containers, lambda x: 3 * x + x + 3 + len("?1")),
        (calls, lambda x: (x + x + x + 1) * 2 + x * 2),
        (walrus, lambda x: (x + 1) * 10 + x + 1 if x > 1 else x + x + 1),
        (underscore, lambda x: x + 3),
        (functools.partial(patterns, mode=Mode.SUM), lambda x: x + 1),
        (functools.partial(patterns, mode=Mode.PRODUCT), lambda x: x * 2),
        (functools.partial(patterns, mode={"times": 3}), lambda x: x * 3),
        (functools.partial(patterns, mode=[3, 4]), lambda x: x + 12),
        (functools.partial(patterns, mode="other"), lambda x: x),
        (exceptions, lambda x: x + 3 + 1),
        (classes, lambda x: (x + 4) * 2 + 5),
        (deleted, lambda x: x + 1 if x > 1 else x),
        (annotated, annotated_python),
        (loops, lambda x: (x + 2) * 6),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_against_python(function, python):
    np.testing.assert_array_equal(
        support.run_map(function, np.int32, X), [python(x) for x in X.tolist()]
    )


def test_without_preprocessing():
    """Control flow is Python's alone, and a run-time condition an error."""

    @cute.jit(preprocess=False)
    def known(x):
        for i in range(3):
            x = x + i if i != 1 else x * 2
        return x

    expected = [(x + 0) * 2 + 2 for x in X.tolist()]
    np.testing.assert_array_equal(support.run_map(known, np.int32, X), expected)

    @cute.jit(preprocessor=False)
    def unknown(x):
        return x if x > 0 else -x

    with pytest.raises(TypeError, match="a run-time Boolean cannot be tested"):
        support.run_map(unknown, np.int32, X)


def test_undecorated_helpers_are_python():
    """Their conditions must be known; their loops are unrolled."""

    def helper(x, n):
        for i in range(n):
            if i % 2:
                x = x + i
        return x

    def chooses(x):
        return x if x > 0 else -x

    np.testing.assert_array_equal(support.run_map(lambda x: helper(x, 4), np.int32, X), X + 4)
    with pytest.raises(TypeError, match="decorate the function that tests it with @jit"):
        support.run_map(lambda x: chooses(x), np.int32, X)


def test_branches_that_are_not_taken_emit_nothing():
    @cute.jit
    def function(x, flag: fairlead.Constexpr):
        if flag:
            return x.no_such_attribute
        return x if flag is None else x + 1

    np.testing.assert_array_equal(support.run_map(lambda x: function(x, False), np.int32, X), X + 1)


@pytest.mark.parametrize(
    ("statement", "construct"),
    [
        ("global g\n    g = x", "`global`"),
        ("yield x", "`yield`"),
        ("await x", "`async def`"),
    ],
)
def test_syntax_that_is_not(statement, construct, tmp_path):
    keyword = "async def" if "await" in statement else "def"
    path = tmp_path / "syntax.py"
    path.write_text(f"{keyword} function(x):\n    {statement}\n    return x\n")
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    with pytest.raises(NotImplementedError, match=f"{construct} is not supported in a traced"):
        support.run_map(cute.jit(scope["function"]), np.int32, X)


def test_print_is_of_the_trace(capsys):
    @cute.jit
    def function(x, out: cute.Tensor):
        print("traced", x)
        out[0] = x

    compiled = cute.compile(function, Float32, support.vector(Float32), options="--target cpu")
    assert capsys.readouterr().out == "traced <Float32, known at run time: cute.printf shows it>\n"
    out = np.zeros(1, np.float32)
    compiled(2.0, out)
    compiled(3.0, out)
    assert capsys.readouterr().out == "" and out[0] == 3
