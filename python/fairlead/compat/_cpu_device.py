"""Programs that name a GPU's device, on a machine without one: their tensors are in the CPU's memory, their kernels are
compiled for the CPU, and their queries about streams, events and devices have answers.

For ``python -m fairlead.compat --device cpu script.py``.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import os
import re
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from fairlead.compat import _cpu_bindings, _cpu_graphs, _cpu_products
from fairlead.cute._types import Elements

if TYPE_CHECKING:
    import torch

__all__ = ["install"]


def _capability() -> tuple[int, int]:
    """Return what programs see that ask for the device's capability: that of CUTE_DSL_ARCH, such as sm_100a, or 9.0,
    whose operations kernels for the CPU know."""
    digits = re.fullmatch(r"sm_(\d+)(\d)[af]?", os.environ.get("CUTE_DSL_ARCH", ""))
    return (int(digits[1]), int(digits[2])) if digits else (9, 0)


#: Bytes that divide the addresses of memory that torch allocates on a GPU.
_GPU_ALIGNMENT = 512
#: The version of CUDA that programs see.
_CUDA_VERSION = "13.0"


class Stream:
    """The stream of torch.cuda."""

    cuda_stream = 0
    device_index = 0

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, 0

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def wait_stream(self, _: object) -> None:
        pass

    def wait_event(self, _: object) -> None:
        pass

    def query(self) -> bool:
        return True

    def record_event(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record()
        return event


class Device:
    """The result of torch.cuda.device and device_of: there is one device."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


class Event:
    """The moment at which it was recorded."""

    def __init__(self, *_: object, **__: object) -> None:
        self._moment = _cpu_bindings.Moment()
        self.cuda_event = _cpu_bindings.event_handle(self._moment)

    def record(self, stream: object = None) -> None:
        self._moment.record()

    def synchronize(self) -> None:
        pass

    def wait(self, stream: object = None) -> None:
        pass

    def query(self) -> bool:
        return True

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds."""
        return (end._moment.seconds - self._moment.seconds) * 1e3


class Graph:
    """torch.cuda.CUDAGraph."""

    def __init__(self, *_: object, **__: object) -> None:
        self._recording: _cpu_graphs.Recording | None = None

    def capture_begin(self, *_: object, **__: object) -> None:
        if self._recording is not None:
            raise RuntimeError("the graph has been captured: reset() it to capture it again")
        self._recording = _cpu_graphs.Recording()
        self._recording.begin()

    def capture_end(self) -> None:
        self._captured("capture_end").end()

    def instantiate(self) -> None:
        self._captured("instantiate")

    def replay(self) -> None:
        self._captured("replay").replay()

    def reset(self) -> None:
        self._recording = None

    def pool(self) -> tuple[int, int]:
        return _MEMORY_POOL

    def enable_debug_mode(self) -> None:
        pass

    def _captured(self, method: str) -> _cpu_graphs.Recording:
        if self._recording is None:
            raise RuntimeError(f"{method}() of a graph that has not been captured")
        return self._recording


#: The pool of memory of all graphs.
_MEMORY_POOL = (0, 0)


@contextlib.contextmanager
def _capture(graph: Graph, *_: object, **__: object) -> Iterator[None]:
    graph.capture_begin()
    try:
        yield
    finally:
        graph.capture_end()


def _on_cpu(value: Elements) -> Any:
    import torch

    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type == "cuda" else value
    if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
        return "cpu"
    return value


def _under(mode: AbstractContextManager[Any], function: Callable[..., Any]) -> Any:
    """The function, which runs code of programs: torch calls it while the mode handles what called it, and is off."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        with mode:
            return function(*args, **kwargs)

    return call


def _registered_anywhere(impl: Callable[..., Any], mode: AbstractContextManager[Any]) -> Any:
    """Return torch.library.Library.impl, changed so that functions registered for GPUs run on the CPU."""
    of_gpus = set()

    @functools.wraps(impl)
    def call(
        library: Any, name: object, function: Callable[..., Any], key: str = "", **options: Any
    ) -> Any:
        key = key or options.pop("dispatch_key", "") or library.dispatch_key
        place = (library.ns, str(name), key.replace("CUDA", "CPU"))
        if "CUDA" in key:
            of_gpus.add(place)
        elif place in of_gpus:
            return None
        if ("CUDA" in key or "CompositeExplicitAutograd" in key) and callable(function):
            function = _under(mode, function)
        return impl(library, name, function, place[-1], **options)

    return call


