"""Inline PTX for the CPU: common instructions, read while tracing and written as operations that every target has.

Registers hold numbers of the width that instructions read them with; an instruction takes its operands as the type it
names. What has no place here (``cp.async``, branches) is left to the caller as ``UnknownPtx``.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from typing import Any

from fairlead import _compiler as c
from fairlead.cute._atomics import ORDERS, SCOPES, popc
from fairlead.cute._directed import DIRECTIONS, directed
from fairlead.cute._ptx_bits import Bits
from fairlead.cute._ptx_products import Product
from fairlead.cute._ptx_values import (
    APPROXIMATE,
    ATOMIC,
    COMPARE,
    CONSTRAINTS,
    HALVES,
    LOGIC,
    PAIRS,
    SPACES,
    SPECIAL,
    TYPES,
    UnknownPtx,
    as_type,
    choose,
    counted,
    high_half,
    of_numbers,
    permuted,
    shifted,
    unsigned,
)
from fairlead.cute._types import DType, Number

__all__ = ["UnknownPtx", "interpret"]


_BULK_LOAD = r"async\.bulk\.shared::(cta|cluster)\.global\.mbarrier::complete_tx::bytes"
_ADDRESS = re.compile(r"\[\s*([^\s+\]]+)\s*(?:\+\s*(-?\w+)\s*)?\]")


class _Reader(Bits):
    def __init__(self) -> None:
        self.registers: dict[str, Any] = {}
        self.vectors: dict[str, list[str]] = {}

    # Operands.

    def read(self, name: str, kind: DType) -> Any:
        name = name.strip()
        if name in SPECIAL:
            return as_type(SPECIAL[name](), kind)
        if name in self.registers:
            return as_type(self.registers[name], kind)
        if name.startswith("{"):
            return self.joined(name, kind)
        if name.startswith("!"):
            return ~as_type(self.read(name[1:], kind), kind)
        if match := re.fullmatch(r"0[fF]([0-9a-fA-F]{8})", name):
            return kind(struct.unpack(">f", bytes.fromhex(match[1]))[0])
        if match := re.fullmatch(r"0[dD]([0-9a-fA-F]{16})", name):
            return kind(struct.unpack(">d", bytes.fromhex(match[1]))[0])
        if re.fullmatch(r"-?\d+\.\d*(e-?\d+)?", name):
            return kind(float(name))
        if re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|\d+)U?", name):
            number = int(name.rstrip("U"), 0)
            if kind is c.Boolean or kind.is_float:
                return kind(number)
            number &= (1 << kind.width) - 1
            if kind.signed and number >> (kind.width - 1):
                number -= 1 << kind.width
            return kind(number)
        raise UnknownPtx

    def declare(self, statement: str) -> None:
        """``.reg .v4 .f32 name``: its parts are registers, name.x and so on."""
        if match := re.fullmatch(r"\.reg \.v([24]) \.\w+ (\w+)", statement):
            self.vectors[match[2]] = [f"{match[2]}.{part}" for part in "xyzw"[: int(match[1])]]

    def parts(self, text: str) -> list[str]:
        if text in self.vectors:
            return self.vectors[text]
        return [part.strip() for part in text.strip()[1:-1].split(",")]

    def joined(self, text: str, kind: type[c.Numeric]) -> Any:
        parts = self.parts(text)
        width = kind.width // len(parts)
        unsigned_type = unsigned(kind.width)
        value = unsigned_type(0)
        for place, part in enumerate(parts):
            value = value | (
                as_type(self.read(part, unsigned(width)), unsigned_type) << (place * width)
            )
        return as_type(value, kind)

    def write(self, name: str, value: c.Numeric) -> None:
        if name.startswith("{"):
            parts = self.parts(name)
            width = type(value).width // len(parts)
            bits = as_type(value, unsigned(type(value).width))
            for place, part in enumerate(parts):
                self.write(part, (bits >> (place * width)).to(unsigned(width)))
        elif name != "_":
            self.registers[name] = value

    def place(self, text: str, kind: type[c.Numeric]) -> tuple[Any, Any]:
        """The pointer to shared memory in brackets, and the block of the cluster that it was mapped to or None."""
        match = _ADDRESS.fullmatch(text)
        location = c.shared_place(kind, self.registers[match[1]]) if match else None
        step = int(match[2] or "0", 0) if match else 0
        if location is None or step % max(kind.width // 8, 1):
            raise UnknownPtx
        return location[0] + step // max(kind.width // 8, 1), location[1]

    def address(self, text: str, kind: DType, space: c.AddressSpace) -> Any:
        match = _ADDRESS.fullmatch(text)
        if not match:
            raise UnknownPtx
        if getattr(type(self.registers.get(match[1])), "width", 64) == 32:
            # The low word of an address is one on GPUs alone.
            pointer, block = self.place(text, kind)
            return pointer if block is None else c.map_to_block(pointer, block)
        base = self.read(match[1], c.Uint64)
        if match[2]:
            base = base + int(match[2], 0)
        return c.pointer_from_int(kind, base.bitcast(c.Int64), space, max(kind.width // 8, 1))

    # Instructions.

    def run(self, opcode: str, operands: list[str]) -> None:
        name, *words = opcode.split(".")
        method = getattr(self, f"do_{name}", None)
        if method is not None:
            method(words, operands)
        elif name in APPROXIMATE and words[-1] == "f32":
            number = self.read(operands[1], c.Float32)
            rounding = _direction(words)
            result = directed(name, rounding, number) if rounding else APPROXIMATE[name](number)
            self.write(operands[0], result)
        elif name in _ARITHMETIC:
            self.arithmetic(name, words, operands)
        elif name not in ("prefetch", "nanosleep", "griddepcontrol", "discard"):
            raise UnknownPtx

    def kind(self, words: Sequence[str]) -> Any:
        if words and words[-1] in TYPES:
            return TYPES[words[-1]]
        raise UnknownPtx

    def arithmetic(self, name: str, words: list[str], operands: list[str]) -> None:
        function, count = _ARITHMETIC[name]
        if len(operands) != count + 1:
            raise UnknownPtx
        if words[-1] in PAIRS:
            part, word_type = PAIRS[words[-1]]
            bits = unsigned(part.width)
            words_read = [self.read(operand, word_type) for operand in operands[1:]]
            result = word_type(0)
            for place in range(2):
                numbers = [
                    ((value >> (place * part.width)).to(bits)).bitcast(part) for value in words_read
                ]
                result = result | (
                    function(*numbers).bitcast(bits).to(word_type) << (place * part.width)
                )
            return self.write(operands[0], result)
        kind = self.kind(words)
        values = [self.read(operand, kind) for operand in operands[1:]]
        rounding = _direction(words)
        if rounding is None or not kind.is_float:
            result = function(*values)
        elif kind is c.Float32:
            result = directed(name.removeprefix("f") if name == "fmul" else name, rounding, *values)
        else:
            raise UnknownPtx
        if "sat" in words and kind.is_float:
            result = choose(result > 0.0, choose(result < 1.0, result, kind(1.0)), kind(0.0))
        self.write(operands[0], result)

    def product(self, words: list[str], operands: list[str]) -> tuple[Any, Any]:
        kind = self.kind(words)
        a, b = self.read(operands[1], kind), self.read(operands[2], kind)
        if "hi" in words:
            return kind, high_half(a, b, kind)
        if "wide" in words:
            kind = getattr(c, ("Int" if kind.signed else "Uint") + str(2 * kind.width))
            return kind, a.to(kind) * b.to(kind)
        return kind, a * b

    def do_mul(self, words: list[str], operands: list[str]) -> None:
        if words[-1] in PAIRS or words[-1][0] in "fb":
            return self.arithmetic("fmul", words, operands)
        self.write(operands[0], self.product(words, operands)[1])

    def do_mad(self, words: list[str], operands: list[str]) -> None:
        if words[-1][0] == "f":
            return self.arithmetic("fma", words, operands)
        kind, product = self.product(words, operands)
        self.write(operands[0], product + self.read(operands[3], kind))

    def do_mov(self, words: list[str], operands: list[str]) -> None:
        self.write(operands[0], self.read(operands[1], self.kind(words)))

    def do_cvta(self, words: list[str], operands: list[str]) -> None:
        self.do_mov(words, operands)

    def pair_of_floats(self, words: list[str], operands: list[str]) -> list[Any]:
        """The two Float32 that a conversion to a pair reads, the upper one first."""
        if words[-1] == "f32":
            numbers = [self.read(name, c.Float32) for name in operands[1:]]
        else:
            part = HALVES[words[-1]]
            bits = unsigned(part.width)
            word = self.read(operands[1], unsigned(2 * part.width))
            halves = ((word >> part.width).to(bits), word.to(bits))
            numbers = [half.bitcast(part).to(c.Float32) for half in halves]
        if "relu" in words:
            numbers = [choose((x > 0.0) | (x != x), x, c.Float32(0.0)) for x in numbers]
        return numbers

    def do_cvt(self, words: list[str], operands: list[str]) -> None:
        if words[-2] in HALVES and (words[-1] == "f32" or words[-1] in HALVES):
            part = HALVES[words[-2]]
            # Floats of 8 bits are saturated; those of 16 bits are if the program says so.
            if part.width == 16 and "satfinite" in words:
                raise UnknownPtx
            bits, word_type = unsigned(part.width), unsigned(2 * part.width)
            high, low = (
                x.to(part).bitcast(bits).to(word_type) for x in self.pair_of_floats(words, operands)
            )
            return self.write(operands[0], (high << part.width) | low)
        if words[-2] not in TYPES or words[-1] not in TYPES:
            raise UnknownPtx
        to, of = TYPES[words[-2]], TYPES[words[-1]]
        value = self.read(operands[1], of)
        if of.is_float and to.is_integer and "rzi" not in words:
            raise UnknownPtx
        self.write(operands[0], value.to(to))

    def do_setp(self, words: list[str], operands: list[str]) -> None:
        kind = self.kind(words)
        a, b = (self.read(operand, kind) for operand in operands[1:3])
        compare = words[0]
        unordered = kind.is_float and compare.endswith("u") and compare[:-1] in COMPARE
        compare = compare[:-1] if unordered else compare
        if compare not in COMPARE:
            raise UnknownPtx
        holds = COMPARE[compare](a, b)
        if unordered:
            holds = holds | (a != a) | (b != b)
        elif kind.is_float and compare == "ne":
            holds = holds & (a == a) & (b == b)
        names = operands[0].split("|")
        results = [holds, ~holds][: len(names)]
        for name, result in zip(names, results, strict=True):
            if len(words) > 2 and words[1] in LOGIC:
                result = LOGIC[words[1]](result, self.read(operands[3], c.Boolean))
            self.write(name.strip(), result)

    def do_selp(self, words: list[str], operands: list[str]) -> None:
        kind = self.kind(words)
        a, b = (self.read(operand, kind) for operand in operands[1:3])
        self.write(operands[0], choose(self.read(operands[3], c.Boolean), a, b))

    def do_shl(self, words: list[str], operands: list[str]) -> None:
        value = self.read(operands[1], self.kind(words))
        self.write(operands[0], shifted(value, self.read(operands[2], c.Uint32), True))

    def do_shr(self, words: list[str], operands: list[str]) -> None:
        value = self.read(operands[1], self.kind(words))
        self.write(operands[0], shifted(value, self.read(operands[2], c.Uint32), False))

    def do_prmt(self, words: list[str], operands: list[str]) -> None:
        if words != ["b32"]:
            raise UnknownPtx
        self.write(operands[0], permuted(*(self.read(name, c.Uint32) for name in operands[1:])))

    def do_lop3(self, words: list[str], operands: list[str]) -> None:
        a, b, other = (self.read(name, c.Uint32) for name in operands[1:4])
        table, result = int(operands[4], 0), c.Uint32(0)
        for row in range(8):
            if table >> row & 1:
                term = (
                    (a if row & 4 else ~a) & (b if row & 2 else ~b) & (other if row & 1 else ~other)
                )
                result = result | term
        self.write(operands[0], result)

    def do_mma(self, words: list[str], operands: list[str]) -> None:
        product = Product(words)
        a, b = ([self.read(name, c.Uint32) for name in self.parts(text)] for text in operands[1:3])
        addends = [self.read(name, product.register) for name in self.parts(operands[3])]
        results = product.computed(a, b, addends)
        for name, result in zip(self.parts(operands[0]), results, strict=True):
            self.write(name, result)

    def do_popc(self, words: list[str], operands: list[str]) -> None:
        self.write(operands[0], as_type(popc(self.read(operands[1], self.kind(words))), c.Uint32))

    def do_vote(self, words: list[str], operands: list[str]) -> None:
        pred, mask = self.read(operands[1], c.Boolean), self.read(operands[2], c.Uint32)
        votes = {
            "any": c.Vote.Any,
            "all": c.Vote.All,
            "uni": c.Vote.Uniform,
            "ballot": c.Vote.Ballot,
        }
        if len(words) != 3 or words[0] != "sync" or words[1] not in votes:
            raise UnknownPtx
        self.write(operands[0], c.vote(votes[words[1]], pred, mask.bitcast(c.Int32)))

    def do_shfl(self, words: list[str], operands: list[str]) -> None:
        shuffles = {"idx": "Index", "up": "Up", "down": "Down", "bfly": "Butterfly"}
        if words[0] != "sync" or words[1] not in shuffles or "|" in operands[0]:
            raise UnknownPtx
        value, offset = self.read(operands[1], c.Uint32), self.read(operands[2], c.Int32)
        clamp, mask = self.read(operands[3], c.Int32), self.read(operands[4], c.Uint32)
        kind = getattr(c.Shuffle, shuffles[words[1]])
        self.write(operands[0], c.shuffle(kind, value, offset, mask.bitcast(c.Int32), clamp))

    def do_bar(self, words: list[str], operands: list[str]) -> None:
        if words == ["warp", "sync"]:
            return c.sync_warp(self.read(operands[0], c.Int32))
        plain = [word for word in words if word not in ("cta", "aligned")]
        if plain not in (["sync"], ["arrive"]) or (plain == ["arrive"] and len(operands) != 2):
            raise UnknownPtx
        numbers = [self.read(operand, c.Int32) for operand in operands]
        if plain == ["arrive"]:
            return c.barrier_arrive(*numbers)
        if len(numbers) == 1:
            x, y, z = c.block_dim()
            numbers.append(x * y * z)
        c.barrier(*numbers)

    do_barrier = do_bar

    def do_fence(self, words: list[str], operands: list[str]) -> None:
        scope = next((word for word in words if word in SCOPES), None)
        if scope is None or words[0] not in ("acq_rel", "sc"):
            raise UnknownPtx
        c.fence(SCOPES[scope])

    def do_membar(self, words: list[str], operands: list[str]) -> None:
        scope = "gpu" if words[0] == "gl" else words[0]
        if scope not in SCOPES:
            raise UnknownPtx
        c.fence(SCOPES[scope])

    def memory(self, words: list[str]) -> tuple[Any, Any, Any, Any]:
        """Type, space, order (None: of no thread's concern but its own) and scope of an access."""
        space = next((SPACES[word] for word in words if word in SPACES), c.AddressSpace.generic)
        order = next((ORDERS[word] for word in words if word in ORDERS), None)
        if "volatile" in words:
            order = ORDERS["relaxed"]
        scope = next((SCOPES[word] for word in words if word in SCOPES), SCOPES[None])
        return self.kind(words), space, order, scope

    def count(self, words: list[str]) -> int:
        return next((int(word[1]) for word in words if word in ("v2", "v4")), 1)

    def do_ld(self, words: list[str], operands: list[str]) -> None:
        kind, space, order, scope = self.memory(words)
        names = self.parts(operands[0]) if self.count(words) > 1 else [operands[0]]
        pointer = self.address(operands[1], kind, space)
        for place, name in enumerate(names):
            if order is None:
                self.write(name, (pointer + place).load())
            elif kind.width in (32, 64) and kind.is_integer:
                self.write(name, c.atomic(c.AtomicOp.Or, pointer + place, kind(0), order, scope))
            else:
                raise UnknownPtx

    def store_async(self, words: list[str], operands: list[str]) -> None:
        """To a block of the cluster, at whose mbarrier the bytes arrive."""
        if words[1:3] != ["shared::cluster", "mbarrier::complete_tx::bytes"]:
            raise UnknownPtx
        kind = self.kind(words)
        names = self.parts(operands[1]) if self.count(words) > 1 else [operands[1]]
        (target, block), (barrier, _) = (
            self.place(operands[0], kind),
            self.place(operands[2], c.Int64),
        )
        block = c.block_rank_in_cluster() if block is None else block
        for place, name in enumerate(names):
            c.store_async(target + place, self.read(name, kind), barrier, block)

    def do_st(self, words: list[str], operands: list[str]) -> None:
        if words[0] == "async":
            return self.store_async(words, operands)
        kind, space, order, scope = self.memory(words)
        names = self.parts(operands[1]) if self.count(words) > 1 else [operands[1]]
        pointer = self.address(operands[0], kind, space)
        for place, name in enumerate(names):
            value = self.read(name, kind)
            if order is None:
                (pointer + place).store(value)
            elif kind.width in (32, 64) and kind.is_integer:
                c.atomic(c.AtomicOp.Exchange, pointer + place, value, order, scope)
            else:
                raise UnknownPtx

    def do_atom(self, words: list[str], operands: list[str]) -> None:
        kind, space, order, scope = self.memory(words)
        order = ORDERS[None] if order is None else order
        pointer = self.address(operands[1], kind, space)
        values = [self.read(operand, kind) for operand in operands[2:]]
        if "cas" in words:
            return self.write(
                operands[0], c.atomic_cas(pointer, values[0], values[1], order, scope)
            )
        counting = next((word for word in words if word in ("inc", "dec")), None)
        if counting is not None and kind is c.Uint32:
            old = counted(pointer, values[0], counting == "inc", order, scope)
            return self.write(operands[0], old)
        what = next((ATOMIC[word] for word in words if word in ATOMIC), None)
        if what is None:
            raise UnknownPtx
        self.write(operands[0], c.atomic(what, pointer, values[0], order, scope))

    def bulk_load(self, operands: list[str]) -> None:
        """Bytes of global memory into shared memory, whose mbarrier counts them."""
        target, block = self.place(operands[0], c.Uint8)
        barrier, other_block = self.place(operands[3], c.Int64)
        if block is not None or other_block is not None:
            raise UnknownPtx
        source = self.address(operands[1], c.Uint8, c.AddressSpace.gmem)
        count = self.read(operands[2], c.Int32)
        sizes = {"operandSegmentSizes": [1, 1, 1, 1, 0, 0]}
        c.operation(
            "bulk_load", [target, source, count, barrier], {"fairlead.chosen_thread": True, **sizes}
        )

    def do_cp(self, words: list[str], operands: list[str]) -> None:
        """Bulk copies. Shared memory is combined with global memory element by element, and at once."""
        if re.fullmatch(_BULK_LOAD, ".".join(words)) and len(operands) == 4:
            return self.bulk_load(operands)
        reduction = ["reduce", "async", "bulk", "global", "shared::cta", "bulk_group"]
        kind = self.kind(words)
        what = ATOMIC.get(words[6]) if words[:6] == reduction and len(words) > 6 else None
        if what is None or words[6] == "exch":
            raise UnknownPtx
        target = self.address(operands[0], kind, c.AddressSpace.gmem)
        source = self.address(operands[1], kind, c.AddressSpace.smem)

        def one(place: object, _: list[Any]) -> list[Any]:
            c.atomic(what, target + place, (source + place).load(), ORDERS[None], SCOPES[None])
            return []

        count = self.read(operands[2], c.Int32) // (kind.width // 8)
        c.for_loop(c.Int32(0), count, c.Int32(1), [], [], one)

    def do_trap(self, words: list[str], operands: list[str]) -> None:
        """The call raises AssertionError."""
        c.assert_that(c.Boolean(False), "trap")

    def do_red(self, words: list[str], operands: list[str]) -> None:
        if "L2::cache_hint" in words:
            operands = operands[:-1]
        if self.count(words) == 1:
            return self.do_atom(words, ["_", *operands])
        kind, space, order, scope = self.memory(words)
        if "add" not in words or "async" in words:
            raise UnknownPtx
        pointer = self.address(operands[0], kind, space)
        for place, name in enumerate(self.parts(operands[1])):
            value = self.read(name, kind)
            c.atomic(ATOMIC["add"], pointer + place, value, order or ORDERS[None], scope)

    def do_createpolicy(self, words: list[str], operands: list[str]) -> None:
        """A policy of caches: a hint, without effect."""
        self.write(operands[0], c.Uint64(0))


def _direction(words: Sequence[str]) -> str | None:
    return next((word for word in words if word in DIRECTIONS), None)


def _fused(a: Number, b: Number, addend: Number) -> Any:
    return a * b + addend


_ARITHMETIC: dict[str, tuple[Callable[..., Any], int]] = {
    "add": (lambda a, b: a + b, 2),
    "sub": (lambda a, b: a - b, 2),
    "fmul": (lambda a, b: a * b, 2),
    "fma": (_fused, 3),
    "min": (of_numbers(False), 2),
    "max": (of_numbers(True), 2),
    "neg": (lambda a: -a, 1),
    "abs": (lambda a: c.abs(a), 1),
    "and": (LOGIC["and"], 2),
    "or": (LOGIC["or"], 2),
    "xor": (LOGIC["xor"], 2),
    "not": (lambda a: ~a, 1),
}


def _statements(text: str) -> list[str]:
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S).replace("$$", "$")
    statements = []
    for part in text.split(";"):
        part = " ".join(part.split())
        while part[:1] in (
            "{",
            "}",
        ):  # a scope; names in scopes are their own in programs that assemble
            part = part[1:].strip()
        if part:
            statements.append(part)
    return statements


