"""``cutlass.cute.runtime``: Fairlead's, whose functions take options of the published ones."""

from __future__ import annotations

import ctypes
import os
from typing import Any

from fairlead.compat._numeric_classes import taking_classes
from fairlead.compat._places import forwarding
from fairlead.cute import runtime
from fairlead.cute._dlpack import RuntimeTensor
from fairlead.cute._types import Extents
from fairlead.ffi import Module

__all__ = list(runtime.__all__)


def from_dlpack(
    tensor: object,
    assumed_align: int | None = None,
    use_32bit_stride: bool = False,
    *,
    enable_tvm_ffi: bool = True,
    **options: bool,
) -> RuntimeTensor:
    """Return a framework's tensor for ``compile`` and for calls, as ``fairlead.cute.runtime.from_dlpack`` does.

    Args:
        tensor: any object with ``__dlpack__``.
        assumed_align: the alignment of the data's address in bytes.
        use_32bit_stride: True for dynamic strides of 32 bits.
        enable_tvm_ffi: no effect: every call goes through TVM FFI.
        options: those of ``fairlead.cute.runtime.from_dlpack``.
    """
    for name in ("loc", "ip"):
        options.pop(name, None)
    # Looked up at each call: programs on the CPU replace it.
    argument = runtime.from_dlpack(tensor, assumed_align, use_32bit_stride, **options)
    if type(argument) is RuntimeTensor:
        argument.__class__ = _PublishedTensor
    return argument


class _Descriptor:
    """A tensor as C code sees it: a cell with the address of its memory. Programs write another address to it, and pass
    the tensor again."""

    #: Offsets of the address and of what is added to it, in DLPack's structure.
    _DATA, _BYTE_OFFSET = 0, 40

    def __init__(self, producer: object, address: int) -> None:
        self.producer: Any = producer
        self.cell = ctypes.c_void_p(address)

    def __dlpack__(self, **options: object) -> Any:
        options.pop("max_version", None)  # the structure without a version
        capsule = self.producer.__dlpack__(**options)
        start = _capsule_pointer(capsule, b"dltensor")
        ctypes.c_void_p.from_address(start + self._DATA).value = self.cell.value
        ctypes.c_uint64.from_address(start + self._BYTE_OFFSET).value = 0
        return capsule

    def __dlpack_device__(self) -> Any:
        return self.producer.__dlpack_device__()


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = (
    ctypes.c_void_p,
    [ctypes.py_object, ctypes.c_char_p],
)


class _PublishedTensor(RuntimeTensor):
    """A tensor that is cast as a C pointer: ``ctypes.cast(tensor.__c_pointers__()[0], ...)``."""

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        """The address of the descriptor, which calls read from then on."""
        if not isinstance(self, _DescribedTensor):
            self._producer = _Descriptor(self._producer, self.data_ptr)
            self.__class__ = _DescribedTensor
        return ctypes.c_void_p(ctypes.addressof(self._producer.cell))

    def __int__(self) -> int:
        return self._as_parameter_.value or 0


class _DescribedTensor(_PublishedTensor):
    """One whose descriptor a program has asked for: its memory is at the address that the descriptor holds."""

    @property
    def data_ptr(self) -> int:
        return self._producer.cell.value or 0


def load_module(path: str | os.PathLike[str], *, enable_tvm_ffi: bool = True) -> Module:
    """Load an exported object or library, as ``fairlead.cute.runtime.load_module`` does.

    Args:
        path: the file.
        enable_tvm_ffi: no effect: the file tells the ABI of each function.
    """
    return runtime.load_module(path)


def make_fake_tensor(dtype: type, shape: Extents, stride: Extents, **options: object) -> Any:
    """Return a stand-in for a tensor, as ``fairlead.cute.runtime.make_fake_tensor`` does, also of a derived class."""
    for name in ("loc", "ip"):
        options.pop(name, None)
    # Looked up at each call: programs on the CPU replace it.
    return taking_classes(runtime.make_fake_tensor)(dtype, shape, stride, **options)


__getattr__, __dir__ = forwarding(globals(), runtime)
