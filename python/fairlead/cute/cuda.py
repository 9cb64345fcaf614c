"""Names of CUDA's driver that programs use: ``CUstream``, contexts and streams, and the class of its errors.

``CUstream`` is the class of the package ``cuda.bindings`` where it is installed; else one of our own that follows the
stream protocol.
"""

from __future__ import annotations

import ctypes
import enum
import functools
import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, SupportsInt

from fairlead.errors import DSLError, require
from fairlead.ffi import register_error

# ruff: noqa: F822  names that are made when first asked for

__all__ = [
    "CUstream",
    "DSLCudaRuntimeError",
    "checkCudaErrors",
    "cudaError_t",
    "default_stream",
    "initialize_cuda_context",
    "stream_sync",
    "unload_dropped",
]

if TYPE_CHECKING:
    from cuda.bindings.driver import CUstream
    from cuda.bindings.runtime import cudaError_t


class _Stream:
    """A CUstream by its address; 0 is the default stream."""

    def __init__(self, handle: int = 0) -> None:
        self._handle = int(handle)

    def __int__(self) -> int:
        return self._handle

    def getPtr(self) -> int:
        return self._handle

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._handle

    def __repr__(self) -> str:
        return f"<CUstream 0x{self._handle:x}>"


_Stream.__name__ = _Stream.__qualname__ = "CUstream"


class _Error(enum.IntEnum):
    """Errors that loading, launching and waiting can give; the numbers are the driver's too."""

    cudaSuccess = 0
    cudaErrorInvalidValue = 1
    cudaErrorMemoryAllocation = 2
    cudaErrorInitializationError = 3
    cudaErrorCudartUnloading = 4
    cudaErrorStubLibrary = 34
    cudaErrorDevicesUnavailable = 46
    cudaErrorNoDevice = 100
    cudaErrorInvalidDevice = 101
    cudaErrorInvalidKernelImage = 200
    cudaErrorDeviceUninitialized = 201
    cudaErrorNoKernelImageForDevice = 209
    cudaErrorInvalidPtx = 218
    cudaErrorJitCompilerNotFound = 221
    cudaErrorUnsupportedPtxVersion = 222
    cudaErrorJitCompilationDisabled = 223
    cudaErrorInvalidResourceHandle = 400
    cudaErrorSymbolNotFound = 500
    cudaErrorIllegalAddress = 700
    cudaErrorLaunchOutOfResources = 701
    cudaErrorLaunchTimeout = 702
    cudaErrorContextIsDestroyed = 709
    cudaErrorAssert = 710
    cudaErrorHardwareStackError = 714
    cudaErrorIllegalInstruction = 715
    cudaErrorMisalignedAddress = 716
    cudaErrorInvalidAddressSpace = 717
    cudaErrorInvalidPc = 718
    cudaErrorLaunchFailure = 719
    cudaErrorCooperativeLaunchTooLarge = 720
    cudaErrorNotSupported = 801
    cudaErrorSystemNotReady = 802
    cudaErrorSystemDriverMismatch = 803
    cudaErrorStreamCaptureUnsupported = 900
    cudaErrorStreamCaptureInvalidated = 901
    cudaErrorStreamCaptureImplicit = 906
    cudaErrorInvalidClusterSize = 912
    cudaErrorUnknown = 999


_Error.__name__ = _Error.__qualname__ = "cudaError_t"


def _error_named(message: str) -> Any:
    """The number of the error that a message names; None where it names none that is known."""
    name = message.removeprefix("CUDA Error: ").partition(" ")[0].rstrip(":")
    member = _Error.__members__.get(name)
    if member is None:
        return None
    try:
        return _late("cudaError_t")(int(member))
    except ValueError:  # of another version of CUDA
        return member


class _CudaRuntimeError(DSLError, RuntimeError):
    """An error of CUDA in a call of a compiled function. Calls raise it, instead of RuntimeError alone, from when a
    program has named it.

    Attributes:
        error_code: the error as a ``cudaError_t``, which is an int; None for one without a known name.
    """

    def __init__(self, message: str = "", error_code: object = None) -> None:
        super().__init__(message)
        self.error_code = _error_named(message) if error_code is None else error_code


_CudaRuntimeError.__name__ = _CudaRuntimeError.__qualname__ = "DSLCudaRuntimeError"


def unload_dropped() -> int:
    """Wait for the GPUs, and unload the device code of functions that are gone. Return how many modules that were.

    Device code that a graph has captured stays. Not to be called while any thread captures a graph: the wait would end
    the capture.
    """
    from fairlead import _compiler  # late: to name a stream loads no compiler

    return _compiler.unload_retired_modules()


def _late(name: str) -> Any:
    """Give a name that is looked up when it is first used."""
    value: Any
    if name == "CUstream":
        try:
            value = import_module("cuda.bindings.driver").CUstream
        except ImportError:
            value = _Stream
    elif name == "cudaError_t":
        try:
            value = import_module("cuda.bindings.runtime").cudaError_t
        except ImportError:
            value = _Error
    elif name == "DSLCudaRuntimeError":
        value = register_error("DSLCudaRuntimeError", _CudaRuntimeError)
    else:
        raise AttributeError(f"module 'fairlead.cute.cuda' has no attribute {name!r}")
    globals()[name] = value
    return value


