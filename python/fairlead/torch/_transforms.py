"""What an operator has to know of torch.func's transforms and of forward mode (torch.autograd.forward_ad), in which
tensors that are differentiated do not say so by ``requires_grad``."""

from __future__ import annotations

import torch
from torch.autograd import forward_ad

__all__ = ["derivative_of", "in_transform"]

_functorch = torch._C._functorch
_is_active = torch._C._are_functorch_transforms_active


def in_transform() -> str:
    """Empty outside of torch.func's transforms; else ``derivative`` where one of those around is a derivative."""
    if not _is_active():
        return ""
    kinds = (_functorch.TransformType.Grad, _functorch.TransformType.Jvp)
    found = any(each.key() in kinds for each in _functorch.get_interpreter_stack() or ())
    return "derivative" if found else "vmap"


# Torch.compile calls it while it traces, and guards on the transforms around by itself.
in_transform._dynamo_marked_constant = True  # type: ignore[attr-defined]


def derivative_of(value: object) -> str:
    """``TorchTangent`` or ``TorchGradient`` where a derivative with respect to the tensor is taken, in forward or in
    reverse mode, by a transform at any level or outside of them; else empty."""
    found = ""
    while isinstance(value, torch.Tensor):
        # Of a batch, the tensor inside of it is asked.
        if forward_ad._current_level >= 0 and not _functorch.is_batchedtensor(value):
            if forward_ad.unpack_dual(value).tangent is not None:
                return "TorchTangent"
        if value.requires_grad and torch.is_grad_enabled():
            found = "TorchGradient"
        if not _functorch.is_functorch_wrapped_tensor(value):
            break
        value = _functorch.get_unwrapped(value)
    return found
