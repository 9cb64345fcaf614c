"""Formats of the metadata of exported functions (``fairlead`` in it)."""

from __future__ import annotations

from typing import Any

from fairlead import __version__

__all__ = ["FORMATS", "VERSION", "require_format"]

#: The versions that wrote each format. A format loads until two minor versions after the last one that wrote it.
FORMATS = {2: "0.1.0"}

#: The format that exports write (kMetadataFormat of lib/entry/Metadata.cpp).
VERSION = max(FORMATS)


def require_format(details: dict[str, Any], place: str) -> None:
    """Raise RuntimeError unless this version loads functions with this metadata. ``place`` names one in the text."""
    if not details:
        return
    version = details.get("format", 1)
    if isinstance(version, int) and version in FORMATS:
        return
    writer = f"{place} was exported by Fairlead {details.get('version', '')} for version {version} of exported metadata"
    here = f"this is Fairlead {__version__} with version {VERSION}"
    if isinstance(version, int) and version > VERSION:
        raise RuntimeError(f"{writer}, and {here}: update Fairlead, or export it again")
    raise RuntimeError(f"{writer}, and {here}: export it again")
