"""Operations on numbers; the words in their names (``i``, ``f``, ``ui``) name their operands' types."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from fairlead import _compiler
from fairlead.compat._mlir._attributes import constant_of
from fairlead.compat._mlir._vectors import Vector, as_vector
from fairlead.compat._numeric_classes import ir_number
from fairlead.cute._ir_types import IRValue as ArithValue
from fairlead.cute._types import Number

# ruff: noqa: F822  names that are made below

__all__ = [
    "ArithValue",
    "CmpFPredicate",
    "CmpIPredicate",
    "FastMathFlags",
    "IndexCastOp",
    "addf",
    "addi",
    "andi",
    "bitcast",
    "cmpf",
    "cmpi",
    "constant",
    "divf",
    "divsi",
    "extf",
    "extsi",
    "extui",
    "maximumf",
    "maxnumf",
    "maxsi",
    "maxui",
    "minimumf",
    "minnumf",
    "minsi",
    "minui",
    "mulf",
    "muli",
    "negf",
    "ori",
    "select",
    "shli",
    "shrsi",
    "shrui",
    "subf",
    "subi",
    "truncf",
    "trunci",
    "xori",
]


class FastMathFlags(enum.Flag):
    """The freedom in computing with floats. Sums and products are computed as written with any flags; functions of
    ``math`` take any flag as ``fastmath=True``."""

    none = 0
    reassoc = 1
    nnan = 2
    ninf = 4
    nsz = 8
    arcp = 16
    contract = 32
    afn = 64
    fast = 127


class IndexCastOp:
    """An integer as an index, or an index as an integer of a class: ``result``."""

    def __init__(self, result: type[_compiler.Numeric], x: _compiler.Numeric, **_: object) -> None:
        self.result = x.to(result)


def constant(result: type, value: object, **_: object) -> Any:
    """A number of a numeric class, known while tracing; ``value`` may be an IntegerAttr."""
    return constant_of(result, value)


def _binary(name: str, compute: Callable[[Any, Any], Any], text: str) -> None:
    def call(
        a: object,
        b: object,
        *,
        fastmath: object = None,
        overflow_flags: object = None,
        loc: object = None,
        ip: object = None,
    ) -> Any:
        return compute(a, b)

    call.__name__, call.__doc__ = name, text
    globals()[name] = call


def _shift_right(a: _compiler.Numeric, b: _compiler.Numeric) -> Any:
    unsigned = _compiler.dtype_by_name(f"Uint{type(a).width}")
    return (a.to(unsigned) >> b.to(unsigned)).to(type(a))


def _divided(a: Number, b: Number) -> Any:
    """The quotient of two signed integers, rounded toward zero."""
    quotient = a // b
    is_below = (a % b != 0) & ((a < 0) != (b < 0))
    return _compiler.select(is_below, quotient + 1, quotient)


def _number(a: Number, b: Number, choose: Callable[[Any, Any], Any]) -> Any:
    """``choose`` of two floats, and the other one where one is not a number."""
    chosen = choose(a, b)
    return _compiler.select(a == a, _compiler.select(b == b, chosen, a), b)


_binary("addf", lambda a, b: a + b, "a + b")
_binary("addi", lambda a, b: a + b, "a + b")
_binary("subf", lambda a, b: a - b, "a - b")
_binary("subi", lambda a, b: a - b, "a - b")
_binary("mulf", lambda a, b: a * b, "a * b")
_binary("muli", lambda a, b: a * b, "a * b")
_binary("divf", lambda a, b: a / b, "a / b")
_binary("divsi", _divided, "a / b of signed integers, rounded toward zero")
_binary("andi", lambda a, b: a & b, "a & b")
_binary("ori", lambda a, b: a | b, "a | b")
_binary("xori", lambda a, b: a ^ b, "a ^ b")
_binary("shli", lambda a, b: a << b, "a << b")
_binary("shrsi", lambda a, b: a >> b, "a >> b, filled with copies of the sign")
_binary("shrui", _shift_right, "a >> b, filled with zeros")
_binary("maximumf", _compiler.max, "The greater one; NaN where one is.")
_binary("minimumf", _compiler.min, "The lesser one; NaN where one is.")
_binary("maxnumf", lambda a, b: _number(a, b, _compiler.max), "The greater one that is a number.")
_binary("minnumf", lambda a, b: _number(a, b, _compiler.min), "The lesser one that is a number.")


def _unsigned(choose: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def compute(a: _compiler.Numeric, b: _compiler.Numeric) -> Any:
        unsigned = _compiler.dtype_by_name(f"Uint{type(a).width}")
        return choose(a.to(unsigned), b.to(unsigned)).to(type(a))

    return compute


_binary("maxsi", _compiler.max, "The greater one of signed integers.")
_binary("minsi", _compiler.min, "The lesser one of signed integers.")
_binary("maxui", _unsigned(_compiler.max), "The greater one of unsigned integers.")
_binary("minui", _unsigned(_compiler.min), "The lesser one of unsigned integers.")


#: What a comparison of integers computes, by its name without the letter of the sign.
_INTEGER_ORDER: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
_FLOAT_ORDER: dict[str, Callable[[Any, Any], Any]] = {
    **_INTEGER_ORDER,
    "ne": lambda a, b: (a < b) | (a > b),
}


class CmpIPredicate(enum.IntEnum):
    """How ``cmpi`` compares: ``s`` compares as signed integers, ``u`` as unsigned ones."""

    eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge = range(10)


class CmpFPredicate(enum.IntEnum):
    """How ``cmpf`` compares: ``O`` is false if an operand is NaN, ``U`` is true."""

    AlwaysFalse, OEQ, OGT, OGE, OLT, OLE, ONE, ORD = range(8)
    UEQ, UGT, UGE, ULT, ULE, UNE, UNO, AlwaysTrue = range(8, 16)


def cmpi(predicate: int, a: _compiler.Numeric, b: _compiler.Numeric, **_: object) -> Any:
    """Return whether two integers are in this order, as a Boolean."""
    name = CmpIPredicate(predicate).name
    if name in ("eq", "ne"):
        return _INTEGER_ORDER[name](a, b)
    cls = _compiler.dtype_by_name(f"{'Int' if name[0] == 's' else 'Uint'}{type(a).width}")
    return _INTEGER_ORDER[name[1:]](a.to(cls), b.to(cls))


def cmpf(predicate: int, a: _compiler.Numeric, b: _compiler.Numeric, **_: object) -> Any:
    """Return whether two floats are in this order, as a Boolean."""
    name = CmpFPredicate(predicate).name
    if name.startswith("Always"):
        return _compiler.Boolean(name == "AlwaysTrue")
    if name == "ORD":
        return (a == a) & (b == b)
    is_unordered = (a != a) | (b != b)
    if name == "UNO":
        return is_unordered
    result = _FLOAT_ORDER[name[1:].lower()](a, b)
    return result | is_unordered if name[0] == "U" else result


def negf(x: _compiler.Numeric, **_: object) -> Any:
    """-x"""
    return -x


def select(condition: Number, a: Any, b: Any, **_: object) -> Any:
    """``a`` where the condition is true, else ``b``; both are computed. One condition may choose between vectors."""
    if isinstance(a, Vector):
        pairs = zip(a.numbers, as_vector(b).numbers, strict=True)
        numbers = [_compiler.select(condition, *pair) for pair in pairs]
        return Vector(numbers, a.element_type, a.shape)
    return _compiler.select(condition, a, b)


def bitcast(*operands: Any, **_: object) -> Any:
    """Reinterpret bits as a number of another class of as many bits: ``bitcast(x, cls)`` or ``bitcast(cls, x)``."""
    x, result = reversed(operands) if isinstance(operands[0], type) else operands
    return ir_number(x.bitcast(result))


def _converted(name: str, text: str, through: str = "") -> None:
    def call(
        result: type, x: Any, *, fastmath: object = None, loc: object = None, ip: object = None
    ) -> Any:
        if through:
            x = x.to(_compiler.dtype_by_name(f"{through}{type(x).width}"))
        return x.to(result)

    call.__name__, call.__doc__ = name, text
    globals()[name] = call


_converted("extf", "A float of more bits.")
_converted("truncf", "A float of fewer bits, rounded to nearest.")
_converted("extsi", "An integer of more bits, the sign repeated.")
_converted("extui", "An integer of more bits, filled with zeros.", "Uint")
_converted("trunci", "The lowest bits of an integer.")
