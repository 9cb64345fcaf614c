"""Checks in programs of the language; their time, and the choice of the parameters that take the least."""

from __future__ import annotations

import ctypes
import functools
import inspect
import itertools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from fairlead._hints import missing
from fairlead._tracing.state import state
from fairlead.cute import cuda

__all__ = [
    "CantImplementError",
    "JitArguments",
    "assert_",
    "autotune_jit",
    "benchmark",
    "convert",
    "get_workspace_count",
    "tune",
]


def assert_(condition: Any, message: str = "") -> None:
    """Checks a condition when the program runs, in kernels and host functions, under ``--enable-assertions``.

    Where it is false on the CPU or in the host function, the call raises AssertionError with ``message``, the line, and
    the block. In a kernel for CUDA the thread prints them, and the kernel ends with cudaErrorAssert.
    Without the option nothing is checked. A condition that is known while tracing is checked then.
    """
    if state.program is None:
        assert condition, message
        return
    if not state.program.assertions:
        return
    if isinstance(condition, bool):
        assert condition, message
        return
    from fairlead import _compiler

    _compiler.assert_that(condition, message)


class CantImplementError(Exception):
    """Raised by programs for parameters that a kernel cannot do."""


class JitArguments:
    """The arguments of a call, to be made later."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args, self.kwargs = args, kwargs

    def __repr__(self) -> str:
        parts = [
            *map(repr, self.args),
            *(f"{name}={value!r}" for name, value in self.kwargs.items()),
        ]
        return f"JitArguments({', '.join(parts)})"


def convert(src: Any, dst: Any) -> None:
    """Sets the elements of a tensor to those of another one of its shape, converted to its type: a kernel, or a host
    function for tensors in the CPU's memory. Both are arguments for compile, such as ``from_dlpack`` makes."""
    from fairlead.cute import _conversion

    _conversion.convert(src, dst)


def get_workspace_count(one_workspace_bytes: int, warmup_iterations: int, iterations: int) -> int:
    """How many sets of arguments of that many bytes ``benchmark`` needs for none to be in the cache when its turn comes
    again: together three times the L2 cache of this thread's GPU, or the last level's of the processor."""
    if one_workspace_bytes < 1:
        raise ValueError(
            f"expected bytes of a workspace, at least 1, but got {one_workspace_bytes}"
        )
    enough = 3 * _cache_bytes() // one_workspace_bytes + 1
    return max(1, min(enough, warmup_iterations + iterations))


def _cache_bytes() -> int:
    device = _Device.current()
    if device is not None:
        return device.cache_bytes()
    sizes = [
        os.sysconf(name)
        for name in ("SC_LEVEL2_CACHE_SIZE", "SC_LEVEL3_CACHE_SIZE")
        if name in os.sysconf_names
    ]
    return max([*sizes, 1 << 20])


class _Device:
    """CUDA's driver on a thread that works with a GPU."""

    @classmethod
    def current(cls) -> _Device | None:
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
        device, size = ctypes.c_int(), ctypes.c_int()
        self._call("cuCtxGetDevice", ctypes.byref(device))
        l2_cache_size = 38  # CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE
        self._call("cuDeviceGetAttribute", ctypes.byref(size), l2_cache_size, device)
        return size.value

    def seconds(self, stream: ctypes.c_void_p, work: Callable[[], None]) -> float:
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

    def _has(self, name: str) -> bool:
        return hasattr(cuda._driver(), name)

    def graph_seconds(self, stream: ctypes.c_void_p, work: Callable[[], None]) -> float:
        """Likewise of a graph that does ``work``, which is recorded and not done at first."""
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


def benchmark(
    callable: Callable[..., Any],
    *,
    warmup_iterations: int = 10,
    iterations: int = 100,
    stream: Any = None,
    kernel_arguments: JitArguments | None = None,
    workspace_generator: Callable[[], JitArguments] | None = None,
    workspace_count: int = 1,
    use_cuda_graphs: bool = False,
) -> float:
    """Microseconds that a call takes, the mean of ``iterations`` calls behind one another.

    Args:
        callable: what is called.
        warmup_iterations: calls ahead of them.
        stream: the stream that ``callable`` gives its kernels to; default CUDA's default stream. Its time is measured,
            and the processor's where nothing has used a GPU on this thread.
        kernel_arguments: arguments of every call.
        workspace_generator, workspace_count: instead, what makes the arguments, and of how many sets of them the calls
            take one after the other, so that data is not in caches (see ``get_workspace_count``).
        use_cuda_graphs: the calls are recorded in a CUDA graph, whose time is measured. It takes a stream other than
            the default one. Where nothing has used a GPU it changes nothing.

    ValueError for numbers below 1 (0 for ``warmup_iterations``), both kinds of arguments, or a graph on the default
    stream.
    """
    for name, value, least in (
        ("warmup_iterations", warmup_iterations, 0),
        ("iterations", iterations, 1),
        ("workspace_count", workspace_count, 1),
    ):
        if value < least:
            raise ValueError(f"benchmark(): expected {name} >= {least}, but got {value}")
    if kernel_arguments is not None and workspace_generator is not None:
        raise ValueError(
            "benchmark(): expected kernel_arguments or workspace_generator, but got both"
        )
    if workspace_generator is None:
        sets = [kernel_arguments or JitArguments()]
    else:
        sets = [workspace_generator() for _ in range(workspace_count)]
    for each in sets:
        if not isinstance(each, JitArguments):
            raise TypeError(f"benchmark(): expected JitArguments, but got {type(each).__name__}")
    turns = itertools.cycle(sets)

    def calls(count: int) -> None:
        for _ in range(count):
            arguments = next(turns)
            callable(*arguments.args, **arguments.kwargs)

    # One call compiles what is compiled at the first, and begins to use the device.
    calls(max(1, warmup_iterations))
    device = _Device.current()
    if device is None:
        start = time.perf_counter()
        calls(iterations)
        return (time.perf_counter() - start) / iterations * 1e6
    handle = ctypes.c_void_p(_stream_handle(stream))
    if not use_cuda_graphs:
        return device.seconds(handle, lambda: calls(iterations)) / iterations * 1e6
    if not handle.value:
        raise ValueError("benchmark(): use_cuda_graphs takes a stream other than the default one")
    return device.graph_seconds(handle, lambda: calls(iterations)) / iterations * 1e6


