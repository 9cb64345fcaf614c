"""Graphs of a GPU's work on the CPU: a capture records what the program does, and each replay does it.

As on a GPU, nothing is computed during the capture, and a replay works on what the same memory then holds. As in torch,
whose threads have a current stream each, a capture records the work of the thread that began it. Other threads compute.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

__all__ = ["Recording", "done_or_recorded", "install_calls", "install_torch"]

#: Operations of torch that give memory without values.
_ALLOCATIONS = [
    ["aten", name]
    for name in ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided")
]
#: Makes torch report its operations; None without torch.
_watch_torch: Callable[[], contextlib.AbstractContextManager[Any]] | None = None


class _Thread(threading.local):
    """The capture of a thread."""

    recording: Recording | None = None


_thread = _Thread()


class Recording:
    """The work of one graph."""

    def __init__(self) -> None:
        self._steps: list[Callable[[], object]] = []
        self._kept: list[object] = []
        self._scope = contextlib.ExitStack()

    @staticmethod
    def current() -> Recording | None:
        """Return the graph that the calling thread captures."""
        return _thread.recording

    def begin(self) -> None:
        if _thread.recording is not None:
            raise RuntimeError("a graph is captured while another one is")
        if _watch_torch is not None:
            self._scope.enter_context(_watch_torch())
        self._scope.enter_context(_calls.recorded())
        _thread.recording = self

    def end(self) -> None:
        if _thread.recording is not self:
            raise RuntimeError("the capture of a graph ends that this thread has not begun")
        _thread.recording = None
        self._scope.close()

    def add(self, step: Callable[[], object]) -> None:
        self._steps.append(step)

    def keep(self, value: object) -> None:
        """Keep memory that the capture allocated as long as the graph."""
        self._kept.append(value)

    def replay(self) -> None:
        if _thread.recording is not None:
            raise RuntimeError(
                "a graph is replayed while one is captured: child graphs are not known"
            )
        for step in self._steps:
            step()


@contextlib.contextmanager
def _doing() -> Iterator[None]:
    """In the scope work is done, as outside of a capture."""
    recording, _thread.recording = _thread.recording, None
    try:
        yield
    finally:
        _thread.recording = recording


def done_or_recorded(work: Callable[[], object]) -> None:
    """Do the work, or record it if a graph is captured."""
    if _thread.recording is None:
        work()
    else:
        _thread.recording.add(work)


class _Calls:
    """The compiled and loaded functions, whose calls are recorded while a graph is captured.

    Only then are they of a class that looks for a capture, which costs a call a microsecond.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._captures = 0
        #: By `id`.
        self._functions: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self._recordable: dict[type, type] = {}

    def add_class(self, cls: type) -> None:
        """Know a class of functions."""
        call = cls.__call__

        class Recordable(cls):  # type: ignore[misc]
            def __call__(self, *args: object, **kwargs: object) -> Any:
                if _thread.recording is None:
                    return call(self, *args, **kwargs)
                _thread.recording.add(functools.partial(call, self, *args, **kwargs))
                return None

        Recordable.__name__ = cls.__name__
        self._recordable[cls] = Recordable

    def add(self, function: object) -> None:
        """Know a function."""
        with self._lock:
            self._functions[id(function)] = function
            if self._captures:
                self._set_recordable(function, True)

    @contextlib.contextmanager
    def recorded(self) -> Iterator[None]:
        """In the scope, calls of this thread are recorded."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def _count(self, step: int) -> None:
        with self._lock:
            before, self._captures = self._captures, self._captures + step
            if bool(before) == bool(self._captures):
                return
            for function in list(self._functions.values()):
                self._set_recordable(function, self._captures > 0)

    def _set_recordable(self, function: object, recordable: bool) -> None:
        cls = type(function)
        if recordable:
            _set_class(function, self._recordable.get(cls, cls))
        elif cls in self._recordable.values():
            _set_class(function, cls.__base__)


#: Compiled functions show another package's class as theirs.
_set_class = object.__dict__["__class__"].__set__
_calls = _Calls()


def install_calls() -> None:
    """Calls of compiled and of loaded functions are recorded if a graph is captured."""
    compile_module: Any = importlib.import_module("fairlead.cute._compile")
    module_class: Any = importlib.import_module("fairlead.ffi").Module
    _calls.add_class(compile_module.CompiledFunction)
    _calls.add_class(importlib.import_module("fairlead._core").Function)

    def known(make: Callable[..., Any]) -> Any:
        @functools.wraps(make)
        def call(*args: object, **kwargs: object) -> Any:
            function = make(*args, **kwargs)
            _calls.add(function)
            return function

        return call

    compile_module._make = known(compile_module._make)
    module_class.get_function = known(module_class.get_function)


def _storage(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


class _Operation:
    """An operation of torch in a graph."""

    def __init__(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        import torch
        from torch.utils import _pytree

        #: torch's own operations name the arguments that they write.
        schema = getattr(function, "_schema", None)
        arguments = schema.arguments if schema else []
        values = {
            **dict(zip([argument.name for argument in arguments], args, strict=False)),
            **kwargs,
        }
        self.written = _tensors(
            [
                values.get(argument.name)
                for argument in arguments
                if argument.alias_info is not None and argument.alias_info.is_write
            ]
            + [kwargs.get("out")]
        )
        # The tensors as they are now: a replay does not see a later `resize_`, nor does autograd see the replay.
        args, kwargs = _pytree.tree_map_only(
            torch.Tensor, lambda tensor: tensor.data, (args, kwargs)
        )
        self.call = functools.partial(function, *args, **kwargs)
        self.inputs = {_storage(tensor) for tensor in _tensors((args, kwargs))}
        self.guard = torch.inference_mode if torch.is_inference_mode_enabled() else torch.no_grad
        self.targets: list[torch.Tensor | None] = []

    def replay(self) -> None:
        with self.guard():
            for target, value in zip(self.targets, _tensors(self.call()), strict=True):
                if target is not None:
                    target.copy_(value)

    def record(self, recording: Recording, result: object) -> None:
        """Add it, unless its results are only views of its inputs."""
        results = _tensors(result)
        self.targets = [
            None if _storage(tensor) in self.inputs else tensor.data for tensor in results
        ]
        if self.written or any(target is not None for target in self.targets):
            recording.add(self.replay)


def _tensors(values: object) -> list[torch.Tensor]:
    import torch
    from torch.utils import _pytree

    return [value for value in _pytree.tree_leaves(values) if isinstance(value, torch.Tensor)]


def _of_shapes(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return results of an operation without values, or None if their shapes depend on values."""
    import torch
    from torch.utils import _pytree

    args, kwargs = _pytree.tree_map_only(
        torch.Tensor, lambda tensor: tensor.to("meta"), (args, kwargs)
    )
    try:
        result = function(*args, **kwargs)
    except Exception:  # noqa: BLE001  an operation that is not known for shapes alone is like one that needs values
        return None
    return _pytree.tree_map_only(
        torch.Tensor, lambda tensor: torch.empty_like(tensor, device="cpu"), result
    )


