"""Recognizes the code of rewritten functions."""

from __future__ import annotations

from types import CodeType

from fairlead._tracing.by_code import ByCode
from fairlead._tracing.transform import RegionInfo

_regions: ByCode[list[RegionInfo]] = ByCode()


def regions_of(code: CodeType) -> list[RegionInfo] | None:
    """The regions of the rewritten function that ``code`` belongs to, or None for other code."""
    return _regions.get(code)


def register(code: CodeType, infos: list[RegionInfo]) -> None:
    """Notes the code of a rewritten function, and of the functions inside of it."""
    _regions.set(code, infos)
    for const in code.co_consts:
        if isinstance(const, CodeType):
            register(const, infos)
