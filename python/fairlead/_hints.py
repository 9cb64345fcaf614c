"""Suggestions in messages: the nearest name, and Fairlead's name for things that CUDA, NumPy, Triton, PyTorch and
Numba call differently.

Read by error messages alone: nothing is imported or compared before something has failed.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from fairlead._argument_types import WrongArgument

P = ParamSpec("P")
R = TypeVar("R")

_PACKAGE = os.path.dirname(__file__)
_MATH = frozenset("exp exp2 log log2 log10 sin cos tan tanh sqrt rsqrt erf floor ceil".split())
_SHARED = "`cute.SmemAllocator().allocate_tensor(cute.Float32, n)`"
_REGISTERS = "`cute.make_rmem_tensor(shape, cute.Float32)`"
_INDEX = "`cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]`"
_BLOCK_SUM = (
    "`cute.arch.warp_reduction_sum(x)` in each warp, then the warps' sums through " + _SHARED
)
_REDUCE = (
    "`t.load().reduce(cute.ReductionOp.ADD, 0.0, 0)` for the elements of one thread, "
    "`cute.arch.warp_reduction_sum(x)` for the threads of a warp"
)

#: Names of CUDA C++ as kernels use them: without leading underscores and without `_sync`.
_CUDA = {
    "threadIdx": "`cute.arch.thread_idx()`, a tuple: `x, y, z = cute.arch.thread_idx()`",
    "blockIdx": "`cute.arch.block_idx()`, a tuple: `x, y, z = cute.arch.block_idx()`",
    "blockDim": "`cute.arch.block_dim()`, a tuple: `x, y, z = cute.arch.block_dim()`",
    "gridDim": "`cute.arch.grid_dim()`, a tuple: `x, y, z = cute.arch.grid_dim()`",
    "warpSize": "`cute.arch.WARP_SIZE`",
    "laneid": "`cute.arch.lane_idx()`",
    "syncthreads": "`cute.arch.sync_threads()`",
    "syncwarp": "`cute.arch.sync_warp()`",
    "shfl": "`cute.arch.shuffle_sync(value, lane)`",
    "shfl_up": "`cute.arch.shuffle_sync_up(value, delta)`",
    "shfl_down": "`cute.arch.shuffle_sync_down(value, delta)`",
    "shfl_xor": "`cute.arch.shuffle_sync_bfly(value, mask)`",
    "any": "`cute.arch.vote_any_sync(condition)`",
    "all": "`cute.arch.vote_all_sync(condition)`",
    "ballot": "`cute.arch.vote_ballot_sync(condition)`",
    "popc": "`cute.arch.popc(x)`",
    "atomicAdd": "`cute.arch.atomic_add(t.iterator + i, value)`",
    "atomicMax": "`cute.arch.atomic_max(t.iterator + i, value)`",
    "atomicMin": "`cute.arch.atomic_min(t.iterator + i, value)`",
    "atomicExch": "`cute.arch.atomic_exch(t.iterator + i, value)`",
    "atomicCAS": "`cute.arch.atomic_cas(t.iterator + i, cmp=expected, val=value)`",
    "shared": _SHARED,
    "shared_array": _SHARED,
    "shared_memory": _SHARED,
    "warp_sum": "`cute.arch.warp_reduction_sum(x)`",
    **dict.fromkeys(("block_reduce", "block_sum", "BlockReduce"), _BLOCK_SUM),
    "unroll": "a loop that runs while tracing, `for i in cute.range_constexpr(n)`, or `cute.range(n, unroll=4)`",
    "threadfence": "`cute.arch.fence_acq_rel_gpu()`",
    "threadfence_block": "`cute.arch.fence_acq_rel_cta()`",
    "threadfence_system": "`cute.arch.fence_acq_rel_sys()`",
    "ldg": "`t[i]`",
    "dim3": "a tuple: `launch(grid=(x, y, z), block=(x, y, z))`",
    "fmaf": "`a * b + c`, which kernels round once",
    "fma": "`a * b + c`, which kernels round once",
    "fmaxf": "`max(a, b)`",
    "fminf": "`min(a, b)`",
    "fabsf": "`abs(x)`",
    "powf": "`a ** b`",
    "half": "`cute.Float16`",
    "float2half": "`x.to(cute.Float16)`",
    "half2float": "`x.to(cute.Float32)`",
}
#: Fairlead's names for functions of array modules: of NumPy, math, PyTorch, JAX and Triton's language alike.
_ARRAYS = {
    "abs": "`abs(x)`",
    "fabs": "`abs(x)`",
    "absolute": "`abs(x)`",
    "maximum": "`max(a, b)`",
    "fmax": "`max(a, b)`",
    "minimum": "`min(a, b)`",
    "fmin": "`min(a, b)`",
    "clip": "`min(max(x, low), high)`",
    "clamp": "`min(max(x, low), high)`",
    "power": "`a ** b`",
    "pow": "`a ** b`",
    "where": "`cute.where(condition, a, b)`",
    "sigmoid": "`1.0 / (1.0 + cute.math.exp(-x))`",
    "sum": _REDUCE,
    "max": "`max(a, b)`; of many " + _REDUCE.replace("ADD, 0.0", "MAX, x").replace("_sum", "_max"),
    "min": "`min(a, b)`; of the elements of one thread `t.load().reduce(cute.ReductionOp.MIN, x, 0)`",
    "mean": _REDUCE + ", divided by how many they are",
    "dot": "`cute.gemm(mma, d, a, b, c)` with the fragments of a tiled MMA",
    "matmul": "`cute.gemm(mma, d, a, b, c)` with the fragments of a tiled MMA",
    "zeros": _REGISTERS + ", then `.fill(0.0)`; values: `cute.full(shape, 0.0, cute.Float32)`",
    "ones": "`cute.full(shape, 1.0, cute.Float32)`",
    "full": "`cute.full(shape, value, cute.Float32)`",
    "empty": _REGISTERS + " for a thread, " + _SHARED + " for a block",
    "array": _REGISTERS + " for a thread, " + _SHARED + " for a block",
    "tensor": _REGISTERS + " for a thread, " + _SHARED + " for a block",
    "zeros_like": "`cute.zeros_like(x)`",
    "ones_like": "`cute.ones_like(x)`",
    "arange": f"the index of the thread, {_INDEX}, or a loop, `for i in range(n)`",
    "float16": "`x.to(cute.Float16)`",
    "float32": "`x.to(cute.Float32)`",
    "float64": "`x.to(cute.Float64)`",
    "bfloat16": "`x.to(cute.BFloat16)`",
    "int8": "`x.to(cute.Int8)`",
    "int32": "`x.to(cute.Int32)`",
    "int64": "`x.to(cute.Int64)`",
    "add": "`a + b`",
    "multiply": "`a * b`",
    "divide": "`a / b`",
    "isnan": "`x != x`",
    "trunc": "`x.to(cute.Int32)`",
    "relu": "`max(x, 0.0)`",
}
#: Names of triton.language, and those of Numba's cuda, which kernels for one program or thread at a time have.
_TRITON = {
    "do_bench": "`cute.testing.benchmark(call)`, in microseconds",
    "program_id": "`cute.arch.block_idx()[axis]`",
    "num_programs": "`cute.arch.grid_dim()[axis]`",
    "load": "`t[i]`, one element, or `t.load()`, all of a small tensor: a kernel here says what one thread does",
    "store": "`t[i] = value`, or `t.store(values)`: a kernel here says what one thread does",
    "constexpr": "`cute.Constexpr`",
    "static_range": "`cute.range_constexpr(n)`",
    "cdiv": "`cute.ceil_div(a, b)`",
    "atomic_add": "`cute.arch.atomic_add(t.iterator + i, value)`",
    "debug_barrier": "`cute.arch.sync_threads()`",
    "device_print": '`cute.printf("{}", x)`',
    "static_assert": "`assert`, of what is known while tracing",
    "jit": "`@cute.kernel`, launched by a function decorated with `@cute.jit`",
    "autotune": "`cute.testing.autotune_jit`",
    "grid": f"{_INDEX}, with the block's own size",
    "gridsize": "`cute.arch.grid_dim()[0] * cute.arch.block_dim()[0]`",
    "local": _REGISTERS,
    "atomic": "`cute.arch.atomic_add(t.iterator + i, value)`",
}
#: Attributes of arrays, tensors and numbers elsewhere.
_ATTRIBUTES = {
    "astype": "`x.to(cute.Float32)`",
    "type": "`x.to(cute.Float32)`",
    "float": "`x.to(cute.Float32)`",
    "half": "`x.to(cute.Float16)`",
    "double": "`x.to(cute.Float64)`",
    "int": "`x.to(cute.Int32)`",
    "long": "`x.to(cute.Int64)`",
    "bool": "`cute.Boolean(x)`",
    "size": "`cute.size(x)`",
    "numel": "`cute.size(t)`",
    "ndim": "`cute.rank(x)`",
    "dim": "`cute.rank(t)`",
    "strides": "`t.stride`",
    "sum": _REDUCE,
    "mean": _ARRAYS["mean"],
    "max": _ARRAYS["max"],
    "min": _ARRAYS["min"],
    "dot": _ARRAYS["dot"],
    "T": "`cute.make_tensor(t.iterator, cute.make_layout((n, m), stride=(1, n)))`, a view with the modes exchanged",
    "reshape": "`cute.make_tensor(t.iterator, cute.make_layout(shape))`, a view of the same memory",
    "flatten": "`cute.make_tensor(t.iterator, cute.make_layout(cute.size(t)))`, a view of the same memory",
    "copy_": "`cute.autovec_copy(src, dst)`",
    "fill_": "`t.fill(x)`",
    "zero_": "`t.fill(0)`",
    "data": "`t.iterator`",
    "data_ptr": "`t.iterator`",
    "ptr": "`t.iterator`",
    "item": "the number itself, or `t[0]`: in a traced function it is known when the program runs",
    "numpy": "the array that was passed: a traced function has no data yet",
    "tolist": "the array that was passed: a traced function has no data yet",
    "cpu": "the array that was passed: a traced function has no data yet",
    "cuda": "the array that was passed: a traced function has no data yet",
    "device": "`target` of the compiled function: a traced function has no data yet",
    "launch": "the launch of a call: `kernel(a, b).launch(grid=..., block=...)`",
    "x": "`x, y, z = ...`",
    "y": "`x, y, z = ...`",
    "z": "`x, y, z = ...`",
}
for _old, _new in (
    ("transpose", "T"),
    ("t", "T"),
    ("permute", "T"),
    ("view", "reshape"),
    ("ravel", "flatten"),
    ("contiguous", "reshape"),
    ("copy", "copy_"),
):
    _ATTRIBUTES.setdefault(_old, _ATTRIBUTES[_new])

#: Modules that are searched for a name missing in another one, in this order.
_PLACES = (
    ("fairlead.cute", "cute"),
    ("fairlead.cute.arch", "cute.arch"),
    ("fairlead.cute.math", "cute.math"),
    ("fairlead.cute.runtime", "cute.runtime"),
    ("fairlead.cute.testing", "cute.testing"),
    ("fairlead.cute.nvgpu", "cute.nvgpu"),
    ("fairlead.cute.nvgpu.warp", "cute.nvgpu.warp"),
    ("fairlead.cute.nvgpu.cpasync", "cute.nvgpu.cpasync"),
    ("fairlead.utils", "fairlead.utils"),
    ("fairlead.pipeline", "fairlead.pipeline"),
    ("fairlead", "fairlead"),
    ("fairlead.ffi", "fairlead.ffi"),
)
#: The probable meaning of an alias of a module that is not imported.
_ALIASES = {
    **dict.fromkeys(("np", "numpy", "math", "torch", "jnp", "cp", "F"), _ARRAYS),
    **dict.fromkeys(("tl", "triton", "cuda", "numba"), _TRITON),
}
_FOREIGN = {
    **dict.fromkeys(("numpy", "math", "torch", "jax", "cupy", "cmath"), _ARRAYS),
    **dict.fromkeys(("triton", "numba"), _TRITON),
}


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The name of ``known`` that was probably meant: the same but for case and underscores, else the most similar."""
    names = [candidate for candidate in candidates if not candidate.startswith("_")]
    for candidate in names:
        if _plain(candidate) == _plain(name):
            return candidate
    import difflib

    matches = difflib.get_close_matches(name, names, 1, 0.7)
    return matches[0] if matches else None


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """``, did you mean `shape`?``, or nothing: the end of a message about ``name``."""
    suggestion = nearest(name, candidates)
    return f", did you mean `{suggestion}`?" if suggestion else ""


