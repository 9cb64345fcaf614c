"""Functions on extents, layouts and tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead import _compiler
from fairlead._tracing.state import state
from fairlead.cute._bits import clz, mul_wide
from fairlead.cute._keywords import ignoring_keywords
from fairlead.cute._types import Elements, Extents, Modes, Number
from fairlead.cute.typing import Int
from fairlead.errors import make_error, require, wrong_argument


def _elementwise(name: str, function: Callable[..., Any], a: Extents, b: Extents) -> Any:
    if isinstance(b, tuple):
        modes = a if isinstance(a, tuple) else (a,)
        if len(b) > len(modes):
            raise make_error("LayoutOperation", operation=name, layout=a, other=b)
        if not isinstance(a, tuple):
            return _elementwise(name, function, a, b[0])
        # Modes without a partner stay.
        done = tuple(_elementwise(name, function, x, y) for x, y in zip(a, b))
        return done + a[len(b) :]
    if isinstance(a, tuple):
        return tuple(_elementwise(name, function, x, b) for x in a)
    return function(a, b)


def ceil_div(a: Extents, b: Extents) -> Any:
    """``ceil(a / b)`` of integers, b positive; static for Python ints.

    Tuples element by element; what ``a`` has more of stays as it is.
    """

    def divide(x: Number, y: Number) -> Any:
        return -(-x // y) if isinstance(x, int) and isinstance(y, int) else _compiler.ceil_div(x, y)

    require(ceil_div, a=a, b=b)
    return _elementwise("ceil_div", divide, a, b)


def round_up(a: Extents, b: Extents) -> Any:
    """Return the least multiple of b that is not below a. Tuples element by element."""
    require(round_up, a=a, b=b)
    return _elementwise("round_up", lambda x, y: ceil_div(x, y) * y, a, b)


def size(x: object, mode: list[int] | None = None) -> Any:
    """Number of elements of ``x``, a tensor, a layout or a shape, or of its mode ``mode`` (a path of mode numbers);
    threads of a tiled copy or MMA.

    Raises TypeError for anything else.
    """
    if x is None or isinstance(x, (str, bytes, float, list, dict)):
        raise wrong_argument("size", "x", "a tensor, a layout or a shape", x)
    if isinstance(x, (_compiler.TiledCopy, _compiler.TiledMma)):
        return x.size
    shape = shape_of(x)
    modes: Any = shape if isinstance(shape, tuple) else (shape,)
    for index in mode or ():
        modes = modes[index] if isinstance(modes[index], tuple) else (modes[index],)
    product: Any = 1
    for extent in modes:
        product = _times(product, size(extent) if isinstance(extent, tuple) else extent)
    return product


def _times(a: Number, b: Number) -> Any:
    """The product of two extents: of 64 bits if one of them is known only at run time, as wide as the extents in
    dialects of narrow sizes."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, int) and one == 1:
            return other
    is_static = isinstance(a, int) and isinstance(b, int)
    return a * b if is_static or state.dialect.narrow_sizes else _wide(a) * _wide(b)


def _wide(extent: object) -> Any:
    return _compiler.Int64(extent) if isinstance(extent, _compiler.Numeric) else extent


def product(x: Modes | Extents) -> Any:
    """Return the product of all numbers of ``x``, a nested tuple."""
    return size(x) if isinstance(x, tuple) else x


def product_each(x: Modes | Extents) -> Any:
    """Return the product of each mode of ``x``, a nested tuple: a flat tuple."""
    return tuple(product(mode) for mode in x) if isinstance(x, tuple) else x


