"""From a function and example arguments to a signature, and from traced parameters back to arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from fairlead import _compiler
from fairlead.cute._annotations import annotation, is_static
from fairlead.cute._dlpack import RuntimeTensor
from fairlead.cute._fake import FakeStream, FakeTensor, Product
from fairlead.cute._symbols import SymInt
from fairlead.errors import make_error

_STREAMS = ("CUstream", "cudaStream_t")


def is_stream(value: Any) -> bool:
    """A fake stream, or an object of the CUDA stream protocol."""
    return (
        isinstance(value, FakeStream)
        or hasattr(value, "__cuda_stream__")
        or type(value).__name__ in _STREAMS
    )


class Parameters:
    """A call's arguments bound to a function's parameters, and the signature that they make.

    ``arguments`` is every bound value by name; ``dynamic`` the names that are in the signature, in order.
    """

    def __init__(self, function: Any, instance: tuple, args: tuple, kwargs: dict[str, Any]) -> None:
        self.function = function
        self.python_signature = inspect.signature(function)
        bound = self.python_signature.bind(*instance, *args, **kwargs)
        bound.apply_defaults()
        self.bound = bound
        self.skipped = len(instance)
        self.signature = _compiler.Signature(function.__name__)
        self.dynamic: list[str] = []
        self.environment: list[str] = []
        self.cpu_tensors = self.gpu_tensors = 0
        self._symbols: dict[int, int] = {}
        self._keep: list[SymInt] = []
        for index, (name, value) in enumerate(bound.arguments.items()):
            if index < len(instance):
                continue
            kind = self.python_signature.parameters[name].kind
            if (
                kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
                and not value
            ):
                continue
            self._add(name, value, index - len(instance))

    def _symbol(self, symbol: SymInt) -> int:
        index = self._symbols.get(id(symbol))
        if index is None:
            index = self.signature.add_symbol(symbol.width, symbol.divisibility)
            self._symbols[id(symbol)] = index
            self._keep.append(symbol)
        return index

    def _extents(self, extents: tuple) -> list[tuple[int, list[int]]]:
        products = [Product.of(extent) for extent in extents]
        return [
            (product.coefficient, [self._symbol(symbol) for symbol in product.symbols])
            for product in products
        ]

    def _add(self, name: str, value: Any, index: int) -> None:
        hint = annotation(self.function, name)
        if is_static(hint) or value is None:
            return
        if (
            not isinstance(value, (FakeTensor, RuntimeTensor))
            and not is_stream(value)
            and hasattr(value, "__dlpack__")
        ):
            value = RuntimeTensor(value, None, False).mark_layout_dynamic()
        self._check_annotation(name, hint, value, index)
        if isinstance(value, (FakeTensor, RuntimeTensor)):
            self._add_tensor(name, value)
        elif is_stream(value):
            environment = isinstance(value, FakeStream) and value.environment
            self.signature.add_stream(name, environment)
            if environment:
                self.environment.append(name)
        else:
            self.signature.add_scalar(name, self._scalar_type(name, hint, value, index))
        self.dynamic.append(name)

    def _add_tensor(self, name: str, value: FakeTensor | RuntimeTensor) -> None:
        if isinstance(value, RuntimeTensor):
            self.cpu_tensors += value.on_cpu
            self.gpu_tensors += not value.on_cpu
        shape = self._extents(value.shape)
        strides = self._extents(value.stride)
        self.signature.add_tensor(
            name, value.dtype, shape, strides, value.alignment, value.memspace.name
        )

    def _scalar_type(self, name: str, hint: Any, value: Any, index: int) -> type:
        if _compiler.is_dtype(value):
            return value
        if _compiler.is_dtype(hint):
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

    def _check_annotation(self, name: str, hint: Any, value: Any, index: int) -> None:
        tensor = isinstance(value, (FakeTensor, RuntimeTensor))
        number = _compiler.is_dtype(value) or isinstance(value, (int, float, _compiler.Numeric))
        wrong = (hint is _compiler.Tensor and number) or (
            _compiler.is_dtype(hint) and (tensor or is_stream(value))
        )
        if wrong:
            raise make_error(
                "ArgumentAnnotation",
                function=self.function.__name__,
                index=index,
                name=name,
                expected=hint.__name__,
                got=type(value).__name__,
            )

    @property
    def on_cpu(self) -> bool:
        """True when example tensors are given and all lie on the CPU."""
        return self.cpu_tensors > 0 and self.gpu_tensors == 0

    def call(self, function: Callable[..., Any], traced: list[Any]) -> Any:
        """Calls ``function`` with the program's values in place of the arguments of the signature."""
        arguments = {**self.bound.arguments, **dict(zip(self.dynamic, traced, strict=True))}
        bound = inspect.BoundArguments(self.python_signature, arguments)  # type: ignore[arg-type]
        return function(*bound.args, **bound.kwargs)

    def call_names(self) -> tuple[list[str], list[Any]]:
        """Names of the arguments of a call, and the Python defaults of the last ones."""
        names = [name for name in self.dynamic if name not in self.environment]
        defaults: list[Any] = []
        for name in reversed(names):
            default = self.python_signature.parameters[name].default
            if default is inspect.Parameter.empty:
                break
            defaults.insert(0, _plain(default))
        return names, defaults


def _plain(default: Any) -> Any:
    """A default as a call takes it: numbers with a type become Python numbers."""
    if isinstance(default, _compiler.Numeric):
        return float(default) if type(default).is_float else int(default)
    return default
