"""Streams by the module name that other packages of the ABI have."""

from fairlead.ffi._stream import (
    StreamContext,
    TorchStreamContext,
    get_raw_stream,
    use_raw_stream,
    use_torch_stream,
)

__all__ = [
    "StreamContext",
    "TorchStreamContext",
    "get_raw_stream",
    "use_raw_stream",
    "use_torch_stream",
]
