"""Addresses in swizzled shared memory, as the PTX of kernels computes them: each store is followed in Python, thread by
thread, and has to meet the place that the layout and the swizzle give it."""

import re

import numpy as np
import pytest

from fairlead import Int32, cute, range_constexpr
from fairlead.utils import SmemAllocator

MASK = (1 << 64) - 1


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


class Thread:
    """Return the stores of one thread by their address, of PTX that computes with integers."""

    def __init__(self, lines, labels, index, parameters):
        self.lines, self.labels = lines, labels
        self.registers = {"%tid.x": index, "fairlead_shared": 0}
        self.parameters, self.stores = parameters, {}

    def value(self, text):
        if text in self.registers:
            return self.registers[text]
        if text.startswith("{"):
            raise ValueError(text)
        return int(text, 0)

    def address(self, text):
        name, _, offset = text.strip("[]").partition("+")
        return self.value(name) + (int(offset) if offset else 0)

    def run(self):
        at = steps = 0
        while at < len(self.lines):
            steps += 1
            assert steps < 100_000
            line = self.lines[at]
            at += 1
            guard = re.match(r"@(!?)(%p\d+) ", line)
            if guard:
                if bool(self.value(guard[2])) == bool(guard[1]):
                    continue
                line = line[guard.end() :]
            opcode, _, rest = line.partition(" ")
            operands = [each.strip() for each in re.split(r",(?![^{]*})", rest)]
            name, *words = opcode.split(".")
            if name == "bra":
                at = self.labels[operands[-1]]
            elif name == "ret":
                return
            elif name == "st" and "shared" in words:
                values = operands[1].strip("{}").split(",")
                for place, each in enumerate(values):
                    self.stores[self.address(operands[0]) + 4 * place] = self.value(each.strip())
            elif name == "ld":
                self.registers[operands[0]] = self.parameters[operands[1].strip("[]")]
            elif name not in ("bar", "st", "pragma"):
                self.compute(name, words, operands)

    def compute(self, name, words, operands):
        target, *names = operands
        bits = int(re.sub(r"\D", "", words[-1]) or 1)
        of = [self.value(each) for each in names]
        if words[-1][0] == "s":
            of = [signed(each, bits) for each in of]
        elif name != "selp":
            of = [each & ((1 << bits) - 1) for each in of]
        compare = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
        if name == "setp":
            result = eval(f"a {compare[words[0]]} b", {"a": of[0], "b": of[1]})
        elif name == "selp":
            result = of[0] if of[2] else of[1]
        elif name in ("mul", "mad"):
            result = of[0] * of[1]
            if "hi" in words:
                result >>= bits
            result += of[2] if name == "mad" else 0
            bits *= 2 if "wide" in words else 1
        else:
            result = {
                "mov": lambda a: a,
                "cvt": lambda a: a,
                "cvta": lambda a: a,
                "neg": lambda a: -a,
                "not": lambda a: ~a,
                "add": lambda a, b: a + b,
                "sub": lambda a, b: a - b,
                "and": lambda a, b: a & b,
                "or": lambda a, b: a | b,
                "xor": lambda a, b: a ^ b,
                "shl": lambda a, b: a << b,
                "shr": lambda a, b: a >> b,
                "min": min,
                "max": max,
            }[name](*of)
            bits = int(re.sub(r"\D", "", words[0]) or 64) if name == "cvt" else bits
        self.registers[target] = result & ((1 << max(bits, 1)) - 1)


def stores_of(ptx, threads, number):
    """Return the stores of all threads by their byte in shared memory; parameters of 32 bits are `number`."""
    body = ptx[ptx.index("{\n", ptx.index(".entry")) :]
    lines, labels = [], {}
    for line in re.sub(r"//[^\n]*", "", body).replace("\t", " ").split("\n"):
        line = line.strip().strip("{}").strip()
        if line.endswith(":"):
            labels[line[:-1]] = len(lines)
        elif line.endswith(";") and not line.startswith("."):
            lines.append(" ".join(line[:-1].split()))
    names = re.findall(r"\.param \.(\w+)[^,)\n]*?(\w*_param_\d+)", ptx)
    parameters = {name: number if kind.endswith("32") else 1 << 40 for kind, name in names}
    found = {}
    for index in range(threads):
        thread = Thread(lines, labels, index, parameters)
        thread.run()
        found.update(thread.stores)
    return found


