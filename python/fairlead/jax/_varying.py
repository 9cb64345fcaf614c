"""Axes of jax.shard_map's mesh over which an array differs from device to device. JAX keeps account of them, and its
FFI calls take only arrays that agree and say nothing of their results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import jax
from jax.core import Tracer

__all__ = ["axes_of", "vary"]


def axes_of(values: Iterable[Any]) -> frozenset[str]:
    """Return the axes over which any of the arrays varies."""
    axes: frozenset[str] = frozenset()
    for value in values:
        if isinstance(value, Tracer):
            kind = jax.typeof(value)
            manual = getattr(kind, "manual_axis_type", None)  # from jax 0.10 on
            axes |= getattr(kind, "vma", frozenset()) if manual is None else manual.varying
    return axes


def vary(values: Iterable[Any], axes: frozenset[str]) -> tuple[Any, ...]:
    """Return the arrays, each varying over all of the axes."""
    return tuple(_vary(value, axes - axes_of((value,))) for value in values)


def _vary(value: object, missing: frozenset[str]) -> Any:
    if not missing:
        return value
    names = tuple(sorted(missing))
    if cast := getattr(jax.lax, "pcast", None):
        return cast(value, names, to="varying")
    lax: Any = jax.lax
    return lax.pvary(value, names)
