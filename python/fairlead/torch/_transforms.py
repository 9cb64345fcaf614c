"""torch.func's transforms and forward mode (torch.autograd.forward_ad) as an operator sees them: tensors
that are differentiated there do not say so by ``requires_grad``."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd import forward_ad

__all__ = ["derivative_of", "in_transform"]

_internals: Any = torch._C
_functorch = _internals._functorch
_is_active = _internals._are_functorch_transforms_active


def in_transform() -> str:
    """Empty outside of torch.func's transforms; else ``derivative`` if one of the enclosing ones is a derivative."""
    if not _is_active():
        return ""
    kinds = (_functorch.TransformType.Grad, _functorch.TransformType.Jvp)
    is_active = any(
        interpreter.key() in kinds for interpreter in _functorch.get_interpreter_stack() or ()
    )
    return "derivative" if is_active else "vmap"


# Torch.compile calls it while it traces, and guards on the enclosing transforms.
in_transform._dynamo_marked_constant = True  # type: ignore[attr-defined]


def derivative_of(value: object) -> str:
    """``TorchTangent`` or ``TorchGradient`` where a derivative with respect to the tensor is taken, in forward or in
    reverse mode, by a transform at any level or outside of them; else empty."""
    kind = ""
    while isinstance(value, torch.Tensor):
        # For a batch, ask the tensor inside it.
        if forward_ad._current_level >= 0 and not _functorch.is_batchedtensor(value):
            if forward_ad.unpack_dual(value).tangent is not None:
                return "TorchTangent"
        if value.requires_grad and torch.is_grad_enabled():
            kind = "TorchGradient"
        if not _functorch.is_functorch_wrapped_tensor(value):
            break
        value = _functorch.get_unwrapped(value)
    return kind
