"""Random index expressions, as text of the language and as NumPy's values of them: for the CPU's tests and the GPU's.

    python tests/python/dsl/kernels/index_programs.py --programs 1000000

A nest is a few loops of a host function, or a part of a kernel. It reads or writes array elements at 1 to 4 random
indices; each counts as one program. An index is made of all integer operators, types, loop variables, thread indices,
constants and run-time numbers; NumPy computes its values for the whole iteration space, which are always inside the
array. A pack is one compiled function of many nests. The pack, which follows from the seed of a nest, decides the
element type and the compiler options, so that a nest behaves in a pack of its own as it does with others.
"""

import argparse
import itertools
import multiprocessing
import os
import random
import sys
import time
from pathlib import Path
from unittest import mock

import numpy as np
from support.random_programs import INTS, NUMPY, load, promoted

#: Nests of one compiled function. Longer functions would be optimised at level 1 (lib/lower/machine/HugeCode.h).
PACK = 32
#: Elements of the array that programs read.
LENGTH = 512
#: Rows and columns of the array as a matrix.
SHAPE = (16, 32)
#: Elements of the output that belong to one program.
SLOT = 256
#: Programs of a nest at most.
MOST = 4
#: Threads of a block, and blocks.
BLOCKS = ((64, 1, 2), (32, 1, 4), (16, 8, 2), (100, 1, 2), (8, 12, 2))
#: Values of the run-time numbers that every pack is called with.
NUMBERS = {"n0": 16, "n1": 5, "n2": 3, "n3": 37}
ELEMENTS = ("Int32", "Float32", "Int8", "Int64", "Int32", "Uint8", "Int16", "Float64")
#: Compiler options of the packs, in turn.
OPTIONS = {
    "cpu": (
        "",
        "",
        "",
        "--target cpu:x86-64",
        "--opt-level 2",
        "",
        "--target cpu:x86-64-v3",
        "--opt-level 1",
        "",
        "--target cpu:x86-64-v4",
        "--opt-level 0",
    ),
    "cuda": ("", "--ptxas-options -O1", "", "--opt-level 1"),
}
_BITS = {kind: np.iinfo(NUMPY[kind]).bits for kind in INTS}


class Value:
    """An integer expression: its type, its text, and its values for every point of the iteration space."""

    def __init__(self, kind: str, text: str, values: np.ndarray):
        self.kind, self.text, self.values = kind, text, values

    def to(self, kind: str) -> "Value":
        if kind == self.kind:
            return self
        return Value(kind, f"{self.text}.to({kind})", self.values.astype(NUMPY[kind]))

    def within(self, count: int) -> bool:
        return int(self.values.min()) >= 0 and int(self.values.max()) < count


_BINARY = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "//": np.floor_divide,
    "%": np.remainder,
    "<<": np.left_shift,
    ">>": np.right_shift,
    "min": np.minimum,
    "max": np.maximum,
}
_COMPARISONS = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}
_SMALL = (0, 1, 2, 3, 4, 5, 7, 8, 11, 15, 16, 17, 31, 32, 33, 63, 64, 100)


def binary(op: str, a: Value, b: "Value | int") -> Value:
    if isinstance(b, int):
        kind, right, text = a.kind, NUMPY[a.kind](b), str(b)
    else:
        kind, text = promoted(a.kind, b.kind), b.text
        right = b.values.astype(NUMPY[kind])
    values = _BINARY[op](a.values.astype(NUMPY[kind]), right)
    assert values.dtype == NUMPY[kind]
    text = f"{op}({a.text}, {text})" if op in ("min", "max") else f"({a.text} {op} {text})"
    return Value(kind, text, values)


