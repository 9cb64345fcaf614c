"""Tuning: ``tune`` finds the values of compile-time parameters that make a function the fastest, and keeps their times.

    from fairlead import tuning

    tuned = tuning.tune(axpy, {"threads": [64, 256], "each": [1, 4]}, args=(2.0, x, y), check=reference)
    print(tuned.report())

``tune`` is also ``fairlead.tune``. The page on tuning has the rules: which results are stored, and how to ship them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairlead._hints import missing
from fairlead.cute._tuning.arguments import next_pow2
from fairlead.cute._tuning.report import Report, Row
from fairlead.cute._tuning.search import Tuned, tune
from fairlead.cute._tuning.store import export_configs, load_configs

__all__ = ["Report", "Row", "Tuned", "export_configs", "load_configs", "next_pow2", "tune"]

if not TYPE_CHECKING:  # a type checker knows the names that there are
    __getattr__ = missing(__name__)


def __dir__() -> list[str]:
    """The names that completion offers."""
    return sorted(__all__)
