"""Casts between types of the IR, which only programs that build operations themselves make."""

from __future__ import annotations

from fairlead.compat._later_gpus import stand_in

__all__ = ["unrealized_conversion_cast"]

unrealized_conversion_cast = stand_in(
    "unrealized_conversion_cast", "a cast between types of another compiler's IR"
)
