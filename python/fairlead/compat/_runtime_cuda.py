"""``cutlass.base_dsl.runtime.cuda``: the driver as existing programs reach it, by ``cuda.bindings``."""

from __future__ import annotations

import contextlib
import importlib
from typing import Any

from fairlead.compat import cutlass_dsl
from fairlead.cute.cuda import checkCudaErrors

__all__ = ["get_device_attribute"]


def get_device_attribute(attribute: object, device_id: int = 0) -> int:
    """Return an attribute of a GPU, by ``cuda.bindings``, which has to be installed; DSLCudaRuntimeError if the driver
    does not tell it.

    Args:
        attribute: a member of ``CUdevice_attribute``.
        device_id: the GPU's number.
    """
    from cuda.bindings import driver

    status, device = driver.cuDeviceGet(device_id)
    checkCudaErrors((status,))
    status, value = driver.cuDeviceGetAttribute(attribute, device)
    checkCudaErrors((status,))
    return int(value)


def __getattr__(name: str) -> Any:
    if name == "cuda":
        # The driver's bindings, if they are installed.
        with contextlib.suppress(ImportError):
            return importlib.import_module("cuda.bindings.driver")
    return getattr(cutlass_dsl, name)
