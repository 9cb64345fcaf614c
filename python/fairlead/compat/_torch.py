"""What existing programs import from ``cutlass.torch``. torch is imported when something is used."""

from __future__ import annotations

from typing import Any

__all__ = ["current_stream", "default_stream", "dtype"]


def dtype(of: type) -> Any:
    """The torch dtype of a numeric class; TypeError where torch has none."""
    import torch

    from fairlead import _compiler

    if not _compiler.is_dtype(of):
        raise TypeError(f"expected a numeric class such as Float32, but got {of!r}")
    name = {"Boolean": "bool"}.get(of.__name__, of.__name__.lower())
    name = name.replace("float8e4m3fn", "float8_e4m3fn").replace("float8e5m2", "float8_e5m2")
    found = getattr(torch, name, None)
    if not isinstance(found, torch.dtype):
        raise TypeError(f"torch has no dtype for {of.__name__}")
    return found


def current_stream() -> Any:
    """torch's current stream, as an argument of calls and of compile."""
    import torch

    return torch.cuda.current_stream()


def default_stream() -> Any:
    """torch's default stream."""
    import torch

    return torch.cuda.default_stream()
