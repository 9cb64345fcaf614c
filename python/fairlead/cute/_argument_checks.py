"""Checks of arguments against the annotations and defaults of a function's parameters."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter
from typing import Any

from fairlead import _compiler
from fairlead._tracing.native import kind_of
from fairlead._tracing.state import state
from fairlead.cute._dlpack import RuntimeTensor
from fairlead.cute._extents import TensorOf
from fairlead.cute._fake import FakeStream, FakeTensor
from fairlead.cute._pointer import RuntimePointer
from fairlead.errors import DSLError, make_error

__all__ = ["ArgumentChecks", "NO_EXAMPLES", "is_stream", "runtime_tensor"]

#: Classes that say nothing of shape and element type.
NO_EXAMPLES = (_compiler.Tensor, _compiler.Pointer, _compiler.Layout)
_STREAMS = ("CUstream", "cudaStream_t", "CUevent", "cudaEvent_t")
_NUMBERS = ((bool, _compiler.Boolean), (int, _compiler.Int32), (float, _compiler.Float32))


def is_stream(value: object) -> bool:
    """A fake stream, an object of the CUDA stream protocol, or an event, which is passed alike."""
    return (
        isinstance(value, FakeStream)
        or hasattr(value, "__cuda_stream__")
        or type(value).__name__ in _STREAMS
    )


def runtime_tensor(value: object, function: str, index: int, name: str) -> RuntimeTensor:
    """Return an argument that is a tensor of a framework; errors about it name the argument."""
    try:
        return RuntimeTensor(value, None, False)
    except DSLError as error:
        named = type(error)(f"argument #{index} ({name}) of `{function}`: {error.args[0]}")
        named.diagnostic, named.help = error.diagnostic, error.help
        raise named from None


def _kind_text(value: object) -> str:
    """A value as messages name it."""
    if isinstance(value, (RuntimeTensor, FakeTensor)):
        return "a tensor" if value.shape else "a tensor without dimensions (its number is .item())"
    return kind_of(value)


class ArgumentChecks:
    """Errors about the arguments of one function. They name it, the parameter, the expectation and the argument.

    ``parameters``: those of the function, by name.
    """

    __slots__ = ("_function", "_parameters")

    def __init__(self, function: str, parameters: Mapping[str, Parameter]) -> None:
        self._function, self._parameters = function, parameters

    def misfit(self, name: str, index: int, expected: str, got: str) -> DSLError:
        """Return the error about an argument that does not fit its annotation, to be raised."""
        return make_error(
            "ArgumentAnnotation",
            function=self._function,
            index=index,
            name=name,
            expected=expected,
            got=got,
        )

    def unusable(self, name: str, index: int, got: str) -> DSLError:
        """Return the error about an argument that no function takes, to be raised."""
        return make_error(
            "CompileArgument", function=self._function, index=index, name=name, got=got
        )

    def no_tensor(self, name: str, index: int, value: object) -> DSLError:
        """Return the error about an argument without a tensor whose parameter is declared no_alias, to be raised."""
        expected = "a tensor, as it is declared no_alias"
        return self.misfit(name, index, expected, _kind_text(value))

    def check_none(self, name: str, hint: Any, index: int, nested: bool) -> None:
        """None is accepted if the annotation or default allows it, for parameters without an annotation, and in lenient
        dialects always."""
        is_needed = any(hint is cls for cls in NO_EXAMPLES) or _compiler.is_dtype(hint)
        if isinstance(hint, TensorOf):
            is_needed = not hint.optional
        if nested or not is_needed:
            return
        parameter = self._parameters.get(name)
        if parameter is None or parameter.default is None or state.dialect.lenient:
            return
        raise self.misfit(name, index, hint.__name__, "None")

    def check_annotation(self, name: str, hint: Any, value: object, index: int) -> None:
        """Raise ArgumentAnnotation if the annotation excludes the argument."""
        tensor = isinstance(value, (FakeTensor, RuntimeTensor))
        number = _compiler.is_dtype(value) or isinstance(value, (int, float, _compiler.Numeric))
        pointer = isinstance(value, RuntimePointer)
        several = isinstance(value, (tuple, list))
        wrong = (
            (
                (hint is _compiler.Tensor or isinstance(hint, TensorOf))
                and (number or pointer or several)
            )
            or (hint is _compiler.Pointer and (number or tensor))
            or (_compiler.is_dtype(hint) and (tensor or pointer or several or is_stream(value)))
        )
        if wrong:
            raise self.misfit(name, index, hint.__name__, _kind_text(value))

    def number_type(
        self, name: str, hint: object, value: object, index: int
    ) -> type[_compiler.Numeric]:
        """Return the type of a number that calls pass. Raises CompileArgument if the argument is no number."""
        if _compiler.is_dtype(value):
            return value
        if _compiler.is_dtype(hint) and isinstance(value, (int, float, _compiler.Numeric)):
            return hint
        if isinstance(value, _compiler.Numeric):
            return type(value)
        for python, numeric in _NUMBERS:
            if isinstance(value, python):
                return numeric
        raise self.unusable(name, index, type(value).__name__)
