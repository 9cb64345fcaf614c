"""Modules by the module name that other packages of the ABI have."""

from __future__ import annotations

import enum

from fairlead.ffi._loading import load_module, system_lib
from fairlead.ffi._module import Module

__all__ = ["Module", "ModulePropertyMask", "load_module", "system_lib"]


class ModulePropertyMask(enum.IntFlag):
    """The bits of Module.get_property_mask."""

    BINARY_SERIALIZABLE = 1
    RUNNABLE = 2
    COMPILATION_EXPORTABLE = 4
