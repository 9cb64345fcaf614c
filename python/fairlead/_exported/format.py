"""The format of what exported files say of their functions: ``fairlead`` of the metadata."""

from __future__ import annotations

from typing import Any

from fairlead import __version__

__all__ = ["require_format"]

_FORMAT = 2  # kMetadataFormat of lib/entry/Metadata.cpp


def require_format(own: dict[str, Any], place: str) -> None:
    """RuntimeError where it is of another release's format. ``place``: whose it is, for the text."""
    found = own.get("format", 1)
    if own and found != _FORMAT:
        raise RuntimeError(
            f"{place} was exported by Fairlead {own.get('version', '')} for version {found} of exported metadata, and"
            f" this is Fairlead {__version__} with version {_FORMAT}: export it again"
        )