def _device_of(original: Any) -> property:
    """Tensor.device for programs: a GPU's where it is the CPU. torch's own functions see where tensors are."""
    import torch

    def device(tensor: torch.Tensor) -> torch.device:
        real = original.__get__(tensor)
        caller = sys._getframe(1).f_globals.get("__name__", "")
        is_of_torch = caller == "torch" or caller.startswith("torch.")
        return real if is_of_torch or real.type != "cpu" else torch.device("cuda", 0)

    return property(device)


def _generators(original: Any) -> Any:
    """torch.Generator, which makes those of a GPU on the CPU."""

    class Generator(original):  # type: ignore[misc]
        def __new__(cls, device: Any = "cpu") -> Any:
            return original.__new__(cls, _on_cpu(device))

    return Generator


def _profiling_the_cpu(original: type) -> Any:
    """torch.profiler.profile, which records the CPU's activities in place of a GPU's."""

    class Profile(original):  # type: ignore[misc]
        def __init__(self, *, activities: object = None, **options: object) -> None:
            import torch

            super().__init__(activities=[torch.profiler.ProfilerActivity.CPU], **options)

    return Profile


def _install_properties() -> None:
    capability = _capability()
    _cpu_bindings.device_properties.__dict__.update(
        name="CPU",
        major=capability[0],
        minor=capability[1],
        multi_processor_count=os.cpu_count() or 1,
        total_memory=1 << 34,
        uuid=uuid.UUID(int=0),
        pci_domain_id=0,
        pci_bus_id=0,
        pci_device_id=0,
        is_integrated=False,
        is_multi_gpu_board=False,
        L2_cache_size=1 << 22,
        # The values of GPUs of that capability; programs choose grids and tiles by them.
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=1 << 16,
        shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=227 << 10,
        shared_memory_per_multiprocessor=228 << 10,
        warp_size=32,
    )


