"""Global functions and types by the module name that other packages of the ABI have."""

from __future__ import annotations

from typing import Any

from fairlead._core import get_global_func as _get
from fairlead.ffi._objects import register_object
from fairlead.ffi._registry import (
    get_global_func,
    get_global_func_metadata,
    init_ffi_api,
    list_global_func_names,
    register_global_func,
    remove_global_func,
)

__all__ = [
    "get_global_func",
    "get_global_func_metadata",
    "get_registered_type_keys",
    "init_ffi_api",
    "list_global_func_names",
    "register_global_func",
    "register_object",
    "remove_global_func",
]


def get_registered_type_keys() -> Any:
    """Return the keys of all types of the process, an Array of str."""
    return _get("ffi.GetRegisteredTypeKeys")()
