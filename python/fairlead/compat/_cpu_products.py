"""Products of matrices of 16-bit floats as a GPU's torch computes them, for programs that run on the CPU in its place.

On a GPU torch's products and a program's own come from the same units, and programs compare them to the last bit. The
CPU's torch adds in an order of its own, so that now and then a sum rounds to the other neighbour. Here sums are Float32
and grow with k, as those of ``mma`` on the CPU do, and are rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["product"]

#: Multiply-adds up to which a product is computed so: beyond it takes seconds.
_MOST = 1 << 31


def product(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The product of two tensors of 16-bit floats that a function of torch is called for; None for other calls."""
    import torch

    if kwargs:
        return None
    equation = None
    if function is torch.einsum and len(args) == 3 and isinstance(args[0], str):
        equation, args = args[0].replace(" ", ""), args[1:]
    elif function not in (
        torch.matmul,
        torch.mm,
        torch.bmm,
        torch.Tensor.matmul,
        torch.Tensor.mm,
        torch.Tensor.bmm,
        torch.Tensor.__matmul__,
    ):
        return None
    if len(args) != 2 or not all(isinstance(arg, torch.Tensor) for arg in args):
        return None
    a, b = args
    if a.dtype != b.dtype or a.dtype not in (torch.float16, torch.bfloat16):
        return None
    if a.requires_grad or b.requires_grad:
        return None
    if equation is None:
        if a.dim() != b.dim() or a.dim() not in (2, 3):
            return None
        equation = "mk,kn->mn" if a.dim() == 2 else "lmk,lkn->lmn"
    if "->" not in equation or "." in equation:
        return None
    inputs, output = equation.split("->")
    left, right = inputs.split(",")
    summed = [label for label in dict.fromkeys(left + right) if label not in output]
    if len(summed) != 1 or summed[0] not in left or summed[0] not in right:
        return None
    mode_a, mode_b = left.index(summed[0]), right.index(summed[0])
    count = a.shape[mode_a]
    extents = dict(zip(left + right, (*a.shape, *b.shape), strict=True))
    size = count
    for label in output:
        size *= extents[label]
    if size > _MOST or count != b.shape[mode_b] or not size:
        return None
    a, b = a.float(), b.float()
    total: Any = None
    for k in range(count):
        term = torch.einsum(equation, a.narrow(mode_a, k, 1), b.narrow(mode_b, k, 1))
        total = term if total is None else total.add_(term)
    return total.to(args[0].dtype)
