"""``cuda.bindings.driver`` and ``runtime`` on a machine without a GPU: memory of the CPU, streams and events whose work
is done when a call returns. Only the functions that programs use together with compiled functions.
"""

from __future__ import annotations

import ctypes
import enum
import importlib.machinery
import itertools
import sys
import time
import types
from collections.abc import Callable
from typing import Any

from fairlead.compat._cpu_graphs import Recording, done_or_recorded
from fairlead.cute import cuda
from fairlead.cute._types import Int

__all__ = ["Moment", "event_handle", "install"]


class _Handle:
    """A number with the class that programs name in annotations and calls."""

    def __init__(self, init_value: Any = 0) -> None:
        self._handle = int(init_value or 0)

    def __int__(self) -> int:
        return self._handle

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._handle == other._handle

    def __hash__(self) -> int:
        return hash(self._handle)

    def getPtr(self) -> int:
        return self._handle


class CUstream(_Handle):
    """A stream; work of the CPU is done when a call returns."""

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._handle


class CUevent(_Handle):
    """An event."""


class CUgraph(_Handle):
    """A graph, and what runs it."""

    def __init__(self, init_value: int = 0, recording: Recording | None = None) -> None:
        super().__init__(init_value)
        self.recording = recording


# Calls recognise arguments by the module of their class.
CUstream.__module__ = CUevent.__module__ = "cuda.bindings.driver"


class CUresult(enum.IntEnum):
    """The result of a function of the driver."""

    CUDA_SUCCESS = 0
    CUDA_ERROR_INVALID_VALUE = 1
    CUDA_ERROR_OUT_OF_MEMORY = 2
    CUDA_ERROR_UNKNOWN = 999

    @classmethod
    def _missing_(cls, value: object) -> CUresult:
        return cls.CUDA_ERROR_UNKNOWN


class CUdevice_attribute(enum.IntEnum):
    """Attributes of the device, by the driver's numbers."""

    CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16
    CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81
    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97


#: Their names in ``torch.cuda.get_device_properties``.
_PROPERTIES = {
    "WARP_SIZE": "warp_size",
    "MULTIPROCESSOR_COUNT": "multi_processor_count",
    "L2_CACHE_SIZE": "L2_cache_size",
    "MAX_THREADS_PER_MULTIPROCESSOR": "max_threads_per_multi_processor",
    "COMPUTE_CAPABILITY_MAJOR": "major",
    "COMPUTE_CAPABILITY_MINOR": "minor",
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": "shared_memory_per_multiprocessor",
    "MAX_REGISTERS_PER_MULTIPROCESSOR": "regs_per_multiprocessor",
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": "shared_memory_per_block_optin",
}


class nvrtcResult(enum.IntEnum):
    """The result of a function of the run-time compiler, which a machine without a GPU lacks."""

    NVRTC_SUCCESS = 0
    NVRTC_ERROR_COMPILATION = 6


class CaptureStatus(enum.IntEnum):
    """Whether the work of a stream is captured."""

    cudaStreamCaptureStatusNone = CU_STREAM_CAPTURE_STATUS_NONE = 0
    cudaStreamCaptureStatusActive = CU_STREAM_CAPTURE_STATUS_ACTIVE = 1
    cudaStreamCaptureStatusInvalidated = CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2