if TYPE_CHECKING:
    DSLCudaRuntimeError = _CudaRuntimeError
else:
    __getattr__ = _late


def checkCudaErrors(result: tuple[Any, ...]) -> Any:
    """Return the result of a call of ``cuda.bindings``, without its first entry, the error: None, the one value, or a
    tuple of them. DSLCudaRuntimeError for an error."""
    require(checkCudaErrors, result=result)
    error, *values = result
    if int(error):
        name = getattr(error, "name", None) or f"error {int(error)}"
        raise _late("DSLCudaRuntimeError")(f"CUDA Error: {name}", error)
    return None if not values else values[0] if len(values) == 1 else tuple(values)


@functools.cache
def _driver() -> ctypes.CDLL:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise _late("DSLCudaRuntimeError")(
            f"CUDA Error: cudaErrorNoDevice: there is no driver ({error})"
        ) from None


def _check(what: str, *args: object) -> None:
    _raise(getattr(_driver(), what)(*args), what)


def _raise(code: int, what: str) -> None:
    if code:
        name = _Error(code).name if code in _Error._value2member_map_ else f"error {code}"
        raise _late("DSLCudaRuntimeError")(f"CUDA Error: {name} in {what}", code)


def _for_the_cpu() -> bool:
    """True if everything is compiled for a processor, as FAIRLEAD_TARGET says."""
    return os.environ.get("FAIRLEAD_TARGET", "").partition(":")[0] == "cpu"


class _Attribute(ctypes.Structure):
    """CUlaunchAttribute: a number, and 64 bytes at the next multiple of 8."""

    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint * 16)]


class _Launch(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = [
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared_bytes", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(_Attribute)),
        ("count", ctypes.c_uint),
    ]


_INVALID_CLUSTER_SIZE = 912
_EMPTY_KERNEL = (
    b".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry empty() { ret; }\n\0"
)


@functools.cache
def most_clusters(device_id: int, size: int) -> int:
    """Clusters of ``size`` blocks that run at once on a GPU of compute capability 9.0 or more, one block on a
    multiprocessor; 0 for more blocks than it takes. DSLCudaRuntimeError where the driver fails."""
    device, context, before = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    _check("cuInit", 0)
    _check("cuDeviceGet", ctypes.byref(device), device_id)
    _check("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    _check("cuCtxPushCurrent_v2", context)
    try:
        module, function, most = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
        _check("cuModuleLoadData", ctypes.byref(module), _EMPTY_KERNEL)
        try:
            _check("cuModuleGetFunction", ctypes.byref(function), module, b"empty")
            most_shared = 97  # CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
            _check("cuDeviceGetAttribute", ctypes.byref(most), most_shared, device)
            # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, _NON_PORTABLE_CLUSTER_SIZE_ALLOWED
            for attribute, value in ((8, most.value), (14, 1)):
                _check("cuFuncSetAttribute", function, attribute, value)
            cluster_dimension = 4  # CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            attributes = _Attribute(cluster_dimension, 0, (size, 1, 1))
            launch = _Launch(
                (size, 1, 1), (128, 1, 1), most.value, None, ctypes.pointer(attributes), 1
            )
            clusters = ctypes.c_int()
            code = _driver().cuOccupancyMaxActiveClusters(
                ctypes.byref(clusters), function, ctypes.byref(launch)
            )
            refused = code in (_Error.cudaErrorInvalidValue, _INVALID_CLUSTER_SIZE)
            if not refused:
                _raise(code, "cuOccupancyMaxActiveClusters")
            return clusters.value
        finally:
            _check("cuModuleUnload", module)
    finally:
        _check("cuCtxPopCurrent_v2", ctypes.byref(before))
        _check("cuDevicePrimaryCtxRelease_v2", device)


def default_stream() -> Any:
    """CUDA's default stream, as an argument of calls and of compile."""
    return _late("CUstream")(0)


def initialize_cuda_context(device_id: int = 0, flags: int = 0) -> None:
    """Make the primary context of a device this thread's; ``flags`` are those of cuInit. Compiled functions do so by
    it themselves. If FAIRLEAD_TARGET is a processor there is nothing to do. DSLCudaRuntimeError without such a
    device."""
    require(initialize_cuda_context, device_id=device_id, flags=flags)
    if _for_the_cpu():
        return
    device, context = ctypes.c_int(), ctypes.c_void_p()
    _check("cuInit", flags)
    _check("cuDeviceGet", ctypes.byref(device), device_id)
    _check("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    _check("cuCtxSetCurrent", context)


def stream_sync(stream: SupportsInt) -> None:
    """Wait until the work of a stream is done; DSLCudaRuntimeError if some of it failed."""
    require(stream_sync, stream=stream)
    if not int(stream) and _for_the_cpu():
        return  # Kernels for the CPU are done when their call returns.
    _check("cuStreamSynchronize", ctypes.c_void_p(int(stream)))
