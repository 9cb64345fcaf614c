"""``cutlass._mlir_helpers.dialect_proxy``: a dialect whose functions take values of the language."""

from __future__ import annotations

from typing import Any

__all__ = ["DialectAutoConvertProxy"]


class DialectAutoConvertProxy:
    """Stands for a module of a dialect. Fairlead's functions of dialects take values of the language themselves."""

    def __init__(self, dialect: object) -> None:
        self._dialect = dialect

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dialect, name)
