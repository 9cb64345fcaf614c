"""The variables that choose what code Fairlead runs or loads, and what each chose."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from typing import Any


def choices() -> list[dict[str, Any]]:
    """Rows of the variable, its value (None if it is not set), and the resulting choice."""
    return [
        {
            "variable": variable,
            "value": _without_password(os.environ.get(variable)),
            "chose": _told(choose, variable),
        }
        for variables, choose in _TABLE
        for variable in variables
    ]


def _without_password(value: str | None) -> str | None:
    """A URL may hold one."""
    return value and re.sub(r"^(\w+://)[^/]*@", r"\1...@", value)


def _told(choose: Callable[[str], str | None], variable: str) -> str | None:
    try:
        return choose(variable)
    except ImportError:
        return "not known: this installation has no compiler"
    except (OSError, ValueError, RuntimeError) as error:
        return f"nothing: {error}"


def _caches(_: str) -> str:
    from fairlead.ffi.cpp import _cache

    return _judged(_cache.cache_root())


def _builds(_: str) -> str:
    from fairlead.ffi.cpp import _cache

    return _judged(_cache.cache_folder())


def _judged(root: str) -> str:
    """A cache folder, and why nothing is loaded from it, if so."""
    from fairlead.ffi.cpp._trust import distrust, is_trusted

    if is_trusted(root):
        return f"{root} (trusted whoever wrote it)"
    kinds = sorted(entry.path for entry in os.scandir(root)) if os.path.isdir(root) else []
    for folder in (root, *kinds):
        if reason := distrust(root, folder):
            return f"{root}, not used: {reason}"
    return root


def _folders(variable: str) -> str | None:
    """Several cache folders, joined by colons."""
    folders = [folder for folder in os.environ.get(variable, "").split(":") if folder]
    return ", ".join(map(_judged, folders)) or None


def _keys(variable: str) -> str | None:
    """Lists of public keys."""
    path = os.environ.get(variable)
    if not path:
        return None
    from fairlead._compiler import listed_keys

    count = len(listed_keys(path))
    return f"{path}: {count} {'key' if count == 1 else 'keys'}"


def _remote(variable: str) -> str | None:
    return _without_password(os.environ.get(variable))


def _named(variable: str) -> str | None:
    """A file or folder that the variable names, as it is on this machine."""
    value = os.environ.get(variable)
    if not value:
        return None
    return os.path.realpath(value) if os.path.exists(value) else "nothing: it is not there"


def _each_named(variable: str) -> str | None:
    paths = [
        part for part in os.environ.get(variable, "").split(":") if part and os.path.exists(part)
    ]
    return ", ".join(paths) or None


def _value(variable: str) -> str | None:
    return os.environ.get(variable)


def _cxx(_: str) -> str:
    from fairlead.ffi.cpp import _toolchain

    return str(_toolchain.cxx())


def _cc(_: str) -> str:
    from fairlead.ffi.cpp import _toolchain

    return str(_toolchain.cc())


def _nvcc(_: str) -> str:
    from fairlead.ffi.cpp import _toolchain

    return str(_toolchain.nvcc())


def _assembler(variable: str) -> str | None:
    return _named(variable) if os.environ.get(variable) else shutil.which("ptxas")


def _runtime(_: str) -> str | None:
    from fairlead.ffi import _library

    return _library.path()


_TABLE: tuple[tuple[tuple[str, ...], Callable[[str], str | None]], ...] = (
    (("FAIRLEAD_CACHE_DIR", "CUTE_DSL_CACHE_DIR", "XDG_CACHE_HOME"), _caches),
    (("FAIRLEAD_CACHE_SHARED", "FAIRLEAD_CACHE_TRUST"), _folders),
    (("FAIRLEAD_NO_CACHE", "CUTE_DSL_DISABLE_FILE_CACHING", "FAIRLEAD_NEVER_COMPILE"), _value),
    (("FAIRLEAD_REMOTE_CACHE",), _remote),
    (("FAIRLEAD_TRUSTED_KEYS", "FAIRLEAD_REMOTE_CACHE_KEYS"), _keys),
    (("FAIRLEAD_REMOTE_CACHE_SIGN",), _named),
    (("TVM_FFI_CACHE_DIR",), _builds),
    (("CXX",), _cxx),
    (("CC",), _cc),
    (("CUDA_HOME", "CUDA_PATH"), _nvcc),
    (("FAIRLEAD_CUDA_PATH",), _each_named),
    (("FAIRLEAD_PTXAS",), _assembler),
    (("FAIRLEAD_NVRTC", "FAIRLEAD_LIBDEVICE", "FAIRLEAD_LIBCUDA"), _named),
    (("FAIRLEAD_FORCE_OWN_FFI",), _runtime),
    (("FAIRLEAD_TARGET", "CUTE_DSL_ARCH", "FAIRLEAD_CPU_LEVEL", "TVM_FFI_GPU_BACKEND"), _value),
    (("FAIRLEAD_CUDA_ARCH_LIST", "TVM_FFI_CUDA_ARCH_LIST"), _value),
    (("CUTE_DSL_COMPILER_OPT", "CUTE_DSL_LINEINFO", "CUTE_DSL_DEBUG", "CUTE_DSL_KEEP"), _value),
    (
        (
            "FAIRLEAD_CHECK",
            "FAIRLEAD_CHECK_CONTINUE",
            "FAIRLEAD_CPU_COROUTINES",
            "FAIRLEAD_NEVER_TUNE",
        ),
        _value,
    ),
    (("LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH"), _each_named),
    (("PATH",), lambda _: shutil.which("ninja")),
)
