"""The time of calls: on the processor by its clock, on a GPU by events of its stream."""

from __future__ import annotations

import ctypes
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

from fairlead.cute import cuda

_SAMPLE_SECONDS = 0.001  # a shorter sample is as long as the clock's own noise


class Device:
    """CUDA's driver on a thread that works with a GPU."""

    @classmethod
    def current(cls) -> Device | None:
        """None on a thread that has no context, as where every kernel so far ran on the CPU."""
        try:
            driver = cuda._driver()
        except cuda.DSLCudaRuntimeError:
            return None
        context = ctypes.c_void_p()
        # It fails before anything has called cuInit.
        if driver.cuCtxGetCurrent(ctypes.byref(context)) or not context:
            return None
        return cls()

    def __init__(self) -> None:
        self._call = cuda._check

    def cache_bytes(self) -> int:
        """Return the size of the L2 cache."""
        device, size = ctypes.c_int(), ctypes.c_int()
        self._call("cuCtxGetDevice", ctypes.byref(device))
        l2_cache_size = 38  # CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE
        self._call("cuDeviceGetAttribute", ctypes.byref(size), l2_cache_size, device)
        return size.value

    def seconds(self, stream: ctypes.c_void_p, work: Callable[[], Any]) -> float:
        """How long a stream takes for ``work``."""
        events = ctypes.c_void_p(), ctypes.c_void_p()
        for event in events:
            self._call("cuEventCreate", ctypes.byref(event), 0)
        try:
            self._call("cuEventRecord", events[0], stream)
            work()
            self._call("cuEventRecord", events[1], stream)
            self._call("cuEventSynchronize", events[1])
            milliseconds = ctypes.c_float()
            elapsed = (
                "cuEventElapsedTime_v2"
                if self._has("cuEventElapsedTime_v2")
                else "cuEventElapsedTime"
            )
            self._call(elapsed, ctypes.byref(milliseconds), *events)
            return milliseconds.value / 1e3
        finally:
            for event in events:
                self._call("cuEventDestroy_v2", event)

    def wait(self) -> None:
        """Wait for all work of the context; DSLCudaRuntimeError where some of it failed."""
        self._call("cuCtxSynchronize")

    def _has(self, name: str) -> bool:
        return hasattr(cuda._driver(), name)

    def graph_seconds(self, stream: ctypes.c_void_p, work: Callable[[], None]) -> float:
        """Return the seconds of a graph of ``work``, which is recorded first without executing it."""
        graph, runnable = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("cuStreamBeginCapture_v2", stream, 2)  # relaxed: other threads are left alone
        try:
            work()
        finally:
            self._call("cuStreamEndCapture", stream, ctypes.byref(graph))
        try:
            self._call("cuGraphInstantiateWithFlags", ctypes.byref(runnable), graph, 0)
            try:
                self._call("cuGraphLaunch", runnable, stream)
                return self.seconds(stream, lambda: self._call("cuGraphLaunch", runnable, stream))
            finally:
                self._call("cuStreamSynchronize", stream)
                self._call("cuGraphExecDestroy", runnable)
        finally:
            self._call("cuGraphDestroy", graph)


class ColdCache:
    """Fills a GPU's L2 cache with other data, so that a call finds its arguments in memory."""

    def __init__(self, device: Device) -> None:
        self._size = max(2 * device.cache_bytes(), 1 << 20)
        self._memory = ctypes.c_uint64()
        cuda._check("cuMemAlloc_v2", ctypes.byref(self._memory), ctypes.c_size_t(self._size))

    def __enter__(self) -> ColdCache:
        return self

    def __exit__(self, *_: object) -> None:
        cuda._check("cuMemFree_v2", self._memory)

    def flush(self, stream: ctypes.c_void_p) -> None:
        cuda._check("cuMemsetD8Async", self._memory, 0, ctypes.c_size_t(self._size), stream)


def stream_handle(stream: Any) -> int:
    """Return the address of a stream of any package; 0, the default stream, for None."""
    if stream is None:
        return 0
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    return int(getattr(stream, "cuda_stream", stream))


def wait() -> None:
    """Wait for the GPU of this thread, if it has one."""
    if (device := Device.current()) is not None:
        device.wait()


def cache_bytes() -> int:
    """Return the size of the L2 cache of this thread's GPU, or of the last level's of the processor."""
    device = Device.current()
    if device is not None:
        return device.cache_bytes()
    sizes = [
        os.sysconf(name)
        for name in ("SC_LEVEL2_CACHE_SIZE", "SC_LEVEL3_CACHE_SIZE")
        if name in os.sysconf_names
    ]
    return max([*sizes, 1 << 20])


def samples(
    call: Callable[[], Any], seconds: float, *, least: int = 3, stream: object = None
) -> list[float]:
    """Times of a call in microseconds, for about that many seconds, at least ``least`` of them.

    On the CPU a sample is the mean of calls of a millisecond together. On a GPU it is one call, whose arguments are
    not in the L2 cache, between two events of the stream.
    """
    call()  # what the first call does once is no part of the time
    device = Device.current()
    times: list[float] = []
    if device is None:
        started = time.perf_counter()
        call()
        count = max(1, int(_SAMPLE_SECONDS / max(time.perf_counter() - started, 1e-8)))
        end = time.perf_counter() + seconds
        while len(times) < least or time.perf_counter() < end:
            started = time.perf_counter()
            for _ in range(count):
                call()
            times.append((time.perf_counter() - started) / count * 1e6)
        return times
    handle = ctypes.c_void_p(stream_handle(stream))
    device.wait()
    with ColdCache(device) as cache:
        end = time.perf_counter() + seconds
        while len(times) < least or time.perf_counter() < end:
            cache.flush(handle)
            times.append(device.seconds(handle, call) * 1e6)
    return times


def quantile(values: list[float], part: float) -> float:
    """Return the value below which that part of them lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


median = statistics.median
