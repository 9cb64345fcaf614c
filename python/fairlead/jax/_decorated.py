"""Calls of decorated functions, which are compiled for each kind of arrays that comes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import jax
import numpy as np

from fairlead import _compiler
from fairlead._frameworks.interface import interface_of
from fairlead.cute._annotations import annotation, is_static, without_none
from fairlead.cute._guards import static_key
from fairlead.cute._jit import JitFunction
from fairlead.errors import make_error
from fairlead.jax._arrays import fake_tensor
from fairlead.jax._call import Call, FunctionCall, Options, backend_target, is_struct

__all__ = ["JitCall"]


class JitCall(Call):
    """A call of a decorated function, which is compiled for each kind of arrays that comes."""

    def __init__(
        self,
        function: JitFunction[..., Any],
        outputs: object,
        options: Options,
        vjp: Callable[..., Any] | None,
    ) -> None:
        super().__init__(function.function.__name__, vjp)
        self._function, self._options = function, options
        self._parameters = _Parameters(function.function)
        if outputs is not None and not isinstance(outputs, (tuple, list, Mapping)):
            outputs = (outputs,)
        self._outputs = outputs
        self._calls: dict[Any, tuple[FunctionCall, list[Any]]] = {}

    def run(
        self,
        arrays: tuple[Any, ...],
        names: tuple[str, ...] = (),
        scalars: Mapping[str, Any] | None = None,
    ) -> tuple[Any, ...]:
        scalars = {**self._parameters.defaults, **(scalars or {})}
        constants = {name: scalars.pop(name) for name in self._parameters.static & set(scalars)}
        shapes: tuple[Any, ...] = tuple(self._outputs or ())
        if isinstance(self._outputs, Mapping):
            shapes = tuple(self._outputs.values())
        for shape in shapes:
            if not is_struct(shape):
                raise make_error(
                    "FrameworkOption",
                    option="outputs",
                    expected="jax.ShapeDtypeStruct of the last parameters of a decorated function",
                    got=repr(shape),
                )
        kinds = tuple((len(array.shape), np.dtype(array.dtype)) for array in (*arrays, *shapes))
        types = tuple((name, type(value)) for name, value in scalars.items())
        identified: list[Any] = []
        static = tuple((name, static_key(value, identified)) for name, value in constants.items())
        key = (kinds, names, jax.default_backend(), types, static)
        if key in self._calls:
            compiled, _ = self._calls[key]
        else:
            compiled = self._compile(arrays, names, shapes, {**scalars, **constants})
            # Objects that the key knows by identity live as long as it.
            self._calls[key] = compiled, identified
        if shapes:
            compiled.shapes = dict(zip(compiled._outputs or (), shapes, strict=True))
        return compiled.run(arrays, names, scalars)

    def _in_order(
        self, arrays: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        order = [*self._parameters.signature.parameters]
        place = {name: index for index, name in enumerate(order)}
        return arrays, dict(sorted(named.items(), key=lambda item: place.get(item[0], len(order))))

    def _compile(
        self,
        arrays: tuple[Any, ...],
        names: tuple[str, ...],
        shapes: tuple[Any, ...],
        keywords: dict[str, Any],
    ) -> FunctionCall:
        from fairlead import cute

        positional = len(arrays) - len(names)
        tensors = [fake_tensor(array) for array in (*arrays[:positional], *shapes)]
        named = {
            name: fake_tensor(array) for name, array in zip(names, arrays[positional:], strict=True)
        }
        args, kwargs = self._parameters.bind(tensors, {**named, **keywords})
        compiled = cute.compile(
            self._function, *args, **kwargs, options=f"--target {backend_target()}"
        )
        interface = interface_of(compiled)
        outputs = None
        if shapes:
            inputs = [tensor.name for tensor in interface.tensors if tensor.name not in named]
            outputs = inputs[positional : positional + len(shapes)]
        return FunctionCall(interface, outputs, self._options)


class _Parameters:
    """The parameters of a decorated function, as calls of JAX fill them: arrays by position, numbers by keyword.

    ``static`` has the names of parameters that are constants of the program; ``defaults`` the numbers that calls may
    leave out.
    """

    def __init__(self, function: FunctionType) -> None:
        self.signature = inspect.signature(function)
        parameters = self.signature.parameters.values()
        hints = {parameter.name: annotation(function, parameter.name) for parameter in parameters}
        self.static = {name for name, hint in hints.items() if is_static(hint)}
        self.defaults = {
            parameter.name: parameter.default
            for parameter in parameters
            if parameter.name in self.static
            and parameter.default is not parameter.empty
            or isinstance(parameter.default, (bool, int, float, _compiler.Numeric))
        }
        self._numbers = {
            name
            for name, hint in hints.items()
            if name in self.static or name in self.defaults or _is_number_class(without_none(hint))
        }

    def bind(
        self, tensors: list[Any], keywords: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments: the tensors go to the parameters that take arrays, in order, except for
        those named in ``keywords``."""
        parameters = self.signature.parameters
        free = [
            name
            for name, parameter in parameters.items()
            if name not in keywords and name not in self._numbers and parameter.kind < 2
        ]
        if len(tensors) > len(free) or not set(keywords) <= set(parameters):
            return tuple(tensors), keywords  # *args, or an error that the compiler reports
        values = {**dict(zip(free, tensors, strict=False)), **keywords}
        bound = self.signature.bind_partial()
        bound.arguments.update({name: values[name] for name in parameters if name in values})
        return bound.args, bound.kwargs


def _is_number_class(hint: object) -> bool:
    return isinstance(hint, type) and issubclass(hint, (bool, int, float, _compiler.Numeric))
