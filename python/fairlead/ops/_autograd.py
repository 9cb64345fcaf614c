"""Derivatives of the operations, which autograd of torch asks for."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from fairlead.ops._arrays import expect

__all__ = ["Rule", "differentiated", "needs_gradient", "reject_gradient"]


class Rule(NamedTuple):
    """How an operation is computed, and how the gradients of its arguments are."""

    #: (*arrays, **options): the result, and the tensors that ``backward`` needs (None is allowed among them).
    forward: Callable[..., tuple[Any, tuple[Any, ...]]]
    #: (which of the arrays need a gradient, the result's gradient, *the tensors, **options): the gradients of the
    #: arrays, None for those that need none.
    backward: Callable[..., tuple[Any, ...]]


def needs_gradient(*arrays: Any) -> bool:
    """True if autograd of torch records calls, and one of the arrays requires a gradient."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.is_grad_enabled():
        return False
    return any(isinstance(array, torch.Tensor) and array.requires_grad for array in arrays)


def reject_gradient(operation: str, *arrays: object) -> None:
    """Raise OpsArgument (a ValueError) if a gradient is needed through an operation that has none."""
    expected = f"tensors that require no gradient: fairlead.ops.{operation} has no derivative"
    expect(not needs_gradient(*arrays), "arguments", expected, "one that requires a gradient")


def differentiated(rule: Rule, arrays: tuple[Any, ...], out: object = None, **options: Any) -> Any:
    """The result of an operation that autograd records.

    Args:
        rule: of the operation.
        arrays: its tensors, and None for those that there are not.
        out: must be None.
        options: of the rule's functions.
    """
    expect(out is None, "out", "None where a gradient is needed", type(out).__name__)
    return _recorded().apply(rule, options, *arrays)


@functools.cache
def _recorded() -> Any:
    """The class that autograd of torch calls."""
    import torch

    class Operation(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(context: Any, rule: Rule, options: dict[str, Any], *arrays: object) -> Any:
            result, kept = rule.forward(*arrays, **options)
            context.rule, context.options = rule, options
            context.save_for_backward(*kept)
            return result

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(context: Any, gradient: object) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
            needed = context.needs_input_grad[2:]
            rule: Rule = context.rule
            gradients = rule.backward(needed, gradient, *context.saved_tensors, **context.options)
            return None, None, *gradients

    return Operation
