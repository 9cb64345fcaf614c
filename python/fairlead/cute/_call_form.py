"""How a compiled function is called: the parameters that its calls pass, and their defaults."""

from __future__ import annotations

import inspect
from typing import Any

from fairlead import _compiler
from fairlead._core import CallDescription, Form
from fairlead._tracing.composite import rebuilt
from fairlead.cute._dlpack import RuntimeTensor
from fairlead.cute._native_struct import is_native_struct

__all__ = ["CallForm", "plain"]

_BY_KEYWORD = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)


class CallForm:
    """The arguments of a call in order: of each its name, its form, the parameter that it is passed to, its value."""

    def __init__(self) -> None:
        self._passed: list[tuple[str, Form, inspect.Parameter]] = []
        self._values: list[Any] = []

    def add(self, name: str, form: Form, parameter: inspect.Parameter, value: object) -> None:
        """Add an argument, if calls pass it."""
        if form.kind != "omitted":
            self._passed.append((name, form, parameter))
            self._values.append(value)

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        """Return the values as the compiled function takes them: by position, and by name."""
        positional, keyed = [], {}
        for (name, _, parameter), value in zip(self._passed, self._values, strict=True):
            if parameter.kind in _BY_KEYWORD:
                keyed[name] = value
            else:
                positional.append(value)
        return positional, keyed

    def python_signature(self) -> inspect.Signature:
        """Return the Python signature of the compiled function."""
        variadic: dict[Any, Any] = {
            inspect.Parameter.VAR_POSITIONAL: inspect.Parameter.POSITIONAL_ONLY
        }
        parameters = [
            parameter.replace(
                name=name,
                kind=variadic.get(
                    parameter.kind,
                    inspect.Parameter.KEYWORD_ONLY
                    if parameter.kind in _BY_KEYWORD
                    else parameter.kind,
                ),
            )
            for name, _, parameter in self._passed
        ]
        if any(parameter.kind is inspect.Parameter.POSITIONAL_ONLY for parameter in parameters):
            # Parameters before *args can only be passed by position.
            parameters = [
                parameter
                if parameter.kind is inspect.Parameter.KEYWORD_ONLY
                else parameter.replace(kind=inspect.Parameter.POSITIONAL_ONLY)
                for parameter in parameters
            ]
        try:
            return inspect.Signature(parameters)
        except ValueError:  # a default before a parameter that lost its own to *args
            return inspect.Signature(
                [parameter.replace(default=inspect.Parameter.empty) for parameter in parameters]
            )

    def description(self) -> CallDescription:
        """Return what ``_core`` needs to know of calls."""
        forms = tuple(form for _, form, _ in self._passed)
        defaults = [parameter.default for _, _, parameter in self._passed]
        return CallDescription(
            [name for name, _, _ in self._passed],
            tuple(
                ... if default is inspect.Parameter.empty else plain(default)
                for default in defaults
            ),
            sum(parameter.kind not in _BY_KEYWORD for _, _, parameter in self._passed),
            None if all(form.kind == "argument" for form in forms) else forms,
        )


def plain(default: object) -> Any:
    """Return a value as a call takes it: numbers with a type become Python numbers."""
    if isinstance(default, _compiler.Numeric):
        return float(default) if type(default).is_float else int(default)
    if isinstance(default, RuntimeTensor):
        return default._producer
    if isinstance(default, (tuple, list)) and not is_native_struct(default):
        return rebuilt(default, [plain(part) for part in default])
    return default
