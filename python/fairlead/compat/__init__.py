"""Existing programs, unmodified: ``cutlass``, ``cutlass.cute`` and ``tvm_ffi`` become names of Fairlead's modules.

``import fairlead.compat`` before them, or ``python -m fairlead.compat script.py arguments...``. ``tvm_ffi`` is left
to the installed package of that name, where there is one. Raises ImportError when another ``cutlass`` is imported.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys

__all__ = ["install"]

_CUTLASS = {
    "cutlass": "fairlead",
    "cutlass.cute": "fairlead.cute",
    "cutlass.cute.arch": "fairlead.cute.arch",
    "cutlass.cute.math": "fairlead.cute.math",
    "cutlass.cute.runtime": "fairlead.cute.runtime",
    "cutlass.cute.typing": "fairlead.cute.typing",
    "cutlass.utils": "fairlead.utils",
}


def install() -> None:
    """Puts the names into ``sys.modules``; doing it again changes nothing."""
    present = sys.modules.get("cutlass")
    if present is not None and present.__name__ != "fairlead":
        raise ImportError("cutlass is imported already: import fairlead.compat before it")
    for alias, name in _CUTLASS.items():
        sys.modules[alias] = importlib.import_module(name)
    if "tvm_ffi" not in sys.modules and importlib.util.find_spec("tvm_ffi") is None:
        ffi = importlib.import_module("fairlead.ffi")
        sys.modules["tvm_ffi"] = ffi
        for name, module in list(sys.modules.items()):
            if name.startswith("fairlead.ffi."):
                sys.modules["tvm_ffi" + name.removeprefix("fairlead.ffi")] = module


install()