def _recorded(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Record an operation of torch, and return its results, whose values a replay computes."""
    import torch

    recording = _thread.recording
    assert recording is not None
    tags = getattr(function, "tags", ())
    needs_values = torch.Tag.data_dependent_output in tags or (
        torch.Tag.dynamic_output_shape in tags and _of_shapes(function, args, kwargs) is None
    )
    if needs_values:
        raise RuntimeError(
            f"{function}: operation not permitted when a graph is captured: its result depends on values, which only a "
            "replay computes"
        )
    with _doing():
        if torch.Tag.inplace_view in tags or str(function).split(".")[:2] in _ALLOCATIONS:
            result = function(*args, **kwargs)
            recording.keep(result)
            return result
        operation = _Operation(function, args, kwargs)
        before = [(tensor.data, tensor.clone()) for tensor in operation.written]
        try:
            result = function(*args, **kwargs)
        except (IndexError, RuntimeError):
            # The operands may hold anything, as kernels of the capture have not written them.
            result = _of_shapes(function, args, kwargs)
            if result is None:
                raise
        finally:
            for tensor, value in before:
                tensor.copy_(value)
        operation.record(recording, result)
    recording.keep(result)
    return result


def _functions_as_one(function: Callable[..., Any]) -> Any:
    """Return a function of our own, which computes a result from torch's tensors or returns None, as one operation."""

    @functools.wraps(function)
    def call(of_torch: object, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
        recording = _thread.recording
        if recording is None:
            return function(of_torch, operands, options)
        out: Any = options.get("out")
        before = None if out is None else out.data.clone()
        with _doing():
            result = function(of_torch, operands, options)
            if result is None:
                return None
            operation = _Operation(
                lambda *args, **kwargs: function(of_torch, args, kwargs), operands, options
            )
            if out is not None:
                out.data.copy_(before)
            operation.record(recording, result)
        recording.keep(result)
        return result

    return call


def install_torch() -> Callable[[Callable[..., Any]], Any]:
    """Operations of torch are recorded if a graph is captured.

    Returns a decorator that makes one operation of a function for torch's functions.
    """
    from torch.utils._python_dispatch import TorchDispatchMode

    class Operations(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(
            self,
            function: Callable[..., Any],
            types: object,
            args: tuple[Any, ...] = (),
            kwargs: dict[str, Any] | None = None,
        ) -> Any:
            if _thread.recording is None:
                return function(*args, **(kwargs or {}))
            return _recorded(function, args, kwargs or {})

    global _watch_torch
    _watch_torch = Operations
    return _functions_as_one
