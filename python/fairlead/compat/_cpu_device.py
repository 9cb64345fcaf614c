"""Programs that name a GPU's device, on a machine without one: their tensors lie in the CPU's memory, their kernels are
compiled for the CPU, and what they ask about streams, events and devices is answered.

For ``python -m fairlead.compat --device cpu script.py``.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import os
import types
from collections.abc import Iterator
from typing import Any

from fairlead.compat import _cpu_bindings, _cpu_products

__all__ = ["install"]

_CAPABILITY = (
    9,
    0,
)  # What programs see that ask for it: kernels for the CPU know all operations of it.


class Stream:
    """What torch.cuda gives for a stream."""

    cuda_stream = 0
    device_index = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, 0

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def wait_stream(self, _: Any) -> None:
        pass

    def wait_event(self, _: Any) -> None:
        pass

    def query(self) -> bool:
        return True

    def record_event(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record()
        return event


class Event:
    """The moment at which it was recorded."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self._moment = _cpu_bindings.Moment()
        self.cuda_event = _cpu_bindings.event_handle(self._moment)

    def record(self, stream: Any = None) -> None:
        self._moment.record()

    def synchronize(self) -> None:
        pass

    def wait(self, stream: Any = None) -> None:
        pass

    def query(self) -> bool:
        return True

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds."""
        return (end._moment.seconds - self._moment.seconds) * 1e3


class Graph:
    """What torch.cuda.CUDAGraph captures is done while it is captured; the first replay finds it done."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self._done = False

    def capture_begin(self, *_: Any, **__: Any) -> None:
        pass

    def capture_end(self) -> None:
        self._done = True

    def replay(self) -> None:
        if not self._done:
            raise RuntimeError("on the CPU a graph's work is done once, while it is captured")
        self._done = False

    def reset(self) -> None:
        self._done = False


@contextlib.contextmanager
def _capture(graph: Graph, *_: Any, **__: Any) -> Iterator[None]:
    graph.capture_begin()
    yield
    graph.capture_end()


def _on_cpu(value: Any) -> Any:
    import torch

    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type == "cuda" else value
    if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
        return "cpu"
    return value


def _operator_anywhere(custom_op: Any) -> Any:
    """torch.library.custom_op, for whose operators ``device_types="cuda"`` means the CPU."""

    @functools.wraps(custom_op)
    def call(*args: Any, **kwargs: Any) -> Any:
        types = kwargs.get("device_types")
        if isinstance(types, str):
            kwargs["device_types"] = _on_cpu(types)
        elif types is not None:
            kwargs["device_types"] = list(dict.fromkeys(map(_on_cpu, types)))
        return custom_op(*args, **kwargs)

    return call


def _install_torch() -> None:
    try:
        import torch
        from torch.overrides import TorchFunctionMode
    except ImportError:
        return

    class OnCpu(TorchFunctionMode):
        """torch's functions with the CPU where they are given a GPU."""

        def __torch_function__(
            self, function: Any, types: Any, args: tuple = (), kwargs: dict | None = None
        ) -> Any:
            found = _cpu_products.product(function, args, kwargs or {})
            if found is not None:
                return found
            kwargs = {name: _on_cpu(value) for name, value in (kwargs or {}).items()}
            if function is torch.Tensor.cuda:
                return args[0]
            kwargs.pop("pin_memory", None)
            return function(*map(_on_cpu, args), **kwargs)

    OnCpu().__enter__()
    # Programs that check where tensors lie get the answer that they expect; operators for GPUs are given tensors of the
    # CPU.
    torch.Tensor.is_cuda = property(lambda tensor: True)  # type: ignore[assignment,method-assign]
    torch.library.custom_op = _operator_anywhere(torch.library.custom_op)
    cuda = torch.cuda
    properties = types.SimpleNamespace(
        name="CPU",
        major=_CAPABILITY[0],
        minor=_CAPABILITY[1],
        multi_processor_count=os.cpu_count() or 1,
        total_memory=1 << 34,
        L2_cache_size=1 << 22,
        # As GPUs of that capability have them; programs choose grids and tiles by these.
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=1 << 16,
        shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=227 << 10,
        shared_memory_per_multiprocessor=228 << 10,
        warp_size=32,
    )
    answers = {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "init": lambda: None,
        "synchronize": lambda *_, **__: None,
        "empty_cache": lambda: None,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": lambda _: None,
        "get_device_capability": lambda *_: _CAPABILITY,
        "get_device_properties": lambda *_: properties,
        "get_device_name": lambda *_: properties.name,
        "current_stream": lambda *_: Stream(),
        "default_stream": lambda *_: Stream(),
        "stream": lambda stream=None: stream or Stream(),
        # What torch.manual_seed does besides: there is one generator.
        "manual_seed": lambda _: None,
        "manual_seed_all": lambda _: None,
        # ``with torch.cuda.device(tensor.device):``
        "device": lambda *_, **__: contextlib.nullcontext(),
        "device_of": lambda *_, **__: contextlib.nullcontext(),
        "Stream": Stream,
        "Event": Event,
        "CUDAGraph": Graph,
        "graph": _capture,
    }
    for name, answer in answers.items():
        setattr(cuda, name, answer)


#: What torch's memory of the CPU is aligned to, and more than what vectors there need; that of GPUs has 256 and more.
_MOST_ALIGNED = 64


def _aligned_as_memory_is(function: Any) -> Any:
    """The function, for which a greater ``assumed_align`` is that of the CPU's memory."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs)
        align = given.arguments.get("assumed_align")
        if isinstance(align, int) and align > _MOST_ALIGNED and align % _MOST_ALIGNED == 0:
            given.arguments["assumed_align"] = _MOST_ALIGNED
        return function(*given.args, **given.kwargs)

    return call


def _install_alignment() -> None:
    runtime = importlib.import_module("fairlead.cute.runtime")
    for name in ("from_dlpack", "make_fake_compact_tensor", "make_fake_tensor"):
        setattr(runtime, name, _aligned_as_memory_is(getattr(runtime, name)))


def install() -> None:
    """For this process, before programs are run; kernels are compiled for the CPU from then on."""
    os.environ["FAIRLEAD_TARGET"] = "cpu"
    _cpu_bindings.install()
    _install_alignment()
    _install_torch()
