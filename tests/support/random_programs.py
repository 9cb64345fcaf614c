"""Random programs of the language, as text and as meaning: for the CPU's tests and the GPU's.

A program is a function of three inputs (Int32, Int64, Float32) that returns four numbers, made of assignments, branches
and loops over typed variables. It is written as text in the language, and evaluated here by the rules: integers wrap,
floats round after each operation (with ``--no-fmad``), conversions saturate.
"""

import linecache
import os
import random
from unittest import mock

import numpy as np

import fairlead

NUMPY = {
    "Int8": np.int8,
    "Int16": np.int16,
    "Int32": np.int32,
    "Int64": np.int64,
    "Uint8": np.uint8,
    "Uint16": np.uint16,
    "Uint32": np.uint32,
    "Uint64": np.uint64,
    "Float16": np.float16,
    "Float32": np.float32,
    "Float64": np.float64,
    "Boolean": np.bool_,
}
INTS = ("Int8", "Int16", "Int32", "Int64", "Uint8", "Uint16", "Uint32", "Uint64")
FLOATS = ("Float16", "Float32", "Float64")
INPUTS = ("Int32", "Int64", "Float32")
VARIABLES = ("Int32", "Int64", "Float32", "Float64", "Boolean", "Uint32", "Int32", "Float32")
#: Two of these come to each program besides.
MORE_VARIABLES = ("Int8", "Int16", "Uint8", "Uint16", "Uint64", "Float16")
#: Inputs of the lanes of one program.
LANES = 8
_BITS = {kind: int(kind.lstrip("Uint").lstrip("Int")) for kind in INTS}


def wrap(value: int, kind: str):
    bits = _BITS[kind]
    value &= (1 << bits) - 1
    if kind[0] != "U" and value >> (bits - 1):
        value -= 1 << bits
    return value


def convert(value, source: str, target: str):
    """``value.to(target)``; ints are Python's, floats NumPy's."""
    if source == target:
        return value
    if target == "Boolean":
        return bool(value != 0)
    if target in FLOATS:
        if source in FLOATS:
            return NUMPY[target](value)
        return NUMPY[target](NUMPY[source](value))
    if source in FLOATS:
        if np.isnan(value):
            return 0
        # Narrow integers are cut from 16 bits, as on GPUs.
        least, most = _range(target)
        if np.isinf(value):
            return wrap(most if value > 0 else least, target)
        return wrap(min(max(int(value), least), most), target)
    return wrap(int(value), target)


def _range(kind):
    info = np.iinfo(NUMPY[kind])
    return int(info.min), int(info.max)


class Node:
    """An expression: its type, its text, and its value given the variables."""

    def __init__(self, kind, text, value):
        self.kind, self.text, self.value = kind, text, value


def promoted(a: str, b: str) -> str:
    """The type of an operation on two kinds of integers: the wider one, of two as wide the unsigned."""
    if _BITS[a] != _BITS[b]:
        return max(a, b, key=_BITS.get)
    return a if a[0] == "U" else b


_INT_OPS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}
_FLOAT_OPS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}
_COMPARISONS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def _extreme(pick, a, b):
    """min or max of floats: NaN if either is."""
    if np.isnan(a) or np.isnan(b):
        return type(a)(np.nan)
    return pick(a, b)