def of_keyword(parameters: Mapping[str, object], keywords: Iterable[str]) -> str | None:
    """The parameter that was probably meant by the first keyword that is no parameter; None without such a keyword."""
    unknown = next((keyword for keyword in keywords if keyword not in parameters), None)
    return unknown and nearest(unknown, parameters)


def names_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function: its errors name the wrong keyword or argument.

    A TypeError about an unknown keyword names the nearest known one. An error caused by an argument of a wrong type
    names the parameter, the expected type and the passed one.
    """

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if isinstance(error, TypeError) and kwargs:
                if meant := _keyword_meant(error, function, kwargs):
                    error.args = (f"{error}, did you mean `{meant}`?",)
                    raise
            # A caller in the package has an own decorated function, whose parameters the program knows.
            if sys._getframe(1).f_code.co_filename.startswith(_PACKAGE):
                raise
            if (wrong := _wrong_argument(error, function, args, kwargs)) is None:
                raise
            if hasattr(error, "diagnostic") or wrong.is_expected_in(str(error)):
                error.args = (f"{error.args[0]}{wrong.addition(str(error))}", *error.args[1:])
                raise
            raise TypeError(str(wrong)).with_traceback(error.__traceback__) from None

    return call


def _wrong_argument(
    error: Exception, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> WrongArgument | None:
    """Return the argument that probably caused ``error``, if its message does not name it and code of the package
    raised it."""
    import inspect  # late, as the next one: importing them takes a while

    from fairlead import _argument_types

    traceback = error.__traceback__
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if not file.startswith(_PACKAGE) and not _argument_types.of_python(file):
            return None
        traceback = traceback.tb_next
    try:
        arguments = inspect.signature(function).bind(*args, **kwargs).arguments
    except TypeError:
        return None
    wrong = _argument_types.find(function, arguments)
    return None if wrong is None or wrong.is_named_in(str(error)) else wrong


def _keyword_meant(error: TypeError, function: Any, keywords: Iterable[str]) -> str | None:
    """The parameter that was probably meant, if ``function`` has not begun when ``error`` was raised."""
    import inspect  # late: importing it takes a while

    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:  # an object that is called
        return None
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code is code:
            return None
        traceback = traceback.tb_next
    return of_keyword(inspect.signature(function).parameters, keywords)


def name_keywords(names: Iterable[str], namespace: dict[str, Any]) -> None:
    """Decorate the functions of a module by `names_keywords`, and the methods of its classes.

    Modules call it at their end if programs use them outside of traced functions, where no other advice is given.
    """
    for name in names:
        value = namespace.get(name)  # None of a name that the module looks up elsewhere
        if isinstance(value, FunctionType):
            namespace[name] = names_keywords(value)
        elif isinstance(value, type) and value.__module__ == namespace["__name__"]:
            for attribute, method in list(vars(value).items()):
                is_public = not attribute.startswith("_") or attribute == "__init__"
                if is_public and isinstance(method, FunctionType):
                    setattr(value, attribute, names_keywords(method))
                elif is_public and isinstance(method, (classmethod, staticmethod)):
                    setattr(value, attribute, type(method)(names_keywords(method.__func__)))


def _of_cuda(name: str) -> str | None:
    bare = name.strip("_").removesuffix("_sync")
    if counterpart := _CUDA.get(bare):
        return counterpart
    single = bare.removesuffix("f")
    return f"`cute.math.{single}(x)`" if single != bare and single in _MATH else None


def of_function(table: dict[str, str], name: str) -> str | None:
    """Fairlead's name for a function of another package."""
    if name in _MATH:
        return f"`cute.math.{name}(x)`"
    return table.get(name) or _ARRAYS.get(name) or _TRITON.get(name) or _of_cuda(name)


