"""Descriptions of arrays of PyTorch, NumPy and JAX, and calls of compiled functions with them."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

from fairlead import _compiler
from fairlead.cute._compile import compile as compile_function
from fairlead.cute._options import Check, TargetOption, asked_checks
from fairlead.cute._tuning.search import processor
from fairlead.errors import make_error
from fairlead.plans import New, Plan, View

__all__ = [
    "ALL",
    "FLOATS",
    "Described",
    "Empty",
    "aligned",
    "checked",
    "describe",
    "expect",
    "flag",
    "in_shape",
    "nothing",
    "number",
    "numeric",
    "offset_of",
    "reject_out",
    "run",
]

#: The types of elements that the operations take.
FLOATS = ("float16", "bfloat16", "float32")
#: All that can be moved.
ALL = (
    *("float16", "float32", "float64", "bfloat16"),
    *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
)


@functools.cache
def numeric(name: str) -> type[_compiler.Numeric]:
    """The numeric class of a type's name."""
    return _compiler.dtype_by_name(name)


@functools.cache
def _of_device(framework: str, device: str) -> tuple[tuple[int, int], int, str]:
    """The compute capability of a GPU, its multiprocessors, and its name."""
    if framework == "torch":
        import torch

        properties = torch.cuda.get_device_properties(device)
        return (
            (properties.major, properties.minor),
            properties.multi_processor_count,
            properties.name,
        )
    import jax

    first = jax.devices()[0]
    major, minor = str(first.compute_capability).split(".")
    return (int(major), int(minor)), int(first.core_count), str(first.device_kind)


@functools.cache
def _features(capability: tuple[int, int]) -> frozenset[str]:
    """The features of a GPU's architecture, by the names of ``gpu_architecture``."""
    name = "sm_{}{}".format(*capability)
    rows = [_compiler.gpu_architecture(name + suffix) for suffix in ("", "a")]
    return frozenset(feature for row in rows if row for feature in row["features"])


