"""Exported objects that programs of JAX carry along."""

from __future__ import annotations

import os
import tempfile

import numpy as np

from fairlead._frameworks.interface import Interface
from fairlead.errors import make_error

__all__ = ["object_of"]

_made: dict[int, tuple[object, np.ndarray]] = {}


def object_of(interface: Interface) -> np.ndarray:
    """Return the bytes of the function's exported object, made once."""
    function = interface.function
    cached = _made.get(id(function))
    if cached is not None:
        return cached[1]
    export = getattr(function, "export_to_c", None)
    if export is None:
        raise make_error(
            "FrameworkOption",
            option="embed",
            expected="a function that was compiled in this process",
            got=f"`{interface.name}`",
        )
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "function.o")
        export(path, function_name=interface.name)
        image = np.fromfile(path, np.uint8)
    _made[id(function)] = (function, image)
    return image
