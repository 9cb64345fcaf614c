"""Tensor maps: what copies of boxes of tensors (TMA) go by.

A host function makes a tensor map at each call, and passes it to kernels by value.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from fairlead import _compiler
from fairlead._hints import missing
from fairlead._tracing.composite import register_composite
from fairlead.cute._types import Choice, DType, Extents, Int
from fairlead.errors import make_error
from fairlead.primitives._operands import int32, member, type_name
from fairlead.primitives._pointer import Pointer

__all__ = [
    "TensorMap",
    "TensorMapDataFormat",
    "TensorMapDataType",
    "TensorMapFloatOOBFill",
    "TensorMapInterleave",
    "TensorMapL2Promotion",
    "TensorMapSwizzle",
    "create_tensor_map_tiled",
    "create_tensor_map_tiled_from_view",
]


class TensorMapSwizzle(enum.Enum):
    """How 16 bytes of a row are permuted in shared memory: within rows of 32, 64 or 128 bytes."""

    none = 0
    s32b = 1
    s64b = 2
    s128b = 3
    s128b_atom_32b = 4
    s128b_atom_32b_flip_8b = 5
    s128b_atom_64b = 6

    @property
    def width(self) -> int:
        """Bytes within which 16 bytes are permuted; 0 without a swizzle."""
        return 16 << min(self.value, 3) if self.value else 0


class TensorMapDataFormat(enum.Enum):
    """How copies count elements: DEFAULT is that of the numeric class."""

    DEFAULT = 1
    BYTE = 2
    F32_FTZ = 3
    TF32_FTZ = 4
    B4X16 = 5
    B4X16_P64 = 6
    B6X16_P32 = 7


class TensorMapDataType(enum.Enum):
    """The element type of a tensor map, by the driver's numbers."""

    uint8 = 0
    uint16 = 1
    uint32 = 2
    int32 = 3
    uint64 = 4
    int64 = 5
    float16 = 6
    float32 = 7
    float64 = 8
    bfloat16 = 9
    float32_ftz = 10
    tfloat32 = 11
    tfloat32_ftz = 12
    f416u4_align8b = 13
    f416u4_align16b = 14
    f416u6_align16b = 15


class TensorMapInterleave(enum.Enum):
    """How channels are interleaved in global memory."""

    none = 0
    i16b = 1
    i32b = 2


class TensorMapL2Promotion(enum.Enum):
    """Bytes that a copy brings into the L2 cache, a hint."""

    none = 0
    l2_64b = 1
    l2_128b = 2
    l2_256b = 3


class TensorMapFloatOOBFill(enum.Enum):
    """The value of elements outside of the tensor."""

    none = 0
    nan_request_zero_fma = 1


_TYPES = {
    "Int8": 0,
    "Uint8": 0,
    "Boolean": 0,
    "Float8E4M3FN": 0,
    "Float8E5M2": 0,
    "Float8E8M0FNU": 0,
    "Int16": 1,
    "Uint16": 1,
    "Uint32": 2,
    "Int32": 3,
    "Uint64": 4,
    "Int64": 5,
    "Float16": 6,
    "Float32": 7,
    "Float64": 8,
    "BFloat16": 9,
    "TFloat32": 11,
}
_SPECIAL = {TensorMapDataFormat.F32_FTZ: 10, TensorMapDataFormat.TF32_FTZ: 12}
_UNIT, _MOST_IN_BOX, _MOST_DIMENSIONS = 16, 256, 5


@dataclasses.dataclass(eq=False)
class TensorMap:
    """A tensor map, which kernels take by value.

    Attributes:
        value: the ``cute.Pointer`` to its 128 bytes.
        swizzle: a TensorMapSwizzle.
        dtype: the numeric class of the elements.
        tma_format: a TensorMapDataFormat.
        box_dims: extents of a box in elements, the contiguous dimension first.
    """

    value: Any
    swizzle: TensorMapSwizzle
    dtype: Any
    tma_format: TensorMapDataFormat
    box_dims: tuple[int, ...]

    def get_ptr(self) -> Pointer:
        """Return the address of the tensor map, for copies and prefetches."""
        return Pointer(self.value, dtype=_compiler.Int8)

    @property
    def element_type(self) -> Any:
        """The numeric class of the elements."""
        return self.dtype

    @property
    def box_volume(self) -> int:
        """Number of elements of a box."""
        return prod(self.box_dims)

    def global_tx_bytes(self) -> int:
        """Return the number of bytes that a copy of a box counts at its mbarrier."""
        number: int = self.box_volume * self.dtype.width // 8
        return number

    @property
    def shared_storage_bytes(self) -> int:
        """Bytes of shared memory that a box takes. A row that is narrower than its swizzle takes all of its width."""
        row = self.box_dims[0] * self.dtype.width // 8
        number: int = self.global_tx_bytes() // row * max(row, self.swizzle.width)
        return number

    @property
    def shared_storage_dtype(self) -> Any:
        """The numeric class of the elements in shared memory."""
        return _compiler.Uint8 if self.tma_format is TensorMapDataFormat.BYTE else self.dtype


