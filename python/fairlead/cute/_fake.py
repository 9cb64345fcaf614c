"""Stand-ins for arguments: what compile knows of a tensor or a stream that is given at the call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fairlead import _compiler
from fairlead._compiler import AddressSpace
from fairlead._hints import name_keywords
from fairlead._tracing.native import kind_of
from fairlead.cute._symbols import DerivedInt, Product, SymInt
from fairlead.cute._types import Extents
from fairlead.errors import DSLError, make_error

__all__ = [
    "FakeStream",
    "FakeTensor",
    "make_fake_compact_tensor",
    "make_fake_stream",
    "make_fake_tensor",
]

Extent = int | SymInt
_MOST = 2**63 - 1  # what an extent, a stride or an alignment has room for


def _layout_text(shape: tuple[Any, ...], stride: tuple[Any, ...]) -> str:
    return f"({','.join(map(repr, shape))}):({','.join(map(repr, stride))})"


class TensorArgument:
    """The description of one tensor. Objects of a user's class that hold one use its results in their own methods."""

    #: Not an object of a user's class: it is an argument itself.
    __fairlead_argument__ = True

    def __c_pointers__(self) -> list[Any]:
        return [self]

    def __get_mlir_types__(self) -> list[Any]:
        return [self]

    def __new_from_mlir_values__(self, values: Sequence[Any]) -> Any:
        return values[0]