def _operands(text: str) -> list[str]:
    """Split at commas that are not within braces or brackets."""
    operands, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "{[") - (letter in "}]")
        if letter == "," and not depth:
            operands.append(text[start:place].strip())
            start = place + 1
    return [*operands, text[start:].strip()] if text.strip() else []


def _execute_if(reader: _Reader, guard: re.Match[str], opcode: str, names: list[str]) -> None:
    """Execute an instruction without a result in a branch, where its predicate holds."""
    condition = reader.read(guard[2], c.Boolean)

    def branch() -> list[Any]:
        reader.run(opcode, names)
        return []

    c.if_else(~condition if guard[1] else condition, [], [], branch, lambda: [])


def interpret(
    results: Sequence[Any], operands: Sequence[Any], assembly: str, constraints: str
) -> list[Any]:
    """Return the values of ``results``, classes of numbers, that the assembly computes from ``operands``. Constraints
    are LLVM's. Raise UnknownPtx for an unknown instruction; operations for earlier instructions are then emitted."""
    reader = _Reader()
    kinds = [
        constraint.strip()
        for constraint in constraints.split(",")
        if constraint.strip(" ")[:1] not in ("", "~")
    ]
    outputs = [constraint for constraint in kinds if constraint.startswith("=")]
    for place, (how, value) in enumerate(zip(kinds[len(outputs) :], operands, strict=True)):
        name = f"${len(outputs) + place}"
        if how.isdigit():
            how = outputs[int(how)].lstrip("=&")
            reader.registers[f"${kinds[len(outputs) + place]}"] = value
        kind = CONSTRAINTS.get(how)
        if isinstance(value, c.Boolean):
            value = value.to(c.Uint32)
        reader.registers[name] = value if kind is None else as_type(value, kind)
    for statement in _statements(assembly):
        if statement.startswith(".reg"):
            reader.declare(statement)
            continue
        guard = re.match(r"@(!?)(\S+)\s+", statement)
        rest = statement[guard.end() :] if guard else statement
        opcode, _, arguments = rest.partition(" ")
        names = _operands(arguments)
        if guard is None:
            reader.run(opcode, names)
            continue
        if opcode == "trap":
            condition = reader.read(guard[2], c.Boolean)
            c.assert_that(condition if guard[1] else ~condition, opcode)
            continue
        if opcode.split(".")[0] in ("st", "red"):
            _execute_if(reader, guard, opcode, names)
            continue
        # An instruction whose only effect is its result can be executed always; its predicate then chooses the result.
        target = names[0] if names else ""
        if opcode.split(".")[0] in (
            "atom",
            "ld",
            "bar",
            "barrier",
            "vote",
            "shfl",
        ) or target.startswith("{"):
            raise UnknownPtx
        before = reader.registers.get(target)
        reader.run(opcode, names)
        condition = reader.read(guard[2], c.Boolean)
        condition = ~condition if guard[1] else condition
        now = reader.registers[target]
        if before is not None:
            reader.registers[target] = choose(condition, now, as_type(before, type(now)))
    values = []
    for place, (how, result) in enumerate(zip(outputs, results, strict=True)):
        kind = CONSTRAINTS.get(how.lstrip("=&"), result)
        values.append(as_type(reader.read(f"${place}", kind), result))
    return values
