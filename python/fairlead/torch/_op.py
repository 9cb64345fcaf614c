"""``fairlead.torch.op``: registers operators, and calls them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

import torch

from fairlead import _compiler
from fairlead._frameworks.interface import Interface, interface_of
from fairlead._hints import name_keywords
from fairlead.errors import make_error, require
from fairlead.torch._autograd import Gradients, backward_of, refuse_gradients
from fairlead.torch._batching import Loop
from fairlead.torch._fake import Fake, register_fake
from fairlead.torch._inductor import keep_function
from fairlead.torch._native import implement
from fairlead.torch._schema import Overload, Schema
from fairlead.torch._transforms import in_transform

__all__ = ["Operator", "op"]

#: Operators by name.
_operators: dict[str, Operator] = {}
#: torch's libraries: their registrations end with them.
_libraries: dict[str, torch.library.Library] = {}


def op(
    function: Callable[..., Any],
    name: str,
    outputs: str | Iterable[str] | None = None,
    *,
    mutates: str | Iterable[str] | None = None,
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
        name: ``namespace::name``, unique in the process: exported programs find the operator under it.
        outputs: the tensor parameters that are results. The shapes of the inputs must determine theirs. Default: the
            tensors that the function only writes (``out`` in its printed signature), except the names in ``mutates``.
        mutates: the tensor parameters that are read and written in place. Default: the tensors that the function reads
            and writes (``inout``), except the names in ``outputs``. A tensor whose address goes into inline assembly or
            other code counts as ``inout`` unless one of the two options is passed.
        may_alias: outputs that may be the same tensor as an input: ``{"out": "x"}``. Only safe if the function reads
            each element of ``x`` before it writes that element of ``out``, and does not read it again. Any other
            call with a written tensor that shares elements with another argument is a ValueError.
        backward: ``backward(inputs, outputs, gradients)`` returns the gradients of the tensor inputs, in order, None
            without one; its three arguments are tuples. Or a compiled function, whose parameters are
            matched by name: it reads any of the operator's inputs, its outputs and ``grad_OUTPUT``, and writes one
            or more of ``grad_INPUT``.
        vmap: a rule as torch.library.register_vmap takes it; default one call for each member of the batch.
        tags: members of torch.Tag, in addition to pt2_compliant_tag.
        signature: the signature in one line (docs/kernels.md), for a function that has none of its own.

    Returns an :class:`Operator`. Raises ValueError (TorchName, TorchNameTaken, FrameworkOutputs, FrameworkShape,
    TorchBackward) and TypeError (FrameworkFunction, FrameworkParameter); then nothing has been registered.
    """
    require(op, vmap=vmap, tags=tags)
    interface = interface_of(function, signature)
    schema = Schema(interface, name, *_results(interface, outputs, mutates), dict(may_alias or {}))
    _check_writes(schema)
    return Operator(schema, backward, vmap, tags)


