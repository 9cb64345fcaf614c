"""Calls of compiled functions: what one gives and takes, and the jax.ffi call that it becomes."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from fairlead import _compiler
from fairlead._frameworks.interface import Interface, Scalar, Tensor, Values
from fairlead._hints import name_keywords
from fairlead.cute._guards import static_key
from fairlead.errors import make_error
from fairlead.jax._arrays import jax_dtype, layout_of, permutation
from fairlead.jax._native import EAGER_TARGET, TARGET, add_program
from fairlead.jax._object import object_of
from fairlead.jax._varying import axes_of, vary

__all__ = ["Call", "FunctionCall", "Options", "backend_target", "is_struct"]


class Options:
    """How a call is made, as ``call`` takes it."""

    def __init__(
        self,
        aliases: Iterable[str] = (),
        vmap: str = "auto",
        layouts: Mapping[str, Sequence[int]] | None = None,
        cuda_graph: bool = True,
        embed: bool = False,
        has_side_effect: bool = False,
    ) -> None:
        self.aliases = (aliases,) if isinstance(aliases, str) else tuple(aliases)
        if vmap == "auto":
            # A result that aliases its input is of its size.
            vmap = "broadcast_all" if self.aliases else "expand_dims"
        self.vmap, self.layouts = vmap, dict(layouts or {})
        self.cuda_graph, self.embed, self.has_side_effect = cuda_graph, embed, has_side_effect


class Call:
    """The result of ``fairlead.jax.call``."""

    def __init__(self, name: str, vjp: Callable[..., Any] | None) -> None:
        self.__name__, self._vjp = name, vjp
        self._runners: dict[Any, Callable[..., tuple[Any, ...]]] = {}

    def run(
        self,
        arrays: tuple[Any, ...],
        names: tuple[str, ...] = (),
        scalars: Mapping[str, Any] | None = None,
    ) -> tuple[Any, ...]:
        """Call with arrays, the last of them by name, and numbers; without a derivative."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        """The state without parts made in the process: copies, and calls that other processes load, make their own."""
        attributes: dict[str, Any] = {"_runners": {}, "_calls": {}, "_program": None}
        return {name: attributes.get(name, value) for name, value in self.__dict__.items()}

    def __call__(self, *arrays: object, **keywords: object) -> Any:
        named = {key: value for key, value in keywords.items() if _is_array(value)}
        scalars = {key: value for key, value in keywords.items() if key not in named}
        for index, value in enumerate(arrays):
            if (got := _misfit(value)) is not None:
                raise make_error(
                    "JaxArguments",
                    signature=self.__name__,
                    expected=f"an array of JAX or NumPy as argument #{index}",
                    got=got,
                )
        if named:
            arrays, named = self._in_order(arrays, named)
        values = (*arrays, *named.values())
        if axes := axes_of(values):
            values = vary(
                values, axes
            )  # out here, for the derivatives of those that are the same everywhere
        results = self._runner(values, tuple(named), scalars)(*values)
        return results[0] if len(results) == 1 else results

    def _in_order(
        self, arrays: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arrays of a call in the order of the parameters, the order of derivatives."""
        raise NotImplementedError

    def _runner(
        self, values: tuple[Any, ...], names: tuple[str, ...], scalars: dict[str, Any]
    ) -> Callable[..., tuple[Any, ...]]:
        """The function for calls with these arrays: outside of transformations a jitted one, which costs a fraction of
        the work of jax.ffi for each call."""
        run = self._differentiable(lambda *arrays: self.run(arrays, names, scalars))
        if any(isinstance(value, Tracer) or not _is_on_one_device(value) for value in values):
            return run
        try:
            hash(tuple(scalars.values()))
        except TypeError:  # it may change, or run says what is wrong with it
            return run
        key = (names, *((name, static_key(value, [])) for name, value in scalars.items()))
        if key not in self._runners:
            self._runners[key] = jax.jit(run)
        return self._runners[key]

    def _differentiable(
        self, run: Callable[..., tuple[Any, ...]]
    ) -> Callable[..., tuple[Any, ...]]:
        def forward(*values: object) -> tuple[Any, ...]:
            if self._vjp is None:
                raise make_error("JaxDerivative", function=self.__name__)
            results = differentiable(*values)  # whose derivative may be taken, too
            return results, (values, results)

        def backward(saved: tuple[Any, ...], cotangents: tuple[Any, ...]) -> tuple[Any, ...]:
            assert self._vjp is not None
            inputs, results = saved
            gradients = self._vjp(inputs, results, cotangents)
            gradients = tuple(gradients) if isinstance(gradients, (tuple, list)) else (gradients,)
            if len(gradients) != len(inputs):
                raise make_error(
                    "FrameworkBackward",
                    function=self.__name__,
                    expected=len(inputs),
                    got=len(gradients),
                )
            return gradients

        differentiable: Any = jax.custom_vjp(run)
        differentiable.defvjp(forward, backward)
        wrapped: Callable[..., tuple[Any, ...]] = differentiable
        return wrapped


