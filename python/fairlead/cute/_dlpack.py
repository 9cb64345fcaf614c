"""Tensors of a framework as example arguments: their element type and layout, static or not."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from fairlead import _compiler
from fairlead._compiler import AddressSpace
from fairlead._core import kept_strides
from fairlead._hints import name_keywords
from fairlead._tracing.native import kind_of
from fairlead.cute._fake import TensorArgument
from fairlead.cute._kinds import number_of
from fairlead.cute._pointer import RuntimePointer
from fairlead.cute._symbols import ExampleInt, Product, SymInt
from fairlead.cute._types import DType
from fairlead.errors import DSLError, make_error, require

__all__ = ["RuntimeTensor", "from_dlpack"]

_CPU_DEVICES = (1, 3)  # kDLCPU, kDLCUDAHost
#: Where programs see the CPU's memory: as a GPU's own if they believe in one (compat's ``--device cpu``).
cpu_memspace = AddressSpace.generic


def _is_fake(producer: object) -> bool:
    """True for a tensor of torch's FakeTensorMode, which has no data."""
    cls = type(producer)
    return cls.__name__ == "FakeTensor" and cls.__module__.startswith("torch.")


def _describe_fake(tensor: Any) -> tuple[Any, ...]:
    """describe_dlpack of a fake tensor. Its extents are numbers, or symbols that have a value as an example."""
    name = str(tensor.dtype).removeprefix("torch.")
    try:
        dtype = _compiler.dtype_by_name(name)
    except ValueError:
        raise make_error("DLPackDType", got=name) from None
    device_type = 1 if tensor.device.type == "cpu" else 2
    strides = tuple(int(stride) for stride in tensor.stride())
    shape = tuple(int(extent) for extent in tensor.shape)
    return dtype, shape, strides, 0, device_type, tensor.device.index or 0


def _memory_bits(dtype: type[_compiler.Numeric]) -> int:
    return 8 if dtype.width == 1 else dtype.width


def _wrong_width(stored: DType, dtype: DType, remedy: str | None = None) -> DSLError:
    bits = _memory_bits(stored)
    return make_error(
        "ElementTypeWidth",
        help=remedy,
        type=stored.__name__,
        bits="8 or 4" if bits == 8 else bits,
        got=dtype.__name__,
    )


class _Retyped:
    """A framework's tensor with another element type of the same width.

    Bytes that became wider elements are too few for the tensor's shape: nobody may read them through the tensor.
    """

    def __init__(self, producer: Any, dtype: DType, stored: DType) -> None:
        self.producer, self.dtype, self.stored = producer, dtype, stored

    def __dlpack__(self, **options: Any) -> Any:
        if _memory_bits(self.dtype) > _memory_bits(self.stored):
            remedy = "pass its `iterator`: the memory has too few such elements for the tensor"
            raise _wrong_width(self.stored, self.dtype, remedy)
        capsule = self.producer.__dlpack__(**options)
        _compiler.retype_dlpack(capsule, self.dtype)
        return capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self.producer.__dlpack_device__()
        return device


def _retyped(producer: Any, dtype: type[_compiler.Numeric], stored: DType) -> Any:
    """Return the framework's tensor as one of another element type of the same width.

    The framework's own tensors are preferred to ``_Retyped``: calls pass them without calling Python.
    """
    if _is_fake(producer):
        return _Retyped(producer, dtype, stored)
    if _compiler.describe_dlpack(producer)[0] is dtype:
        return producer
    if type(producer).__module__ == "torch" and not producer.requires_grad:
        torch_dtype = getattr(sys.modules["torch"], _compiler.dtype_name(dtype), None)
        # torch's types of fewer than 8 bits have no elements that DLPack describes.
        if (
            torch_dtype is not None
            and dtype.width == 8 * torch_dtype.itemsize == 8 * producer.itemsize
        ):
            return producer.view(torch_dtype)
    return _Retyped(producer, dtype, stored)


