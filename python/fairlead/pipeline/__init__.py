"""Barriers of parts of a block, as objects."""

from __future__ import annotations

from fairlead._hints import missing
from fairlead.pipeline._named_barrier import NamedBarrier, arrive_and_wait, sync

__all__ = ["NamedBarrier", "arrive_and_wait", "sync"]

__getattr__ = missing(__name__)
