"""From a function and example arguments to a signature, and from traced values back to arguments."""

from __future__ import annotations

import typing
from collections.abc import Callable
from inspect import Parameter
from types import FunctionType
from typing import Any

from fairlead import _compiler
from fairlead._core import Form
from fairlead._tracing.composite import fields_of, items_of
from fairlead._tracing.state import state
from fairlead.cute._annotations import (
    annotation,
    conversion,
    declares_no_alias,
    is_static,
    without_none,
)
from fairlead.cute._argument_checks import NO_EXAMPLES, ArgumentChecks, is_stream, runtime_tensor
from fairlead.cute._binding import Binding
from fairlead.cute._call_form import CallForm
from fairlead.cute._dlpack import RuntimeTensor
from fairlead.cute._extents import TensorOf
from fairlead.cute._fake import FakeStream, FakeTensor
from fairlead.cute._pointer import RuntimePointer
from fairlead.cute._program_key import ProgramKey
from fairlead.cute._protocols import (
    adapted,
    c_values,
    has_protocol,
    is_tuple_of_values,
    typed_number,
    value_types,
)
from fairlead.cute._signature_builder import SignatureBuilder
from fairlead.cute._symbols import SymInt
from fairlead.cute._templates import Converted, Custom, Structure, filled

_VARIADIC = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


