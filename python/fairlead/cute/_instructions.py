"""Single instructions by their names: pairs of Float32, bytes of words, accesses with an order, hints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fairlead import _compiler
from fairlead.cute._arithmetic import multiply_add, rounded, rounding_word
from fairlead.cute._assembly import inline_asm
from fairlead.cute._atomics import ORDERS, SCOPES, choice
from fairlead.cute._target import current_target
from fairlead.cute._types import Elements, Int, Number
from fairlead.errors import make_error

__all__ = [
    "add_packed_f32x2",
    "calc_packed_f32x2_op",
    "fma_packed_f32x2",
    "load",
    "mul_hi",
    "mul_packed_f32x2",
    "nanosleep",
    "prefetch",
    "prmt",
    "rcp_approx",
    "store",
    "sub_packed_f32x2",
]

_Float32, _Uint32, _Uint64 = _compiler.Float32, _compiler.Uint32, _compiler.Uint64


def _packed(name: str, rnd: object, ftz: object, *pairs: Sequence[Number]) -> tuple[Any, Any]:
    rounding = rounding_word(f"{name}_packed_f32x2", rnd, "rnd")
    numbers = [tuple(_Float32(part) for part in pair) for pair in pairs]
    suffix = f".{rounding}{'.ftz' if ftz else ''}"
    places = range(1, len(pairs) + 1)
    if current_target().has("f32x2"):
        registers = ", ".join(f"p{place}" for place in range(len(pairs) + 1))
        moves = "".join(
            f"mov.b64 p{place}, {{${2 * place}, ${2 * place + 1}}}; " for place in places
        )
        used = ", ".join(f"p{place}" for place in places)
        text = (
            f"{{ .reg .b64 {registers}; {moves}{name}{suffix}.f32x2 p0, {used};"
            " mov.b64 {$0, $1}, p0; }"
        )
        flat = [number for pair in numbers for number in pair]
        constraints = ",".join(["=f", "=f"] + ["f"] * len(flat))
        first, second = _compiler.inline_assembly(
            [_Float32, _Float32], flat, text, constraints, False
        )
        return first, second
    first, second = (
        rounded(name, _SCALAR[name], operands, rounding, bool(ftz))
        for operands in zip(*numbers, strict=True)
    )
    return first, second


_SCALAR: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "fma": multiply_add,
}


def add_packed_f32x2(
    src_a: Sequence[Any], src_b: Sequence[Any], *, rnd: object = None, ftz: bool = False
) -> tuple[Any, Any]:
    """Return the sums of two pairs of Float32, as a pair. One instruction from compute capability 10.0 on, else one for
    each.

    Args:
        src_a, src_b: pairs (tuples of two) of Float32 or Python numbers.
        rnd: the rounding: "rn" (default), "rz", "rm" or "rp"; ValueError for another.
        ftz: True to count subnormal numbers as 0, on GPUs.
    """
    return _packed("add", rnd, ftz, src_a, src_b)


def sub_packed_f32x2(
    src_a: Sequence[Any], src_b: Sequence[Any], *, rnd: object = None, ftz: bool = False
) -> tuple[Any, Any]:
    """Return the differences ``src_a - src_b`` of two pairs of Float32; see add_packed_f32x2."""
    return _packed("sub", rnd, ftz, src_a, src_b)


def mul_packed_f32x2(
    src_a: Sequence[Any], src_b: Sequence[Any], *, rnd: object = None, ftz: bool = False
) -> tuple[Any, Any]:
    """Return the products ``src_a * src_b`` of two pairs of Float32; see add_packed_f32x2."""
    return _packed("mul", rnd, ftz, src_a, src_b)


def fma_packed_f32x2(
    src_a: Sequence[Any],
    src_b: Sequence[Any],
    src_c: Sequence[Any],
    *,
    rnd: object = None,
    ftz: bool = False,
) -> tuple[Any, Any]:
    """``src_a * src_b + src_c`` of three pairs of Float32, rounded once; see add_packed_f32x2."""
    return _packed("fma", rnd, ftz, src_a, src_b, src_c)


def calc_packed_f32x2_op(
    src_a: Sequence[Any],
    src_b: Sequence[Any],
    src_c: Sequence[Any] | None = None,
    calc_func: Callable[..., Any] = None,  # type: ignore[assignment]  # the published order
    **options: object,
) -> Any:
    """``calc_func(src_a, src_b, **options)``, or with ``src_c`` where it is given: a pair of Float32.

    Args:
        src_a, src_b, src_c: pairs of Float32.
        calc_func: ``add_packed_f32x2``, ``mul_packed_f32x2`` or, of three pairs, ``fma_packed_f32x2``.
        options: ``rnd`` and ``ftz``, see add_packed_f32x2.
    """
    pairs = (src_a, src_b) if src_c is None else (src_a, src_b, src_c)
    return calc_func(*pairs, **options)


def mul_hi(a: Number, b: Number) -> Any:
    """Return the upper 32 bits of the 64-bit product of ``a`` and ``b``, integers of 32 bits: Int32, or Uint32 where
    one of them is. TypeError for other types.
    """
    for operand in (a, b):
        if not isinstance(operand, (int, _compiler.Int32, _Uint32)):
            raise make_error(
                "LayoutMode", expected="integers of 32 bits for mul_hi", got=type(operand).__name__
            )
    unsigned = isinstance(a, _Uint32) or isinstance(b, _Uint32)
    narrow, double = (_Uint32, _compiler.Uint64) if unsigned else (_compiler.Int32, _compiler.Int64)
    return ((double(narrow(a)) * double(narrow(b))) >> 32).to(narrow)


def prmt(a: Number, b: Number, selector: Int) -> Any:
    """Four of the eight bytes of two words, as Uint32. GPUs only.

    Args:
        a, b: words of 32 bits; bytes 0 to 3 are those of ``a``, 4 to 7 those of ``b``.
        selector: 32 bits; digit i (4 bits each) names the byte that is byte i of the result; the top bit of a
            digit asks for that byte's sign in all 8 bits instead.
    """
    words = [_Uint32(operand) for operand in (a, b, selector)]
    return inline_asm(_Uint32, words, "prmt.b32 $0, $1, $2, $3;", "=r,r,r,r")


def rcp_approx(a: Elements) -> Any:
    """1 / a, within one unit of Float32 on GPUs (numbers below the normal ones count as 0); correct on the CPU."""
    if not isinstance(a, _Float32):
        return 1.0 / a
    return inline_asm(_Float32, [a], "rcp.approx.ftz.f32 $0, $1;", "=f,f")


def _access(dtype: type[_compiler.Numeric]) -> tuple[Any, str, str]:
    """The type of words, their name in PTX and their constraint."""
    if dtype.width not in (32, 64):
        raise make_error(
            "ArgumentValue",
            function="an access with sem or scope",
            expected="a type of 32 or 64 bits",
            got=dtype.__name__,
        )
    return (_Uint32, "b32", "r") if dtype.width == 32 else (_Uint64, "b64", "l")


def _ordered(sem: str | None, scope: str | None) -> str:
    choice(ORDERS, "sem", sem)
    choice(SCOPES, "scope", scope)
    return f".{sem or 'relaxed'}.{scope or 'gpu'}"


def load(
    ptr: _compiler.Pointer,
    dtype: type[_compiler.Numeric] | None = None,
    *,
    sem: str | None = None,
    scope: str | None = None,
) -> Any:
    """Return the number at a pointer.

    Args:
        ptr: a pointer.
        dtype: its type; default the type that the pointer points to.
        sem: "relaxed" or "acquire": of 32 and 64 bits; default a load that others' stores need not be seen by.
        scope: "cta", "gpu" (default) or "sys".
    """
    pointer = ptr if dtype is None else ptr._recast(dtype)
    dtype = pointer.dtype
    if sem is None and scope is None:
        return pointer.load()
    words, name, constraint = _access(dtype)
    text = f"ld{_ordered(sem, scope)}.{name} $0, [$1];"
    address = pointer.toint()
    loaded = inline_asm(words, [address], text, f"={constraint},l", has_side_effects=True)
    return loaded if words is dtype else loaded.bitcast(dtype)


def store(
    ptr: _compiler.Pointer, value: Number, *, sem: str | None = None, scope: str | None = None
) -> None:
    """Write the number ``value`` to ``*ptr``, converted to its type.

    Args:
        sem: "relaxed" or "release", of types of 32 and 64 bits; default a store without order.
        scope: see load.
    """
    if sem is None and scope is None:
        ptr.store(value)
        return
    words, name, constraint = _access(ptr.dtype)
    number = ptr.dtype(value)
    bits = number if words is ptr.dtype else number.bitcast(words)
    text = f"st{_ordered(sem, scope)}.{name} [$0], $1;"
    inline_asm(None, [ptr.toint(), bits], text, f"l,{constraint}", has_side_effects=True)


def prefetch(ptr: _compiler.Pointer, *, level: str = "L2") -> None:
    """Bring the cache line of global memory at ``ptr`` to a cache; ``level`` is "L2" or "L1", else ValueError."""
    if level not in ("L1", "L2"):
        raise make_error(
            "ArgumentValue", function="prefetch", expected="L1 or L2 as level", got=repr(level)
        )
    inline_asm(None, [ptr.toint()], f"prefetch.global.{level} [$0];", "l", has_side_effects=True)


def nanosleep(duration: Number) -> None:
    """The thread does nothing for about ``duration`` nanoseconds (at most 1 ms), at most twice as long. Without effect
    on the CPU.
    """
    inline_asm(None, [_Uint32(duration)], "nanosleep.u32 $0;", "r", has_side_effects=True)
