"""All functions and enumerations of the primitives."""

from __future__ import annotations

from fairlead.primitives import (
    _arithmetic,
    _barriers,
    _control,
    _conversions,
    _copies,
    _enums,
    _fences,
    _later,
    _mbarriers,
    _memory_ops,
    _warp,
)

FUNCTIONS = {
    name: getattr(module, name)
    for module in (
        _arithmetic,
        _barriers,
        _control,
        _conversions,
        _copies,
        _enums,
        _fences,
        _later,
        _mbarriers,
        _memory_ops,
        _warp,
    )
    for name in module.__all__
}
globals().update(FUNCTIONS)
__all__ = sorted(FUNCTIONS)
