"""``struct`` and ``union``: how memory of a block is divided, by the layout rules of C."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from fairlead import _compiler
from fairlead._tracing.native import kind_of
from fairlead._tracing.state import state
from fairlead.cute._layout import _as_layout, cosize, make_tensor, recast_ptr
from fairlead.cute._types import Extents, Number
from fairlead.errors import make_error

__all__ = ["Struct", "struct", "union"]

_MOST_ALIGNED = 1024


def _reject(expected: str, got: object) -> Any:
    return make_error("LayoutMode", expected=expected, got=repr(got))


class MemRange:
    """``MemRange[dtype, n]``: n numbers, one after the other."""

    def __init__(self, dtype: type[_compiler.Numeric], count: int) -> None:
        if not _compiler.is_dtype(dtype):
            raise make_error("DTypeExpected", got=repr(dtype))
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise _reject("a compile-time number of elements for MemRange", count)
        self.dtype, self.count = dtype, count

    def __class_getitem__(cls, parts: object) -> MemRange:
        if not isinstance(parts, tuple) or len(parts) != 2:
            raise _reject("a type and a number, as in MemRange[Float32, 64]", parts)
        return cls(*parts)

    @property
    def size(self) -> int:
        return (self.count * self.dtype.width + 7) // 8

    @property
    def alignment(self) -> int:
        return max(1, self.dtype.width // 8)

    def at(self, pointer: _compiler.Pointer) -> MemRangeData:
        return MemRangeData(pointer._recast(self.dtype), self)

    def assign(self, pointer: _compiler.Pointer, value: object) -> None:
        raise _reject(
            "a member that is one number where it is assigned", f"MemRange of {self.count}"
        )


class MemRangeData:
    """A MemRange in memory."""

    def __init__(self, pointer: _compiler.Pointer, kind: MemRange) -> None:
        self._pointer, self._kind = pointer, kind

    def __repr__(self) -> str:
        return f"MemRange[{self._kind.dtype.__name__}, {self._kind.count}]"

    def _static_part(self) -> Any:
        return self._kind.dtype, self._kind.count

    def __extract_mlir_values__(self) -> list[Any]:
        return [self._pointer]

    def __new_from_mlir_values__(self, values: list[Any]) -> MemRangeData:
        return MemRangeData(values[0], self._kind)

    def data_ptr(self) -> Any:
        """Return the address of the first number."""
        return self._pointer

    def get_tensor(
        self,
        layout: _compiler.Layout | _compiler.ComposedLayout | Extents,
        swizzle: _compiler.Swizzle | None = None,
        dtype: type[_compiler.Numeric] | None = None,
    ) -> Any:
        """Return a tensor of the memory; with a swizzle of its byte addresses, and as another type, where given."""
        dtype = dtype or self._kind.dtype
        any_layout: Any = layout
        outer = getattr(layout, "outer", None) or _as_layout(any_layout)
        bits = cosize(outer) * dtype.width
        if not isinstance(bits, int) or bits > self._kind.size * 8:
            size = self._kind.size
            if not isinstance(bits, int) or not state.dialect.lenient:
                raise _reject(f"a layout within the {size} bytes of a MemRange", layout)
            warnings.warn(
                f"the tensor takes {-(-bits // 8)} bytes, and reaches beyond the {size} bytes of its MemRange",
                stacklevel=2,
            )
        return make_tensor(recast_ptr(self._pointer, swizzle, dtype=dtype), layout)

    def _element(self, index: Number) -> Any:
        if isinstance(index, int) and not -self._kind.count <= index < self._kind.count:
            raise IndexError(f"element {index} of a MemRange of {self._kind.count}")
        if isinstance(index, int) and index < 0:
            index += self._kind.count
        return self._pointer + index

    def __getitem__(self, index: Number) -> Any:
        return self._element(index).load()

    def __setitem__(self, index: Number, value: object) -> None:
        self._element(index).store(value)

    def __len__(self) -> int:
        return self._kind.count


class _Number:
    """A member that is one number: the pointer to it."""

    def __init__(self, dtype: type[_compiler.Numeric]) -> None:
        self.dtype = dtype
        self.size = self.alignment = max(1, dtype.width // 8)

    def at(self, pointer: _compiler.Pointer) -> _compiler.Pointer:
        return pointer._recast(self.dtype)

    def assign(self, pointer: _compiler.Pointer, value: Number) -> None:
        pointer._recast(self.dtype).store(value)


class Align:
    """``Align[type, bytes]``: a member at an address divisible by so many bytes, a power of two."""

    def __init__(self, inner: object, alignment: int) -> None:
        if (
            not isinstance(alignment, int)
            or not 1 <= alignment <= _MOST_ALIGNED
            or alignment & (alignment - 1)
        ):
            raise make_error("SharedAlignment", expected=str(_MOST_ALIGNED), got=repr(alignment))
        self.inner = _member(inner)
        self.size, self.alignment = self.inner.size, max(alignment, self.inner.alignment)

    def __class_getitem__(cls, parts: object) -> Align:
        if not isinstance(parts, tuple) or len(parts) != 2:
            raise _reject("a type and a number of bytes, as in Align[Float32, 16]", parts)
        return cls(*parts)

    def at(self, pointer: _compiler.Pointer) -> Any:
        return self.inner.at(pointer.align(self.alignment))

    def assign(self, pointer: _compiler.Pointer, value: object) -> None:
        self.inner.assign(pointer, value)


def _member(annotation: object) -> Any:
    if isinstance(annotation, (MemRange, Align, Struct)):
        return annotation
    if _compiler.is_dtype(annotation):
        return _Number(annotation)
    raise _reject("numeric classes, MemRange, Align and structs as members of a struct", annotation)


class Struct:
    """The type that ``@struct`` and ``@union`` make: called with a pointer, it is that memory.

    Attributes:
        size: bytes, a multiple of the alignment.
        alignment: bytes.
        offsets: where each member begins.
    """

    def __init__(self, name: str, members: dict[str, Any], overlaid: bool) -> None:
        self.__name__, self.members, self.offsets = name, members, {}
        end, self.alignment = 0, 1
        for member, kind in members.items():
            begin = 0 if overlaid else -(-end // kind.alignment) * kind.alignment
            self.offsets[member] = begin
            end = max(end, begin + kind.size)
            self.alignment = max(self.alignment, kind.alignment)
        self.size = -(-end // self.alignment) * self.alignment

    def __sizeof__(self) -> int:
        return self.size

    def __alignof__(self) -> int:
        return self.alignment

    def size_in_bytes(self) -> int:
        """Bytes of one."""
        return self.size

    def at(self, pointer: _compiler.Pointer) -> StructData:
        """Return a view of the memory at ``pointer``, of any type, as this struct."""
        return StructData(self, pointer)

    def assign(self, pointer: _compiler.Pointer, value: object) -> None:
        """Refuse (TypeError): a struct is assigned member by member."""
        raise _reject("a member that is one number where it is assigned", self)

    def __call__(self, pointer: _compiler.Pointer) -> StructData:
        if not isinstance(pointer, _compiler.Pointer):
            raise make_error(
                "PointerExpected", what=self.__name__, expected="a pointer", got=kind_of(pointer)
            )
        return self.at(pointer)

    def __repr__(self) -> str:
        return f"<struct {self.__name__} of {self.size} bytes>"


class StructData:
    """A struct in memory: its members are attributes."""

    def __init__(self, kind: Struct, pointer: _compiler.Pointer) -> None:
        object.__setattr__(self, "_kind", kind)
        object.__setattr__(self, "_pointer", pointer._recast(_compiler.Int8))

    def _find(self, name: str) -> tuple[Any, Any]:
        kind = self._kind.members.get(name)
        if kind is None:
            raise AttributeError(
                f"struct {self._kind.__name__} has no member `{name}`; it has {', '.join(self._kind.members)}"
            )
        return kind, self._pointer + self._kind.offsets[name]

    def __getattr__(self, name: str) -> Any:
        kind, pointer = self._find(name)
        return kind.at(pointer)

    def __setattr__(self, name: str, value: object) -> None:
        kind, pointer = self._find(name)
        kind.assign(pointer, value)

    def __repr__(self) -> str:
        return repr(self._kind)

    def _static_part(self) -> Any:
        return self._kind

    def __extract_mlir_values__(self) -> list[Any]:
        return [self._pointer]

    def __new_from_mlir_values__(self, values: list[Any]) -> StructData:
        return StructData(self._kind, values[0])

    @property
    def ptr(self) -> Any:
        """The address of the struct, as one of Int8."""
        return self._pointer

    def size_in_bytes(self) -> int:
        """Bytes of one."""
        return int(self._kind.size)

    def __sizeof__(self) -> int:
        return int(self._kind.size)

    def __alignof__(self) -> int:
        return int(self._kind.alignment)


def _annotations(cls: type, depth: int) -> dict[str, Any]:
    annotations = {}
    frame = sys._getframe(depth + 1)
    for name, value in cls.__dict__.get("__annotations__", {}).items():
        if isinstance(value, str):  # from __future__ import annotations
            code = compile(value, __file__, "eval")  # an error has the line of the class
            value = eval(code, frame.f_globals, {**frame.f_locals, **vars(cls)})
        annotations[name] = value
    return annotations


class struct(Struct):
    """``@struct`` on a class of annotated members: numeric classes, ``struct.MemRange[dtype, n]``,
    ``struct.Align[type, bytes]``, and other structs. Members lie one after the other as C lays them out.
    """

    MemRange, Align = MemRange, Align

    def __init__(self, cls: type) -> None:
        members = {name: _member(kind) for name, kind in _annotations(cls, 1).items()}
        super().__init__(cls.__name__, members, overlaid=False)


class union(Struct):
    """``@union`` on a class of annotated members, which all begin at one address."""

    MemRange, Align = MemRange, Align

    def __init__(self, cls: type) -> None:
        members = {name: _member(kind) for name, kind in _annotations(cls, 1).items()}
        super().__init__(cls.__name__, members, overlaid=True)