def _is_array(value: object) -> bool:
    """Tracers of numbers count: what cannot be a number is refused by the parameter that gets it."""
    return isinstance(value, jax.Array) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _misfit(value: object) -> str | None:
    """The kind of an argument that JAX makes no array of; None for arrays and numbers."""
    if isinstance(value, np.ndarray):
        if not value.dtype.isnative:
            return f"one of dtype {value.dtype}, in the byte order of other machines"
        return f"one of dtype {value.dtype}" if value.dtype.kind in "OSUMm" else None
    if isinstance(value, (jax.Array, np.generic, bool, int, float, complex)):
        return None
    return _kind(value)


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _is_on_one_device(value: object) -> bool:
    """Warn, for sharded arrays, that XLA gathers them at each call."""
    return not isinstance(value, jax.Array) or len(value.devices()) == 1


def is_struct(value: object) -> bool:
    """True if the value describes an array, as jax.ShapeDtypeStruct does."""
    return hasattr(value, "shape") and hasattr(value, "dtype")


def _by_name(interface: Interface, outputs: object) -> Any:
    """One ShapeDtypeStruct, or a sequence of them, as a mapping from the names of the last tensor parameters; other
    outputs as they are."""
    structs = [outputs] if is_struct(outputs) else outputs
    if not isinstance(structs, (list, tuple)) or not structs or not all(map(is_struct, structs)):
        return outputs
    names = [tensor.name for tensor in interface.tensors]
    if len(structs) > len(names):
        raise make_error(
            "FrameworkOption",
            option="outputs",
            expected=f"shapes of at most {len(names)} arrays, the tensors of {interface.text}",
            got=len(structs),
        )
    return dict(zip(names[len(names) - len(structs) :], structs, strict=True))


