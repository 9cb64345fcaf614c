from __future__ import annotations

import jax
import jax.numpy as jnp

import fairlead.jax
from fairlead import cute


@cute.jit
def scale(x: cute.Tensor, out: cute.Tensor) -> None: ...


call = fairlead.jax.call(scale, outputs={"out": "x"})
print(jax.jit(call)(jnp.zeros(8)))