class Moment:
    """When an event was recorded last."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def record(self) -> None:
        self.seconds = time.perf_counter()


#: The properties of the device that programs see.
device_properties = types.SimpleNamespace()
_numbers = itertools.count(1)
_events: dict[int, Moment] = {}
_memory: dict[int, Any] = {}


def event_handle(moment: Moment) -> int:
    """Return a number that identifies an event for the functions below; never 0."""
    number = next(_numbers) << 4
    _events[number] = moment
    return number


class _Functions:
    """One implementation for the names of the driver (``cu...``) and of the runtime (``cuda...``)."""

    def __init__(self, ok: object, invalid: object) -> None:
        self.ok, self.invalid = ok, invalid

    def nothing(self, *_: object, **__: object) -> tuple[Any]:
        return (self.ok,)

    def allocate(self, size: int, *_: object) -> tuple[Any, int]:
        alignment = 256
        buffer = ctypes.create_string_buffer(int(size) + alignment)
        address = -(-ctypes.addressof(buffer) // alignment) * alignment
        _memory[address] = buffer
        return self.ok, address

    def free(self, pointer: Any, *_: object) -> tuple[Any]:
        if int(pointer or 0) and _memory.pop(int(pointer), None) is None:
            return (self.invalid,)
        return (self.ok,)

    def fill(self, pointer: Any, value: int, size: int, *_: object) -> tuple[Any]:
        done_or_recorded(lambda: ctypes.memset(int(pointer), int(value), int(size)))
        return (self.ok,)

    def copy(self, target: object, source: object, size: int, *_: object) -> tuple[Any]:
        # Each time from the objects, which it keeps.
        done_or_recorded(lambda: ctypes.memmove(_address(target), _address(source), int(size)))
        return (self.ok,)

    def begin_capture(self, *_: object, **__: object) -> tuple[Any]:
        if Recording.current() is not None:
            return (self.invalid,)
        Recording().begin()
        return (self.ok,)

    def end_capture(self, *_: object, **__: object) -> tuple[Any, CUgraph | None]:
        recording = Recording.current()
        if recording is None:
            return self.invalid, None
        recording.end()
        return self.ok, CUgraph(next(_numbers), recording)

    def is_capturing(self, *_: object, **__: object) -> tuple[Any, CaptureStatus]:
        return self.ok, CaptureStatus(Recording.current() is not None)

    def capture_info(self, *_: object, **__: object) -> tuple[Any, ...]:
        """The status, and the capture's number, graph, dependencies, their edges and how many there are."""
        number = 0 if Recording.current() is None else id(Recording.current())
        return self.ok, CaptureStatus(number != 0), number, None, None, None, 0

    def instantiate(self, graph: object, *_: object, **__: object) -> tuple[Any, CUgraph | None]:
        recording = getattr(graph, "recording", None)
        if recording is None:
            return self.invalid, None
        return self.ok, CUgraph(next(_numbers), recording)

    def launch_graph(self, graph: object, *_: object, **__: object) -> tuple[Any]:
        recording = getattr(graph, "recording", None)
        if recording is None:
            return (self.invalid,)
        recording.replay()
        return (self.ok,)

    def make_event(self, *_: object) -> tuple[Any, CUevent]:
        return self.ok, CUevent(event_handle(Moment()))

    def record(self, event: Any, *_: object) -> tuple[Any]:
        moment = _events.get(int(event))
        if moment is None:
            return (self.invalid,)
        moment.record()
        return (self.ok,)

    def elapsed(self, start: Int, end: Int) -> tuple[Any, float]:
        """Milliseconds."""
        moments = [_events.get(int(event)) for event in (start, end)]
        if moments[0] is None or moments[1] is None:
            return self.invalid, 0.0
        return self.ok, (moments[1].seconds - moments[0].seconds) * 1e3

    def destroy_event(self, event: Any) -> tuple[Any]:
        return (self.ok if _events.pop(int(event), None) else self.invalid,)

    def device_limit(self, limit: int) -> tuple[Any, int]:
        """The bytes that a GPU has at first: of a thread's stack, for printing, of the heap."""
        bytes_of = {0: 1 << 10, 1: 1 << 20, 2: 8 << 20}
        return (self.ok, bytes_of[limit]) if limit in bytes_of else (self.invalid, 0)

    def device_attribute(self, attribute: int, *_: object) -> tuple[Any, int]:
        name = CUdevice_attribute(attribute).name.removeprefix("CU_DEVICE_ATTRIBUTE_")
        return self.ok, getattr(device_properties, _PROPERTIES[name])

    def answer(self, *values: object) -> Callable[..., tuple[Any, ...]]:
        return lambda *_, **__: (self.ok, *values)