def _aligned(tensor: torch.Tensor) -> Any:
    """Return a new tensor as one whose memory begins at a multiple of 512 bytes, as memory of GPUs does."""
    import numpy as np
    import torch

    if type(tensor) is not torch.Tensor:  # fake tensors of torch's tracers have no memory
        return tensor
    size = tensor.untyped_storage().nbytes()
    if tensor.data_ptr() % _GPU_ALIGNMENT == 0 or not size or not tensor.is_contiguous():
        return tensor
    memory = np.empty(size + _GPU_ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _GPU_ALIGNMENT
    part = torch.from_numpy(memory[start : start + size])
    aligned = part.view(tensor.dtype).view(tensor.shape)
    return aligned.requires_grad_() if tensor.requires_grad else aligned


def _install_torch() -> None:
    try:
        import torch
        from torch.overrides import TorchFunctionMode
    except ImportError:
        return

    product_of = _cpu_graphs.install_torch()(_cpu_products.product)

    class OnCpu(TorchFunctionMode):  # type: ignore[misc]
        """torch's functions with the CPU where they are given a GPU."""

        def __torch_function__(
            self,
            function: Callable[..., Any],
            types: object,
            args: tuple[Any, ...] = (),
            kwargs: dict[str, Any] | None = None,
        ) -> Any:
            if function is torch.device:  # a name: what is done with it is what counts
                return function(*args, **(kwargs or {}))
            product = product_of(function, args, kwargs or {})
            if product is not None:
                return product
            kwargs = {name: _on_cpu(value) for name, value in (kwargs or {}).items()}
            if function is torch.Tensor.cuda:
                return args[0]
            kwargs.pop("pin_memory", None)
            result = function(*map(_on_cpu, args), **kwargs)
            is_new = function is torch.empty and "out" not in kwargs
            return _aligned(result) if is_new and not torch.compiler.is_compiling() else result

    mode = OnCpu()
    mode.__enter__()
    # Programs that check where tensors lie get the answer that they expect; operators for GPUs are given tensors of the
    # CPU.
    tensor_class: Any = torch.Tensor
    tensor_class.device = _device_of(tensor_class.device)
    tensor_class.is_cuda = property(lambda tensor: True)
    tensor_class.get_device = lambda tensor: 0
    tensor_class.record_stream = lambda tensor, stream: None
    torch.Generator = _generators(torch.Generator)
    # torch.set_default_device, and a device as a context, name it after the mode has been asked.
    context = importlib.import_module("torch.utils._device").DeviceContext
    original_init = context.__init__
    context.__init__ = lambda self, device: original_init(self, _on_cpu(device))
    torch.version.cuda = torch.version.cuda or _CUDA_VERSION
    torch.library.Library.impl = _registered_anywhere(torch.library.Library.impl, mode)
    # The engine that computes derivatives, also of programs' own functions.
    autograd: Any = torch.autograd
    autograd._engine_run_backward = _under(mode, autograd._engine_run_backward)
    cuda = torch.cuda
    capability = _capability()
    properties = _cpu_bindings.device_properties
    answers = {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "init": lambda: None,
        "synchronize": lambda *_, **__: None,
        "empty_cache": lambda: None,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": lambda *_, **__: None,
        "get_device_capability": lambda *_, **__: capability,
        "get_device_properties": lambda *_, **__: properties,
        "get_device_name": lambda *_, **__: properties.name,
        "current_blas_handle": lambda: 0,
        "current_stream": lambda *_, **__: Stream(),
        "default_stream": lambda *_, **__: Stream(),
        "stream": lambda stream=None: stream or Stream(),
        # torch.manual_seed also calls these: there is one generator.
        "manual_seed": lambda _: None,
        "manual_seed_all": lambda _: None,
        "is_current_stream_capturing": lambda: _cpu_graphs.Recording.current() is not None,
        "is_bf16_supported": lambda *_, **__: True,
        "get_arch_list": lambda: ["sm_{}{}".format(*capability)],
        "get_rng_state": lambda *_, **__: torch.get_rng_state(),
        "set_rng_state": lambda state, *_, **__: torch.set_rng_state(state),
        # A GPU's allocator has no memory.
        **dict.fromkeys(
            ["memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved"],
            lambda *_, **__: 0,
        ),
        "mem_get_info": lambda *_, **__: (properties.total_memory, properties.total_memory),
        **dict.fromkeys(
            ["reset_peak_memory_stats", "ipc_collect", "set_stream"], lambda *_, **__: None
        ),
        "device": Device,
        "device_of": Device,
        "Stream": Stream,
        "ExternalStream": Stream,
        "Event": Event,
        "CUDAGraph": Graph,
        "graph": _capture,
        "graph_pool_handle": lambda: _MEMORY_POOL,
    }
    for name, answer in answers.items():
        setattr(cuda, name, answer)
    # make_graphed_callables finds it in its module.
    cuda.graphs.graph_pool_handle = cuda.graph_pool_handle
    profiler: Any = importlib.import_module("torch.profiler")
    profiler.profile = _profiling_the_cpu(profiler.profile)
    for name in ("mark", "range_push", "range_pop"):
        setattr(cuda.nvtx, name, lambda *_, **__: None)
    cuda.nvtx.range = lambda *_, **__: contextlib.nullcontext()


#: Alignment of torch's memory of the CPU in bytes, enough for its vectors; memory of GPUs has 256 and more.
_MOST_ALIGNED = 64


def _aligned_as_memory_is(function: Callable[..., Any]) -> Any:
    """Return the function with ``assumed_align`` limited to the alignment of the CPU's memory."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> Any:
        bound = signature.bind(*args, **kwargs)
        align = bound.arguments.get("assumed_align")
        if isinstance(align, int) and align > _MOST_ALIGNED and align % _MOST_ALIGNED == 0:
            bound.arguments["assumed_align"] = _MOST_ALIGNED
        return function(*bound.args, **bound.kwargs)

    return call


def _install_alignment() -> None:
    runtime = importlib.import_module("fairlead.cute.runtime")
    for name in ("from_dlpack", "make_fake_compact_tensor", "make_fake_tensor"):
        setattr(runtime, name, _aligned_as_memory_is(getattr(runtime, name)))


def _install_memory() -> None:
    """Tensors lie where those of a GPU do."""
    memory: Any = importlib.import_module("fairlead.cute._dlpack")
    memory.cpu_memspace = memory.AddressSpace.gmem


def _install_options() -> None:
    """The architecture that a program names is that of the GPU which it believes in; its kernels are for the CPU."""
    options = importlib.import_module("fairlead.cute._options")
    set_option = options.Options.set

    def set_all_but_architecture(self: Any, option: object) -> None:
        target = self.target
        set_option(self, option)
        if isinstance(option, options.GPUArch):
            self.target = target

    options.Options.set = set_all_but_architecture


def install() -> None:
    """For this process, before programs are run; kernels are compiled for the CPU from then on."""
    os.environ["FAIRLEAD_TARGET"] = "cpu"
    _cpu_bindings.install()
    _cpu_graphs.install_calls()
    _install_alignment()
    _install_memory()
    _install_options()
    _install_properties()
    _install_torch()
