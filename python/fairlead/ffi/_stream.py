"""The stream that functions of the ABI launch on, of the calling thread."""

from __future__ import annotations

import ctypes
import sys
from types import ModuleType
from typing import Any

from fairlead.errors import require
from fairlead.ffi._library import ffi_library
from fairlead.ffi._values import Device, device

__all__ = ["StreamContext", "get_raw_stream", "use_raw_stream", "use_torch_stream"]

_get = ffi_library.TVMFFIEnvGetStream
_get.argtypes, _get.restype = [ctypes.c_int32, ctypes.c_int32], ctypes.c_void_p
_set = ffi_library.TVMFFIEnvSetStream
_set.argtypes = [ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)]
_set.restype = ctypes.c_int


def get_raw_stream(on: Device | str) -> int:
    """Return the thread's stream of the device ``on``, as an address; 0 is the default stream."""
    if not isinstance(on, (Device, str)) and not hasattr(on, "__index__"):
        require(get_raw_stream, on=on)
    on = device(on)
    return _get(on.dlpack_device_type(), on.index) or 0


class use_raw_stream:
    """In a ``with`` block: makes ``stream`` the thread's stream of a device, and the one before again at the end.

    A call with tensors of a framework uses that framework's current stream instead.
    """

    def __init__(self, on: Device | str, stream: int | ctypes.c_void_p) -> None:
        if isinstance(stream, ctypes.c_void_p):
            stream = stream.value or 0
        if not isinstance(stream, int):
            raise ValueError(
                f"stream: expected int or ctypes.c_void_p, but got {type(stream).__name__}"
            )
        self._device, self._stream = device(on), stream
        self._before: list[int | None] = []

    def __enter__(self) -> None:
        self._before.append(self._exchange(self._stream))

    def __exit__(self, *error: object) -> None:
        self._exchange(self._before.pop())

    def _exchange(self, stream: int | None) -> int | None:
        """Sets the stream; the one before."""
        before = ctypes.c_void_p()
        on = self._device
        if _set(on.dlpack_device_type(), on.index, stream, ctypes.byref(before)):
            raise RuntimeError(f"the stream of {on} cannot be set")
        return before.value


#: The name of the class in the other package.
StreamContext = use_raw_stream


def _current(torch: ModuleType) -> Any:
    """Torch's current stream."""
    try:
        return torch.cuda.current_stream()
    except (AssertionError, RuntimeError) as error:
        raise RuntimeError(f"use_torch_stream needs torch with a CUDA device: {error}") from error


class use_torch_stream:
    """In a ``with`` block: enters ``context`` (``torch.cuda.stream(s)``, ``torch.cuda.graph(g)``), if given, and makes
    torch's current stream the thread's stream of its device. At the end the context is left first.

    ImportError where torch is not installed, RuntimeError where it has no CUDA.
    """

    def __init__(self, context: Any = None) -> None:
        if context is not None and not hasattr(type(context), "__enter__"):
            raise TypeError(
                f"context: expected a context manager of torch, but got {type(context).__name__}"
            )
        if "torch" not in sys.modules:
            try:
                import torch  # noqa: F401
            except ImportError as error:
                raise ImportError("use_torch_stream needs torch") from error
        self._context = context
        self._streams: list[use_raw_stream] = []

    def __enter__(self) -> None:
        torch = sys.modules["torch"]
        if self._context is not None:
            self._context.__enter__()
        try:
            current = _current(torch)
            stream = use_raw_stream(Device("cuda", current.device_index), current.cuda_stream)
            stream.__enter__()
        except BaseException:
            if self._context is not None:
                self._context.__exit__(*sys.exc_info())
            raise
        self._streams.append(stream)

    def __exit__(self, *error: Any) -> None:
        stream = self._streams.pop()
        try:
            if self._context is not None:
                self._context.__exit__(*error)
        finally:
            stream.__exit__(*error)


#: The name of the class in the other package.
TorchStreamContext = use_torch_stream