def _address(value: Any) -> int:
    """Return the address of a number, an object of ctypes, or an object with the buffer protocol."""
    if hasattr(value, "__index__") or isinstance(value, _Handle):
        return int(value)
    try:
        return ctypes.addressof(value)
    except TypeError:
        return ctypes.addressof(ctypes.c_char.from_buffer(value))


def _fill_module(module: object, prefix: str, functions: _Functions) -> None:
    f = functions
    names: dict[str, Any] = {
        "StreamSynchronize": f.nothing,
        "StreamCreate": f.answer(CUstream()),
        "StreamDestroy": f.nothing,
        "StreamWaitEvent": f.nothing,
        "StreamBeginCapture": f.begin_capture,
        "StreamEndCapture": f.end_capture,
        "StreamIsCapturing": f.is_capturing,
        "StreamGetCaptureInfo": f.capture_info,
        "GraphInstantiate": f.instantiate,
        "GraphInstantiateWithFlags": f.instantiate,
        "GraphUpload": f.nothing,
        "GraphLaunch": f.launch_graph,
        "GraphDestroy": f.nothing,
        "GraphExecDestroy": f.nothing,
        "EventCreate": f.make_event,
        "EventCreateWithFlags": f.make_event,
        "EventRecord": f.record,
        "EventSynchronize": f.nothing,
        "EventQuery": f.nothing,
        "EventElapsedTime": f.elapsed,
        "EventDestroy": f.destroy_event,
    }
    if prefix == "cuda":
        names |= {
            "Malloc": f.allocate,
            "MallocAsync": f.allocate,
            "MallocHost": f.allocate,
            "MallocManaged": f.allocate,
            "Free": f.free,
            "FreeAsync": f.free,
            "FreeHost": f.free,
            "Memset": f.fill,
            "MemsetAsync": f.fill,
            "Memcpy": f.copy,
            "MemcpyAsync": f.copy,
            "DeviceSynchronize": f.nothing,
            "DeviceGetLimit": f.device_limit,
            "DeviceSetLimit": f.nothing,
            "GetDevice": f.answer(0),
            "SetDevice": f.nothing,
            "GetDeviceCount": f.answer(1),
            "GetLastError": f.nothing,
        }
    else:
        names |= {
            "Init": f.nothing,
            "DeviceGet": lambda index: (f.ok, index),
            "DeviceGetCount": f.answer(1),
            "CtxSynchronize": f.nothing,
            "CtxGetCurrent": f.answer(1),
            "CtxSetCurrent": f.nothing,
            "CtxPushCurrent": f.nothing,
            "CtxPopCurrent": f.answer(1),
            "CtxGetDevice": f.answer(0),
            "StreamGetCtx": f.answer(1),
            "DevicePrimaryCtxRetain": f.answer(1),
            "DevicePrimaryCtxRelease": f.nothing,
            "DeviceGetAttribute": f.device_attribute,
            "DeviceGetName": f.answer(b"CPU"),
            "MemAlloc": f.allocate,
            "MemFree": f.free,
            "MemcpyHtoD": f.copy,
            "MemcpyDtoH": f.copy,
            "MemcpyDtoD": f.copy,
            "MemsetD8": f.fill,
        }
    for name, value in names.items():
        setattr(module, prefix + name, value)