def of_module(module: str, name: str) -> str | None:
    """Fairlead's name for ``name`` of an imported module, such as ``numpy.exp``; None for unknown modules."""
    table = _FOREIGN.get(module.partition(".")[0])
    return None if table is None else of_function(table, name)


def of_name(name: str, attribute: str | None, candidates: Iterable[str]) -> str | None:
    """Advice for a name that is not defined, with the attribute that is taken of it (``threadIdx``, "x")."""
    if counterpart := _of_cuda(name):
        return f"here it is {counterpart}"
    if name in _ALIASES:
        counterpart = of_function(_ALIASES[name], attribute or "")
        if attribute == "syncthreads" or attribute in _CUDA:
            counterpart = _CUDA[attribute]
        return f"here `{name}.{attribute}` is {counterpart}" if counterpart else None
    if place := place_of(name):
        return f"here it is `{place}`"
    similar = nearest(name, candidates)
    return f"did you mean `{similar}`?" if similar else None


def place_of(name: str, but: str = "") -> str | None:
    """The full name of a public name of Fairlead, such as ``cute.arch.thread_idx``; ``but`` is excluded."""
    for module, shown in _PLACES:
        if module == but:
            continue
        try:
            names = importlib.import_module(module).__all__
        except (ImportError, AttributeError):
            continue
        if name in names:
            return f"{shown}.{name}"
    return None


