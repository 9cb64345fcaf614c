"""Composed layouts: an offset between two functions, the inner of which may permute places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead import _compiler
from fairlead._tracing.composite import register_composite
from fairlead.cute._layout import Layout, _as_layout
from fairlead.errors import make_error

__all__ = ["ComposedLayout", "Swizzle", "make_composed_layout", "make_swizzle"]


class Swizzle:
    """The ``bits`` bits from bit ``base`` on are xored with those ``shift`` further up (down, for a negative shift).

    The lowest ``base`` bits stay: so many neighbouring elements stay neighbours.
    """

    def __init__(self, bits: int, base: int, shift: int) -> None:
        for name, value in (("bits", bits), ("base", base), ("shift", shift)):
            if not isinstance(value, int) or (value < 0 and name != "shift"):
                raise make_error(
                    "LayoutMode",
                    expected=f"an integer, not negative, as {name} of a swizzle",
                    got=value,
                )
        if abs(shift) < bits:
            raise make_error(
                "LayoutMode",
                expected=f"a shift of at least the {bits} bits of a swizzle",
                got=shift,
            )
        if bits + base + abs(shift) > 62:
            raise make_error(
                "LayoutMode",
                expected="at most 62 bits that a swizzle reaches",
                got=bits + base + abs(shift),
            )
        self.num_bits, self.num_base, self.num_shift = bits, base, shift

    def __call__(self, index: Any) -> Any:
        mask = (1 << self.num_bits) - 1
        if self.num_shift >= 0:
            above = mask << (self.num_base + self.num_shift)
            return index ^ ((index & above) >> self.num_shift)
        below = mask << self.num_base
        return index ^ ((index & below) << -self.num_shift)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Swizzle) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"S<{self.num_bits},{self.num_base},{self.num_shift}>"


class ComposedLayout:
    """``c -> inner(offset + outer(c))``.

    The functions on layouts (``zipped_divide``, ``select``, ``size``, ...) work on ``outer``, and keep the rest.

    Attributes:
        inner: a Swizzle, a layout, or a Python function of what ``outer`` yields.
        offset: a number, or a coordinate where ``outer`` yields coordinates.
        outer: a layout.
    """

    def __init__(self, inner: Any, offset: Any, outer: Layout) -> None:
        if not callable(inner):
            raise make_error(
                "LayoutMode",
                expected="a swizzle, a layout or a function as the inner one",
                got=inner,
            )
        self.inner, self.offset, self.outer = inner, offset, outer

    @property
    def shape(self) -> Any:
        """The shape of ``outer``."""
        return self.outer.shape

    @property
    def size(self) -> Any:
        """The number of coordinates."""
        return self.outer.size

    @property
    def is_normal(self) -> bool:
        """True where the offset is 0."""
        return isinstance(self.offset, int) and self.offset == 0

    @property
    def max_alignment(self) -> int:
        """Elements that stay neighbours wherever they are: a power of two; 1 for functions of Python."""
        return 1 << self.inner.num_base if isinstance(self.inner, Swizzle) else 1

    def __call__(self, coordinate: Any) -> Any:
        return self.inner(_add(self.offset, self.outer(coordinate)))

    def __getitem__(self, mode: int) -> ComposedLayout:
        return self._with(self.outer[mode])

    def _with(self, outer: Layout, offset: Any = None) -> ComposedLayout:
        return ComposedLayout(self.inner, self.offset if offset is None else offset, outer)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposedLayout) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"{self.inner!r} o {_text(self.offset)} o {self.outer!r}"

    def tensor(self, pointer: Any) -> Any:
        """A tensor of this layout at a pointer; see make_tensor."""
        # Layouts of one mode are linear, so that an offset is one of the memory.
        if isinstance(self.inner, Layout) and (
            self.is_normal or not isinstance(self.inner.shape, tuple)
        ):
            layout = _compiler.composition(self.inner, self.outer)
            return _compiler.make_tensor(pointer + self.inner(self.offset), layout)
        if not isinstance(self.inner, Swizzle) or pointer._swizzle[0]:
            raise make_error(
                "LayoutOperation", operation="make_tensor", layout=self, other=repr(pointer)
            )
        inner = self.inner
        made = _compiler.make_tensor(pointer, self.outer)
        return made._swizzled(inner.num_bits, inner.num_base, inner.num_shift, self.offset)


def _add(a: Any, b: Any) -> Any:
    if isinstance(a, tuple):
        return tuple(_add(x, y) for x, y in zip(a, b, strict=True))
    return a + b


def _text(offset: Any) -> str:
    return repr(offset).replace(" ", "")


def make_swizzle(bits: int, base: int, shift: int) -> Swizzle:
    """See Swizzle. The numbers count elements in a composed layout, and bytes on a pointer."""
    return Swizzle(bits, base, shift)


def make_composed_layout(
    inner: Layout | Swizzle | Callable[..., Any], offset: Any, outer: Any
) -> ComposedLayout:
    """The function ``c -> inner(offset + outer(c))``."""
    return ComposedLayout(inner, offset, _as_layout(outer))


register_composite(
    ComposedLayout,
    lambda layout: (None, [layout.inner, layout.offset, layout.outer]),
    lambda layout, parts: type(layout)(*parts),
)
register_composite(Swizzle, lambda swizzle: (repr(swizzle), []), lambda swizzle, _: swizzle)