class Expressions:
    def __init__(self, rng: random.Random, scope: list[tuple[str, str]]):
        self.rng, self.scope = rng, scope

    def make(self, kind: str, depth: int) -> Node:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.15:
            return self.leaf(kind)
        if rng.random() < 0.12:
            return self.ternary(kind, depth)
        if rng.random() < 0.2 and kind != "Boolean":
            return self.conversion(kind, depth)
        if kind == "Boolean":
            return self.boolean(depth)
        return self.integer(kind, depth) if kind in INTS else self.floating(kind, depth)

    def leaf(self, kind: str) -> Node:
        names = [name for name, of in self.scope if of == kind]
        if names and self.rng.random() < 0.75:
            name = self.rng.choice(names)
            return Node(kind, name, lambda env: env[name])
        if kind == "Boolean":
            # A comparison, as a plain True would be known while tracing.
            name, of = self.rng.choice([entry for entry in self.scope if entry[1] == "Int32"])
            return Node(kind, f"({name} > 0)", lambda env: env[name] > 0)
        if kind in FLOATS:
            number = self.rng.choice([0.0, 1.0, -1.5, 0.1, 3e5, 1e-3, 123.456])
            with np.errstate(over="ignore"):
                value = NUMPY[kind](number)
            return Node(kind, f"{kind}({number!r})", lambda env: value)
        least, most = _range(kind)
        most = min(most, _range("Int64")[1])  # of integers in the text
        number = self.rng.choice([0, 1, 2, 5, 100, -1, -7, least, most, most // 3])
        number = max(least, min(most, number))
        return Node(kind, f"{kind}({number})", lambda env: number)

    def ternary(self, kind, depth):
        test = self.boolean(depth - 1)
        a, b = self.make(kind, depth - 1), self.make(kind, depth - 1)
        return Node(
            kind,
            f"({a.text} if {test.text} else {b.text})",
            lambda env: a.value(env) if test.value(env) else b.value(env),
        )

    def conversion(self, kind, depth):
        source = self.rng.choice([of for of in (*INTS, *FLOATS, "Boolean") if of != kind])
        inner = self.make(source, depth - 1)
        return Node(
            kind,
            f"({inner.text}).to({kind})",
            lambda env: convert(inner.value(env), source, kind),
        )

    def boolean(self, depth):
        choice = self.rng.random()
        if choice < 0.55 or depth <= 0:
            kind = self.rng.choice((*INTS, *FLOATS))
            a, b = self.make(kind, depth - 1), self.make(kind, depth - 1)
            op = self.rng.choice(list(_COMPARISONS))
            function = _COMPARISONS[op]
            return Node(
                "Boolean",
                f"({a.text} {op} {b.text})",
                lambda env: bool(function(a.value(env), b.value(env))),
            )
        if choice < 0.65:
            inner = self.boolean(depth - 1)
            return Node("Boolean", f"(not {inner.text})", lambda env: not inner.value(env))
        a, b = self.boolean(depth - 1), self.boolean(depth - 1)
        if choice < 0.82:
            return Node(
                "Boolean",
                f"({a.text} and {b.text})",
                lambda env: a.value(env) and b.value(env),
            )
        return Node("Boolean", f"({a.text} or {b.text})", lambda env: a.value(env) or b.value(env))

    def integer(self, kind, depth):
        rng, choice = self.rng, self.rng.random()
        a = self.make(kind, depth - 1)
        if choice < 0.12:
            op = rng.choice(("-", "~"))
            function = (lambda x: -x) if op == "-" else (lambda x: ~x)
            return Node(kind, f"({op}{a.text})", lambda env: wrap(function(a.value(env)), kind))
        if choice < 0.24:
            # Divisors that are neither 0 nor -1, whose quotients always fit.
            number = rng.choice([2, 3, 7, 8, 64, -3, -5] if kind[0] != "U" else [2, 3, 7, 8, 64])
            op = rng.choice(("//", "%"))
            function = (lambda x: x // number) if op == "//" else (lambda x: x % number)
            return Node(
                kind, f"({a.text} {op} {number})", lambda env: wrap(function(a.value(env)), kind)
            )
        if choice < 0.34:
            b = self.make(kind, depth - 1)
            op = rng.choice(("//", "%"))
            function = (lambda x, y: x // y) if op == "//" else (lambda x, y: x % y)
            return Node(
                kind,
                f"({a.text} {op} (({b.text} & 15) + 1))",
                lambda env: wrap(function(a.value(env), (b.value(env) & 15) + 1), kind),
            )
        if choice < 0.44:
            bits = rng.randrange(_BITS[kind])
            op = rng.choice(("<<", ">>"))
            function = (lambda x: x << bits) if op == "<<" else (lambda x: x >> bits)
            return Node(
                kind, f"({a.text} {op} {bits})", lambda env: wrap(function(a.value(env)), kind)
            )
        b = self.make(kind, depth - 1)
        if choice < 0.49:
            most = _BITS[kind] - 1
            op = rng.choice(("<<", ">>"))
            function = (lambda x, y: x << y) if op == "<<" else (lambda x, y: x >> y)
            return Node(
                kind,
                f"({a.text} {op} ({b.text} & {most}))",
                lambda env: wrap(function(a.value(env), b.value(env) & most), kind),
            )
        if choice < 0.54:
            name = rng.choice(("min", "max"))
            pick = min if name == "min" else max
            return Node(
                kind,
                f"{name}({a.text}, {b.text})",
                lambda env: pick(a.value(env), b.value(env)),
            )
        if choice < 0.57:
            exponent = rng.randrange(4)
            return Node(
                kind,
                f"(({a.text}) ** {exponent})",
                lambda env: wrap(a.value(env) ** exponent, kind),
            )
        op = rng.choice(list(_INT_OPS))
        function = _INT_OPS[op]
        if choice < 0.68:
            # Two kinds; both become the wider one before the operation.
            others = [of for of in INTS if promoted(kind, of) == kind]
            other = rng.choice(others)
            b = self.make(other, depth - 1)
            left, right = (a, b) if rng.random() < 0.5 else (b, a)
            return Node(
                kind,
                f"({left.text} {op} {right.text})",
                lambda env: wrap(
                    function(wrap(left.value(env), kind), wrap(right.value(env), kind)), kind
                ),
            )
        return Node(
            kind,
            f"({a.text} {op} {b.text})",
            lambda env: wrap(function(a.value(env), b.value(env)), kind),
        )

    def floating(self, kind, depth):
        rng, choice = self.rng, self.rng.random()
        a = self.make(kind, depth - 1)
        if choice < 0.1:
            return Node(kind, f"(-{a.text})", lambda env: -a.value(env))
        if choice < 0.2 and kind != "Float16":
            # A narrower float next to it is widened.
            b = self.make("Float16" if kind == "Float32" else rng.choice(FLOATS[:2]), depth - 1)
            op = rng.choice(list(_FLOAT_OPS))
            function = _FLOAT_OPS[op]
            return Node(
                kind,
                f"({a.text} {op} {b.text})",
                lambda env: NUMPY[kind](function(a.value(env), NUMPY[kind](b.value(env)))),
            )
        if choice < 0.25 and kind == "Float32":
            # Integers divide to Float32.
            source = rng.choice(INTS)
            p, q = self.make(source, depth - 1), self.make(source, depth - 1)
            return Node(
                kind,
                f"({p.text} / {q.text})",
                lambda env: np.float32(
                    convert(p.value(env), source, kind) / convert(q.value(env), source, kind)
                ),
            )
        if choice < 0.3:
            source = rng.choice(INTS)
            b = self.make(source, depth - 1)
            return Node(
                kind,
                f"({a.text} + {b.text})",
                lambda env: NUMPY[kind](a.value(env) + convert(b.value(env), source, kind)),
            )
        b = self.make(kind, depth - 1)
        if choice < 0.4:
            name = rng.choice(("min", "max"))
            pick = min if name == "min" else max
            return Node(
                kind,
                f"{name}({a.text}, {b.text})",
                lambda env: _extreme(pick, a.value(env), b.value(env)),
            )
        if choice < 0.5:
            return Node(
                kind,
                f"({a.text} / ({b.text} * {b.text} + 1.0))",
                lambda env: NUMPY[kind](
                    a.value(env)
                    / NUMPY[kind](NUMPY[kind](b.value(env) * b.value(env)) + NUMPY[kind](1.0))
                ),
            )
        op = rng.choice(list(_FLOAT_OPS))
        function = _FLOAT_OPS[op]
        return Node(
            kind,
            f"({a.text} {op} {b.text})",
            lambda env: NUMPY[kind](function(a.value(env), b.value(env))),
        )


class Program:
    """``text``: the function; ``run(x, y, z)``: its result."""

    def __init__(self, seed: int, name: str = "program", depth: int = 3):
        self.seed, self.name = seed, name
        self.rng = random.Random(seed)
        self.lines: list[str] = [f"def {name}(x, y, z):"]
        self.loops = 0
        kinds = [*VARIABLES, *self.rng.sample(MORE_VARIABLES, 2)]
        names = [(f"v{index}", kind) for index, kind in enumerate(kinds)]
        self.variables = names
        self.scope = [("x", "Int32"), ("y", "Int64"), ("z", "Float32")]
        steps = []
        for entry in names:
            expression = Expressions(self.rng, self.scope).make(entry[1], 2)
            steps.append(self.assign(entry, expression, 1))
            self.scope.append(entry)
        steps.extend(self.block(1, depth))
        self.steps = steps
        results = [
            Expressions(self.rng, self.scope).make(kind, 2)
            for kind in ("Int32", "Int64", "Float32", "Float64")
        ]
        self.results = results
        self.lines.append(f"    return {', '.join(node.text for node in results)}")
        self.text = "\n".join(self.lines) + "\n"

    def line(self, indent, text):
        self.lines.append("    " * indent + text)

    def assign(self, entry, node, indent):
        name, kind = entry
        # `to` where the expression is a name, so that every variable is a value of its own.
        self.line(indent, f"{name} = {node.text}")

        def step(env):
            env[name] = node.value(env)

        return step

    def block(self, indent, depth):
        steps = []
        for _ in range(self.rng.randint(1, 4)):
            steps.append(self.statement(indent, depth))
        return steps

    def expression(self, kind, depth=3):
        return Expressions(self.rng, self.scope).make(kind, depth)

    def statement(self, indent, depth):
        choice = self.rng.random()
        if depth == 0 or choice < 0.5:
            entry = self.rng.choice(self.variables)
            if self.rng.random() < 0.25 and entry[1] in INTS:
                name, kind = entry
                node = self.expression(kind, 2)
                self.line(indent, f"{name} += {node.text}")

                def step(env):
                    env[name] = wrap(env[name] + node.value(env), kind)

                return step
            return self.assign(entry, self.expression(entry[1]), indent)
        if choice < 0.72:
            return self.branch(indent, depth)
        if choice < 0.9:
            return self.counted(indent, depth)
        return self.conditional_loop(indent, depth)

    def branch(self, indent, depth):
        arms = []
        for word in ("if", "elif")[: self.rng.randint(1, 2)]:
            test = self.expression("Boolean", 2)
            self.line(indent, f"{word} {test.text}:")
            arms.append((test, self.block(indent + 1, depth - 1)))
        otherwise = []
        if self.rng.random() < 0.6:
            self.line(indent, "else:")
            otherwise = self.block(indent + 1, depth - 1)

        def step(env):
            for test, steps in arms:
                if test.value(env):
                    return execute(steps, env)
            return execute(otherwise, env)

        return step

    def counted(self, indent, depth):
        self.loops += 1
        variable = f"i{self.loops}"
        start, stride = self.rng.randint(-2, 2), self.rng.choice([1, 1, 2, -1])
        end = self.expression("Int32", 1)
        bound = self.rng.choice((3, 7))
        sign = "-" if stride < 0 else ""
        self.line(
            indent, f"for {variable} in range({start}, {sign}(({end.text}) & {bound}), {stride}):"
        )
        self.scope.append((variable, "Int32"))
        steps = self.block(indent + 1, depth - 1)
        self.scope.remove((variable, "Int32"))

        def step(env):
            stop = end.value(env) & bound
            for value in range(start, -stop if stride < 0 else stop, stride):
                env[variable] = value
                execute(steps, env)

        return step

    def conditional_loop(self, indent, depth):
        self.loops += 1
        variable = f"k{self.loops}"
        rounds = self.expression("Int32", 1)
        extra = self.expression("Boolean", 1)
        self.line(indent, f"{variable} = ({rounds.text}) & 3")
        self.line(indent, f"while {variable} > 0 and {extra.text}:")
        self.scope.append((variable, "Int32"))
        steps = self.block(indent + 1, depth - 1)
        self.scope.remove((variable, "Int32"))
        self.line(indent + 1, f"{variable} = {variable} - 1")

        def step(env):
            env[variable] = rounds.value(env) & 3
            while env[variable] > 0 and extra.value(env):
                execute(steps, env)
                env[variable] -= 1

        return step

    def run(self, x, y, z):
        env = {"x": int(x), "y": int(y), "z": np.float32(z)}
        with np.errstate(all="ignore"):
            execute(self.steps, env)
            return [node.value(env) for node in self.results]


def execute(steps, env):
    for step in steps:
        step(env)


def inputs(seed: int, count: int = LANES):
    """Return the inputs of the lanes: small, large and special numbers."""
    rng = random.Random(~seed)
    xs = [
        rng.choice([0, 1, -1, 7, rng.getrandbits(31), -rng.getrandbits(31)]) for _ in range(count)
    ]
    ys = [
        rng.choice([0, 1, -1, 100, rng.getrandbits(63), -rng.getrandbits(63)]) for _ in range(count)
    ]
    zs = [
        rng.choice([0.0, 1.0, -1.0, rng.gauss(0, 1), rng.gauss(0, 1e6), 1e30]) for _ in range(count)
    ]
    return np.array(xs, np.int32), np.array(ys, np.int64), np.array(zs, np.float32)


_PREFIX = """\
from fairlead import *
from fairlead import cute
"""


def load(texts: list[str], label: str) -> dict:
    """Runs the text of a module that tracing can read."""
    source = "\n\n".join([_PREFIX, *texts])
    name = f"<random programs {label}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    module: dict = {"__name__": "random_programs_" + label}
    for kind in (*NUMPY,):
        module[kind] = getattr(fairlead, kind)
    exec(compile(source, name, "exec"), module)
    return module


#: Every operation is rounded, as the evaluator does.
ROUNDED = "--no-fmad"


def packed(programs: list[Program], lanes: int = LANES):
    """One function of (xs, ys, zs, ints, longs, floats, doubles), not yet compiled, whose kernel is `device`: row p of
    an output is program p's."""
    calls = "\n".join(
        f"    r = {program.name}(x, y, z)\n"
        f"    ints[{index}, t], longs[{index}, t] = r[0], r[1]\n"
        f"    floats[{index}, t], doubles[{index}, t] = r[2], r[3]"
        for index, program in enumerate(programs)
    )
    parameters = ", ".join(
        f"{name}: cute.Tensor" for name in ("xs", "ys", "zs", "ints", "longs", "floats", "doubles")
    )
    text = f"""
@cute.kernel
def device({parameters}):
    t, _, _ = cute.arch.thread_idx()
    x, y, z = xs[t], ys[t], zs[t]
{calls}


@cute.jit
def run({parameters}):
    device(xs, ys, zs, ints, longs, floats, doubles).launch(grid=[1, 1, 1], block=[{lanes}, 1, 1])
"""
    decorated = ["@cute.jit\n" + program.text for program in programs]
    return load([*decorated, text], f"{programs[0].seed}..{programs[-1].seed}")["run"]


def pack(programs: list[Program], options: str = ROUNDED):
    """The function of `packed`, compiled with the options when it is called."""
    run = packed(programs)

    def call(*arrays):
        with mock.patch.dict(os.environ, CUTE_DSL_COMPILER_OPT=options):
            run(*arrays)

    return call


def make(first: int, count: int) -> list[Program]:
    return [Program(first + index, f"program_{first + index}") for index in range(count)]


def outputs(count: int, lanes: int = LANES):
    """Arrays for the results of so many programs."""
    return [
        np.full((count, lanes), 77, dtype) for dtype in (np.int32, np.int64, np.float32, np.float64)
    ]


def check_same(programs, results, others):
    """Compares two runs; the error shows the seed and the program."""
    for index, program in enumerate(programs):
        for one, other in zip(results, others, strict=True):
            np.testing.assert_array_equal(
                one[index], other[index], f"seed {program.seed}\n{program.text}"
            )


def check(programs, given, results):
    """Compares with the evaluator; the error shows the seed and the program."""
    for index, program in enumerate(programs):
        for lane in range(LANES):
            expected = program.run(*(array[lane] for array in given))
            got = [result[index, lane] for result in results]
            for want, have in zip(expected, got, strict=True):
                if not (want == have or (want != want and have != have)):
                    inputs_text = tuple(array[lane] for array in given)
                    raise AssertionError(
                        f"seed {program.seed}, inputs {inputs_text}: expected {expected}, got {got}\n"
                        + program.text
                    )