def _any_place(name: str, but: str) -> str | None:
    """Return where ``name`` is, ignoring case and underscores."""
    for module, shown in _PLACES:
        loaded = sys.modules.get(module)
        for public_name in () if loaded is None or module == but else loaded.__all__:
            if _plain(public_name) == _plain(name):
                return f"{shown}.{public_name}"
    return None


def of_attribute(owner: object, name: str) -> str | None:
    """Advice for an attribute that ``owner``, a module or a value, does not have."""
    if isinstance(owner, ModuleType):
        if name.lower().startswith("copybulktensorim2col"):
            return "im2col copies are not supported; copies of boxes are `CopyBulkTensorTileG2SOp` and its like"
        neighbour = nearest(name, getattr(owner, "__all__", dir(owner)))
        if neighbour and _plain(neighbour) == _plain(name):
            return f"did you mean `{neighbour}`?"
        if place := place_of(name, owner.__name__):
            return f"it is `{place}`"
        if place := _any_place(name, owner.__name__):
            return f"it is `{place}`"
        if counterpart := of_function(_TRITON, name):
            return f"here it is {counterpart}"
        return f"did you mean `{neighbour}`?" if neighbour else None
    names = dir(owner)
    neighbour = nearest(name, names)
    if neighbour and _plain(neighbour) == _plain(name):
        return f"did you mean `{neighbour}`?"
    if name == "view" and "bitcast" in names:  # a number, whose bits are meant
        return "here it is `x.bitcast(cute.Int32)`"
    if counterpart := _ATTRIBUTES.get(name):
        return f"here it is {counterpart}"
    if name in _MATH:
        return f"here it is `cute.math.{name}(x)`"
    return f"did you mean `{neighbour}`?" if neighbour else None


class _NoAttribute(AttributeError):
    """An AttributeError that looks for advice when it is shown: programs also ask for names to see whether they are
    there."""

    #: Name of the module that has no such attribute.
    module: str

    def __str__(self) -> str:
        text = super().__str__()
        if self.name is None or self.name.startswith("_"):
            return text
        advice = of_attribute(sys.modules[self.module], self.name)
        return f"{text}: {advice}" if advice else text


# Shown like Python's own error, which it replaces.
_NoAttribute.__name__ = _NoAttribute.__qualname__ = "AttributeError"
_NoAttribute.__module__ = "builtins"


def no_attribute(module: str, name: str) -> AttributeError:
    """The error of a module that has no attribute ``name``, to be raised."""
    # Without `obj`: Python would add a guess of its own behind ours.
    error = _NoAttribute(f"module {module!r} has no attribute {name!r}", name=name)
    error.module = module
    return error


def missing(module: str) -> Callable[[str], Any]:
    """A module's ``__getattr__``: AttributeError with advice."""

    def __getattr__(name: str) -> Any:
        raise no_attribute(module, name)

    return __getattr__