register_composite(
    TensorMap,
    lambda tensor_map: (
        (tensor_map.swizzle, tensor_map.dtype, tensor_map.tma_format, tensor_map.box_dims),
        [tensor_map.value],
    ),
    lambda tensor_map, parts: dataclasses.replace(tensor_map, value=parts[0]),
)


def _choice(cls: Any, value: object, function: str, name: str) -> Any:
    return list(cls)[0] if value is None else member(cls, value, function, name)


def _supported(function: str, name: str, value: object, expected: str, ok: bool) -> None:
    if not ok:
        raise NotImplementedError(f"{function}: {expected} as {name}; {value} is not supported yet")


def _box(box_dims: Extents, rank: int, function: str) -> tuple[int, ...]:
    if not isinstance(box_dims, (tuple, list)) or len(box_dims) != rank:
        got = f"{len(box_dims)}" if isinstance(box_dims, (tuple, list)) else type_name(box_dims)
        expected = f"{rank} extents as box_dims"
        raise make_error("ArgumentValue", function=function, expected=expected, got=got)
    for axis, extent in enumerate(box_dims):
        if isinstance(extent, bool) or not isinstance(extent, int):
            expected = f"Python ints as box_dims[{axis}]"
            raise make_error(
                "ArgumentKind", function=function, expected=expected, got=type_name(extent)
            )
        int32(extent, function, f"box_dims[{axis}]", least=1, most=_MOST_IN_BOX)
    return tuple(box_dims)


def _check_row(box: Sequence[int], dtype: DType, swizzle: TensorMapSwizzle, function: str) -> None:
    row = box[0] * dtype.width // 8
    if row % _UNIT:
        raise make_error(
            "ArgumentValue",
            function=function,
            expected=f"a multiple of {_UNIT} bytes along the first dimension of the box",
            got=f"{row} bytes",
        )
    if swizzle.width and row > swizzle.width:
        raise make_error(
            "ArgumentValue",
            function=function,
            expected=f"at most {swizzle.width} bytes along the first dimension of the box with {swizzle.name}",
            got=f"{row} bytes",
        )


def _address(address: object, function: str) -> Any:
    ptr = getattr(address, "pointer", getattr(address, "iterator", address))
    if isinstance(ptr, _compiler.Pointer):
        return ptr
    if isinstance(ptr, _compiler.Numeric) and type(ptr).is_integer:
        return _compiler.pointer_from_int(_compiler.Uint8, ptr, _compiler.AddressSpace.gmem, _UNIT)
    expected = "an address (an integer of 64 bits, a pointer or a tensor) as global_address"
    raise make_error("ArgumentKind", function=function, expected=expected, got=type_name(address))


def _check_type(dtype: DType, tma_format: object, function: str) -> tuple[Any, int]:
    """The format, and the number of the element type."""
    if not _compiler.is_dtype(dtype):
        raise make_error("DTypeExpected", got=repr(dtype))
    form = _choice(TensorMapDataFormat, tma_format, function, "tma_format")
    if form is TensorMapDataFormat.DEFAULT and dtype.is_float and dtype.width == 8:
        form = TensorMapDataFormat.BYTE
    is_plain = form in (TensorMapDataFormat.DEFAULT, TensorMapDataFormat.BYTE)
    _supported(
        function,
        "tma_format",
        form.name,
        "DEFAULT, BYTE, F32_FTZ or TF32_FTZ",
        is_plain or form in _SPECIAL,
    )
    _supported(
        function, "dtype", dtype.__name__, "elements of 8 to 64 bits", dtype.__name__ in _TYPES
    )
    return form, _SPECIAL.get(form, _TYPES[dtype.__name__])