def _without_memory(tensor: Any) -> str:
    """The kind of a tensor of torch that has no memory to share."""
    if str(tensor.layout) != "torch.strided":
        return f"a tensor of layout {tensor.layout}"
    if tensor.device.type == "meta":
        return "a tensor on the device meta, which has no memory"
    return (
        "one inside a transform of torch, which only operators (fairlead.torch.op) can take part in"
    )


class RuntimeTensor(TensorArgument):
    """A tensor of another framework, seen through DLPack: an example for ``compile``, and an argument of calls.

    ``shape`` and ``stride`` (in elements) hold ints where compile is to take them as fixed, and symbols where not.
    Objects of a user's class that hold one put what its protocol methods give into their own.
    """

    def __init__(self, producer: Any, assumed_align: int | None, use_32bit_stride: bool) -> None:
        if not hasattr(producer, "__dlpack__"):
            raise make_error("DLPackExpected", got=kind_of(producer))
        self._producer = producer
        describe = _describe_fake if _is_fake(producer) else _compiler.describe_dlpack
        try:
            dtype, shape, strides, self.data_ptr, device_type, self.device_id = describe(producer)
        except TypeError:
            if type(producer).__module__ == "numpy" and hasattr(producer, "dtype"):
                swapped = "" if producer.dtype.isnative else ", in the byte order of other machines"
                raise make_error("DLPackDType", got=f"{producer.dtype}{swapped}") from None
            if type(producer).__module__ != "torch":
                raise
            if producer.is_complex() or producer.is_quantized:
                raise make_error("DLPackDType", got=str(producer.dtype)) from None
            raise make_error("DLPackExpected", got=_without_memory(producer)) from None
        self.device_type = device_type
        self._dtype = self._stored_dtype = dtype
        self.shape: tuple[int | SymInt, ...] = shape
        self.stride: tuple[int | SymInt, ...] = strides
        self._extents, self._strides = shape, strides
        self._stride_width = 32 if use_32bit_stride else 64
        if use_32bit_stride:
            farthest = sum((extent - 1) * abs(stride) for extent, stride in zip(shape, strides))
            if farthest >= 2**31 and 0 not in shape:
                raise make_error("Stride32Bits")
        self.alignment = max(dtype.width // 8, 1) if assumed_align is None else assumed_align

    @property
    def narrow_strides(self) -> bool:
        return self._stride_width == 32

    @property
    def dtype(self) -> type:
        dtype: type = self._dtype
        return dtype

    @property
    def element_type(self) -> type:
        """The type of the elements. Set it to another class of the same width, such as bytes to narrow floats. Bytes
        may also become a class of 4 bits: two elements share a byte, and the same number of elements takes the first
        half of the memory. They may become wider elements for the sake of ``iterator``; as the memory has too few of
        them, the tensor itself cannot be passed any more."""
        dtype: type = self._dtype
        return dtype

    @element_type.setter
    def element_type(self, dtype: type[_compiler.Numeric] | None) -> None:
        if not _compiler.is_dtype(dtype):
            raise make_error("DTypeExpected", got=repr(dtype))
        stored = self._stored_dtype
        widths = (4, 8, 16, 32, 64, 128) if _memory_bits(stored) == 8 else (_memory_bits(stored),)
        if _memory_bits(dtype) not in widths:
            raise _wrong_width(stored, dtype)
        self._dtype, self._kind = dtype, None
        producer = getattr(self._producer, "producer", self._producer)
        self._producer = _retyped(producer, dtype, stored)

    @property
    def leading_dim(self) -> int | None:
        """The mode of stride 1, of several the only one of an extent above 1; None without one."""
        ones = [mode for mode, stride in enumerate(self._strides) if stride == 1]
        extended = [mode for mode in ones if self._extents[mode] > 1] if len(ones) > 1 else ones
        return extended[0] if len(extended) == 1 else None

    def dim_order(self) -> tuple[int, ...]:
        """Return the modes from the outermost to the innermost, by their strides."""
        rank = len(self._extents)
        return tuple(sorted(range(rank), key=lambda mode: (-self._strides[mode], mode)))

    @property
    def __cache_key__(self) -> tuple[Any, ...]:
        """The properties that a compile depends on: for a user's own cache of compiled functions."""

        def fixed(extents: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(extent if isinstance(extent, int) else repr(extent) for extent in extents)

        return self.dtype, fixed(self.shape), fixed(self.stride), self.memspace, self.alignment

    #: __fairlead_kind__ while the layout stays as it is.
    _kind: int | None = None

    @property
    def __fairlead_kind__(self) -> int:
        """The number of the properties that a direct call compiles for."""
        if self._kind is None:
            self._kind = number_of((self.__cache_key__, self._stride_width))
        return self._kind

    def __tvm_ffi_value__(self) -> Any:
        """The object that a call passes: the tensor inside, by its own fast path and with its framework's stream.

        Calls of this package read the attribute itself.
        """
        return self._producer

    @property
    def iterator(self) -> RuntimePointer:
        """The address of the first element, an argument of calls like the tensor."""
        return RuntimePointer(self.data_ptr, self._dtype, self.memspace, self.alignment, self)

    @property
    def memspace(self) -> AddressSpace:
        return cpu_memspace if self.device_type in _CPU_DEVICES else AddressSpace.gmem

    @property
    def on_cpu(self) -> bool:
        return self.device_type in _CPU_DEVICES

    def _extent(self, mode: int, leading: bool) -> SymInt:
        """Any extent; of elements of 4 bits, whole bytes of them side by side."""
        return ExampleInt(self._extents[mode], 32, 2 if leading and self._dtype.width == 4 else 1)

    def _any_stride(self, mode: int) -> SymInt:
        return ExampleInt(
            self._strides[mode], self._stride_width, 2 if self._dtype.width == 4 else 1
        )

    def mark_layout_dynamic(self, leading_dim: int | None = None) -> RuntimeTensor:
        """Make all extents dynamic, and all strides but the leading mode's (1) and those of 0. Return the tensor.

        Without ``leading_dim`` it is the one mode of stride 1; of several, the only one of an extent above 1.
        """
        rank = len(self._extents)
        leading = self._leading_dim(leading_dim, rank)
        self.shape = tuple(self._extent(mode, mode == leading) for mode in range(rank))
        self.stride = tuple(
            stride if mode == leading or stride == 0 else self._any_stride(mode)
            for mode, stride in enumerate(self._strides)
        )
        self._kind = None
        return self

    def mark_compact_shape_dynamic(
        self, mode: int, stride_order: tuple[int, ...] | None = None, divisibility: int = 1
    ) -> RuntimeTensor:
        """Make the extent of ``mode`` dynamic, and the strides of the modes outside it: the tensor stays compact.

        Returns the tensor.

        Args:
            mode: may be negative.
            stride_order: the modes from the outermost to the innermost (make_fake_compact_tensor counts the other way
                round); by default derived from the strides. ValueError if several orders are possible.
            divisibility: every extent is a multiple of it; the call checks it.

        ValueError for a tensor that is not compact in this order.
        """
        rank = len(self._extents)
        if not isinstance(mode, int) or not -rank <= mode < rank:
            raise make_error("DynamicMode", rank=rank, got=repr(mode))
        order = self._stride_order(stride_order, rank)
        if (
            isinstance(divisibility, int)
            and divisibility > 0
            and self._extents[mode] % divisibility
        ):
            raise make_error(
                "DynamicDivisibility",
                extent=self._extents[mode],
                mode=mode,
                divisibility=divisibility,
            )
        extents = list(self.shape)
        extents[mode] = ExampleInt(self._extents[mode], 32, divisibility)
        strides: list[Any] = list(self.stride)
        product, expected = Product(), 1
        for position in reversed(order):
            if self._extents[position] != 1 and self._strides[position] != expected:
                if stride_order is not None:
                    raise make_error("StrideOrderLayout", order=tuple(order), layout=self._layout())
                raise make_error("DynamicGaps", layout=self._layout())
            # The stride of an extent of 1 addresses nothing.
            one = self._extents[position] == 1 and extents[position] == 1
            strides[position] = Product(0) if one else product
            product, expected = product * extents[position], expected * self._extents[position]
        self.shape = tuple(extents)
        self.stride = tuple(
            stride.coefficient if not stride.symbols else stride for stride in strides
        )
        self._kind = None
        return self

    def _stride_order(self, stride_order: Iterable[int] | None, rank: int) -> list[int]:
        if stride_order is not None:
            stride_order = list(stride_order)
            if len(stride_order) != rank:
                raise make_error("StrideOrderCount", rank=rank, got=len(stride_order))
            for mode in range(rank):
                if mode not in stride_order:
                    raise make_error("StrideOrderMissing", mode=mode)
            if self._marked_order not in (None, stride_order):
                raise make_error(
                    "StrideOrderChanged", got=tuple(stride_order), last=tuple(self._marked_order)
                )
            self._marked_order = stride_order
            return stride_order
        if self._marked_order is not None:
            return self._marked_order
        order = sorted(range(rank), key=lambda mode: (-self._strides[mode], mode))
        extended = [mode for mode in order if self._extents[mode] != 1]
        if len({self._strides[mode] for mode in extended}) != len(extended):
            raise make_error("StrideOrderUnclear", layout=self._layout())
        return order

    #: The argument of the last mark_compact_shape_dynamic.
    _marked_order: list[int] | None = None

    def mark_direct(self) -> RuntimeTensor:
        """mark_layout_dynamic for a direct call, which has to do for every tensor."""
        kept_as_they_are = kept_strides(self._extents, self._strides)
        self.shape = tuple(
            self._extent(mode, stride == 1) for mode, stride in enumerate(kept_as_they_are)
        )
        self.stride = tuple(
            self._any_stride(mode) if stride is None else stride
            for mode, stride in enumerate(kept_as_they_are)
        )
        self._kind = None
        return self

    def _leading_dim(self, leading_dim: int | None, rank: int) -> int | None:
        if leading_dim is not None:
            if not -rank <= leading_dim < rank:
                raise make_error("LeadingDimRange", rank=rank, got=leading_dim)
            if self._strides[leading_dim] != 1:
                raise make_error("LeadingDimStride", got=self._strides[leading_dim])
            return leading_dim % rank
        candidates = [mode for mode in range(rank) if self._strides[mode] == 1]
        if len(candidates) > 1:
            candidates = [mode for mode in candidates if self._extents[mode] > 1]
            if len(candidates) != 1:
                raise make_error("LeadingDimUnclear", layout=self._layout())
        return candidates[0] if candidates else None

    def _layout(self) -> str:
        def text(entries: tuple[Any, ...]) -> str:
            return "(" + ",".join(map(repr, entries)) + ")"

        return f"{text(self.shape)}:{text(self.stride)}"

    def __dlpack__(self, **options: object) -> Any:
        return self._producer.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self._producer.__dlpack_device__()
        return device

    def __repr__(self) -> str:
        return f"Tensor<0x{self.data_ptr:016x}@{self.memspace.name} o {self._layout()}>"


def from_dlpack(
    tensor: object,
    assumed_align: int | None = None,
    use_32bit_stride: bool = False,
    *,
    use_32bit_strides: bool = False,
) -> RuntimeTensor:
    """Return a framework's tensor for ``compile`` and for calls, without a copy; its layout is static until marked
    dynamic.

    Args:
        tensor: any object with ``__dlpack__``.
        assumed_align: alignment of the data's address in bytes; default the element's size.
        use_32bit_stride: dynamic strides have 32 bits in the compiled program instead of 64.
        use_32bit_strides: the same.
    """
    if assumed_align is not None:
        require(from_dlpack, assumed_align=assumed_align)
    return RuntimeTensor(tensor, assumed_align, use_32bit_stride or use_32bit_strides)


name_keywords(__all__, globals())
