"""Operations of matrix products on their sums before they are stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fairlead import cute
from fairlead._compiler import Float32
from fairlead.ops._arrays import expect

__all__ = ["Epilogue", "expect_activation"]


ACTIVATIONS: dict[str | None, Callable[[Any], Any]] = {
    None: lambda x: x,
    "relu": lambda x: cute.arch.fmax(x, 0.0),
    "silu": lambda x: x / (1.0 + cute.math.exp(-x)),
    "gelu": lambda x: 0.5 * x * (1.0 + cute.math.erf(x * 0.7071067811865476)),
    "gelu_tanh": lambda x: (
        0.5 * x * (1.0 + cute.math.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
    ),
}


def expect_activation(name: object) -> None:
    """Raise OpsArgument (a ValueError) if ``name`` is not an activation."""
    expected = f"{', '.join(name for name in ACTIVATIONS if name)} or None"
    expect(name in ACTIVATIONS, "activation", expected, repr(name))


class Epilogue:
    """``activation(alpha * product + bias) + beta * residual`` of the elements that a thread holds.

    ``scales``: "tensor" or "rows" where the product is also multiplied with scales of A and B, one of a matrix or one
    of each row of A and column of B.
    """

    def __init__(
        self,
        alpha: float,
        activation: str | None,
        bias: bool,
        beta: float,
        scales: str | None = None,
    ) -> None:  # fmt: skip
        self.alpha, self.activation, self.bias, self.beta = alpha, activation, bias, beta
        self.scales = scales

    def key(self) -> tuple[Any, ...]:
        """The values by which programs differ."""
        return self.alpha, self.activation, self.bias, self.beta, self.scales

    def value(self, product: Any, bias: Any = None, residual: Any = None, scale: Any = None) -> Any:
        """Return the number to store for a product and the bias, residual and scale of its element."""
        if self.alpha != 1:
            product = product * self.alpha
        if scale is not None:
            product = product * scale
        if self.bias:
            product = product + Float32(bias)
        product = ACTIVATIONS[self.activation](product)
        if self.beta:
            product = product + self.beta * Float32(residual)
        return product

    def apply(
        self, product: object, others: Sequence[Any], m: object, n: object, batch: object
    ) -> Any:
        """Return the numbers to store. ``others``: the bias and the residual, without the missing ones."""
        return self.value(
            product,
            others[0][n] if self.bias else None,
            others[-1][m, n, batch] if self.beta else None,
        )