def create_tensor_map_tiled(
    global_address: object,
    dtype: DType,
    global_dims: Sequence[Any],
    global_strides: Sequence[Any],
    box_dims: Sequence[int],
    *,
    traversal_strides: Sequence[int] | None = None,
    interleave: Choice | None = None,
    swizzle: object = None,
    l2_promotion: Choice | None = None,
    oob_fill: Choice | None = None,
    tma_format: Choice | None = None,
) -> TensorMap:
    """Make a tensor map in a host function. Lists have the contiguous dimension first.

    Args:
        global_address: the address of the first element, a multiple of 16 bytes: an integer, a pointer or a tensor.
        dtype: the numeric class of the elements.
        global_dims: extents in elements, 1 to 5.
        global_strides: strides of all dimensions but the first, in units of 16 bytes.
        box_dims: extents of a box in elements, 1 to 256 each; the first a multiple of 16 bytes.
        swizzle: a ``TensorMapSwizzle``, default none.
        l2_promotion: accepted, without effect.
        traversal_strides, interleave, oob_fill: None; others are not supported yet.
        tma_format: a ``TensorMapDataFormat``, default that of `dtype`.

    Raises:
        ValueError (ArgumentValue): extents, strides or a box that do not fit.
    """
    function = "create_tensor_map_tiled"
    rank = len(global_dims)
    if not 1 <= rank <= _MOST_DIMENSIONS or len(global_strides) != rank - 1:
        raise make_error(
            "ArgumentValue",
            function=function,
            expected="1 to 5 global_dims, and one stride less as global_strides",
            got=f"{rank} and {len(global_strides)}",
        )
    form, number = _check_type(dtype, tma_format, function)
    chosen = _choice(TensorMapSwizzle, swizzle, function, "swizzle")
    _supported(function, "swizzle", chosen.name, "none, s32b, s64b or s128b", chosen.value <= 3)
    steps = traversal_strides or [1]
    _supported(function, "traversal_strides", steps, "only 1", all(step == 1 for step in steps))
    for name, cls, value in (
        ("interleave", TensorMapInterleave, interleave),
        ("oob_fill", TensorMapFloatOOBFill, oob_fill),
    ):
        option = _choice(cls, value, function, name)
        _supported(function, name, option.name, "none", option.value == 0)
    _choice(TensorMapL2Promotion, l2_promotion, function, "l2_promotion")
    box = _box(box_dims, rank, function)
    _check_row(box, dtype, chosen, function)
    extents = [_wide(extent) for extent in global_dims]
    strides = [_wide(stride) * _UNIT for stride in global_strides]
    address = _compiler.make_tensor_map(
        _address(global_address, function),
        extents,
        strides,
        list(box),
        number,
        dtype.width // 8,
        chosen.value,
    )
    return TensorMap(address, chosen, dtype, form, box)


def _wide(number: Int) -> Any:
    return number if isinstance(number, int) else number.to(_compiler.Int64)


def _flat(modes: object) -> list[Any]:
    if isinstance(modes, (tuple, list)):
        return [leaf for mode in modes for leaf in _flat(mode)]
    return [modes]


def _order_of(strides: Sequence[Any]) -> list[int]:
    """The modes from the innermost on: by stride, and run-time strides last, in the reverse order of the modes."""
    ordered = sorted(
        (mode for mode, stride in enumerate(strides) if isinstance(stride, int)),
        key=lambda mode: (strides[mode], -mode),
    )
    return ordered + [mode for mode in reversed(range(len(strides))) if mode not in ordered]


def create_tensor_map_tiled_from_view(
    tensor: object,
    box_dims: Sequence[int],
    *,
    stride_order: Sequence[int] | None = None,
    interleave: Choice | None = None,
    swizzle: object = None,
    l2_promotion: Choice | None = None,
    oob_fill: Choice | None = None,
    dtype: DType | None = None,
    tma_format: Choice | None = None,
) -> TensorMap:
    """Make the tensor map of a tensor in a host function.

    Args:
        tensor: a tensor or an array in global memory, of 1 to 5 modes.
        box_dims: extents of a box, in the order of the tensor's modes.
        stride_order: the modes, the contiguous one first; default by their strides.
        interleave, swizzle, l2_promotion, oob_fill, tma_format: see create_tensor_map_tiled.
        dtype: the numeric class of the elements; default that of `tensor`.
    """
    function = "create_tensor_map_tiled_from_view"
    inner = getattr(tensor, "tensor", tensor)
    if not isinstance(inner, _compiler.Tensor):
        expected = "a tensor or an array"
        raise make_error(
            "ArgumentKind", function=function, expected=expected, got=type_name(tensor)
        )
    extents, strides = _flat(inner.shape), _flat(inner.stride)
    box = _box(box_dims, len(extents), function)
    order = _order_of(strides) if stride_order is None else list(stride_order)
    if sorted(order) != list(range(len(extents))):
        raise make_error(
            "ArgumentValue",
            function=function,
            expected=f"each of the {len(extents)} modes once as stride_order",
            got=repr(tuple(order)),
        )
    cls = inner.element_type if dtype is None else dtype
    return create_tensor_map_tiled(
        inner.iterator,
        cls,
        [extents[mode] for mode in order],
        [_units(strides[mode], cls, function) for mode in order[1:]],
        [box[mode] for mode in order],
        interleave=interleave,
        swizzle=swizzle,
        l2_promotion=l2_promotion,
        oob_fill=oob_fill,
        tma_format=tma_format,
    )


def _units(stride: Int, cls: Any, function: str) -> Any:
    """A stride in elements as one in units of 16 bytes."""
    if isinstance(stride, int):
        if stride * cls.width // 8 % _UNIT:
            raise make_error(
                "ArgumentValue",
                function=function,
                expected=f"strides in multiples of {_UNIT} bytes, but for the contiguous mode",
                got=f"{stride} elements of {cls.__name__}",
            )
        return stride * cls.width // 8 // _UNIT
    return stride.to(_compiler.Int64) * cls.width // 8 // _UNIT


if not TYPE_CHECKING:  # a type checker knows the names that there are
    __getattr__ = missing(__name__)
