"""Errors by the module name that other packages of the ABI have."""

from fairlead.ffi._objects import Error
from fairlead.ffi._registry import register_error

__all__ = ["Error", "register_error"]