class FakeTensor(TensorArgument):
    """A tensor without data: element type, extents and strides (in elements), memory space, alignment in bytes."""

    #: Makes what the function gets in place of the tensor; None for the tensor itself.
    as_argument: Callable[[Any], Any] | None = None

    def __init__(
        self,
        dtype: type[_compiler.Numeric],
        shape: tuple[Extent, ...],
        strides: tuple[Extent | Product, ...],
        memspace: AddressSpace,
        assumed_align: int | None,
        narrow_strides: bool = False,
    ) -> None:
        if not _compiler.is_dtype(dtype):
            raise make_error("DTypeExpected", got=repr(dtype))
        itemsize = max(dtype.width // 8, 1)
        alignment = itemsize if assumed_align is None else assumed_align
        if (
            not isinstance(alignment, int)
            or not 0 < alignment <= _MOST
            or alignment & (alignment - 1)
        ):
            raise make_error(
                "FakeExtentRange",
                what="assumed_align",
                expected="a power of two",
                got=repr(assumed_align),
            )
        if not isinstance(memspace, AddressSpace):
            raise make_error(
                "FakeExtentRange",
                what="memspace",
                expected="a cute.AddressSpace",
                got=repr(memspace),
            )
        for stride in strides:
            static = stride.coefficient if isinstance(stride, Product) else stride
            if isinstance(static, int) and static > _MOST:
                raise make_error(
                    "FakeExtentRange", what="a stride", expected=f"at most {_MOST}", got=static
                )
        self.dtype = self.element_type = dtype
        self.shape, self.stride = shape, strides
        self.memspace, self.alignment = memspace, alignment
        self.narrow_strides = narrow_strides

    @property
    def __cache_key__(self) -> tuple[Any, ...]:
        """The properties that a compile depends on, except which symbols equal another argument's."""
        layout = tuple(map(repr, self.shape)), tuple(map(repr, self.stride))
        return self.dtype, *layout, self.memspace, self.alignment, self.as_argument

    @property
    def _assumed_align(self) -> int:
        """The alignment, by the name that published programs read."""
        return self.alignment

    def __getitem__(self, key: object) -> Any:
        raise make_error("TensorWithoutData")

    def __setitem__(self, key: object, value: object) -> None:
        raise make_error("TensorWithoutData")

    def __repr__(self) -> str:
        return f"FakeTensor<{self.dtype.__name__}@{self.memspace.name} o {_layout_text(self.shape, self.stride)}>"


class FakeStream:
    """A stream parameter; an environment stream is no argument of the compiled function."""

    def __init__(self, environment: bool) -> None:
        self.environment = environment


def _no_extent(value: object) -> DSLError:
    """The error for something that is no extent."""
    return make_error("FakeExtent", got=kind_of(value))


def _extent(value: object, what: str, least: int) -> Extent:
    if isinstance(value, SymInt):
        return value
    if isinstance(value, Product) and value.symbols and value.coefficient >= least:
        product: Extent = DerivedInt.of_product(value)
        return product
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise _no_extent(value)
    index: Any = value
    number: int = index.__index__()
    if number < least:
        raise make_error("FakeExtentRange", what=what, expected=f"{least} or more", got=number)
    if number > _MOST:
        raise make_error("FakeExtentRange", what=what, expected=f"at most {_MOST}", got=number)
    return number


def _extents(values: Any, what: str, least: int) -> tuple[Extent, ...]:
    if isinstance(values, (int, SymInt, Product)):
        values = (values,)
    if not hasattr(values, "__iter__"):
        raise _no_extent(values)
    return tuple(_extent(value, what, least) for value in values)


def make_fake_compact_tensor(
    dtype: type[_compiler.Numeric],
    shape: Extents,
    *,
    stride_order: object = None,
    memspace: AddressSpace = AddressSpace.gmem,
    assumed_align: int | None = None,
    use_32bit_stride: bool = False,
    use_32bit_strides: bool = False,
) -> FakeTensor:
    """Return a tensor argument without gaps between its elements, for ``compile``.

    Args:
        dtype: a numeric class.
        shape: extents, each an int (checked at the call) or a symbol.
        stride_order: the rank of each mode's stride, 0 the fastest; default (0, 1, ...), so that the first mode is
            contiguous. Row-major is ``(n - 1, ..., 1, 0)``.
        memspace: where the program sees the memory.
        assumed_align: alignment of the data's address in bytes; default the element's size.
        use_32bit_stride: strides have 32 bits in exports to plain C; programs compute products of symbols in 64.
        use_32bit_strides: the same.

    Raises ValueError (StrideOrder) if ``stride_order`` is not a permutation of the modes, TypeError for an extent that
    is neither an int nor a symbol.
    """
    extents = _extents(shape, "an extent", 0)
    ranks: Any = range(len(extents)) if stride_order is None else stride_order
    order = tuple(ranks) if hasattr(ranks, "__iter__") else ()
    if not all(hasattr(rank, "__index__") for rank in order) or sorted(order) != list(
        range(len(extents))
    ):
        raise make_error("StrideOrder", last=len(extents) - 1, got=repr(stride_order))
    strides: list[Any] = [None] * len(extents)
    product = Product()
    for mode in sorted(range(len(extents)), key=order.__getitem__):
        strides[mode] = product
        product = product * extents[mode]
    narrow = use_32bit_stride or use_32bit_strides
    return FakeTensor(dtype, extents, tuple(strides), memspace, assumed_align, narrow)


def make_fake_tensor(
    dtype: type[_compiler.Numeric],
    shape: Extents,
    stride: Extents,
    *,
    memspace: AddressSpace = AddressSpace.gmem,
    assumed_align: int | None = None,
    use_32bit_stride: bool = False,
    use_32bit_strides: bool = False,
) -> FakeTensor:
    """Return a stand-in for a tensor with explicit strides.

    Args:
        dtype: a numeric class, the type of the elements.
        shape: the extents, each an int or a symbol (``sym_int``).
        stride: the strides in elements, each an int or a symbol of its own width.
        memspace: where the elements are; global memory by default.
        assumed_align: alignment of every address passed, in bytes; by default that of an element.
        use_32bit_stride, use_32bit_strides: strides of 32 bits in plain C (either name).

    Raises TypeError, ValueError for extents or strides that are neither, or not one stride for each extent.
    """
    extents, strides = _extents(shape, "an extent", 0), _extents(stride, "a stride", 0)
    if len(extents) != len(strides):
        raise make_error(
            "FakeExtentRange",
            what="stride",
            expected=f"as long as shape ({len(extents)} entries)",
            got=len(strides),
        )
    narrow = use_32bit_stride or use_32bit_strides
    return FakeTensor(dtype, extents, strides, memspace, assumed_align, narrow)


def make_fake_stream(*, use_tvm_ffi_env_stream: bool = False) -> FakeStream:
    """Return a stream argument for ``compile``.

    With ``use_tvm_ffi_env_stream`` the compiled function takes no stream, and uses the framework's current one.
    """
    return FakeStream(bool(use_tvm_ffi_env_stream))


name_keywords(__all__, globals())