def shape_div(a: Extents, b: Extents) -> Any:
    """``a / b`` of extents that divide one another: 1 where b is a multiple of a. A tuple by a number divides its
    modes, one after the other, by the rest of it.

    Raises ValueError (LayoutOperation) for extents that do not divide one another.
    """
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b):
            raise make_error("LayoutOperation", operation="shape_div", layout=a, other=b)
        return tuple(shape_div(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, tuple):
        parts: list[Any] = []
        for mode in a:
            parts.append(shape_div(mode, b))
            b = shape_div(b, product(mode))
        return tuple(parts)
    b = product(b)
    if not isinstance(a, int) or not isinstance(b, int):
        return ceil_div(a, b)
    if b <= 0 or (a % b and b % a):
        raise make_error("LayoutOperation", operation="shape_div", layout=a, other=b)
    return a // b if a % b == 0 else 1


def elem_less(a: Extents, b: Extents) -> Any:
    """True when every number of ``a`` is less than the one of ``b`` at its place: a coordinate inside a shape."""
    return _compiler.elem_less(a, shape_of(b))


def shape_of(x: object) -> Any:
    return getattr(x, "shape", x)


def repeat(x: object, n: int) -> Any:
    """Return a tuple of ``x`` n times; ``x`` itself for n = 1."""
    return x if n == 1 else (x,) * n


def repeat_as_tuple(x: object, n: int) -> tuple[Any, ...]:
    """Return a tuple of ``x`` n times."""
    return (x,) * n


def repeat_like(x: object, target: object) -> Any:
    """``x`` at every place of the nested tuple ``target``."""
    return tuple(repeat_like(x, mode) for mode in target) if isinstance(target, tuple) else x


def assume(x: Int, divby: int) -> Any:
    """``x`` with the caller's word that it is a multiple of ``divby``: wider accesses may follow from it.

    Raises TypeError for a compile-time ``x`` that is not a multiple.
    """
    if isinstance(x, int):
        if divby <= 0 or x % divby:
            raise make_error("LayoutMode", expected=f"a multiple of {divby} for assume", got=x)
        return x
    return _compiler.assume(x, divby)


def rank(x: Modes | Extents, mode: list[int] | None = None) -> int:
    """Number of modes of ``x``, a tensor, a layout or a shape, or of its mode ``mode`` (a path of mode numbers)."""
    shape = shape_of(x)
    for index in mode or ():
        shape = shape[index]
    return len(shape) if isinstance(shape, tuple) else 1


class FastDivmodDivisor:
    """A divisor of many integers: ``x // d``, ``x % d`` and ``divmod(x, d)``, all of integers that are not negative,
    and the divisor below 2**31: one of 64 bits becomes an Int32.

    Divisions by numbers that the compiler knows become multiplications, and so do those of an Int32 by a number of
    the host function, which computes the factor once. In kernels, others stay divisions.
    """

    #: The divisor, or a Uint64 of the divisor (low word) and its factor: programs count one value for a divisor.
    _divisor: Any

    @ignoring_keywords
    def __init__(self, divisor: Int, is_power_of_2: bool | None = None) -> None:
        """``is_power_of_2``: a property of the divisor, which the compiler also finds out itself."""
        is_wide = isinstance(divisor, (_compiler.Int64, _compiler.Uint64))
        self._divisor = _compiler.Int32(divisor) if is_wide else divisor
        is_variable = isinstance(self._divisor, _compiler.Int32) and not self._divisor.is_static
        if is_variable and not _in_kernel():
            self._divisor = _with_factor(self._divisor)

    def _number(self) -> Any:
        """Return the divisor without its factor."""
        has_factor = isinstance(self._divisor, _compiler.Uint64)
        return _compiler.Int32(_compiler.Uint32(self._divisor)) if has_factor else self._divisor

    def __rfloordiv__(self, x: Elements) -> Any:
        number = self._number()
        if not isinstance(x, _compiler.Int32) or not isinstance(number, _compiler.Int32):
            return x // number
        # Nothing is negative; unsigned division takes fewer instructions and registers.
        dividend = _compiler.Uint32(x)
        if isinstance(self._divisor, _compiler.Uint64) and _in_kernel():
            product = mul_wide(dividend, _compiler.Uint32(self._divisor >> 32))
            return _compiler.Int32(product >> (63 - clz(number - 1) & 63))
        return _compiler.Int32(dividend // _compiler.Uint32(number))

    def __rmod__(self, x: Elements) -> Any:
        return self.__rdivmod__(x)[1]

    def __rdivmod__(self, x: Elements) -> tuple[Any, Any]:
        quotient = x // self
        return quotient, x - quotient * self._number()

    def __extract_mlir_values__(self) -> list[Any]:
        return [self._divisor]

    def __new_from_mlir_values__(self, values: list[Any]) -> FastDivmodDivisor:
        divisor = FastDivmodDivisor.__new__(FastDivmodDivisor)
        (divisor._divisor,) = values
        return divisor

    def __repr__(self) -> str:
        return f"FastDivmodDivisor({self._number()!r})"


def _in_kernel() -> bool:
    return bool(state.program is not None and state.program.in_kernel())


def _with_factor(number: _compiler.Int32) -> Any:
    """Return the divisor and, in the high word, 2**(31 + s) / divisor, rounded up, where s is the number of bits of
    divisor - 1. The product of a number below 2**31 and this factor, divided by 2**(31 + s), is the quotient."""
    divisor = _compiler.Uint64(_compiler.max(number, _compiler.Int32(1)))
    # The exponent of a number of 32 bits, which Float64 holds as it is.
    exponent = _compiler.Float64(divisor + divisor - 1).bitcast(_compiler.Uint64) >> 52
    power = _compiler.Uint64(1) << (exponent - 1023 + 31)
    return ((power + divisor - 1) // divisor) << 32 | divisor


#: The name of later published programs.
FastDivmodDivisorV2 = FastDivmodDivisor


def fast_divmod_create_divisor(divisor: Int) -> FastDivmodDivisor:
    """Return a FastDivmodDivisor of ``divisor``, a positive integer."""
    require(fast_divmod_create_divisor, divisor=divisor)
    return FastDivmodDivisor(divisor)


fast_divmod_create_divisor_v2 = fast_divmod_create_divisor


def all_(x: _compiler.Tensor | _compiler.TensorExpr) -> Any:
    """True if no element of ``x``, a whole-tensor value or a tensor, is 0."""
    truth = _truth(x)
    return truth.reduce(_compiler.ReductionOp.MIN, 1, 0) != 0


def any_(x: _compiler.Tensor | _compiler.TensorExpr) -> Any:
    """True if at least one element of ``x``, a whole-tensor value or a tensor, is not 0."""
    truth = _truth(x)
    return truth.reduce(_compiler.ReductionOp.MAX, 0, 0) != 0


def _truth(x: _compiler.Tensor | _compiler.TensorExpr) -> Any:
    values = x.load() if isinstance(x, _compiler.Tensor) else x
    return (values != 0).to(_compiler.Int32)


def where(condition: Any, a: Any, b: Any) -> Any:
    """``a`` where the condition holds, else ``b``; both are evaluated. Scalars, or whole-tensor values."""
    if isinstance(condition, bool):
        return a if condition else b
    if any(isinstance(part, _compiler.TensorExpr) for part in (condition, a, b)):
        return _compiler.select_values(condition, a, b)
    return _compiler.select(condition, a, b)
