"""``fairlead.torch.op``: the schema, the fake implementation, autograd and vmap of an operator."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch

from fairlead import _compiler
from fairlead._frameworks.description import describe, free_strides, symbol_sources
from fairlead._frameworks.interface import (
    Interface,
    Scalar,
    Stream,
    Tensor,
    Values,
    framework_name,
    interface_of,
)
from fairlead.cute._decorated import Decorated
from fairlead.errors import make_error
from fairlead.torch._inductor import keep_function, show_function
from fairlead.torch._native import implement
from fairlead.torch._transforms import derivative_of, in_transform

__all__ = ["Operator", "op"]

_NAME = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]\w*\Z")
#: Operators by name.
_operators: dict[str, Operator] = {}
#: torch's libraries: what is registered through one goes with it.
_libraries: dict[str, torch.library.Library] = {}


def op(
    function: Callable[..., Any],
    name: str,
    outputs: str | Iterable[str] = (),
    *,
    mutates: str | Iterable[str] = (),
    may_alias: Mapping[str, str] | None = None,
    backward: object = None,
    vmap: Callable[..., Any] | None = None,
    tags: Sequence[torch.Tag] = (),
    signature: str | None = None,
) -> Operator:
    """Registers a function as an operator of torch, on the devices that it has code for.

    The operator ``name`` takes the arguments that are not outputs, allocates the outputs and returns them. If there are
    outputs, ``name_out`` takes all arguments and writes the outputs. Both run in C++ without the GIL, on torch's
    current stream. The function itself becomes traceable, too: a call of it inside torch.compile, torch.export or a
    transform is a call of ``name_out``.

    Args:
        function: a compiled function, one of a loaded file, ``fairlead.kernel``'s, or any function of the ABI with its
            signature.
        name: ``namespace::name``, unique in the process: exported programs find the operator by it.
        outputs: the tensor parameters that are results. Their shapes must follow from those of the inputs.
        mutates: the tensor parameters that are read and written in place.
        may_alias: outputs that may be the same tensor as an input: ``{"out": "x"}``. Only safe if the function reads
            each element of ``x`` before it writes that element of ``out``, and does not read it again. Any other
            call in which a written tensor shares elements with another argument is a ValueError.
        backward: ``backward(inputs, outputs, gradients)`` returns the gradients of the tensor inputs, in order, None
            where there is none; its three arguments are tuples. Or a compiled function, whose parameters are
            matched by name: it reads any of the operator's inputs, its outputs and ``grad_OUTPUT``, and writes one
            or more of ``grad_INPUT``.
        vmap: a rule as torch.library.register_vmap takes it; default one call for each member of the batch.
        tags: members of torch.Tag, in addition to pt2_compliant_tag.
        signature: the signature in one line (docs/kernels.md), for a function that has none of its own.

    Returns an :class:`Operator`. Raises ValueError (TorchName, TorchNameTaken, FrameworkOutputs, FrameworkShape,
    TorchBackward) and TypeError (FrameworkFunction, FrameworkParameter); then nothing has been registered.
    """
    interface = interface_of(function, signature)
    return Operator(
        interface,
        name,
        _names(outputs),
        _names(mutates),
        dict(may_alias or {}),
        backward,
        vmap,
        tags,
    )


def _names(names: str | Iterable[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _library(name_space: str) -> torch.library.Library:
    if name_space not in _libraries:
        _libraries[name_space] = torch.library.Library(name_space, "FRAGMENT")
    return _libraries[name_space]


def _register_fake(
    qualified: str, fake: Callable[..., Any], library: torch.library.Library
) -> None:
    """What torch.library.register_fake does, without finding the file and the module of its caller, which would take
    half of the time that an operator takes."""
    try:
        holder = torch._library.simple_registry.singleton.find(qualified).fake_impl
        library._registration_handles.append(holder.register(fake, __file__, lib=library))
    except (AttributeError, TypeError):  # another torch
        torch.library.register_fake(qualified, fake, lib=library)


class Operator:
    """What ``fairlead.torch.op`` gives. A call with all of the function's arguments writes the outputs that it is
    given; one without the outputs returns new ones.

    Attributes:
        default: the overload of torch that allocates the outputs.
        out: the one that writes those it is given; None for an operator without outputs.
        name: ``namespace::name``.
    """

    def __init__(
        self,
        interface: Interface,
        name: str,
        outputs: tuple[str, ...],
        mutates: tuple[str, ...],
        may_alias: dict[str, str],
        backward: object,
        vmap: Callable[..., Any] | None,
        tags: Sequence[torch.Tag],
    ) -> None:
        if not isinstance(name, str) or not _NAME.match(name):
            raise make_error("TorchName", got=repr(name))
        self.name, self.interface = name, interface
        self._space, _, self._own = name.partition("::")
        self.__name__ = self._own  # torch's messages about functions have it
        self._check_names(outputs, mutates)
        self._check_aliases(may_alias, (*outputs, *mutates))
        arguments = [each for each in interface.arguments if isinstance(each, (Tensor, Scalar))]
        self._all = tuple(each.name for each in arguments)
        self._inputs = tuple(each for each in self._all if each not in outputs)
        self._outputs = tuple(each for each in self._all if each in outputs)
        self._mutates, self._may_alias = mutates, may_alias
        self._check_shapes()
        self._has_streams = len(arguments) < len(interface.arguments)
        self._tags = (torch.Tag.pt2_compliant_tag, *tags)
        self._places = tuple(
            index for index, each in enumerate(self._inputs) if self._is_tensor(each)
        )
        self._all_places = tuple(
            index for index, each in enumerate(self._all) if self._is_tensor(each)
        )
        self._forms: list[tuple[Any, ...]] = []  # schema, inputs, made, written
        self._check_free(self._own, *([f"{self._own}_out"] if self._outputs else []))
        # Before anything is registered: what fails here leaves the name free for the next attempt.
        self._backward = self._gradients(backward)
        self.default = self._define(self._own, self._inputs, self._outputs, mutates, vmap)
        self.out: Any = None
        if self._outputs:
            written = (*mutates, *self._outputs)
            self.out = self._define(f"{self._own}_out", self._all, (), written, None)
        #: Of another operator: is called where a second derivative may be taken, and mostly is not.
        self._is_derivative = False
        self._count_all = len(self._all)
        function = interface.function
        function.__dict__["_torch_operator"] = self.call_as_function
        function.__dict__["_operator"] = self._facts
        for index, argument in enumerate(interface.arguments):
            if argument.name in (*outputs, *mutates):
                function._written |= 1 << index
        self._streams = tuple(
            index for index, each in enumerate(interface.arguments) if isinstance(each, Stream)
        )
        _operators[name] = self

    def __call__(self, *args: Any, **kwargs: object) -> Any:
        if kwargs:
            args = self._bind(args, kwargs)
        try:
            if in_transform():
                return self._call_in_transform(args)
            if len(args) == self._count_all and self.out is not None:
                if torch.is_grad_enabled():
                    for place in self._all_places:
                        if args[place].requires_grad:
                            self._refuse_gradients(self._all, args)
                return self.out(*args)
            if torch.is_grad_enabled():
                for place in self._places:
                    if args[place].requires_grad:
                        return self._differentiable(args)
            return self.default(*args)
        except (RuntimeError, NotImplementedError, AttributeError, IndexError):
            is_out = self.out is not None and len(args) == self._count_all
            if refusal := self._refusal(self._all if is_out else self._inputs, args):
                raise refusal from None
            raise

    def call_as_function(self, *args: object, **kwargs: object) -> Any:
        """A call with the function's own arguments, streams among them, which become torch's current one."""
        for index in reversed(self._streams):
            args = args[:index] + args[index + 1 :]
        return self(*args, **kwargs)

    def __reduce__(self) -> Any:
        """Copies and pickles find the operator by its name, as saved programs do."""
        return _find, (self.name,)

    def __repr__(self) -> str:
        return f"<Operator {self.default._schema}>"

    # --- What it is made from.

    def _check_names(self, outputs: tuple[str, ...], mutates: tuple[str, ...]) -> None:
        known = [tensor.name for tensor in self.interface.tensors]
        both = (*outputs, *mutates)
        for index, name in enumerate(both):
            if name not in known or name in both[:index]:
                raise make_error(
                    "FrameworkOutputs",
                    option="outputs" if index < len(outputs) else "mutates",
                    signature=self.interface.text,
                    expected=", ".join(known) or "none",
                    got=repr(name),
                )
        if not both:
            raise make_error(
                "FrameworkOutputs",
                option="outputs",
                signature=self.interface.text,
                expected=", ".join(known) or "none",
                got="none: an operator has at least one output, or a tensor in mutates=",
            )

    def _check_free(self, *names: str) -> None:
        for own in names:
            if hasattr(getattr(torch.ops, self._space), own):
                raise make_error("TorchNameTaken", name=f"{self._space}::{own}")

    def _check_aliases(self, may_alias: dict[str, str], written: tuple[str, ...]) -> None:
        known = [tensor.name for tensor in self.interface.tensors]
        for name, other in may_alias.items():
            if name in written and other in known and other != name:
                continue
            raise make_error(
                "FrameworkOption",
                option="may_alias",
                expected=f"tensors that are written ({', '.join(written)}), and for each another tensor "
                f"parameter ({', '.join(known)})",
                got=repr({name: other}),
            )

    def _check_shapes(self) -> None:
        known = set(symbol_sources(self.interface, self._inputs))
        variables = {each.variable for each in self._tensors(self._inputs)}
        for tensor in self._tensors(self._outputs):
            of_shape = {symbol for _, symbols in tensor.shape for symbol in symbols}
            if not of_shape <= known or (tensor.variable >= 0 and tensor.variable not in variables):
                raise make_error("FrameworkShape", signature=self.interface.text, name=tensor.name)

    def _is_tensor(self, name: str) -> bool:
        return any(tensor.name == name for tensor in self.interface.tensors)

    def _tensors(self, names: Sequence[str]) -> list[Tensor]:
        return [tensor for tensor in self.interface.tensors if tensor.name in names]

    def _define(
        self,
        own: str,
        inputs: tuple[str, ...],
        made: tuple[str, ...],
        written: tuple[str, ...],
        vmap: Callable[..., Any] | None,
    ) -> Any:
        """An operator, with its kernels and its fake implementation."""
        qualified = f"{self._space}::{own}"
        library = _library(self._space)
        schema = self._schema(own, inputs, made, written)
        library.define(schema, tags=self._tags)
        self._forms.append((schema, inputs, made, written))
        implement(self.interface, self._described(*self._forms[-1]))
        # Inductor's programs may call the function where nothing is to be checked of what it writes.
        is_direct = not written and not self._has_streams
        fake = functools.partial(self._fake, qualified, inputs, made, is_direct)
        _register_fake(qualified, fake, library)
        if written:
            rule: Callable[..., Any] = functools.partial(self._loop_in_place, inputs, written)
        else:
            rule = vmap or self._loop
        torch.library.register_vmap(qualified, rule, lib=library)
        overload = getattr(getattr(torch.ops, self._space), own).default
        if is_direct:
            keep_function(overload, self.interface.function)
        return overload

    def _described(
        self, schema: str, inputs: tuple[str, ...], made: tuple[str, ...], written: tuple[str, ...]
    ) -> dict[str, Any]:
        tensors, interface = self._tensors(made), self.interface
        return describe(self._space, schema, interface, inputs, tensors, written, self._may_alias)

    def _facts(self) -> dict[str, Any]:
        """What exported files say of the operator: for `load`, and for fairlead_register_torch()."""
        return {
            "name": self.name,
            "outputs": list(self._outputs),
            "mutates": list(self._mutates),
            "may_alias": self._may_alias,
            "registered": [self._described(*form) for form in self._forms],
        }

    def _schema(
        self, own: str, inputs: tuple[str, ...], made: tuple[str, ...], written: tuple[str, ...]
    ) -> str:
        scalars = {scalar.name: scalar for scalar in self.interface.scalars}
        letters = iter("abcdefghijklmnopqrstuvwxyz")
        parts = []
        for name in inputs:
            word = re.sub(r"\W+", "_", name).strip("_")
            if name in written:
                parts.append(f"Tensor({next(letters)}!) {word}")
            elif name in scalars:
                parts.append(f"{_number(scalars[name].dtypes[0])} {word}")
            else:
                parts.append(f"Tensor {word}")
        results = ", ".join(["Tensor"] * len(made))
        return f"{own}({', '.join(parts)}) -> {results if len(made) == 1 else f'({results})'}"

    # --- What tracing sees.

    def _fake(
        self,
        qualified: str,
        inputs: tuple[str, ...],
        made: tuple[str, ...],
        is_direct: bool,
        *args: Any,
    ) -> Any:
        if is_direct:
            show_function(qualified, inputs, made, self._all)
        interface, given = self.interface, dict(zip(inputs, args, strict=True))
        values = Values(interface)
        for scalar in interface.scalars:
            if scalar.symbol >= 0:
                values.bind_number(scalar.symbol, given[scalar.name])
        tensors = self._tensors(inputs)
        for tensor in tensors:
            self._check_tensor(tensor, given[tensor.name], values)
        self._check_devices({each.name: given[each.name].device.type for each in tensors})
        known = set(symbol_sources(interface, inputs))
        results = [self._empty(tensor, given, values, known) for tensor in self._tensors(made)]
        return (results[0] if len(results) == 1 else tuple(results)) if made else None

    def _check_tensor(self, tensor: Tensor, value: torch.Tensor, values: Values) -> None:
        if value.dim() != len(tensor.shape):
            raise make_error(
                "FrameworkExtent",
                what=f"number of dimensions of {tensor.name}",
                signature=self.interface.text,
                expected=len(tensor.shape),
                got=value.dim(),
            )
        wanted = [_torch_dtype(each) for each in tensor.dtypes]
        if value.dtype not in wanted:
            raise make_error(
                "FrameworkExtent",
                what=f"dtype of {tensor.name}",
                signature=self.interface.text,
                expected=" or ".join(map(str, wanted)),
                got=value.dtype,
            )

        def check(holds: object, what: str, expected: object, got: object) -> None:
            if isinstance(holds, bool):
                if not holds:
                    raise make_error(
                        "FrameworkExtent",
                        what=what,
                        signature=self.interface.text,
                        expected=expected,
                        got=got,
                    )
                return
            torch._check(holds, lambda: f"Mismatched {what} when calling: `{self.interface.text}`")

        values.bind(tensor, value.shape, check)

    def _check_devices(self, devices: dict[str, str]) -> None:
        """Torch comes here with tensors that have no memory, and does nothing with others of the call."""
        for name, device in devices.items():
            if device != "meta" and "meta" in devices.values():
                raise make_error(
                    "FrameworkExtent",
                    what=f"device of {name}",
                    signature=self.interface.text,
                    expected="meta, where other tensors are",
                    got=device,
                )

    def _empty(
        self, tensor: Tensor, given: dict[str, Any], values: Values, known: set[int]
    ) -> torch.Tensor:
        shape = values.shape(tensor)
        assert shape is not None
        first = next(value for value in given.values() if isinstance(value, torch.Tensor))
        dtype = _torch_dtype(tensor.dtypes[0])
        if tensor.variable >= 0:
            same = [
                each.name for each in self.interface.tensors if each.variable == tensor.variable
            ]
            dtype = next(given[each].dtype for each in same if each in given)
        if free_strides(tensor, known):
            return first.new_empty(shape, dtype=dtype)
        strides = [values.value(stride) for stride in tensor.strides]
        return first.new_empty_strided(shape, strides, dtype=dtype)

    # --- Derivatives and batches.

    def _gradients(self, backward: object) -> Callable[..., Any] | None:
        """``backward(inputs, outputs, gradients)`` of what op was given."""
        if backward is None:
            return None
        if not callable(backward) or isinstance(backward, Decorated):
            raise make_error(
                "FrameworkOption",
                option="backward",
                expected="a compiled function, or a Python function of (inputs, outputs, gradients)",
                got=f"`{backward!r}`",
            )
        if not hasattr(backward, "__chandle__"):
            return backward
        own = interface_of(backward)
        names = [f"grad_{each}" for each in self._inputs if self._is_tensor(each)]
        self._check_backward(own, names)
        written = [tensor.name for tensor in own.tensors if tensor.name in names]
        made = Operator(own, f"{self.name}_backward", tuple(written), (), {}, None, None, ())
        made._is_derivative = True

        def call(
            inputs: tuple[Any, ...], outputs: tuple[Any, ...], gradients: tuple[Any, ...]
        ) -> tuple[Any, ...]:
            given = dict(zip(self._inputs, inputs, strict=True))
            given.update(zip(self._outputs, outputs, strict=True))
            for name, gradient in zip(self._outputs, gradients, strict=True):
                given[f"grad_{name}"] = gradient.contiguous()
            results = made(*(given[name] for name in made._inputs))
            results = results if isinstance(results, tuple) else (results,)
            found = dict(zip(made._outputs, results, strict=True))
            return tuple(found.get(name) for name in names)

        return call

    def _check_backward(self, own: Interface, written: list[str]) -> None:
        """Parameters of a backward function are found by their names."""
        read = [*self._inputs, *self._outputs, *(f"grad_{each}" for each in self._outputs)]
        names = [each.name for each in own.arguments if isinstance(each, (Tensor, Scalar))]
        got = [f"`{each}`" for each in names if each not in read and each not in written]
        if not got and not set(names) & set(written):
            got = ["none of the gradients that it writes"]
        if got:
            raise make_error(
                "TorchBackward",
                function=self.name,
                signature=own.text,
                read=", ".join(read),
                written=", ".join(written) or "none, since no input is a tensor",
                got=", ".join(got),
            )

    def _refusal(self, names: tuple[str, ...], args: tuple[Any, ...]) -> TypeError | None:
        """What is wrong with arguments that are too few or too many, or of other types; None if nothing is."""
        if len(args) != len(names):
            return TypeError(
                f"`{self.name}` takes {', '.join(names)}, but got {len(args)} arguments"
            )
        scalars = {scalar.name: scalar for scalar in self.interface.scalars}
        for index, (name, value) in enumerate(zip(names, args, strict=True)):
            expected = None
            if name not in scalars:
                if not isinstance(value, torch.Tensor):
                    expected = "a tensor of torch"
            elif issubclass(scalars[name].dtypes[0], _compiler.Float):
                if not hasattr(value, "__float__"):
                    expected = "a number"
            elif not hasattr(value, "__index__"):
                expected = "an integer"
            if expected:
                got = "None" if value is None else type(value).__name__
                return TypeError(
                    f"argument #{index} (`{name}`) of `{self.name}` is {expected}, but got {got}"
                )
        return None

    def _differentiable(self, args: tuple[Any, ...]) -> Any:
        if self._mutates or (self._backward is None and not self._is_derivative):
            self._refuse_gradients(self._inputs, args)
        return _Derivative.apply(self, *args)

    def _call_in_transform(self, args: tuple[Any, ...]) -> Any:
        """A call inside of vmap and derivatives of torch.func."""
        if not torch.compiler.is_compiling():
            return self._follow(args)
        if in_transform() == "vmap" and not any(args[i].requires_grad for i in self._places):
            is_out = len(args) == self._count_all and self.out is not None
            return (self.out if is_out else self.default)(*args)
        # There torch takes the derivative of what a Function's forward does, and not its backward. Where Python runs
        # this, it does nothing.
        torch._dynamo.graph_break(
            msg=f"torch.compile cannot follow `{self.name}` in a derivative of torch.func, or in a vmap that is "
            "differentiated: take the derivative by torch.autograd.grad or backward()"
        )
        return self._follow(args)

    def _follow(self, args: tuple[Any, ...]) -> Any:
        """The call, where Python makes it."""
        is_out = len(args) == self._count_all and self.out is not None
        names = self._all if is_out else self._inputs
        found = {name: derivative_of(value) for name, value in zip(names, args, strict=False)}
        followed = [name for name in names if found.get(name)]
        if not followed:
            return (self.out if is_out else self.default)(*args)
        for name in followed:
            if found[name] == "TorchTangent" or is_out or self._mutates:
                raise make_error(found[name], function=self.name, name=name)
        return _TransformedDerivative.apply(self, *args)

    def _refuse_gradients(self, names: tuple[str, ...], args: tuple[Any, ...]) -> None:
        for name, value in zip(names, args, strict=False):
            if isinstance(value, torch.Tensor) and value.requires_grad:
                raise make_error("TorchGradient", function=self.name, name=name)

    def _loop(self, info: Any, in_dims: tuple[int | None, ...], *args: Any) -> Any:
        """The rule of vmap: a call for each member of the batch."""
        results = []
        for index in range(info.batch_size):
            member = [
                each if dim is None else each.select(dim, index).contiguous()
                for each, dim in zip(args, in_dims, strict=True)
            ]
            results.append(self.default(*member))
        if len(self._outputs) == 1:
            return torch.stack(results), 0
        stacked = tuple(torch.stack(each) for each in zip(*results, strict=True))
        return stacked, (0,) * len(stacked)

    def _loop_in_place(
        self,
        names: tuple[str, ...],
        written: tuple[str, ...],
        info: Any,
        in_dims: tuple[int | None, ...],
        *args: Any,
    ) -> Any:
        """The same where tensors are written."""
        for name, dim in zip(names, in_dims, strict=True):
            if name in written and dim is None:
                raise make_error("TorchBatch", function=self.name, name=name)
        call = self.default if names == self._inputs else self.out
        for index in range(info.batch_size):
            member, copied = [], []
            for name, each, dim in zip(names, args, in_dims, strict=True):
                value = each if dim is None else each.select(dim, index)
                if dim is not None and not value.is_contiguous():
                    place, value = value, value.contiguous()
                    if name in written:
                        copied.append((place, value))
                member.append(value)
            call(*member)
            for place, value in copied:
                place.copy_(value)
        return None, None

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        names = self._all if len(args) + len(kwargs) == len(self._all) else self._inputs
        given = dict(zip(names, args, strict=False))
        unknown = [name for name in kwargs if name not in names or name in given]
        missing = [name for name in names if name not in given and name not in kwargs]
        if unknown or missing:
            raise TypeError(f"`{self.name}` takes {', '.join(names)}")
        given.update(kwargs)
        return tuple(given[name] for name in names)


class _Derivative(torch.autograd.Function):  # type: ignore[misc]
    """An operator with its backward function."""

    @staticmethod
    def forward(ctx: object, operator: Operator, *args: object) -> Any:
        results = operator.default(*args)
        _keep(ctx, operator, *args, results=results)
        return results

    @staticmethod
    def backward(ctx: Any, *gradients: object) -> Any:
        operator = ctx.operator
        if operator._backward is None:
            first = next(index for index, needs in enumerate(ctx.needs_input_grad[1:]) if needs)
            raise make_error("TorchGradient", function=operator.name, name=operator._inputs[first])
        saved = list(ctx.saved_tensors)
        inputs = []
        for index, value in enumerate(ctx.args):
            inputs.append(saved.pop(0) if index in operator._places else value)
        given = operator._backward(tuple(inputs), tuple(saved), gradients)
        given = tuple(given) if isinstance(given, (tuple, list)) else (given,)
        if len(given) != len(operator._places):
            raise make_error(
                "FrameworkBackward",
                function=operator.name,
                expected=len(operator._places),
                got=len(given),
            )
        by_place = dict(zip(operator._places, given, strict=True))
        return None, *(by_place.get(index) for index in range(len(inputs)))


def _keep(ctx: Any, operator: Operator, *args: Any, results: object) -> None:
    """What backward needs."""
    made = results if isinstance(results, tuple) else (results,)
    ctx.operator = operator
    ctx.args = tuple(None if isinstance(each, torch.Tensor) else each for each in args)
    ctx.save_for_backward(*(each for each in args if isinstance(each, torch.Tensor)), *made)


class _TransformedDerivative(_Derivative):
    """The same in the form that transforms can follow, which costs more."""

    generate_vmap_rule = True

    @staticmethod
    def forward(operator: Operator, *args: object) -> Any:  # type: ignore[override]
        return operator.default(*args)

    @staticmethod
    def setup_context(ctx: object, inputs: tuple[Any, ...], output: object) -> None:
        _keep(ctx, *inputs, results=output)


def _find(name: str) -> Operator:
    if name not in _operators:
        raise LookupError(
            f"no operator {name} in this process: make it with fairlead.torch.op before what uses it is loaded"
        )
    return _operators[name]


def _number(dtype: type[_compiler.Numeric]) -> str:
    if dtype is _compiler.Boolean:
        return "bool"
    # An integer may be an extent, which is not one number under dynamic shapes.
    return "float" if issubclass(dtype, _compiler.Float) else "SymInt"


def _torch_dtype(dtype: type[_compiler.Numeric]) -> torch.dtype:
    name = framework_name(dtype)
    found = getattr(torch, name, None)
    if not isinstance(found, torch.dtype):
        raise make_error("FrameworkDType", framework="torch", got=dtype.__name__)
    return found
