"""Compiled functions as JAX calls: ``fairlead.jax.call(add_one)(x)``, in ``jit``, ``vmap``, ``grad``, ``shard_map`` and
``jax.export``. docs/jax.md is the guide.

Importing this module imports JAX, and makes programs that ``jax.export`` saved with ``embed=True`` runnable.
"""

from __future__ import annotations

from fairlead.jax._call import Call
from fairlead.jax._make import call
from fairlead.jax._native import EAGER_TARGET, TARGET, install

__all__ = ["EAGER_TARGET", "TARGET", "Call", "call"]

install()