class Described:
    """An array: its framework, shape, strides in elements, type by name, and where it lies."""

    def __init__(
        self,
        array: Any,
        framework: str,
        shape: tuple[Any, ...],
        strides: tuple[Any, ...],
        dtype: str,
        device: str,
    ) -> None:
        self.array, self.framework, self.shape, self.strides = array, framework, shape, strides
        self.dtype, self.device = dtype, device
        #: The value that a plan passes: the array, or a View of it.
        self.argument = array

    @property
    def numeric(self) -> type[_compiler.Numeric]:
        """The numeric class of the elements."""
        return numeric(self.dtype)

    @property
    def capability(self) -> tuple[int, int]:
        """The compute capability of the GPU that holds it."""
        return _of_device(self.framework, self.device)[0]

    def has(self, feature: str) -> bool:
        """True if it lies on a GPU with a feature of ``gpu_architecture``, such as "wgmma"."""
        return self.device != "cpu" and feature in _features(self.capability)

    @property
    def multiprocessors(self) -> int:
        """The number of multiprocessors of the GPU that holds the array."""
        return _of_device(self.framework, self.device)[1]

    @property
    def device_name(self) -> str:
        """The name of the GPU or processor that holds the array."""
        return processor() if self.device == "cpu" else _of_device(self.framework, self.device)[2]

    @property
    def stream(self) -> int:
        """The framework's stream there, where it is known."""
        if self.framework != "torch" or self.device == "cpu":
            return 0
        import torch

        return int(torch.cuda.current_stream(self.device).cuda_stream)

    def text(self) -> str:
        """For messages."""
        return f"{self.framework} {self.dtype}{list(self.shape)} on {self.device}"

    def is_row_major(self) -> bool:
        """True if elements follow each other in the order of rows, as also no elements do."""
        if 0 in self.shape:
            return True
        expected = 1
        for extent, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if extent != 1 and stride != expected:
                return False
            expected *= extent
        return True

    def row_major(self) -> Described:
        """The array, or a copy of it in the order of rows."""
        if self.is_row_major():
            return self
        if self.framework == "torch":
            return describe(self.array.contiguous(), "")
        import numpy

        return describe(numpy.ascontiguousarray(self.array), "")

    def with_whole_rows(self, contiguous: int) -> Described:
        """A copy, of PyTorch's, whose rows begin at multiples of 16 bytes, or columns where mode 0 is the contiguous
        one."""
        import torch

        rows = self.array if contiguous else self.array.mT
        width = 128 // self.numeric.width
        padded = -(-rows.shape[-1] // width) * width
        copy = torch.empty((*rows.shape[:-1], padded), dtype=rows.dtype, device=rows.device)
        copy = copy[..., : rows.shape[-1]].copy_(rows)
        return describe(copy if contiguous else copy.mT, "")

    def reshaped(self, *shape: int) -> Described:
        """Return a row-major array with another shape."""
        if shape == self.shape:
            return self
        if self.framework == "jax":
            return describe(self.array.reshape(shape), "")
        view = Described(
            self.array, self.framework, shape, _strides(shape), self.dtype, self.device
        )
        view.argument = View(self.array, shape)
        return view

    def empty(self, shape: Sequence[int], dtype: str | None = None) -> Any:
        """A new array of the same framework and device, which each call makes; for JAX its shape and type."""
        name = dtype or self.dtype
        if self.framework == "torch":
            import torch

            return Empty(shape, name, torch.empty, getattr(torch, name), device=self.array.device)
        if self.framework == "jax":
            import jax

            return jax.ShapeDtypeStruct(tuple(shape), name)
        import numpy

        same = dtype is None or dtype == self.dtype
        return Empty(shape, name, numpy.empty, self.array.dtype if same else _numpy_dtype(name))


class Empty(New):
    """A new array: its shape, the name of its type, and the function that makes it."""

    def __init__(
        self,
        shape: Sequence[int],
        name: str,
        make: Callable[..., Any],
        dtype: object,
        **options: object,
    ) -> None:
        super().__init__(make, tuple(shape), dtype=dtype, **options)
        self.shape, self.dtype = tuple(shape), name


def in_shape(array: Any, shape: tuple[int, ...]) -> Any:
    """A row-major array of torch or NumPy, or an Empty, in another shape for a plan."""
    return array if tuple(array.shape) == shape else View(array, shape)


def _numpy_dtype(name: str) -> Any:
    if name == "bfloat16" or name.startswith("float8"):
        import ml_dtypes

        return getattr(ml_dtypes, name)
    return name


def _strides(shape: Sequence[int]) -> tuple[int, ...]:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


@functools.cache
def _torch_name(value: object) -> str:
    """Return the name of a torch dtype or device without ``torch.``."""
    return str(value).removeprefix("torch.")


def describe(array: Any, name: str) -> Described:
    """Describe the argument ``name``. Raise OpsArray (a TypeError) if it is not an array of torch, NumPy or JAX."""
    expected = "a tensor of PyTorch or an array of NumPy or JAX"
    module = type(array).__module__.partition(".")[0]
    if module == "torch":
        if array.is_nested or str(array.layout) != "torch.strided":
            got = "a nested one" if array.is_nested else f"one with layout={array.layout}"
            raise make_error("OpsArray", name=name, expected="a dense tensor of PyTorch", got=got)
        if array.device.type not in ("cpu", "cuda"):
            where = "a tensor of PyTorch on a CPU or an NVIDIA GPU"
            raise make_error("OpsArray", name=name, expected=where, got=f"one on {array.device}")
        return Described(
            array,
            "torch",
            tuple(array.shape),
            tuple(array.stride()),
            _torch_name(array.dtype),
            _torch_name(array.device),
        )
    if module == "numpy":
        if not array.dtype.isnative:
            native = "numbers in the byte order of this machine"
            raise make_error("OpsArray", name=name, expected=native, got=f"dtype {array.dtype.str}")
        strides = tuple(stride // array.itemsize for stride in array.strides)
        return Described(array, "numpy", array.shape, strides, array.dtype.name, "cpu")
    if module in ("jax", "jaxlib") and hasattr(array, "shape") and hasattr(array, "dtype"):
        import jax

        try:
            platform = next(iter(array.devices())).platform
        except Exception:  # an array that is traced
            platform = jax.default_backend()
        device = "cpu" if platform == "cpu" else "cuda"
        shape = tuple(array.shape)
        return Described(array, "jax", shape, _strides(shape), array.dtype.name, device)
    raise make_error("OpsArray", name=name, expected=expected, got=type(array).__name__)


def expect(condition: bool, name: str, expected: str, got: object) -> None:
    """Raise OpsArgument (a ValueError) unless ``condition``. It names the argument, the expectation and ``got``."""
    if not condition:
        shown = got.text() if isinstance(got, Described) else got
        raise make_error("OpsArgument", name=name, expected=expected, got=shown)


def number(value: Any, name: str) -> float:
    """Return the argument ``name`` as a float. Raise OpsArgument (a ValueError) if it is no number."""
    is_text = isinstance(value, (str, bytes))
    try:
        if not is_text:
            return float(value)
    except (TypeError, ValueError, RuntimeError):  # of torch for several numbers
        pass
    got = repr(value) if is_text else type(value).__name__
    raise make_error("OpsArgument", name=name, expected="a number", got=got)


def flag(value: Any, name: str) -> bool:
    """Return the argument ``name`` as a Boolean. Raise OpsArgument (a ValueError) if it is none."""
    is_flag = isinstance(value, (bool, int)) or type(value).__name__ in ("bool", "bool_")
    expect(is_flag, name, "True or False", type(value).__name__)
    return bool(value)


def checked(
    array: object, name: str, like: Described | None = None, dtypes: Sequence[str] = FLOATS
) -> Described:
    """The argument, of one of these types; of the framework and on the device of ``like``."""
    description = describe(array, name)
    expect(description.dtype in dtypes, name, f"elements of {', '.join(dtypes)}", description)
    if like is not None:
        same = description.framework == like.framework and description.device == like.device
        expect(same, name, f"a {like.framework} array on {like.device}", description)
    return description


def offset_of(operand: Described) -> int:
    """The address in elements, as far as it is known: arrays of JAX begin at multiples of 16 bytes."""
    address: int = 0
    if operand.framework == "torch":
        address = operand.array.data_ptr()
    elif operand.framework == "numpy":
        address = operand.array.ctypes.data
    return address // (operand.numeric.width // 8)


def aligned(array: Described, name: str) -> Described:
    """The array, or a copy whose rows begin at multiples of 16 bytes."""
    step = 128 // array.numeric.width
    good = array.strides[-1] == 1 and all(
        stride % step == 0 for stride, extent in zip(array.strides[:-1], array.shape[:-1], strict=True)
        if extent != 1
    )  # fmt: skip
    if good and array.framework == "torch":
        good = array.array.data_ptr() % 16 == 0
    elif good and array.framework == "numpy":
        good = array.array.ctypes.data % 16 == 0
    if good or array.framework == "jax":
        return array
    if array.framework == "torch":
        copied = array.array.contiguous()
        return describe(copied.clone() if copied is array.array else copied, name)
    import numpy

    # NumPy's memory of this size begins at 16 bytes.
    return describe(numpy.array(array.array, order="C"), name)


_lock = threading.Lock()
_compiled: dict[Any, Any] = {}
_calls: dict[Any, Any] = {}


def _once(cache: dict[Any, Any], key: object, make: Callable[[], Any]) -> Any:
    entry = cache.get(key)
    if entry is None:
        with _lock:
            entry = cache.get(key)
            if entry is None:
                entry = cache[key] = make()
    return entry


def _options_for_cpus() -> tuple[Any, ...]:
    """Return the options of compile. The arguments are checked here, so kernels have no guards; other checks that are
    on apply to them, too."""
    return (TargetOption("cpu"),) if asked_checks() else (TargetOption("cpu"), Check("none"))


def run(
    key: tuple[Any, ...], program: Callable[[], Any], fakes: Callable[[], Sequence[Any]],
    inputs: Sequence[Described], out: Any, *spaces: Any, result: object = None,
) -> Any:  # fmt: skip
    """Return the plan that calls the program for inputs, the result and further arrays; for JAX, the call's result.

    Args:
        key: the values that the program depends on, in addition to the device.
        program, fakes: make the function and the example arguments of its compilation.
        out: an array, which is filled, an Empty, or a tuple or list of them; of JAX their shapes and types.
        spaces: in the same forms as ``out``, memory that the program needs.
        result: the plan's return value, if that is not ``out``.

    If the results have no elements, nothing is compiled and nothing runs.
    """
    first = inputs[0]
    filled = out if isinstance(out, (tuple, list)) else [out]
    if all(0 in array.shape for array in filled):
        return nothing(first, out if result is None else result)
    on_cpu = first.device == "cpu"
    key = (*key, on_cpu)

    def compiled() -> Any:
        compile_ = compile_function[_options_for_cpus()] if on_cpu else compile_function
        return compile_(program(), *fakes())

    function = _once(_compiled, key, compiled)
    several = isinstance(out, (tuple, list))
    outs = [*(out if several else (out,)), *spaces]
    if first.framework != "jax":
        return Plan(
            function,
            [*(operand.argument for operand in inputs), *outs],
            out if result is None else result,
        )
    from fairlead import jax as fairlead_jax

    def make_call() -> Any:
        names = parameter_names(function)[-len(outs) :]
        return fairlead_jax.call(function, outputs=dict(zip(names, outs, strict=True)))

    shapes = tuple((tuple(result.shape), str(result.dtype)) for result in outs)
    call = _once(_calls, (*key, shapes), make_call)
    returned = call(*[operand.array for operand in inputs])
    all_of = list(returned) if len(outs) > 1 else [returned]
    return type(out)(all_of[: len(out)]) if several else all_of[0]


def nothing(like: Described, result: Any) -> Any:
    """Return the plan that calls nothing, for a result without elements: an array, an Empty, or several; of JAX the
    arrays themselves."""
    if like.framework != "jax":
        return Plan(_do_nothing, [], result)
    import jax.numpy

    def empty(shaped: Any) -> Any:
        return jax.numpy.zeros(shaped.shape, shaped.dtype)

    is_several = isinstance(result, (list, tuple))
    return type(result)(empty(shape) for shape in result) if is_several else empty(result)


def _do_nothing() -> None:
    """Do nothing: a plan calls this for a result without elements."""


def parameter_names(function: Any) -> list[str]:
    """The names of a compiled function's parameters."""
    return _compiler.argument_names(function.signature)


def reject_out(out: object, like: Described) -> None:
    """Arrays of JAX do not change."""
    if out is not None and like.framework == "jax":
        expected = "None for arrays of JAX, which do not change"
        raise make_error("OpsArray", name="out", expected=expected, got=type(out).__name__)
