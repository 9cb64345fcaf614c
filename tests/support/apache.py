"""The package apache-tvm-ffi, if it is installed."""

from __future__ import annotations

import importlib.machinery


def package() -> importlib.machinery.ModuleSpec | None:
    """Return the spec of the installed `tvm_ffi`, or None.

    Only folders of `sys.path` count: `import fairlead.compat` makes `tvm_ffi` a name of `fairlead.ffi`.
    """
    return importlib.machinery.PathFinder.find_spec("tvm_ffi")
