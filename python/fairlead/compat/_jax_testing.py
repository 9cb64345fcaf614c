"""Names that existing programs import from ``cutlass.jax.testing``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairlead.cute._types import DType

if TYPE_CHECKING:
    import jax

__all__ = ["create_tensor"]


def create_tensor(
    shape: Sequence[int], dtype: DType, key: jax.Array, *, minval: float = -2.0, maxval: float = 2.0
) -> Any:
    """An array of random numbers from ``minval`` on, below ``maxval``; of integers, whole ones."""
    import jax
    import jax.numpy as jnp

    if jnp.issubdtype(dtype, jnp.integer):
        low = max(int(minval), 0) if jnp.issubdtype(dtype, jnp.unsignedinteger) else int(minval)
        return jax.random.randint(key, shape, low, int(maxval), dtype=dtype)
    if jnp.dtype(dtype) == jnp.bool_:
        return jax.random.bernoulli(key, shape=shape)
    # jax.random knows no types of 8 bits.
    numbers = jax.random.uniform(key, shape, jnp.float32, minval, maxval)
    return numbers.astype(dtype)
