"""Checks in programs of the language; the time of calls, and the choice of the parameters that take the least."""

from __future__ import annotations

import builtins
import ctypes
import functools
import inspect
import itertools
import os
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fairlead._hints import missing, name_keywords
from fairlead._tracing.state import state
from fairlead.cute import _timing
from fairlead.errors import make_error, require, wrong_argument

if TYPE_CHECKING:
    from fairlead.cute._types import Number

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


def assert_(condition: Number, message: str = "") -> None:
    """Check a condition when the program runs, in kernels and host functions, under ``--enable-assertions``.

    If it is false on the CPU or in the host function, the call raises AssertionError with ``message``, the line, and
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

    def __init__(self, *args: object, **kwargs: object) -> None:
        self.args, self.kwargs = args, kwargs
        self._kept: list[object] = []

    def add_to_scope(self, references: Iterable[object]) -> None:
        """Keep objects alive as long as the arguments: the owners of memory that only an address names.

        Args:
            references: the objects.
        """
        self._kept.extend(references)

    def __repr__(self) -> str:
        parts = [
            *map(repr, self.args),
            *(f"{name}={value!r}" for name, value in self.kwargs.items()),
        ]
        return f"JitArguments({', '.join(parts)})"


def convert(src: object, dst: object) -> None:
    """Set the elements of ``dst`` to the elements of ``src``, of one shape, converted to its type: a kernel, or a host
    function for tensors in the CPU's memory. Both are arguments for compile, such as ``from_dlpack`` makes.
    """
    from fairlead.cute import _conversion

    _conversion.convert(src, dst)


def get_workspace_count(one_workspace_bytes: int, warmup_iterations: int, iterations: int) -> int:
    """Return the number of sets of arguments, of ``one_workspace_bytes`` bytes each, that ``benchmark`` needs so that
    none is in the cache when its turn comes again: together three times the L2 cache of this thread's GPU, or the last-
    level cache of the processor. At most ``warmup_iterations + iterations``. Raises ValueError for fewer than 1 byte.
    """
    if one_workspace_bytes < 1:
        raise ValueError(
            f"expected bytes of a workspace, at least 1, but got {one_workspace_bytes}"
        )
    enough = 3 * _timing.cache_bytes() // one_workspace_bytes + 1
    return max(1, min(enough, warmup_iterations + iterations))


def benchmark(
    callable: Callable[..., Any],
    *,
    warmup_iterations: int = 10,
    iterations: int = 100,
    stream: object = None,
    kernel_arguments: JitArguments | None = None,
    workspace_generator: Callable[[], JitArguments] | None = None,
    workspace_count: int = 1,
    use_cuda_graphs: bool = False,
) -> float:
    """Measure the time of a call in microseconds: the mean of ``iterations`` calls in a row.

    Args:
        callable: the function that is called.
        warmup_iterations: calls before the measurement.
        stream: the CUDA stream that ``callable`` launches on; default CUDA's default stream. The time of this stream is
            measured, or the processor's time if nothing has used a GPU on this thread.
        kernel_arguments: arguments of every call.
        workspace_generator, workspace_count: instead of ``kernel_arguments``, a function that makes the arguments, and
            how many sets of them the calls use in turn, so that data is not in caches (see ``get_workspace_count``).
        use_cuda_graphs: the calls are captured in a CUDA graph, whose time is measured. This needs a stream other than
            the default one, and has no effect if nothing has used a GPU.

    ValueError for numbers below 1 (0 for ``warmup_iterations``), both kinds of arguments, or a graph on the default
    stream.
    """
    if not builtins.callable(callable):
        raise wrong_argument("benchmark", "callable", "a function", callable)
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
    for argument_set in sets:
        if not isinstance(argument_set, JitArguments):
            raise TypeError(
                f"benchmark(): expected JitArguments, but got {type(argument_set).__name__}"
            )
    turns = itertools.cycle(sets)

    def calls(count: int) -> None:
        for _ in range(count):
            arguments = next(turns)
            callable(*arguments.args, **arguments.kwargs)

    # The first call also compiles, and begins to use the device.
    calls(max(1, warmup_iterations))
    device = _timing.Device.current()
    if device is None:
        start = time.perf_counter()
        calls(iterations)
        return (time.perf_counter() - start) / iterations * 1e6
    handle = ctypes.c_void_p(_timing.stream_handle(stream))
    if not use_cuda_graphs:
        return device.seconds(handle, lambda: calls(iterations)) / iterations * 1e6
    if not handle.value:
        raise ValueError("benchmark(): use_cuda_graphs takes a stream other than the default one")
    return device.graph_seconds(handle, lambda: calls(iterations)) / iterations * 1e6


def _log(text: str) -> None:
    if os.environ.get("CUTE_DSL_LOG_AUTOTUNE", "0") not in ("", "0"):
        print(text)


def tune(
    func: Callable[..., Callable[[], Any]],
    params_dict: dict[str, Sequence[Any]] | None = None,
    kernel_arguments: JitArguments | None = None,
    warmup_iterations: int = 10,
    iterations: int = 100,
    stream: object = None,
) -> dict[str, Any]:
    """Return the choice of parameters whose call takes the least time, as a dict.

    Args:
        func: called with ``kernel_arguments`` and a value for each parameter; its result is called and measured.
            A choice is left out if it, or a call, raises an exception.
        params_dict: the values of each parameter.
        kernel_arguments: further arguments of ``func``, as ``JitArguments``.
        warmup_iterations, iterations: calls before and during the measurement.
        stream: the stream that is measured on a GPU; default the current one.

    ``fairlead.tune`` also checks results, keeps times on disk, and reports. ValueError when no choice is left; its
    cause is the last exception. RuntimeError with ``FAIRLEAD_NEVER_TUNE=1``. ``CUTE_DSL_LOG_AUTOTUNE=1`` prints each
    time.
    """
    from fairlead.cute._tuning.candidates import Candidate, choices, fastest
    from fairlead.cute._tuning.report import Row
    from fairlead.cute._tuning.search import never  # late: the compiler

    require(
        tune,
        func=func,
        params_dict=params_dict,
        kernel_arguments=kernel_arguments,
        warmup_iterations=warmup_iterations,
        iterations=iterations,
    )
    name = getattr(func, "__name__", "func")
    if never():
        raise make_error("TuneForbidden", function=name, place="this device")
    arguments = kernel_arguments or JitArguments()
    candidates = []
    failure: Exception | None = None
    start = time.perf_counter()
    for choice in choices(params_dict or {}):
        candidate = Candidate(choice, repr(choice), Row(choice))
        _log(f"Tuning configuration: {choice}")
        try:
            call = func(*arguments.args, **arguments.kwargs, **choice)
            microseconds = benchmark(
                call, warmup_iterations=warmup_iterations, iterations=iterations, stream=stream
            )
        except Exception as error:
            failure = error
            _log(f"Configuration left out: {error}")
            continue
        _log(f"Execution time: {microseconds} us")
        candidate.note([microseconds])
        candidates.append(candidate)
    best = fastest(candidates)
    if best is None:
        raise make_error(
            "TuneFailed",
            function=name,
            place="this device",
            reasons=f" {failure}" if failure else "",
        ) from failure
    _log(f"Best configuration: {best.config}, execution time: {best.row.microseconds} us")
    _log(f"Total tuning time: {time.perf_counter() - start} s")
    return best.config


def autotune_jit(
    params_dict: dict[str, Sequence[Any]] | None = None,
    update_on_change: Sequence[str] | None = None,
    warmup_iterations: int = 10,
    iterations: int = 100,
    *,
    check: Callable[..., Any] | None = None,
    budget_s: float = 600.0,
) -> Callable[[Any], Callable[..., Any]]:
    """A decorator above ``@cute.jit`` that tunes the function at its first call.

    The first call tries every combination of the values in ``params_dict``; later calls run the fastest one. A call
    with other values of the arguments named in ``update_on_change`` (for tensors: another dtype or shape) tunes again.
    ``compile`` and traced functions take the decorated function like the one below it.

    Times are kept next to the compile cache, like those of ``fairlead.tune``, so another process need not measure. With
    ``FAIRLEAD_NEVER_TUNE=1`` nothing is measured, and a call without a stored time is a RuntimeError.

    Args:
        params_dict: values to try, by the name of the Constexpr parameter.
        update_on_change: names of parameters.
        warmup_iterations, iterations: calls ahead of a measurement, and calls of one measurement.
        check: called with copies of the arguments, it writes the right results to them; combinations with other
            results are left out.
        budget_s: seconds after which the fastest combination so far is taken.

    Raises what ``fairlead.tune`` raises, and TypeError for names that are not parameters of the function.
    """
    require(
        autotune_jit,
        params_dict=params_dict,
        update_on_change=update_on_change,
        warmup_iterations=warmup_iterations,
        iterations=iterations,
        check=check,
        budget_s=budget_s,
    )
    watched = list(update_on_change or ())

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)
        for name in [*(params_dict or {}), *watched]:
            if name not in signature.parameters:
                raise make_error("TuneParameter", function=function.__name__, name=name, hint="")
        is_method = next(iter(signature.parameters), None) == "self"
        choices = set(params_dict or {})
        # The compiled function, its parameters, and the function: an object whose method it is lives on with it.
        best: dict[Any, tuple[Any, dict[str, Any], Any]] = {}

        @functools.wraps(function)
        def call(*args: object, **kwargs: object) -> Any:
            if state.program is not None:
                return function(*args, **kwargs)
            bound = signature.bind_partial(*args, **kwargs)
            bound.apply_defaults()
            values = {name: _watched(bound.arguments.get(name)) for name in watched}
            key = tuple(values.values())
            target = function
            if is_method:
                owner, *args = args  # type: ignore[assignment]
                target, key = function.__get__(owner, type(owner)), (id(owner), *key)
            constants = {name: value for name, value in kwargs.items() if name not in choices}
            choice = best.get(key)
            if choice is None:
                choice = best[key] = (*fastest(target, args, constants, values), target)
            else:
                _log(f"Using cached best configuration: {choice[1]}")
            return choice[0](*args, **constants)

        def fastest(
            target: Callable[..., Any],
            args: Sequence[Any],
            constants: dict[str, Any],
            values: dict[str, Any],
        ) -> tuple[Any, Any]:
            from fairlead.cute._tuning.search import search_for  # late: the compiler

            return search_for(
                target,
                params_dict or {},
                args,
                constants,
                key=values,
                check=check,
                budget=budget_s,
                log=_log,
                time_of=lambda function, _: [
                    benchmark(function, warmup_iterations=warmup_iterations, iterations=iterations)
                ],
            )

        return call

    return decorate


def _watched(value: Any) -> Any:
    """A value of ``update_on_change`` in the key: a tensor by its dtype and extents."""
    if hasattr(value, "__dlpack__") and hasattr(value, "shape"):
        return f"{value.dtype}{tuple(map(int, value.shape))}"
    return value


if not TYPE_CHECKING:  # a type checker knows the names that there are
    __getattr__ = missing(__name__)


name_keywords(__all__, globals())


def __dir__() -> list[str]:
    """The names that completion offers."""
    return sorted(__all__)
