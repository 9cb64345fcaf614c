"""Gradients of products for PyTorch's autograd."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from fairlead.ops._arrays import checked, expect, number
from fairlead.ops._autograd import Rule, differentiated
from fairlead.ops._epilogue import expect_activation
from fairlead.plans import Planned

if TYPE_CHECKING:
    import torch

__all__ = ["with_gradients"]


def with_gradients(
    matmul: Planned[..., Any], a: object, b: object, bias: object, activation: str | None, residual: Any,
    alpha: float, beta: float, scales: tuple[Any, Any], out_dtype: str | None, out: object, tune: bool,
    deterministic: str,
) -> Any:  # fmt: skip
    """Return a product that autograd records. The activation and the residual are computed by PyTorch after the kernel,
    because the gradient needs the numbers before them. ``matmul``: the operation."""
    import torch

    expect(scales == (None, None), "scale_a", "None where a gradient is needed", type(scales[0]))
    left = checked(a, "a")
    expect_activation(activation)
    result = differentiated(
        _RULE,
        (a, b, bias),
        out,
        matmul=matmul,
        alpha=number(alpha, "alpha"),
        out_dtype=out_dtype or left.dtype,
        tune=tune,
        deterministic=deterministic,
    )
    if activation is not None:
        function = getattr(torch.nn.functional, activation.removesuffix("_tanh"))
        is_tanh = activation == "gelu_tanh"
        result = function(result, approximate="tanh") if is_tanh else function(result)
    if residual is None:
        return result
    added = checked(residual, "residual", left)
    expect(added.shape == tuple(result.shape), "residual", f"the shape {list(result.shape)}", added)
    return torch.add(result, cast("torch.Tensor", residual), alpha=beta).to(result.dtype)


def _forward(
    a: object, b: object, bias: object, *, matmul: Planned[..., Any], **options: Any
) -> Any:  # fmt: skip
    return matmul(a, b, bias=bias, **options), (a, b, bias)


def _backward(
    wants_gradient: Sequence[bool], gradient: Any, a: Any, b: Any, bias: Any, *, matmul: Planned[..., Any],
    alpha: float, out_dtype: str, tune: bool, deterministic: str,
) -> tuple[Any, ...]:  # fmt: skip
    of_a = of_b = of_bias = None
    product_gradient = gradient.to(a.dtype)
    options: dict[str, Any] = {"alpha": alpha, "tune": tune, "deterministic": deterministic}
    if wants_gradient[0]:
        of_a = matmul(product_gradient, b.mT, **options)
    if wants_gradient[1]:
        of_b = matmul(a.mT, product_gradient, **options)
    if wants_gradient[2]:
        of_bias = gradient.float().sum(tuple(range(gradient.ndim - 1))).to(bias.dtype)
    return of_a, of_b, of_bias


_RULE = Rule(_forward, _backward)