def bindings() -> dict[str, types.ModuleType]:
    """Modules by the names under which programs import them."""
    driver, runtime = (types.ModuleType(f"cuda.bindings.{name}") for name in ("driver", "runtime"))
    errors = cuda._Error
    for module in (driver, runtime):
        module.CUdevice_attribute = CUdevice_attribute  # type: ignore[attr-defined]
        module.CUresult, module.cudaError_t = CUresult, errors  # type: ignore[attr-defined]
        module.CUstream = module.cudaStream_t = CUstream  # type: ignore[attr-defined]
        module.CUevent = module.cudaEvent_t = CUevent  # type: ignore[attr-defined]
        module.CU_STREAM_LEGACY, module.CU_STREAM_PER_THREAD = 1, 2  # type: ignore[attr-defined]
        module.CUgraph = module.cudaGraph_t = CUgraph  # type: ignore[attr-defined]
        module.CUgraphExec = module.cudaGraphExec_t = CUgraph  # type: ignore[attr-defined]
        module.cudaStreamCaptureStatus = CaptureStatus  # type: ignore[attr-defined]
        module.CUstreamCaptureStatus = CaptureStatus  # type: ignore[attr-defined]
        module.CUstream_flags = types.SimpleNamespace(  # type: ignore[attr-defined]
            CU_STREAM_DEFAULT=0, CU_STREAM_NON_BLOCKING=1
        )
        module.CUevent_flags = types.SimpleNamespace(  # type: ignore[attr-defined]
            CU_EVENT_DEFAULT=0, CU_EVENT_BLOCKING_SYNC=1, CU_EVENT_DISABLE_TIMING=2
        )
        make: Any = enum.IntEnum
        module.CUstreamCaptureMode = make(  # type: ignore[attr-defined]
            "CUstreamCaptureMode",
            [f"CU_STREAM_CAPTURE_MODE_{kind}" for kind in ("GLOBAL", "THREAD_LOCAL", "RELAXED")],
            start=0,
        )
        module.cudaStreamCaptureMode = make(  # type: ignore[attr-defined]
            "cudaStreamCaptureMode",
            [f"cudaStreamCaptureMode{kind}" for kind in ("Global", "ThreadLocal", "Relaxed")],
            start=0,
        )
        module.cudaLimit = make(  # type: ignore[attr-defined]
            "cudaLimit",
            [f"cudaLimit{kind}" for kind in ("StackSize", "PrintfFifoSize", "MallocHeapSize")],
            start=0,
        )
        module.cudaMemcpyKind = make(  # type: ignore[attr-defined]
            "cudaMemcpyKind",
            {
                f"cudaMemcpy{kind}": number
                for number, kind in enumerate(
                    ("HostToHost", "HostToDevice", "DeviceToHost", "DeviceToDevice", "Default")
                )
            },
        )
        _fill_module(
            module, "cu", _Functions(CUresult.CUDA_SUCCESS, CUresult.CUDA_ERROR_INVALID_VALUE)
        )
        _fill_module(module, "cuda", _Functions(errors.cudaSuccess, errors.cudaErrorInvalidValue))
    nvrtc = types.ModuleType("cuda.bindings.nvrtc")
    nvrtc.nvrtcResult = nvrtcResult  # type: ignore[attr-defined]
    nvrtc.nvrtcGetErrorString = lambda result: (  # type: ignore[attr-defined]
        nvrtcResult.NVRTC_SUCCESS,
        nvrtcResult(result).name.encode(),
    )
    package, inner = types.ModuleType("cuda"), types.ModuleType("cuda.bindings")
    package.bindings, inner.driver, inner.runtime = inner, driver, runtime  # type: ignore[attr-defined]
    inner.nvrtc = package.nvrtc = nvrtc  # type: ignore[attr-defined]
    package.cuda, package.cudart = driver, runtime  # type: ignore[attr-defined]
    modules = {
        "cuda": package,
        "cuda.bindings": inner,
        "cuda.bindings.driver": driver,
        "cuda.bindings.runtime": runtime,
        "cuda.bindings.nvrtc": nvrtc,
        "cuda.cuda": driver,
        "cuda.cudart": runtime,
        "cuda.nvrtc": nvrtc,
    }
    for name, module in modules.items():
        # importlib.util.find_spec(name) asks whether there is one.
        module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=module is package)
    return modules


def install() -> None:
    """Replace cuda.bindings: an installed one needs a driver."""
    sys.modules.update(bindings())
