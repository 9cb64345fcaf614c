"""Derivatives of the operations for PyTorch's autograd."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from fairlead.ops._arrays import expect

__all__ = ["Rule", "differentiated", "needs_gradient", "reject_gradient"]


class Rule(NamedTuple):
    """The forward and the backward function of an operation."""

    #: Called with (*arrays, **options); returns the result and the tensors for ``backward``, None among them.
    forward: Callable[..., tuple[Any, tuple[Any, ...]]]
    #: Called with (a Boolean for each array that needs a gradient, the gradient of the result, *tensors, **options);
    #: returns the gradients of the arrays, None for the others.
    backward: Callable[..., tuple[Any, ...]]


def needs_gradient(*arrays: Any) -> bool:
    """Return True if autograd records calls and one of the arrays requires a gradient."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.is_grad_enabled():
        return False
    return any(
        isinstance(array, torch.Tensor) and getattr(array, "requires_grad", False)
        for array in arrays
    )


def reject_gradient(operation: str, **arguments: object) -> None:
    """Raise OpsArgument (a ValueError) that names the argument if an operation without a derivative gets a tensor that
    requires a gradient. An argument may be a sequence of tensors."""
    expected = (
        f"no tensor that requires a gradient, since fairlead.ops.{operation} has no derivative"
    )
    for name, value in arguments.items():
        arrays = value if isinstance(value, (list, tuple)) else (value,)
        expect(not needs_gradient(*arrays), name, expected, "one that does")


def differentiated(rule: Rule, arrays: tuple[Any, ...], out: object = None, **options: Any) -> Any:
    """Run an operation, record it for autograd, and return its result.

    Args:
        rule: the functions of the operation.
        arrays: its tensors, None for missing ones.
        out: must be None.
        options: options of the rule's functions.
    """
    expect(out is None, "out", "None where a gradient is needed", type(out).__name__)
    return _recorded().apply(rule, options, *arrays)


@functools.cache
def _recorded() -> Any:
    """Return the class that autograd calls."""
    import torch

    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def gradients_of(context: Any, gradient: object) -> tuple[Any, ...]:
        wants_gradient = context.needs_input_grad[2:]
        if context.is_empty:  # nothing depends on the arrays
            arrays = zip(wants_gradient, context.saved_tensors, strict=True)
            return (
                None,
                None,
                *(torch.zeros_like(a) if is_needed else None for is_needed, a in arrays),
            )
        rule: Rule = context.rule
        gradients = rule.backward(
            wants_gradient, gradient, *context.saved_tensors, **context.options
        )
        return None, None, *gradients

    class Operation(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(context: Any, rule: Rule, options: dict[str, Any], *arrays: object) -> Any:
            result, saved = rule.forward(*arrays, **options)
            context.rule, context.options = rule, options
            context.is_empty = result.numel() == 0
            context.save_for_backward(*(arrays if context.is_empty else saved))
            return result

        @staticmethod
        def backward(ctx: object, *grad_outputs: object) -> Any:
            return gradients_of(ctx, *grad_outputs)

    return Operation