class FunctionCall(Call):
    """A call of one compiled function. `shapes` of outputs by name; `modes`: by name, which mode of its array each
    mode of a tensor is."""

    def __init__(
        self,
        interface: Interface,
        outputs: Any,
        options: Options,
        vjp: Callable[..., Any] | None = None,
        shapes: Mapping[str, Any] | None = None,
        modes: Mapping[str, Sequence[int]] | None = None,
    ) -> None:
        super().__init__(interface.name, vjp)
        self._interface, self._options = interface, options
        outputs = _by_name(interface, outputs)
        self.shapes = dict(outputs) if isinstance(outputs, Mapping) else dict(shapes or {})
        names = [outputs] if isinstance(outputs, str) else outputs
        if names is None and set(interface.accessed("inout", "unknown")) <= set(options.aliases):
            only_written = interface.accessed("out")
            names = [name for name in only_written if name not in options.aliases] or None
        self._outputs = None if names is None else tuple(names)
        self._check_names("outputs", self._outputs or ())
        self._check_names("aliases", options.aliases)
        self._check_names("layouts", options.layouts)
        for tensor in interface.tensors:
            if tensor.name in options.layouts:
                order = options.layouts[tensor.name]
                if sorted(order) != list(range(len(tensor.shape))):
                    raise make_error(
                        "FrameworkOption",
                        option=f"layouts[{tensor.name!r}]",
                        expected=f"each of 0 to {len(tensor.shape) - 1} once",
                        got=repr(order),
                    )
        self._modes = dict(modes or {})
        self._program: int | None = None

    def _check_names(self, option: str, names: Iterable[Any]) -> None:
        tensors = [tensor.name for tensor in self._interface.tensors]
        visited = set()
        for name in names:
            if name not in tensors or name in visited:
                raise make_error(
                    "FrameworkOutputs",
                    option=option,
                    signature=self._interface.text,
                    expected=", ".join(tensors) or "none",
                    got=repr(name),
                )
            visited.add(name)

    def run(
        self,
        arrays: tuple[Any, ...],
        names: tuple[str, ...] = (),
        scalars: Mapping[str, Any] | None = None,
    ) -> tuple[Any, ...]:
        scalars = dict(scalars or {})
        inputs = self._bind(arrays, names)
        results = [
            tensor
            for tensor in self._interface.tensors
            if tensor.name not in inputs or tensor.name in self._options.aliases
        ]
        for name in self._interface.accessed("out", "inout"):
            if name in inputs and name not in self._options.aliases:
                raise self._wrong(
                    f"no array for `{name}`, which it writes: it is a result, or aliases= names it"
                )
        if not results and not self._options.has_side_effect:
            # The function writes one of them, and arrays of JAX never change.
            listed = ", ".join(tensor.name for tensor in self._interface.tensors)
            raise self._wrong(
                "the arrays that it only reads (the others are results; aliases= names what it changes in place)",
                f"all of {listed}",
            )
        shapes = self._result_shapes(inputs, results, scalars)
        attributes = self._attributes(inputs, results, scalars)
        order = list(inputs)
        aliases = {
            order.index(tensor.name): index
            for index, tensor in enumerate(results)
            if tensor.name in inputs
        }
        layouts = {tensor.name: self._layout(tensor) for tensor in self._interface.tensors}
        options = self._options
        make = jax.ffi.ffi_call(
            TARGET if options.cuda_graph else EAGER_TARGET,
            shapes,
            has_side_effect=options.has_side_effect,
            vmap_method=options.vmap,
            input_layouts=[layouts[name] for name in order],
            output_layouts=tuple(layouts[tensor.name] for tensor in results),
            input_output_aliases=aliases or None,
        )
        axes = axes_of(inputs.values())
        return vary(make(*vary(inputs.values(), axes), **attributes), axes)

    def _in_order(
        self, arrays: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        order = [tensor.name for tensor in self._interface.tensors]
        free = [name for name in order if name not in named and name not in (self._outputs or ())]
        if len(arrays) > len(free) or not set(named) <= set(order):
            return arrays, named  # an error, that _bind names
        arguments = {**dict(zip(free, arrays, strict=False)), **named}
        return (), {name: arguments[name] for name in order if name in arguments}

    def _bind(self, arrays: tuple[Any, ...], names: tuple[str, ...]) -> dict[str, Any]:
        """The inputs by name, in the order of the parameters."""
        positional = arrays[: len(arrays) - len(names)]
        named = dict(zip(names, arrays[len(positional) :], strict=True))
        tensors = self._interface.tensors
        free = [
            tensor.name
            for tensor in tensors
            if tensor.name not in named and tensor.name not in (self._outputs or ())
        ]
        expected = len(free) if self._outputs is not None else None
        unknown = [name for name in named if all(name != tensor.name for tensor in tensors)]
        if unknown:
            if unknown[0] in [scalar.name for scalar in self._interface.scalars]:
                raise make_error("JaxNumber", function=self.__name__, name=unknown[0])
            raise self._wrong(f"no array called `{unknown[0]}`")
        if len(positional) > len(free) or (expected is not None and len(positional) != expected):
            raise self._wrong(f"{expected or len(free)} arrays", len(positional))
        arguments = {**dict(zip(free, positional, strict=False)), **named}
        inputs = {
            tensor.name: arguments[tensor.name] for tensor in tensors if tensor.name in arguments
        }
        for name in self._options.aliases:
            if name not in inputs:
                raise self._wrong(f"`{name}`, which is changed in place, as an array", "none")
        for tensor in tensors:
            if tensor.name in inputs:
                inputs[tensor.name] = self._checked(tensor, inputs[tensor.name])
        return inputs

    def _wrong(self, expected: str, got: object = "one") -> Exception:
        return make_error(
            "JaxArguments", signature=self._interface.text, expected=expected, got=got
        )

    def _checked(self, tensor: Tensor, value: Any) -> Any:
        if not _is_array(value) and not isinstance(value, np.ndarray):
            raise self._wrong(f"an array for `{tensor.name}`", _kind(value))
        if value.ndim != len(tensor.shape):
            raise self._wrong(
                f"`{tensor.name}` with {len(tensor.shape)} dimensions", f"one with {value.ndim}"
            )
        expected = [jax_dtype(dtype) for dtype in tensor.dtypes]
        if value.dtype not in expected:
            names = " or ".join(map(str, expected))
            raise self._wrong(f"`{tensor.name}` of dtype {names}", f"one of {value.dtype}")
        self._warn_of_gathering(tensor, value)
        return value

    def _warn_of_gathering(self, tensor: Tensor, value: object) -> None:
        sharding = getattr(
            jax.typeof(value) if isinstance(value, Tracer) else value, "sharding", None
        )
        spec, mesh = getattr(sharding, "spec", None), getattr(sharding, "mesh", None)
        if spec is None or mesh is None:
            return
        axes = [axis for part in spec for axis in (part if isinstance(part, tuple) else (part,))]
        if math.prod(dict(mesh.shape)[axis] for axis in axes if isinstance(axis, str)) == 1:
            return
        warnings.warn(
            f"`{tensor.name}` of `{self.__name__}` is sharded ({spec}), and XLA gathers it on each device for this"
            " call: call inside jax.shard_map to run on the shards",
            stacklevel=6,
        )

    def _result_shapes(
        self, inputs: dict[str, Any], results: list[Tensor], scalars: dict[str, Any]
    ) -> tuple[jax.ShapeDtypeStruct, ...]:
        values = Values(self._interface)
        variables: dict[int, Any] = {}
        for tensor in self._interface.tensors:
            if tensor.name in inputs:
                array = inputs[tensor.name]
                values.bind(tensor, self._as_kernel(tensor, array.shape), self._check_extent)
                variables.setdefault(tensor.variable, array.dtype)
        for scalar in self._interface.scalars:
            if scalar.symbol >= 0 and scalar.name in scalars:
                values.bind_number(scalar.symbol, scalars[scalar.name])
        shapes = []
        for tensor in results:
            shape_or_struct = self.shapes.get(tensor.name)
            if tensor.name in inputs:
                shape_or_struct = inputs[tensor.name]
            if shape_or_struct is not None:
                shapes.append(jax.ShapeDtypeStruct(shape_or_struct.shape, shape_or_struct.dtype))
                continue
            shape = values.shape(tensor)
            if shape is None or (tensor.variable >= 0 and tensor.variable not in variables):
                raise make_error("FrameworkShape", signature=self._interface.text, name=tensor.name)
            shape = self._as_array(tensor, shape)
            dtype = (
                variables[tensor.variable] if tensor.variable >= 0 else jax_dtype(tensor.dtypes[0])
            )
            shapes.append(jax.ShapeDtypeStruct(shape, dtype))
        return tuple(shapes)

    def _as_kernel(self, tensor: Tensor, shape: Sequence[Any]) -> tuple[Any, ...]:
        """The extents of an array, in the order of the function's modes."""
        modes = self._modes.get(tensor.name)
        return tuple(shape) if modes is None else tuple(shape[mode] for mode in modes)

    def _as_array(self, tensor: Tensor, shape: Sequence[Any]) -> tuple[Any, ...]:
        modes = self._modes.get(tensor.name)
        return (
            tuple(shape)
            if modes is None
            else tuple(shape[modes.index(d)] for d in range(len(shape)))
        )

    def _check_extent(self, holds: object, what: str, expected: object, got: object) -> None:
        # Symbols of jax.export are compared when the program runs.
        if isinstance(expected, int) and isinstance(got, int) and not holds:
            raise make_error(
                "FrameworkExtent",
                what=what,
                signature=self._interface.text,
                expected=expected,
                got=got,
            )

    def _layout(self, tensor: Tensor) -> tuple[int, ...] | None:
        """The modes of the array from major to minor."""
        if tensor.name in self._options.layouts:
            return tuple(self._options.layouts[tensor.name])
        return None if tensor.name in self._modes else layout_of(tensor)

    def _attributes(
        self, inputs: dict[str, Any], results: list[Tensor], scalars: dict[str, Any]
    ) -> dict[str, Any]:
        attributes = self._numbers(scalars)
        order = list(inputs)
        places = {name: index for index, name in enumerate(order)}
        places.update({tensor.name: len(order) + i for i, tensor in enumerate(results)})
        buffers = [
            places[argument.name] if isinstance(argument, Tensor) else -1
            for argument in self._interface.arguments
        ]
        if [place for place in buffers if place >= 0] != list(range(len(order) + len(results))):
            attributes["fairlead_buffers"] = np.array(buffers, np.int32)
        tensors = self._interface.tensors
        if any(self._layout(tensor) for tensor in tensors):
            attributes["fairlead_layouts"] = permutation(
                (self._layout(tensor), len(tensor.shape)) for tensor in tensors
            )
        if self._modes:
            attributes["fairlead_modes"] = permutation(
                (self._modes.get(tensor.name), len(tensor.shape)) for tensor in tensors
            )
        if self._program is None:
            # JAX's integers have a sign.
            self._program = int(self._interface.program_digest()[:16], 16) >> 1
            add_program(self._program, self._interface)
        attributes["fairlead_program"] = np.int64(self._program)
        attributes["fairlead_name"] = self._interface.name
        if self._options.embed:
            attributes["fairlead_object"] = object_of(self._interface)
        return attributes

    def _numbers(self, scalars: dict[str, Any]) -> dict[str, Any]:
        numbers: dict[str, Any] = {}
        by_name = {scalar.name: scalar for scalar in self._interface.scalars}
        for name, value in scalars.items():
            if name not in by_name:
                raise self._wrong(f"no keyword `{name}`")
            numbers[name] = self._number(by_name[name], value)
        for name in by_name:
            if name not in numbers:
                raise self._wrong(f"the number `{name}` as a keyword", "none")
        return numbers

    def _number(self, scalar: Scalar, value: object) -> Any:
        if isinstance(value, _compiler.Numeric):
            value = float(value) if value.is_float else int(value)
        kind = scalar.dtypes[0]
        if isinstance(value, (bool, np.bool_)):
            return np.bool_(value)
        if isinstance(value, (int, np.integer)) and not issubclass(kind, _compiler.Float):
            if not -(2**63) <= value < 2**63:
                raise self._wrong(f"an integer of 64 bits for `{scalar.name}`", value)
            return np.int64(value)
        if isinstance(value, (int, float, np.integer, np.floating)):
            return np.float64(value)
        raise self._wrong(f"a number for `{scalar.name}`", _kind(value))


@functools.cache
def backend_target() -> str:
    """Return the targets of code for JAX's default devices."""
    if jax.default_backend() == "cpu":
        return "cpu"
    return str(_compiler.Target.detect())


name_keywords(__all__, globals())
