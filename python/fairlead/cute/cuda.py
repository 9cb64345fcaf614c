"""Types of CUDA's driver that signatures and calls name: ``CUstream``.

The class of the package ``cuda.bindings`` where it is installed; else one of our own that follows the stream protocol.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["CUstream"]

if TYPE_CHECKING:
    from cuda.bindings.driver import CUstream


class _Stream:
    """A CUstream by its address; 0 is the default stream."""

    def __init__(self, handle: int = 0) -> None:
        self._handle = int(handle)

    def __int__(self) -> int:
        return self._handle

    def getPtr(self) -> int:
        return self._handle

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._handle

    def __repr__(self) -> str:
        return f"<CUstream 0x{self._handle:x}>"


_Stream.__name__ = _Stream.__qualname__ = "CUstream"


def __getattr__(name: str) -> Any:
    if name != "CUstream":
        raise AttributeError(f"module 'fairlead.cute.cuda' has no attribute {name!r}")
    try:
        from cuda.bindings.driver import CUstream
    except ImportError:
        CUstream = _Stream
    globals()[name] = CUstream
    return CUstream
