"""Values with all their objects as text, and back."""

from __future__ import annotations

from typing import Any

from fairlead._core import get_global_func

__all__ = ["from_json_graph_str", "to_json_graph_str"]


def to_json_graph_str(obj: object, metadata: dict[str, Any] | None = None) -> str:
    """Return the value as JSON: every object once, with the type and the fields that its type has registered.

    Args:
        metadata: goes along under the key ``metadata``, for other readers.

    ValueError or TypeError where an object cannot be written, such as a function.
    """
    text: str = get_global_func("ffi.ToJSONGraphString")(obj, metadata)
    return text


def from_json_graph_str(json_str: str) -> Any:
    """Return the value written by to_json_graph_str. ValueError for other text."""
    if not isinstance(json_str, str):
        raise TypeError(f"json_str: expected str, but got {type(json_str).__name__}")
    return get_global_func("ffi.FromJSONGraphString")(json_str)