def swizzled(address, bits, base, shift):
    return address ^ ((address >> shift) & (((1 << bits) - 1) << base))


@pytest.mark.parametrize("of_pointer", [True, False])
@pytest.mark.parametrize("swizzle", [(3, 4, 3), (2, 4, 3), (1, 5, 4)])
def test_stores_in_a_loop_over_stages(of_pointer, swizzle, tmp_path, monkeypatch):
    """Rows of 32 words; a thread writes a part of a row and others further down, in each stage."""
    stages, threads = 3, 64
    bits, base, shift = swizzle

    @cute.kernel
    def device(count: Int32):
        t = cute.arch.thread_idx()[0]
        layout = cute.make_layout((64, 32, stages), stride=(32, 1, 64 * 32))
        if of_pointer:
            sA = SmemAllocator().allocate_tensor(
                Int32, layout, 1024, swizzle=cute.make_swizzle(bits, base, shift)
            )
        else:
            # Elements instead of bytes.
            moved = cute.make_composed_layout(cute.make_swizzle(bits, base - 2, shift), 0, layout)
            sA = SmemAllocator().allocate_tensor(Int32, moved, 1024)
        # Eight threads a row with four words each; rows 0 to 7, and every eighth from there.
        column = (t % 8) * 4
        row = t // 8
        for turn in range(count):
            stage = turn % stages
            for i in range_constexpr(8):
                for j in range_constexpr(4):
                    sA[row + 8 * i, column + j, stage] = turn * 10000 + t * 100 + i * 10 + j

    @cute.jit
    def host(count: Int32):
        device(count).launch(grid=1, block=threads)

    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    cute.compile(host, Int32(1), options="--target cuda:sm_90a --keep-ptx")
    (ptx,) = tmp_path.glob("*.ptx")
    expected = {}
    for turn in range(4):
        for t in range(threads):
            for i, j in np.ndindex(8, 4):
                place = (t // 8 + 8 * i) * 32 + (t % 8) * 4 + j + (turn % stages) * 64 * 32
                expected[swizzled(4 * place, bits, base, shift)] = (
                    turn * 10000 + t * 100 + i * 10 + j
                )
    assert stores_of(ptx.read_text(), threads, 4) == expected
    assert len(expected) == stages * 64 * 32


def test_places_below_the_swizzle_are_offsets(tmp_path, monkeypatch):
    """Rows eight further down differ by a number: instructions have it, and the loop computes one address."""

    @cute.kernel
    def device(count: Int32):
        t = cute.arch.thread_idx()[0]
        sA = SmemAllocator().allocate_tensor(
            Int32,
            cute.make_layout((64, 32), stride=(32, 1)),
            1024,
            swizzle=cute.make_swizzle(3, 4, 3),
        )
        for turn in range(count):
            for i in range_constexpr(8):
                sA[t // 8 + 8 * i, (t % 8) * 4] = turn

    @cute.jit
    def host(count: Int32):
        device(count).launch(grid=1, block=64)

    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    cute.compile(host, Int32(1), options="--target cuda:sm_90a --keep-ptx")
    (ptx,) = tmp_path.glob("*.ptx")
    stores = re.findall(r"st\.shared\.\w+\s+\[(%rd\d+)(\+\d+)?\]", ptx.read_text())
    assert {register for register, _ in stores} and len({r for r, _ in stores[:8]}) == 1
    assert sorted(int(offset or 0) for _, offset in stores[:8]) == list(range(0, 8192, 1024))
