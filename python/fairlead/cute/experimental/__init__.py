"""What published programs name under ``cute.experimental``: ``iket``, events in kernels."""

from __future__ import annotations

from fairlead.cute.experimental import iket

__all__ = ["iket"]
