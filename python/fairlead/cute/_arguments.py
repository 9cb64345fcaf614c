"""From a function and example arguments to a signature, and from traced values back to arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any

from fairlead import _compiler
from fairlead._core import Form
from fairlead._hints import did_you_mean
from fairlead._tracing.composite import items_of
from fairlead._tracing.native import kind_of
from fairlead._tracing.state import state
from fairlead.cute._annotations import (
    annotation,
    conversion,
    declares_no_alias,
    is_static,
    without_none,
)
from fairlead.cute._call_form import CallForm
from fairlead.cute._dlpack import RuntimeTensor
from fairlead.cute._examples import examples_of
from fairlead.cute._extents import TensorOf
from fairlead.cute._fake import FakeStream, FakeTensor
from fairlead.cute._ir_types import PointerType, StructType
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
from fairlead.cute._symbol_table import SymbolTable
from fairlead.cute._symbols import SymInt
from fairlead.cute._templates import Converted, Custom, Leaf, Struct, Structure, filled
from fairlead.errors import DSLError, make_error

_NO_EXAMPLES = (_compiler.Tensor, _compiler.Pointer, _compiler.Layout)
_STREAMS = ("CUstream", "cudaStream_t", "CUevent", "cudaEvent_t")
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _keyword_advice(
    error: TypeError, parameters: Mapping[str, inspect.Parameter], keywords: Iterable[str]
) -> str:
    """Return advice for the message about a call with a keyword that the function does not have: how compile options
    are passed, or the parameter that was probably meant."""
    keyword = next((name for name in keywords if name not in parameters), None)
    if keyword is None:
        return ""
    if keyword in ("target", "arch", "device", "opt_level", "debug", "verbose"):
        option = "--target cpu" if keyword in ("target", "arch", "device") else "--opt-level 2"
        return f'. Options of `cute.compile` are text: `options="{option}"`'
    # Python first reports a missing argument, which may be the misspelt one.
    is_named = repr(keyword) in str(error)
    start = "" if is_named else f"; and no parameter is called {keyword!r}"
    return start + did_you_mean(keyword, [*parameters, "options"])


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


_MOST_MODES = 32  # of a tensor, as in the text of signatures


class Parameters:
    """A call's arguments bound to a function's parameters, and the signature that they make.

    Attributes:
        signature: that of the compiled function.
        symbols: the symbols in it.
        key: the properties of the arguments that the program depends on.
        call_form: how the compiled function is called.
        dynamic: the names in the signature, in order: those of parameters, or of parts of structures, such as
            ``config.scale`` and ``tensors[1]``.
        bound: every value by the name of its parameter.
        narrow_strides: tensors whose strides have 32 bits in plain C.
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
        self.function, self.examples, self.mark = function, examples, mark
        fixed = {key: part for key, part in (fixed or {}).items() if key not in kwargs}
        self.python_signature = inspect.signature(function)
        if not args and not kwargs and not fixed:
            args = examples_of(function, self.python_signature, len(instance))
        try:
            bound = self.python_signature.bind(*instance, *args, **kwargs, **fixed)
        except TypeError as error:
            raise TypeError(
                f"`{function.__name__}`: {error}"
                f"{_keyword_advice(error, self.python_signature.parameters, kwargs)}"
            ) from None
        bound.apply_defaults()
        self.bound = bound
        self.signature = _compiler.Signature(name or function.__name__)
        self.symbols = SymbolTable(self.signature)
        self.key = ProgramKey(instance)
        self.call_form = CallForm()
        self.dynamic: list[str] = []
        self.narrow_strides: list[str] = []
        self.cpu_tensors = self.gpu_tensors = self.num_tensors = 0
        self._templates: dict[str, Any] = {}
        #: True if the parameter whose tensors are added is declared ``no_alias``.
        self._no_alias = False
        for index, (name, value) in enumerate(bound.arguments.items()):
            if index < len(instance) or name in fixed:
                self.key.add_constant(name, value)
            else:
                try:
                    self._add_parameter(name, value, index - len(instance))
                except RecursionError:
                    raise make_error(
                        "CompileArgument",
                        function=function.__name__,
                        index=index - len(instance),
                        name=name,
                        got="a structure that contains itself, or is nested too deeply,",
                    ) from None

    def _add_parameter(self, name: str, value: Any, index: int) -> None:
        parameter = self.python_signature.parameters[name]
        hint = annotation(self.function, name)
        if is_static(hint):
            self.key.add_constant(name, value)
            return
        self._no_alias = declares_no_alias(self.function, name)
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
        self, name: str, value: object, hint: object, index: int, parameter: inspect.Parameter
    ) -> Any:
        tensors = self.num_tensors
        form, template = self._add(name, value, hint, index, False)
        if self._no_alias and value is not None and self.num_tensors == tensors:
            raise make_error(
                "ArgumentAnnotation",
                function=self.function.__name__,
                index=index,
                name=name,
                expected="a tensor, as it is declared no_alias",
                got=_kind_text(value),
            )
        self.call_form.add(name, form, parameter, value)
        return template

    def _add(
        self, name: str, value: object, hint: object, index: int, nested: bool
    ) -> tuple[Form, Any]:
        """How a call passes the value, and the template of the value that the function gets."""
        if value is None:
            self._check_none(name, hint, index, nested)
            self.key.add_kind(name, None)
            return Form("none"), None
        hint = without_none(hint)
        if not is_static(hint) and isinstance(value, type) and value in _NO_EXAMPLES:
            # The class says nothing of shape and element type.
            raise make_error(
                "CompileArgument",
                function=self.function.__name__,
                index=index,
                name=name,
                got=f"the class {value.__name__}",
            )
        stands = _compiler.is_dtype(value) and (self.examples or _compiler.is_dtype(hint))
        if is_static(hint) or (isinstance(value, type) and not stands):
            self.key.add_constant(name, value)
            if not nested:
                return Form("omitted"), value
            # Calls need not repeat parts of the program: None is enough.
            form = (Form("none"),) if is_static(hint) else ()
            return Form("constant", value, form), value
        argument, value = value, typed_number(adapted(value))
        is_custom = has_protocol(value) and not is_tuple_of_values(value)
        if (
            not isinstance(value, (FakeTensor, RuntimeTensor))
            and not is_custom
            and not is_stream(value)
            and hasattr(value, "__dlpack__")
        ):
            value = runtime_tensor(value, self.function.__name__, index, name)
            value = self.mark(value)
        self._check_annotation(name, hint, value, index)
        if is_custom:
            return self._add_custom(name, value, argument)
        if isinstance(value, (FakeTensor, RuntimeTensor)):
            shape = self._tied(name, hint, value, index) if isinstance(hint, TensorOf) else None
            self._add_tensor(name, value, shape)
        elif isinstance(value, RuntimePointer):
            self.signature.add_pointer(name, value.dtype, value.alignment, value.memspace)
            self.key.add_kind(name, value.__fairlead_kind__)
            return Form("argument"), self._as_annotated(hint, self._leaf(name, is_pointer=True))
        elif is_stream(value):
            environment = isinstance(value, FakeStream) and value.environment
            self.signature.add_stream(name, environment)
            self.key.add_kind(name, "environment stream" if environment else "stream")
            if environment:
                return Form("omitted"), self._leaf(name)
        elif (items := items_of(value, hint)) is not None:
            return self._add_structure(name, value, items, index)
        elif nested and not self._is_number_type(hint, value):
            # Numbers inside structures are part of the program, like all other values there.
            self.key.add_constant(name, value)
            return Form("constant", value), value
        else:
            self._add_scalar(name, hint, value, index)
        return Form("argument"), self._as_annotated(hint, self._leaf(name))

    @staticmethod
    def _as_annotated(hint: object, leaf: Leaf) -> Leaf | Converted:
        convert = conversion(hint)
        return leaf if convert is None else Converted(convert, leaf)

    def _leaf(self, name: str, is_pointer: bool = False) -> Leaf:
        self.dynamic.append(name)
        return Leaf(len(self.dynamic) - 1, is_pointer)

    def _add_custom(self, name: str, value: object, argument: object) -> tuple[Form, Any]:
        """Add an argument for each C value of a user's object. ``value`` is ``argument`` or its adapter."""
        self.key.custom.append((name, argument))
        types, first = value_types(value), len(self.dynamic)
        parts = [self._add_c_value(f"{name}[{index}]", cls) for index, cls in enumerate(types)]
        read = c_values(type(value).__name__, types)
        arguments = tuple(Form("argument") for _ in self.dynamic[first:])
        return Form("custom", read, arguments), Custom(value, parts)

    def _add_c_value(self, place: str, of: Any) -> Leaf | Struct:
        """One C value of an object of a user's class."""
        if isinstance(of, StructType):
            return Struct(
                of,
                [
                    self._add_c_value(f"{place}[{index}]", leaf)
                    for index, leaf in enumerate(of.leaves())
                ],
            )
        if isinstance(of, (FakeTensor, RuntimeTensor)):
            self._add_tensor(place, of)
            return self._leaf(place)
        if isinstance(of, RuntimePointer):
            self.signature.add_pointer(place, of.dtype, of.alignment, of.memspace)
            return self._leaf(place, is_pointer=True)
        if isinstance(of, PointerType):
            self.signature.add_pointer(place, _compiler.Uint8, 1, _compiler.AddressSpace.generic)
            return self._leaf(place, is_pointer=True)
        self.signature.add_scalar(place, of)
        return self._leaf(place)

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

    def _tied(
        self, name: str, hint: TensorOf, value: FakeTensor | RuntimeTensor, index: int
    ) -> tuple[Any, ...]:
        """The shape of a tensor as its annotation says it."""
        got, shape = hint.misfit(value.dtype, value.shape), value.shape
        if got is None:
            shape, got = self.symbols.tie(hint, shape)
        if got is not None:
            raise make_error(
                "ArgumentAnnotation",
                function=self.function.__name__,
                index=index,
                name=name,
                expected=repr(hint),
                got=got,
            )
        return shape

    def _add_tensor(
        self, name: str, value: FakeTensor | RuntimeTensor, extents: tuple[Any, ...] | None = None
    ) -> None:
        if isinstance(value, RuntimeTensor):
            self.cpu_tensors += value.on_cpu
            self.gpu_tensors += not value.on_cpu
            self.key.add_kind(name, value.__fairlead_kind__)
        if len(value.shape) > _MOST_MODES:
            raise make_error("TensorRank", name=name, expected=_MOST_MODES, got=len(value.shape))
        if value.narrow_strides:
            self.narrow_strides.append(name)
        extents_shown = value.shape if extents is None else extents
        shape = self.symbols.extents(extents_shown)
        strides = self.symbols.extents(value.stride)
        self.num_tensors += 1
        place = len(self.dynamic)
        self.symbols.note(place, name, "shape", extents_shown)
        self.symbols.note(place, name, "stride", value.stride)
        self.signature.add_tensor(
            name, value.dtype, shape, strides, value.alignment, value.memspace, self._no_alias
        )

    def _add_scalar(self, name: str, hint: object, value: object, index: int) -> None:
        if isinstance(value, SymInt):
            dtype: type[_compiler.Numeric] = (
                _compiler.Int64 if value.width == 64 else _compiler.Int32
            )
            self.signature.add_scalar(name, dtype, self.symbols.index(value))
            self.symbols.note(len(self.dynamic), name, "value", (value,))
        else:
            dtype = self._scalar_type(name, hint, value, index)
            self.signature.add_scalar(name, dtype)
            self.key.add_kind(name, dtype)

    @staticmethod
    def _is_number_type(hint: object, value: object) -> bool:
        """True if a number inside a structure is passed at the call."""
        return (
            _compiler.is_dtype(hint)
            or _compiler.is_dtype(value)
            or isinstance(value, (SymInt, _compiler.Numeric))
        )

    def _scalar_type(
        self, name: str, hint: object, value: object, index: int
    ) -> type[_compiler.Numeric]:
        if _compiler.is_dtype(value):
            return value
        if _compiler.is_dtype(hint) and isinstance(value, (int, float, _compiler.Numeric)):
            return hint
        if isinstance(value, _compiler.Numeric):
            return type(value)
        for python, numeric in (
            (bool, _compiler.Boolean),
            (int, _compiler.Int32),
            (float, _compiler.Float32),
        ):
            if isinstance(value, python):
                return numeric
        got = type(value).__name__
        raise make_error(
            "CompileArgument", function=self.function.__name__, index=index, name=name, got=got
        )

    def _check_none(self, name: str, hint: Any, index: int, nested: bool) -> None:
        """None is accepted if the annotation or default allows it, for parameters without an annotation, and in lenient
        dialects always."""
        is_needed = any(hint is cls for cls in _NO_EXAMPLES) or _compiler.is_dtype(hint)
        if isinstance(hint, TensorOf):
            is_needed = not hint.optional
        if nested or not is_needed:
            return
        parameter = self.python_signature.parameters.get(name)
        if parameter is None or parameter.default is None or state.dialect.lenient:
            return
        raise make_error(
            "ArgumentAnnotation",
            function=self.function.__name__,
            index=index,
            name=name,
            expected=hint.__name__,
            got="None",
        )

    def _check_annotation(self, name: str, hint: Any, value: object, index: int) -> None:
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
            raise make_error(
                "ArgumentAnnotation",
                function=self.function.__name__,
                index=index,
                name=name,
                expected=hint.__name__,
                got=_kind_text(value),
            )

    def call_arguments(self) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments of this call, as the compiled function takes them."""
        return self.call_form.arguments()

    @property
    def on_cpu(self) -> bool:
        """True when example tensors are given and all lie on the CPU."""
        return self.cpu_tensors > 0 and self.gpu_tensors == 0

    def call(self, function: Callable[..., Any], traced: list[Any]) -> Any:
        """Call ``function`` with the program's values in place of the arguments of the signature."""

        arguments = dict(self.bound.arguments)
        arguments.update(
            (name, filled(template, traced)) for name, template in self._templates.items()
        )
        bound = inspect.BoundArguments(self.python_signature, arguments)
        return function(*bound.args, **bound.kwargs)