def _stream_handle(stream: Any) -> int:
    if stream is None:
        return 0
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    return int(getattr(stream, "cuda_stream", stream))


def _choices(params_dict: dict[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Every choice of one value for each parameter."""
    for name, values in params_dict.items():
        if not values:
            raise ValueError(f"expected values to choose from for {name}, but got none")
    for values in itertools.product(*params_dict.values()):
        yield dict(zip(params_dict, values, strict=True))


def _log(text: str) -> None:
    if os.environ.get("CUTE_DSL_LOG_AUTOTUNE", "0") not in ("", "0"):
        print(text)


def tune(
    func: Callable[..., Callable[[], Any]],
    params_dict: dict[str, Sequence[Any]] | None = None,
    kernel_arguments: JitArguments | None = None,
    warmup_iterations: int = 10,
    iterations: int = 100,
    stream: Any = None,
) -> dict[str, Any]:
    """The choice of parameters whose call takes the least time.

    Args:
        func: called with ``kernel_arguments`` and a value for each parameter; what it returns is called and measured.
            A choice for which it, or a call, raises an exception is left out.
        params_dict: the values of each parameter.

    ValueError when no choice is left; its cause is the last exception. ``CUTE_DSL_LOG_AUTOTUNE=1`` prints each time.
    """
    arguments = kernel_arguments or JitArguments()
    best: tuple[float, dict[str, Any]] | None = None
    failure: Exception | None = None
    start = time.perf_counter()
    for choice in _choices(params_dict or {}):
        _log(f"Tuning configuration: {choice}")
        try:
            call = func(*arguments.args, **arguments.kwargs, **choice)
            taken = benchmark(
                call, warmup_iterations=warmup_iterations, iterations=iterations, stream=stream
            )
        except Exception as error:
            failure = error
            _log(f"Configuration left out: {error}")
            continue
        _log(f"Execution time: {taken} us")
        if best is None or taken < best[0]:
            best = taken, choice
    if best is None:
        raise ValueError("no choice of the parameters can be run") from failure
    _log(f"Best configuration: {best[1]}, execution time: {best[0]} us")
    _log(f"Total tuning time: {time.perf_counter() - start} s")
    return best[1]


def autotune_jit(
    params_dict: dict[str, Sequence[Any]] | None = None,
    update_on_change: Sequence[str] | None = None,
    warmup_iterations: int = 10,
    iterations: int = 100,
) -> Callable[[Any], Callable[..., Any]]:
    """Above ``@cute.jit``: the first call, and the first with other values of the arguments that ``update_on_change``
    names, tries every choice of the parameters, which are Constexpr parameters of the function; calls then run the one
    that took the least time. ``compile`` and traced functions take it as the function below it. Raises what ``tune``
    does, and TypeError for names that are no parameters.
    """
    watched = list(update_on_change or ())

    def decorate(function: Any) -> Callable[..., Any]:
        signature = inspect.signature(function)
        for name in [*(params_dict or {}), *watched]:
            if name not in signature.parameters:
                raise TypeError(f"autotune_jit(): the function has no parameter `{name}`")
        is_method = next(iter(signature.parameters), None) == "self"
        choices = set(params_dict or {})
        # What runs, its parameters, and the function: an object whose method it is lives on with it.
        best: dict[Any, tuple[Any, dict[str, Any], Any]] = {}

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if state.program is not None:
                return function(*args, **kwargs)
            bound = signature.bind_partial(*args, **kwargs)
            bound.apply_defaults()
            key = tuple(bound.arguments.get(name) for name in watched)
            target = function
            if is_method:
                owner, *args = args  # type: ignore[assignment]
                target, key = function.__get__(owner, type(owner)), (id(owner), *key)
            given = {name: value for name, value in kwargs.items() if name not in choices}
            found = best.get(key)
            if found is None:
                found = best[key] = (*fastest(target, args, given), target)
            else:
                _log(f"Using cached best configuration: {found[1]}")
            return found[0](*args, **given)

        def fastest(target: Any, args: Sequence[Any], given: dict[str, Any]) -> tuple[Any, Any]:
            compiled: dict[str, Any] = {}

            def compile(**choice: Any) -> Callable[[], Any]:
                from fairlead.cute._compile import compile as compiled_for  # late: the compiler

                made = compiled[repr(choice)] = compiled_for(target, *args, **given, **choice)
                return lambda: made(*args, **given)

            choice = tune(
                compile, params_dict, warmup_iterations=warmup_iterations, iterations=iterations
            )
            return compiled[repr(choice)], choice

        return call

    return decorate


__getattr__ = missing(__name__)