class Indices:
    """Makes indices of the names in ``scope``."""

    def __init__(self, rng: random.Random, scope: list[Value]):
        self.rng, self.scope = rng, scope

    def constant(self, kind: str, most: int | None = None) -> int:
        info = np.iinfo(NUMPY[kind])
        most = int(info.max) if most is None else min(most, int(info.max))
        return self.rng.choice([number for number in _SMALL if number <= most])

    def expression(self, depth: int) -> Value:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.12:
            value = rng.choice(self.scope)
            return value.to(rng.choice(INTS)) if rng.random() < 0.12 else value
        a = self.expression(depth - 1)
        choice = rng.random()
        if choice < 0.34:
            op = rng.choice(("+", "+", "+", "-", "*", "*", "&", "|", "^", "min", "max"))
            return binary(op, a, self.constant(a.kind))
        if choice < 0.5:
            op = rng.choice(("//", "%", "%"))
            number = self.constant(a.kind) or 6
            if a.kind[0] != "U" and rng.random() < 0.1:
                number = -number - 1
            return binary(op, a, number)
        if choice < 0.6:
            return binary(rng.choice(("<<", ">>", ">>")), a, rng.randrange(min(7, _BITS[a.kind])))
        if choice < 0.66:
            op = rng.choice("-~")
            values = np.negative(a.values) if op == "-" else np.invert(a.values)
            return Value(a.kind, f"({op}{a.text})", values)
        if choice < 0.74:
            return a.to(rng.choice(INTS))
        if choice < 0.8:
            return self.selection(a, depth)
        return self.pair(a, depth)

    def pair(self, a: Value, depth: int) -> Value:
        b = self.expression(depth - 1)
        op = self.rng.choice(
            ("+", "+", "-", "*", "&", "|", "^", "min", "max", "//", "%", "<<", ">>")
        )
        if op in ("//", "%"):
            b = binary("+", binary("&", b, 15), 1)
        elif op in ("<<", ">>"):
            b = binary("&", b, 7)
        return binary(op, a, b)

    def selection(self, a: Value, depth: int) -> Value:
        left = self.expression(depth - 1)
        op = self.rng.choice(list(_COMPARISONS))
        number = self.constant(left.kind)
        chosen = _COMPARISONS[op](left.values, NUMPY[left.kind](number))
        if self.rng.random() < 0.4:
            other = binary(self.rng.choice("+-^"), a, self.constant(a.kind))
        else:
            other = self.expression(depth - 1).to(a.kind)
        return Value(
            a.kind,
            f"({a.text} if {left.text} {op} {number} else {other.text})",
            np.where(chosen, a.values, other.values),
        )

    def bounded(self, a: Value, count: int) -> Value:
        """``a`` brought into ``range(count)``."""
        rng = self.rng
        if a.within(count) and rng.random() < 0.5:
            return a
        if count > np.iinfo(NUMPY[a.kind]).max:
            a = a.to(rng.choice(("Int32", "Int64", "Uint32")))
        choice = rng.random()
        if choice < 0.3 and count & (count - 1) == 0:
            return binary("&", a, count - 1)
        if choice < 0.4:
            return binary("min", binary("max", a, 0), count - 1)
        if choice < 0.5:
            shift = _BITS[a.kind] - (count.bit_length() - 1)
            unsigned = a.to("U" + a.kind.lower()) if a.kind[0] != "U" else a
            return binary(">>", unsigned, shift)
        if choice < 0.55:
            return binary("%", binary("+", binary("%", a, count), self.constant(a.kind, 63)), count)
        return binary("%", a, count)

    def linear(self) -> Value:
        """A name, moved by a constant."""
        rng, value = self.rng, self.rng.choice(self.scope[-2:])
        if rng.random() < 0.1:
            value = value.to(rng.choice(INTS))
        number = self.constant(value.kind)
        choice = rng.random()
        if choice < 0.2:
            return value
        if choice < 0.8:
            return binary("+", value, number)
        return binary(rng.choice("-*^"), value, number)

    def parts(self, count: int) -> Value:
        """Rows of some width and a place in the row, as programs have them."""
        rng = self.rng
        width = rng.choice([w for w in (4, 8, 9, 16, 20, 32, 33, 64) if w < count])
        row = self.bounded(self.expression(rng.randrange(2)), max(1, count // width))
        inner = self.linear() if rng.random() < 0.6 else self.expression(rng.randint(1, 2))
        column = self.bounded(inner, rng.choice((width, width, rng.randint(1, width))))
        if rng.random() < 0.3:
            row, column = row.to("Int32"), column.to("Int32")
        scaled = binary("*", row, width)
        if width & (width - 1) == 0 and rng.random() < 0.35:
            return binary(rng.choice("|^+"), scaled, column)
        if rng.random() < 0.2:
            return binary("+", column, scaled)
        return binary("+", scaled, column)

    def index(self, count: int) -> Value:
        """An index in ``range(count)``."""
        value = self.parts(count) if self.rng.random() < 0.6 else self.expression(3)
        if not value.within(count):
            value = self.bounded(value, count)
        if not value.within(count):
            value = binary("%", value.to("Int32"), count)
        return value

    def place(self, count: int) -> Value:
        """An index that numbers of more than 16 bits can be added to."""
        value = self.index(count)
        return value if _BITS[value.kind] >= 32 else value.to(self.rng.choice(("Int32", "Int64")))


def copy(slot: int, values: np.ndarray):
    """The step that copies the elements at these indices."""

    def step(a, out):
        out[slot : slot + len(values)] = a[values]

    return step


class Nest:
    """``lines``: the statements, whose indentation starts at one level; ``count``: its programs.

    ``expect(a, out)`` computes their outputs with NumPy. ``block``: the threads of its kernel, or None for host loops.
    ``only``: the number of the only program that is kept, or None for all.
    """

    def __init__(self, seed: int, only: int | None = None):
        self.seed, self.only = seed, only
        self.rng = random.Random(seed)
        self.base = seed % PACK * MOST * SLOT
        self.element = ELEMENTS[seed // PACK % len(ELEMENTS)]
        self.lines: list[str] = []
        self.steps: list = []
        self.count = 0
        self.block = None
        with np.errstate(over="ignore"):
            if self.rng.random() < 0.55:
                self.host_loops()
            else:
                self.threads()

    def line(self, indent: int, text: str):
        self.lines.append("    " * indent + text)

    def loops(
        self, indent: int, extents: list[int], names: list[str], outer: list[Value], position: str
    ):
        """Opens loops. Returns the loop variables with the outer values, and the text of the position in row-major
        order."""
        rng = self.rng
        points = len(outer[0].values) if outer else 1
        total = points * int(np.prod(extents))
        scope = [Value(v.kind, v.text, np.repeat(v.values, total // points)) for v in outer]
        inner = total // points
        for depth, (name, extent) in enumerate(zip(names, extents, strict=True)):
            inner //= extent
            first, step, place = 0, 1, name
            ends = f"{extent}"
            choice = rng.random()
            if choice < 0.1:
                first = rng.choice((1, 3, 8))
                ends, place = f"{first}, {first + extent}", f"({name} - {first})"
            elif choice < 0.15:
                step = 2
                ends, place = f"0, {2 * extent}, 2", f"({name} // 2)"
            elif choice < 0.2:
                first, step = extent - 1, -1
                ends, place = f"{extent - 1}, -1, -1", f"({extent - 1} - {name})"
            elif extent == NUMBERS["n0"] and choice < 0.5:
                ends = "n0"
            elif extent == NUMBERS["n1"] and choice < 0.5:
                ends = "n1"
            header = f"range({ends})"
            if rng.random() < 0.15:
                attribute = rng.choice(("vectorize=True", "unroll=1", "unroll=4"))
                header = f"cute.range({ends}, {attribute})"
            self.line(indent + depth, f"for {name} in {header}:")
            values = np.arange(extent, dtype=np.int32) * step + first
            values = np.tile(np.repeat(values, inner), total // (inner * extent))
            scope.append(Value("Int32", name, values.astype(np.int32)))
            position = f"({position}) * {extent} + {place}" if position else place
        return scope, position

    def numbers(self, points: int) -> list[Value]:
        return [
            Value("Int32", name, np.full(points, number, np.int32))
            for name, number in NUMBERS.items()
            if self.rng.random() < 0.25
        ]

    def host_loops(self):
        rng = self.rng
        extents = rng.choice(
            (
                [64],
                [100],
                [4, 16],
                [16, 16],
                [5, 33],
                [3, 32],
                [7, 24],
                [4, 4, 16],
                [3, 5, 16],
                [2, 3, 32],
            )
        )
        names = [f"i{depth}" for depth in range(len(extents))]
        summed = rng.random() < 0.15 and len(extents) > 1
        if summed:
            return self.summed(extents, names)
        scope, position = self.loops(1, extents, names, [], "")
        maker = Indices(rng, scope + self.numbers(len(scope[0].values)))
        indent = 1 + len(extents)
        for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
            choice = rng.random()
            if choice < 0.6:
                self.read(indent, maker, position)
            elif choice < 0.8:
                self.write(indent, maker, position)
            else:
                self.update(indent, maker, position)
        return None

    def slot(self) -> int:
        """Begins the next program; returns the first element of its output."""
        self.count += 1
        return self.base + (self.count - 1) * SLOT

    def add(self, indent: int, text: str, step):
        """Adds the statement of the program that ``slot`` began."""
        if self.only in (None, self.count - 1):
            self.line(indent, text)
            self.steps.append(step)

    def read(self, indent: int, maker: Indices, position: str):
        slot = self.slot()
        if self.rng.random() < 0.15:
            row, column = maker.index(SHAPE[0]), maker.index(SHAPE[1])
            text = f"m[{row.text}, {column.text}]"
            values = row.values.astype(np.int64) * SHAPE[1] + column.values.astype(np.int64)
        else:
            index = maker.index(LENGTH)
            text, values = f"a[{index.text}]", index.values.astype(np.int64)
        self.add(indent, f"out[{slot} + {position}] = {text}", copy(slot, values))

    def write(self, indent: int, maker: Indices, position: str):
        """Later iterations write over earlier ones."""
        slot, index = self.slot(), maker.place(SLOT)
        values = index.values.astype(np.int64)

        def step(a, out):
            for place, value in zip(values.tolist(), a[: len(values)], strict=True):
                out[slot + place] = value

        self.add(indent, f"out[{slot} + {index.text}] = a[{position}]", step)

    def update(self, indent: int, maker: Indices, position: str):
        slot, target, source = self.slot(), maker.place(SLOT), maker.place(SLOT)
        if self.rng.random() < 0.4:
            target = Value("Int32", position, np.arange(len(target.values), dtype=np.int32))
        places = list(zip(target.values.tolist(), source.values.tolist(), strict=True))

        def step(a, out):
            with np.errstate(over="ignore"):
                for (place, origin), value in zip(places, a, strict=False):
                    out[slot + place] = out[slot + origin] + value

        text = f"out[{slot} + {target.text}] = out[{slot} + {source.text}] + a[{position}]"
        self.add(indent, text, step)

    def summed(self, extents: list[int], names: list[str]):
        """A sum over the innermost loop."""
        slot = self.slot()
        outer, position = self.loops(1, extents[:-1], names[:-1], [], "")
        indent = len(extents)
        self.line(indent, f"total = {self.element}(0)")
        scope, _ = self.loops(indent, extents[-1:], names[-1:], outer, "")
        index = Indices(self.rng, scope + self.numbers(len(scope[0].values))).index(LENGTH)
        self.line(indent + 1, f"total = total + a[{index.text}]")
        self.line(indent, f"out[{slot} + {position}] = total")
        values = index.values.astype(np.int64).reshape(-1, extents[-1])

        def step(a, out):
            out[slot : slot + len(values)] = a[values].sum(axis=1, dtype=a.dtype)

        self.steps.append(step)

    def threads(self):
        rng = self.rng
        self.block = width, height, blocks = rng.choice(BLOCKS)
        threads = width * height
        linear = np.arange(threads * blocks, dtype=np.int32)
        scope = [
            Value("Int32", "t", linear % threads),
            Value("Int32", "b", linear // threads),
        ]
        if height > 1:
            scope += [
                Value("Int32", "tx", linear % threads % width),
                Value("Int32", "ty", linear % threads // width),
            ]
        position = f"b * {threads} + t"
        self.line(1, "cute.arch.sync_threads()")
        if rng.random() < 0.4:
            return self.exchange(scope, position, threads)
        indent = 1
        if rng.random() < 0.4:
            extent = rng.choice([e for e in (2, 4, 5, 8) if e * len(linear) <= SLOT] or [1])
            scope, position = self.loops(1, [extent], ["k"], scope, position)
            indent = 2
        maker = Indices(rng, scope + self.numbers(len(scope[0].values)))
        for _ in range(rng.choice((1, 1, 2, 4))):
            self.read(indent, maker, position)
        return None

    def exchange(self, scope: list[Value], position: str, threads: int):
        """Through shared memory, within the block or within warps."""
        rng, slot = self.rng, self.slot()
        maker = Indices(rng, scope + self.numbers(len(scope[0].values)))
        t = scope[0]
        warps = rng.random() < 0.6 and threads % 32 == 0
        if warps:
            lane = maker.bounded(
                maker.expression(rng.randint(1, 3)), rng.choice((32, 32, 32, 16, 24))
            )
            lane = lane.to("Int32")
            start = (
                binary("*", binary("//", t, 32), 32) if rng.random() < 0.5 else binary("&", t, ~31)
            )
            index = binary(rng.choice("+|"), start, lane)
        else:
            index = maker.index(threads)
        self.line(1, f"s[t] = a[{position}]")
        self.line(1, f"cute.arch.{'sync_warp' if warps else 'sync_threads'}()")
        values = index.values.astype(np.int64) + scope[1].values.astype(np.int64) * threads
        self.add(1, f"out[{slot} + {position}] = s[{index.text}]", copy(slot, values))

    def expect(self, a: np.ndarray, out: np.ndarray):
        for step in self.steps:
            step(a, out)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


_PARAMETERS = ", ".join(
    [
        *(f"{name}: cute.Tensor" for name in ("a", "m", "out")),
        *(f"{name}: cute.Int32" for name in NUMBERS),
    ]
)
_NAMES = ", ".join(["a", "m", "out", *NUMBERS])


def text_of(nests: list[Nest], device: str = "cpu") -> str:
    """A function of the array, the same as a matrix, the output and the run-time numbers.

    On a GPU, the loops of the host are a kernel of one thread.
    """
    texts, body = [], [nest.text for nest in nests if nest.block is None]
    launches = []
    if device == "cuda" and body:
        texts.append(f"@cute.kernel\ndef alone({_PARAMETERS}):\n" + "\n".join(body) + "\n")
        body = [f"    alone({_NAMES}).launch(grid=[1, 1, 1], block=[1, 1, 1])"]
    for number, block in enumerate(dict.fromkeys(nest.block for nest in nests if nest.block)):
        width, height, blocks = block
        parts = "\n".join(nest.text for nest in nests if nest.block == block)
        texts.append(f"""@cute.kernel
def device_{number}({_PARAMETERS}):
    tx, ty, _ = cute.arch.thread_idx()
    b, _, _ = cute.arch.block_idx()
    t = tx + {width} * ty
    s = cute.SmemAllocator().allocate_tensor(cute.{nests[0].element}, {width * height})
    s[t] = out[0]
{parts}
""")
        launches.append(
            f"    device_{number}({_NAMES}).launch(grid=[{blocks}, 1, 1], block=[{width}, {height}, 1])"
        )
    run = f"@cute.jit\ndef run({_PARAMETERS}):\n" + "\n".join([*body, *launches])
    return "\n\n".join([*texts, run])


def function_of(nests: list[Nest], device: str = "cpu"):
    """The function of the text, which nothing has compiled yet."""
    return load([text_of(nests, device)], f"indices {nests[0].seed}..{nests[-1].seed}")["run"]


def options_of(seed: int, device: str = "cpu") -> str:
    options = OPTIONS[device]
    chosen = options[seed // PACK % len(options)]
    return "" if chosen.endswith("-v4") and not has_avx512() else chosen


def has_avx512() -> bool:
    """Return whether this processor runs code of x86-64-v4."""
    return "avx512vl" in Path("/proc/cpuinfo").read_text().split()


def arrays(element: str) -> tuple[np.ndarray, np.ndarray]:
    """The array to read and the output, with its first contents."""
    a = (np.arange(LENGTH) * 37 + 11) % (LENGTH + 1)
    out = np.arange(PACK * MOST * SLOT) % 89
    return a.astype(NUMPY[element]), out.astype(NUMPY[element])


def executed(nests: list[Nest], device: str, options: str) -> np.ndarray:
    """The output after the nests ran."""
    a, out = arrays(nests[0].element)
    if device == "cuda":
        import torch

        a, out = torch.from_numpy(a).cuda(), torch.from_numpy(out).cuda()
    with mock.patch.dict(os.environ, CUTE_DSL_COMPILER_OPT=options):
        function_of(nests, device)(a, a.reshape(SHAPE), out, *NUMBERS.values())
    return out.cpu().numpy() if device == "cuda" else out


def wrong(nests: list[Nest], device: str, options: str) -> list[Nest]:
    """The nests whose outputs differ from NumPy's; all, if elements of none of them do."""
    a, expected = arrays(nests[0].element)
    for nest in nests:
        nest.expect(a, expected)
    out = executed(nests, device, options)
    if np.array_equal(out, expected):
        return []
    differs = out != expected
    return [nest for nest in nests if differs[nest.base : nest.base + MOST * SLOT].any()] or nests


def check(first: int, device: str = "cpu", options: str | None = None) -> int:
    """Runs the pack that begins with this seed and returns its number of programs.

    An error shows the wrong nests, cut down to one program if that is wrong alone.
    """
    nests = [Nest(first + number) for number in range(PACK)]
    options = options_of(first, device) if options is None else options
    found = wrong(nests, device, options)
    if found:
        raise AssertionError("\n\n".join(report(nest, device, options) for nest in found))
    return sum(nest.count for nest in nests)


def report(nest: Nest, device: str, options: str) -> str:
    where = f"seed {nest.seed}, {nest.element}, {device}, options {options!r}"
    for part in (*(Nest(nest.seed, only) for only in range(nest.count)), nest):
        if wrong([part], device, options):
            return f"{where}:\n{text_of([part], device)}"
    return f"{where}, right alone, wrong in its pack:\n{text_of([nest], device)}"


def run_packs(firsts: list[int], device: str, options: str | None = None) -> tuple[int, list[str]]:
    """Runs these packs; returns their number of programs and a text for each pack that is wrong."""
    programs, errors = 0, []
    for first in firsts:
        try:
            programs += check(first, device, options)
        except AssertionError as error:
            errors.append(str(error))
        except Exception as error:  # a compile that fails is a finding, too
            errors.append(f"pack {first}: {type(error).__name__}: {error}")
    return programs, errors


def run_many(first: int, programs: int, device: str, processes: int, options: str | None = None):
    """Runs packs in other processes until they had as many programs; yields what each ``run_packs`` returned.

    A process ends after some packs, as every traced function takes memory for good.
    """
    context = multiprocessing.get_context("spawn")
    done, group = 0, max(1, min(16, programs // (100 * processes)))
    with context.Pool(processes, maxtasksperchild=8) as pool:
        starts = itertools.count(first, group * PACK)

        def next_job():
            start = next(starts)
            firsts = list(range(start, start + group * PACK, PACK))
            return pool.apply_async(run_packs, (firsts, device, options))

        jobs = [next_job() for _ in range(2 * processes)]
        while jobs:
            count, errors = jobs.pop(0).get()
            done += count
            if done < programs:
                jobs.append(next_job())
            yield count, errors


def main() -> None:
    parser = argparse.ArgumentParser(description="Random index programs against NumPy.")
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help=f"the first seed, a multiple of {PACK}")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument(
        "--options", help="compiler options of every pack, in place of those that go in turn"
    )
    given = parser.parse_args()
    os.environ["FAIRLEAD_NO_CACHE"] = "1"
    started, total, wrong_count, shown = time.monotonic(), 0, 0, 0
    for count, errors in run_many(
        given.seed, given.programs, given.device, given.processes, given.options
    ):
        total += count
        wrong_count += len(errors)
        for error in errors:
            print(error, flush=True)
        if total >= shown + 10_000 or errors:
            shown = total
            seconds = time.monotonic() - started
            print(f"{total} programs, {wrong_count} packs wrong, {seconds:.0f} s", flush=True)
    print(
        f"end: {total} programs, {wrong_count} packs wrong, {time.monotonic() - started:.0f} s",
        flush=True,
    )
    sys.exit(wrong_count > 0)


if __name__ == "__main__":
    main()
