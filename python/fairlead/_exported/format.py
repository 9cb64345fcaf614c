"""Formats of the metadata of exported functions (``fairlead`` in it)."""

from __future__ import annotations

from typing import Any

from fairlead import __version__

__all__ = ["FORMATS", "VERSION", "require_format"]

#: The versions that wrote each format. A format loads until two minor versions after the last one that wrote it.
FORMATS = {2: "0.1.0"}

#: The format that exports write (kMetadataFormat of lib/entry/Metadata.cpp).
VERSION = max(FORMATS)


def require_format(own: dict[str, Any], place: str) -> None:
    """Raise RuntimeError unless this version loads functions with this metadata. ``place`` names one in the text."""
    if not own:
        return
    found = own.get("format", 1)
    if isinstance(found, int) and found in FORMATS:
        return
    writer = f"{place} was exported by Fairlead {own.get('version', '')} for version {found} of exported metadata"
    here = f"this is Fairlead {__version__} with version {VERSION}"
    if isinstance(found, int) and found > VERSION:
        raise RuntimeError(f"{writer}, and {here}: update Fairlead, or export it again")
    raise RuntimeError(f"{writer}, and {here}: export it again")
