"""Derivatives of an operator: its backward function, and the errors without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from fairlead import _compiler
from fairlead._frameworks.interface import Interface, Scalar, Tensor, interface_of
from fairlead.cute._decorated import Decorated
from fairlead.errors import make_error
from fairlead.torch._schema import Schema
from fairlead.torch._transforms import derivative_of

__all__ = ["Backward", "Gradients", "backward_of", "refuse_gradients"]

#: ``backward(inputs, outputs, gradients)``, three tuples; returns the gradients of the tensor inputs.
Backward = Callable[[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]], Any]


def backward_of(
    schema: Schema,
    backward: object,
    make_operator: Callable[[Interface, str, tuple[str, ...]], tuple[Schema, Callable[..., Any]]],
) -> Backward | None:
    """Return the backward function from the argument of ``op``: a Python function, or a compiled one.

    Args:
        schema: the operator's.
        backward: the argument of ``op``.
        make_operator: makes an operator of a compiled function, a name and its outputs.

    Raises FrameworkOption and TorchBackward.
    """
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
    interface = interface_of(backward)
    gradient_names = [f"grad_{schema.inputs[index]}" for index in schema.tensor_places]
    _check_backward(schema, interface, gradient_names)
    written = tuple(tensor.name for tensor in interface.tensors if tensor.name in gradient_names)
    own_schema, operator = make_operator(interface, f"{schema.name}_backward", written)

    def call(
        inputs: tuple[Any, ...], outputs: tuple[Any, ...], gradients: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        values = dict(zip(schema.inputs, inputs, strict=True))
        values.update(zip(schema.outputs, outputs, strict=True))
        for name, gradient in zip(schema.outputs, gradients, strict=True):
            values[f"grad_{name}"] = gradient.contiguous()
        results = operator(*(values[name] for name in own_schema.inputs))
        results = results if isinstance(results, tuple) else (results,)
        by_name = dict(zip(own_schema.outputs, results, strict=True))
        return tuple(by_name.get(name) for name in gradient_names)

    return call


def _check_backward(schema: Schema, interface: Interface, written: list[str]) -> None:
    """Parameters of a backward function are matched by their names."""
    read = [*schema.inputs, *schema.outputs, *(f"grad_{name}" for name in schema.outputs)]
    names = [
        argument.name for argument in interface.arguments if isinstance(argument, (Tensor, Scalar))
    ]
    got = [f"`{name}`" for name in names if name not in read and name not in written]
    if not got and not set(names) & set(written):
        got = ["none of the gradients that it writes"]
    if got:
        raise make_error(
            "TorchBackward",
            function=schema.name,
            signature=interface.text,
            read=", ".join(read),
            written=", ".join(written) or "none, since no input is a tensor",
            got=", ".join(got),
        )


def refuse_gradients(schema: Schema, names: tuple[str, ...], args: tuple[Any, ...]) -> None:
    """Raise TorchGradient if an argument needs a gradient."""
    for name, value in zip(names, args, strict=False):
        if isinstance(value, torch.Tensor) and value.requires_grad:
            raise make_error("TorchGradient", function=schema.name, name=name)


class Gradients:
    """How autograd goes through an operator: the overload that it calls, and the backward function.

    Attributes:
        is_derivative: True for the operator of a backward function. It is called where a second derivative may be
            taken, and mostly is not, so that its lack of a derivative is an error only then.
    """

    def __init__(self, schema: Schema, call: Callable[..., Any], backward: Backward | None) -> None:
        self.schema, self.call, self.backward = schema, call, backward
        self.is_derivative = False

    def apply(self, args: tuple[Any, ...]) -> Any:
        """Call the operator with inputs that include one that needs a gradient."""
        if self.schema.mutates or (self.backward is None and not self.is_derivative):
            refuse_gradients(self.schema, self.schema.inputs, args)
        return _Derivative.apply(self, *args)

    def follow(
        self, call: Callable[..., Any], names: tuple[str, ...], args: tuple[Any, ...]
    ) -> Any:
        """Call an overload with arguments that torch.func's transforms may differentiate."""
        kinds = {name: derivative_of(value) for name, value in zip(names, args, strict=False)}
        followed = [name for name in names if kinds.get(name)]
        if not followed:
            return call(*args)
        writes_inputs = call is not self.call or self.schema.mutates
        for name in followed:
            if kinds[name] == "TorchTangent" or writes_inputs:
                raise _compiler.make_error(kinds[name], function=self.schema.name, name=name)
        return _TransformedDerivative.apply(self, *args)


class _Derivative(torch.autograd.Function):  # type: ignore[misc]
    """An operator with its backward function."""

    @staticmethod
    def forward(ctx: object, gradients: Gradients, *args: object) -> Any:
        results = gradients.call(*args)
        _keep(ctx, gradients, *args, results=results)
        return results

    @staticmethod
    def backward(ctx: Any, *output_gradients: object) -> Any:
        gradients: Gradients = ctx.gradients
        schema = gradients.schema
        if gradients.backward is None:
            first = next(index for index, needs in enumerate(ctx.needs_input_grad[1:]) if needs)
            raise make_error("TorchGradient", function=schema.name, name=schema.inputs[first])
        saved = list(ctx.saved_tensors)
        inputs = []
        for index, value in enumerate(ctx.args):
            inputs.append(saved.pop(0) if index in schema.tensor_places else value)
        results = gradients.backward(tuple(inputs), tuple(saved), output_gradients)
        results = tuple(results) if isinstance(results, (tuple, list)) else (results,)
        if len(results) != len(schema.tensor_places):
            raise make_error(
                "FrameworkBackward",
                function=schema.name,
                expected=len(schema.tensor_places),
                got=len(results),
            )
        by_place = dict(zip(schema.tensor_places, results, strict=True))
        return None, *(by_place.get(index) for index in range(len(inputs)))


def _keep(ctx: Any, gradients: Gradients, *args: object, results: object) -> None:
    """Save what backward needs."""
    outputs = results if isinstance(results, tuple) else (results,)
    ctx.gradients = gradients
    ctx.args = tuple(None if isinstance(value, torch.Tensor) else value for value in args)
    tensors = [value for value in args if isinstance(value, torch.Tensor)]
    ctx.save_for_backward(*tensors, *outputs)


class _TransformedDerivative(_Derivative):
    """The call in the form that transforms can follow, which costs more."""

    generate_vmap_rule = True

    @staticmethod
    def forward(gradients: Gradients, *args: object) -> Any:  # type: ignore[override]
        return gradients.call(*args)

    @staticmethod
    def setup_context(ctx: object, inputs: tuple[Any, ...], output: object) -> None:
        _keep(ctx, *inputs, results=output)