def _names(names: str | Iterable[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _results(
    interface: Interface, outputs: str | Iterable[str] | None, mutates: str | Iterable[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the outputs and the mutated tensors: as named, else as the function accesses them."""
    only_written = interface.accessed("out")
    if outputs is None and mutates is None:
        return only_written, interface.accessed("inout", "unknown")
    if outputs is None:
        mutated = _names(mutates or ())
        return tuple(name for name in only_written if name not in mutated), mutated
    results = _names(outputs)
    if mutates is None:
        return results, tuple(name for name in interface.accessed("inout") if name not in results)
    return results, _names(mutates)


def _check_writes(schema: Schema) -> None:
    """Raise FrameworkOption if a tensor that the function writes is neither an output nor mutated, or if it never
    writes an output."""
    written = schema.interface.accessed("out", "inout")
    if missing := [name for name in written if name not in (*schema.outputs, *schema.mutates)]:
        expected = f"together all tensors that the function writes ({', '.join(written)})"
        _refuse("outputs= and mutates=", expected, f"none for {', '.join(missing)}")
    never_written = schema.interface.accessed("in", *(["none"] if written else []))
    if wrong := [name for name in schema.outputs if name in never_written]:
        expected = f"tensors that the function writes ({', '.join(written) or 'none'})"
        _refuse("outputs=", expected, ", ".join(wrong))


def _refuse(option: str, expected: str, got: str) -> NoReturn:
    raise make_error("FrameworkOption", option=option, expected=expected, got=got)


def _library(namespace: str) -> torch.library.Library:
    if namespace not in _libraries:
        _libraries[namespace] = torch.library.Library(namespace, "FRAGMENT")
    return _libraries[namespace]


class Operator:
    """The result of ``fairlead.torch.op``. A call with all of the function's arguments writes the outputs that it
    gets; one without the outputs returns new ones.

    Attributes:
        default: the overload of torch that allocates the outputs.
        out: the one that writes those it is given; None for an operator without outputs.
        name: ``namespace::name``.
    """

    def __init__(
        self,
        schema: Schema,
        backward: object,
        vmap: Callable[..., Any] | None,
        tags: Sequence[torch.Tag],
    ) -> None:
        self._schema, self.name = schema, schema.name
        self.__name__ = schema.own_name  # torch's messages about functions have it
        schema.check_free()
        # Before anything is registered: what fails here leaves the name free for the next attempt.
        backward_function = backward_of(schema, backward, _derivative_operator)
        self.default = _register(schema, schema.allocating(), vmap, tags)
        self.out: Any = None
        if schema.outputs:
            self.out = _register(schema, schema.writing(), None, tags)
        self._gradients = Gradients(schema, self.default, backward_function)
        # Attributes that each call reads, in the operator itself.
        self._places = schema.tensor_places
        self._all_places = schema.places_of_tensors(schema.arguments)
        self._count_all = len(schema.arguments)
        function = schema.interface.function
        function.__dict__["_torch_operator"] = self.call_as_function
        function.__dict__["_operator"] = schema.exported
        for index, argument in enumerate(schema.interface.arguments):
            if argument.name in (*schema.outputs, *schema.mutates):
                function._written |= 1 << index
        _operators[self.name] = self

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
                            refuse_gradients(self._schema, self._schema.arguments, args)
                return self.out(*args)
            if torch.is_grad_enabled():
                for place in self._places:
                    if args[place].requires_grad:
                        return self._gradients.apply(args)
            return self.default(*args)
        except (RuntimeError, NotImplementedError, AttributeError, IndexError):
            if refusal := self._refusal(args):
                raise refusal from None
            raise

    def call_as_function(self, *args: object, **kwargs: object) -> Any:
        """A call with the function's own arguments, streams among them, which become torch's current one."""
        for index in reversed(self._schema.streams):
            args = args[:index] + args[index + 1 :]
        return self(*args, **kwargs)

    def __reduce__(self) -> Any:
        """Copies and pickles find the operator by its name, as saved programs do."""
        return _find, (self.name,)

    def __repr__(self) -> str:
        return f"<Operator {self.default._schema}>"

    def _overload_for(self, args: tuple[Any, ...]) -> tuple[Any, tuple[str, ...]]:
        """Return the overload that takes so many arguments, and their names."""
        if self.out is not None and len(args) == self._count_all:
            return self.out, self._schema.arguments
        return self.default, self._schema.inputs

    def _call_in_transform(self, args: tuple[Any, ...]) -> Any:
        """A call inside of vmap and derivatives of torch.func."""
        call, names = self._overload_for(args)
        if not torch.compiler.is_compiling():
            return self._gradients.follow(call, names, args)
        if in_transform() == "vmap" and not any(args[i].requires_grad for i in self._places):
            return call(*args)
        # There torch takes the derivative of a Function's forward, and not its backward. If Python runs
        # this, it does nothing.
        torch._dynamo.graph_break(
            msg=f"torch.compile cannot follow `{self.name}` in a derivative of torch.func, or in a vmap that is "
            "differentiated: take the derivative by torch.autograd.grad or backward()"
        )
        return self._gradients.follow(call, names, args)

    def _refusal(self, args: tuple[Any, ...]) -> TypeError | None:
        """The mistake in arguments that are too few or too many, or of other types; None without one."""
        _, names = self._overload_for(args)
        if len(args) != len(names):
            return TypeError(
                f"`{self.name}` takes {', '.join(names)}, but got {len(args)} arguments"
            )
        scalars = {scalar.name: scalar for scalar in self._schema.interface.scalars}
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

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        schema = self._schema
        is_out = len(args) + len(kwargs) == len(schema.arguments)
        names = schema.arguments if is_out else schema.inputs
        values = dict(zip(names, args, strict=False))
        unknown = [name for name in kwargs if name not in names or name in values]
        missing = [name for name in names if name not in values and name not in kwargs]
        if unknown or missing:
            raise TypeError(f"`{self.name}` takes {', '.join(names)}")
        values.update(kwargs)
        return tuple(values[name] for name in names)


def _derivative_operator(
    interface: Interface, name: str, outputs: tuple[str, ...]
) -> tuple[Schema, Operator]:
    """The operator of a compiled backward function."""
    schema = Schema(interface, name, outputs, (), {})
    operator = Operator(schema, None, None, ())
    operator._gradients.is_derivative = True
    return schema, operator


def _register(
    schema: Schema,
    overload: Overload,
    vmap: Callable[..., Any] | None,
    tags: Sequence[torch.Tag],
) -> Any:
    """Register an overload with its kernels, its fake implementation and its rule of vmap. Returns torch's object."""
    library = _library(schema.namespace)
    library.define(overload.schema, tags=(torch.Tag.pt2_compliant_tag, *tags))
    schema.overloads.append(overload)
    implement(schema.interface, schema.describe(overload))
    # Inductor's programs may call the function if its writes need no checks.
    is_direct = not overload.written and not schema.streams
    register_fake(overload.name, Fake(schema, overload, is_direct), library)
    _, _, own_name = overload.name.partition("::")
    registered = getattr(getattr(torch.ops, schema.namespace), own_name).default
    rule = None if overload.written else vmap
    rule = rule or Loop(schema.name, overload, registered)
    torch.library.register_vmap(overload.name, rule, lib=library)
    if is_direct:
        keep_function(registered, schema.interface.function)
    return registered


def _find(name: str) -> Operator:
    if name not in _operators:
        raise LookupError(
            f"no operator {name} in this process: make it with fairlead.torch.op before what uses it is loaded"
        )
    return _operators[name]


name_keywords(__all__, globals())
