"""What published programs name under ``cute.experimental``: ``iket``, events in kernels, and the decorators ``jit`` and
``kernel``, which are those of ``cute``."""

from __future__ import annotations

from fairlead.cute._jit import jit
from fairlead.cute._kernels import kernel
from fairlead.cute.experimental import iket

__all__ = ["iket", "jit", "kernel"]