class Parameters:
    """A call's arguments, as parts of the signature that they make, or of the program.

    Attributes:
        binding: the arguments by the names of the function's parameters.
        key: the properties of the arguments that the program depends on.
        built: the signature of the compiled function, and the symbols in it.
        call_form: how the compiled function is called.
    """

    def __init__(
        self,
        function: FunctionType,
        instance: tuple[Any, ...],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        fixed: dict[str, Any] | None = None,
        *,
        examples: bool = True,
        mark: Callable[[RuntimeTensor], RuntimeTensor] = RuntimeTensor.mark_layout_dynamic,
    ) -> None:
        """Bind ``args`` and ``kwargs``; ``instance``, the first arguments, and ``fixed``, some by name, are part of
        the program. ``name``: that of the compiled function, default the function's own. ``examples``: a numeric class
        stands for a number of it, where else it is itself an argument, and part of the program. ``mark`` chooses what
        is static of the layout of a framework's tensor."""
        self.examples, self.mark = examples, mark
        #: True if calls pass the numbers in the structure that is being added.
        self._passes_numbers = examples and state.dialect.passes_numbers
        self.binding = Binding(function, instance, args, kwargs, fixed)
        self.key = ProgramKey(instance)
        self.built = SignatureBuilder(name or function.__name__, self.key)
        self.call_form = CallForm()
        self._checks = ArgumentChecks(function.__name__, self.binding.signature.parameters)
        #: How the values of the traced program become arguments, by the names of parameters.
        self._templates: dict[str, Any] = {}
        for parameter, value, index, is_program in self.binding.parts():
            if is_program:
                self.key.add_constant(parameter, value)
                continue
            try:
                self._add_parameter(parameter, value, index)
            except RecursionError:
                got = "a structure that contains itself, or is nested too deeply,"
                raise self._checks.unusable(parameter, index, got) from None

    def _add_parameter(self, name: str, value: Any, index: int) -> None:
        function, parameter = self.binding.function, self.binding.signature.parameters[name]
        hint = annotation(function, name)
        if is_static(hint):
            self.key.add_constant(name, value)
            return
        self.built.no_alias = declares_no_alias(function, name)
        if parameter.kind not in _VARIADIC:
            self._templates[name] = self._add_argument(name, value, hint, index, parameter)
            return
        keyed = isinstance(value, dict)
        templates = []
        key: Any
        for key, part in value.items() if keyed else enumerate(value):
            part_name = key if keyed else f"{name}{key}"
            templates.append(self._add_argument(part_name, part, hint, index, parameter))
        if keyed:
            self._templates[name] = dict(zip(value, templates, strict=True))
        else:
            self._templates[name] = Structure(tuple(value), templates)

    def _add_argument(
        self, name: str, value: object, hint: object, index: int, parameter: Parameter
    ) -> Any:
        tensors = self.built.num_tensors
        form, template = self._add(name, value, hint, index, False)
        if self.built.no_alias and value is not None and self.built.num_tensors == tensors:
            raise self._checks.no_tensor(name, index, value)
        self.call_form.add(name, form, parameter, value)
        return template

    def _add(
        self, name: str, value: object, hint: object, index: int, nested: bool
    ) -> tuple[Form, Any]:
        """How a call passes the value, and the template of the value that the function gets."""
        if value is None:
            self._checks.check_none(name, hint, index, nested)
            self.key.add_kind(name, None)
            return Form("none"), None
        hint = without_none(hint)
        if not is_static(hint) and isinstance(value, type) and value in NO_EXAMPLES:
            raise self._checks.unusable(name, index, f"the class {value.__name__}")
        stands = _compiler.is_dtype(value) and (self.examples or _compiler.is_dtype(hint))
        if is_static(hint) or (isinstance(value, type) and not stands):
            self.key.add_constant(name, value)
            if not nested:
                return Form("omitted"), value
            # Calls need not repeat parts of the program: None is enough.
            form = (Form("none"),) if is_static(hint) else ()
            return Form("constant", value, form), value
        argument, value = value, typed_number(adapted(value))
        if has_protocol(value) and not is_tuple_of_values(value):
            self._checks.check_annotation(name, hint, value, index)
            return self._add_custom(name, value, argument)
        if _is_foreign_tensor(value):
            value = self.mark(runtime_tensor(value, self.binding.function.__name__, index, name))
        self._checks.check_annotation(name, hint, value, index)
        return self._add_value(name, value, hint, index, nested)

    def _add_value(
        self, name: str, value: object, hint: object, index: int, nested: bool
    ) -> tuple[Form, Any]:
        """_add for a tensor, a pointer, a stream, a structure or a number."""
        if isinstance(value, (FakeTensor, RuntimeTensor)):
            shape = self._tied(name, hint, value, index) if isinstance(hint, TensorOf) else None
            leaf = self.built.add_tensor(name, value, shape)
        elif isinstance(value, RuntimePointer):
            leaf = self.built.add_pointer(name, value)
        elif is_stream(value):
            environment = isinstance(value, FakeStream) and value.environment
            leaf = self.built.add_stream(name, environment)
            if environment:
                return Form("omitted"), leaf
        elif (items := items_of(value, hint)) is not None:
            outer = self._passes_numbers
            self._passes_numbers = outer and _holds_any_numbers(value, hint)
            try:
                return self._add_structure(name, value, items, index)
            finally:
                self._passes_numbers = outer
        elif isinstance(value, SymInt):
            leaf = self.built.add_symbol(name, value)
        elif nested and not self._is_passed_number(hint, value):
            # Numbers inside structures are part of the program, like all other values there.
            self.key.add_constant(name, value)
            return Form("constant", value), value
        else:
            leaf = self.built.add_number(name, self._checks.number_type(name, hint, value, index))
        convert = getattr(value, "as_argument", None) or conversion(hint)
        return Form("argument"), leaf if convert is None else Converted(convert, leaf)

    def _add_custom(self, name: str, value: object, argument: object) -> tuple[Form, Any]:
        """Add an argument for each C value of a user's object. ``value`` is ``argument`` or its adapter."""
        self.key.custom.append((name, argument))
        types, first = value_types(value), self.built.size
        parts = [self.built.add_c_value(f"{name}[{index}]", cls) for index, cls in enumerate(types)]
        read = c_values(type(value).__name__, types)
        arguments = (Form("argument"),) * (self.built.size - first)
        return Form("custom", read, arguments), Custom(value, parts)

    def _add_structure(
        self, name: str, value: object, items: list[Any], index: int
    ) -> tuple[Form, Any]:
        self.key.add_structure(name, value, len(items))
        forms, templates = [], []
        for key, part, hint in items:
            place = f"{name}[{key}]" if isinstance(key, int) else f"{name}.{key}"
            form, template = self._add(place, part, hint, index, True)
            forms.append(form)
            templates.append(template)
        template = Structure(value, templates)
        if isinstance(value, (tuple, list)):
            return Form("tuple", None, tuple(forms)), template
        return Form("fields", tuple(key for key, _, _ in items), tuple(forms)), template

    def _is_passed_number(self, hint: object, value: object) -> bool:
        """True if a number inside a structure is passed at the call."""
        return (
            _compiler.is_dtype(hint)
            or _compiler.is_dtype(value)
            or isinstance(value, _compiler.Numeric)
            or (self._passes_numbers and isinstance(value, (int, float)))
        )

    def _tied(
        self, name: str, hint: TensorOf, value: FakeTensor | RuntimeTensor, index: int
    ) -> tuple[Any, ...]:
        """Return the shape of a tensor as its annotation says it."""
        got, shape = hint.misfit(value.dtype, value.shape), value.shape
        if got is None:
            shape, got = self.built.symbols.tie(hint, shape)
        if got is not None:
            raise self._checks.misfit(name, index, repr(hint), got)
        return shape

    def append_tensor(self, name: str, tensor: FakeTensor) -> Any:
        """Add a tensor that calls pass behind the arguments of the function; return its template."""
        parameter = Parameter(name, Parameter.POSITIONAL_ONLY)
        self.call_form.add(name, Form("argument"), parameter, tensor)
        return self.built.add_tensor(name, tensor)

    def call(self, function: Callable[..., Any], traced: list[Any]) -> Any:
        """Call ``function`` with the program's values in place of the arguments of the signature."""
        replaced = {name: filled(template, traced) for name, template in self._templates.items()}
        return self.binding.call(function, replaced)


def _is_foreign_tensor(value: object) -> bool:
    """True for a tensor of a framework."""
    return (
        not isinstance(value, (FakeTensor, RuntimeTensor))
        and not is_stream(value)
        and hasattr(value, "__dlpack__")
    )


def _holds_any_numbers(value: object, hint: object) -> bool:
    """True for a dataclass, and for a tuple or list whose annotation says nothing about its values, or only their
    types."""
    if fields_of(type(value)) is not None:
        return True
    plain = type(value) in (tuple, list)
    return plain and (hint in (None, tuple, list) or typing.get_origin(hint) in (tuple, list))
