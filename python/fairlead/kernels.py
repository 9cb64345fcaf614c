"""``fairlead.kernel``: a kernel in CUDA C++, PTX or machine code and a signature make a checked function."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from types import FunctionType
from typing import Any

from fairlead import _compiler
from fairlead._hints import name_keywords
from fairlead.cute._cache_packages import add_installed_caches
from fairlead.cute._compile import CompiledFunction
from fairlead.cute._compile_events import CompileEvent, CompileKey, note_compile, require_thawed
from fairlead.errors import make_error, require
from fairlead.ffi import make_function
from fairlead.ffi._writes import note_writes

__all__ = ["KernelFunction", "Launch", "kernel"]

_EXTENTS = ("grid", "block", "cluster")
_FLAGS = ("cooperative", "programmatic")
_PARTS = (*_EXTENTS, "shared", *_FLAGS, "args")


class KernelFunction(CompiledFunction):
    """The result of :func:`kernel`: called with tensors of any DLPack framework, numbers, and streams.

    It can be saved (``export_to_c``, ``export_library``) and loaded again with ``fairlead.ffi.load_module``.
    """

    def load(self, device: int | None = None) -> KernelFunction:
        """Load the device code on one GPU, by default on each, so that no later call has to.

        If the machine has GPUs, the first has been loaded already. Call this before calls on the others
        are captured into a graph. Returns the function itself.
        """
        self.artifact.load(-1 if device is None else device)
        return self

    def __repr__(self) -> str:
        return f"<KernelFunction {self.signature} for {self.target}>"


def _expression(value: object, what: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise make_error(
        "KernelOption",
        option=what,
        expected="integers and expressions such as 'ceil_div(n, 256)'",
        got=repr(value),
    )


class Launch:
    """How a kernel is launched.

    Every number may be an expression over the signature, as text: ``"ceil_div(n, 256)"``, ``"x.shape[0]"``,
    ``"4 * k"``; with ``+ - * // %``, ``ceil_div``, ``min`` and ``max``.

    Args:
        grid, block: one to three extents, in blocks and in threads.
        cluster: one to three extents, in blocks; none by default.
        shared: bytes of dynamic shared memory of each block.
        cooperative: all blocks run at once, and may wait for each other.
        programmatic: the launch may overlap the end of the kernel before it in the stream.
        args: the kernel's own parameters, in its order, if they are not the signature's tensors and scalars in
            theirs: ``("y", "x", "int32(n)", "x.stride[0]")``. Tensors become pointers, scalars are passed as
            they are, and other integers as int64 unless cast with ``int32`` or ``uint32``.
    """

    def __init__(
        self,
        grid: object = 1,
        block: object = 1,
        *,
        cluster: object = (),
        shared: object = 0,
        cooperative: bool = False,
        programmatic: bool = False,
        args: Iterable[Any] | None = None,
    ) -> None:
        self.grid, self.block, self.cluster, self.shared = grid, block, cluster, shared
        self.cooperative, self.programmatic = cooperative, programmatic
        self.args = None if args is None else tuple(args)

    def __repr__(self) -> str:
        return f"Launch({', '.join(f'{part}={getattr(self, part)!r}' for part in _PARTS)})"

    def _compiled(self) -> _compiler.KernelLaunch:
        launch = _compiler.KernelLaunch()
        for part in _EXTENTS:
            value = getattr(self, part)
            extents = value if isinstance(value, (tuple, list)) else (value,)
            setattr(launch, part, [_expression(extent, part) for extent in extents])
        launch.shared = _expression(self.shared, "shared")
        for part in _FLAGS:
            setattr(launch, part, bool(getattr(self, part)))
        if self.args is not None:
            launch.args = [_expression(value, "args") for value in self.args]
        return launch


def _launch(launch: object, parts: dict[str, Any]) -> _compiler.KernelLaunch:
    unknown = [part for part in parts if part not in _PARTS]
    if isinstance(launch, Mapping):
        unknown += [part for part in launch if part not in _PARTS]
    if unknown:
        raise make_error(
            "KernelOption",
            option="the launch",
            expected=", ".join(_PARTS),
            got=", ".join(map(str, unknown)),
        )
    if launch is None:
        return Launch(**parts)._compiled()
    if parts and not (isinstance(launch, str) and set(parts) == {"args"}):
        raise make_error(
            "KernelOption",
            option="the launch",
            expected="either `launch` or its parts as keywords",
            got=f"`launch` and {', '.join(parts)}",
        )
    if isinstance(launch, str):
        compiled = _compiler.KernelLaunch.parse(launch)
        if parts.get("args") is not None:
            compiled.args = [_expression(value, "args") for value in parts["args"]]
        return compiled
    if isinstance(launch, Mapping):
        launch = Launch(**launch)
    if isinstance(launch, Launch):
        return launch._compiled()
    raise make_error(
        "KernelOption",
        option="the launch",
        expected="text, a mapping or fairlead.Launch",
        got=type(launch).__name__,
    )


def _bytes(source: object) -> bytes:
    if isinstance(source, str):
        return source.encode()
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source)
    if isinstance(source, os.PathLike):
        with open(source, "rb") as file:
            return file.read()
    raise make_error(
        "KernelOption",
        option="the source",
        expected="text, bytes, a path object, or a list of them",
        got=type(source).__name__,
    )


def _texts(value: object, option: str) -> list[str]:
    values = [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)
    texts: list[Any] = [
        str(item) if isinstance(item, _compiler.Target) else item for item in values
    ]
    for text in texts:
        if not isinstance(text, str):
            raise make_error(
                "KernelOption", option=option, expected="text or a list of texts", got=repr(text)
            )
    return texts


def kernel(
    source: object,
    name: str | None = None,
    signature: str | _compiler.Signature | None = None,
    launch: object = None,
    *,
    arch: object = (),
    options: Iterable[str] = (),
    doc: str = "",
    cache: bool = True,
    **parts: object,
) -> KernelFunction:
    """Make a function of a kernel.

    Tensors whose parameter of the kernel points to ``const`` are read; all others count as written, and calls refuse
    read-only and JAX arrays for them. PTX and machine code of ``extern "C"`` kernels do not say ``const``.

    The function checks its arguments against the signature, as a compiled function of the language does, and
    launches the kernel on the device of its tensors and the framework's current stream (or a ``Stream``
    parameter of the signature). Nothing is compiled at a call::

        add_one = fairlead.kernel(
            '''extern "C" __global__ void add_one(const float* x, float* y, int n) {
                   int i = blockIdx.x * blockDim.x + threadIdx.x;
                   if (i < n) y[i] = x[i] + 1;
               }''',
            "add_one",
            "add_one(x: Tensor([n], float32), y: Tensor([n], float32))",
            grid="ceil_div(n, 256)", block=256, args=("x", "y", "int32(n)"),
        )
        add_one(x, y)

    Args:
        source: CUDA C++ text (compiled by NVRTC), PTX text, the bytes of a CUBIN or fatbin, or a path object of
            a file with either; or a list of images for several architectures.
        name: the kernel's symbol, or its name in C++, such as ``"scale<float>"``. ``{T}`` in it stands for a
            dtype variable of the signature: for its C++ type between angle brackets, else for its name.
        signature: text, or a signature object.
        launch: text such as ``"grid=(ceil_div(n, 256),), block=256"``, a mapping, or a :class:`Launch`; or
            leave it away and give its parts as keywords.
        arch: for CUDA C++, what to compile for: ``"sm_90a"``, ``"compute_90"``, or a list; by default this
            machine's GPU.
        options: for CUDA C++, further options of NVRTC.
        doc: shown behind the signature.
        cache: keep what NVRTC and code generation make on disk.

    Raises DSLError for texts that do not parse, a source that does not compile, a kernel that the image does
    not have or whose parameters it states differently.
    """
    if isinstance(source, FunctionType):
        raise make_error(
            "KernelOption",
            option="the source",
            expected="CUDA C++ or PTX as text, or machine code as bytes",
            got=f"the Python function `{source.__name__}`",
        )
    require(kernel, doc=doc)
    sources = source if isinstance(source, (list, tuple)) else (source,)
    source_name = "kernel.cu"
    if len(sources) == 1 and isinstance(sources[0], os.PathLike):
        source_name = os.fspath(sources[0])
    if not isinstance(name, str):
        raise make_error(
            "KernelOption", option="the name", expected="text", got=type(name).__name__
        )
    if signature is None:
        raise make_error(
            "KernelOption",
            option="the signature",
            expected="text or a signature object",
            got="nothing",
        )
    if isinstance(signature, str):
        signature = _compiler.parse_signature(signature)
    start = time.perf_counter()
    key = CompileKey(
        function=f"fairlead.kernel:{name}",
        signature=signature.text,
        targets=",".join(_texts(arch, "arch")),
        options=" ".join(_texts(options, "options")),
    )
    require_thawed(name, key)
    add_installed_caches()
    artifact = _compiler.kernel(
        [_bytes(item) for item in sources],
        name,
        signature,
        _launch(launch, parts),
        _texts(arch, "arch"),
        _texts(options, "options"),
        source_name,
        doc,
        cache,
    )
    code = artifact.code()
    function = make_function(
        code.address,
        name=signature.name,
        signature=signature.short_text,
        views=True,
        cls=KernelFunction,
        arg_names=tuple(_compiler.argument_names(signature)),
        keep_alive=code,
    )
    written = artifact.signature
    note_writes(function, written.written_arguments, written.num_arguments)
    function.artifact, function.phases = artifact, dict(artifact.phases)
    seconds = time.perf_counter() - start
    note_compile(CompileEvent(name, key, artifact.cached, seconds, function.phases, function))
    return function


name_keywords(__all__, globals())


def __dir__() -> list[str]:
    """The names that completion offers."""
    return sorted(__all__)
