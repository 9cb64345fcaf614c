"""Picks the one runtime library of the process, before an extension module that needs it is loaded.

The first of these: a ``libtvm_ffi.so`` that is already in the process; the one of an installed apache-tvm-ffi
package, which that package would load too; Fairlead's own. Two copies in one process would register everything
twice. ``FAIRLEAD_FORCE_OWN_FFI=1`` takes Fairlead's own and looks no further.
"""

from __future__ import annotations

import ctypes
import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES

__all__ = [
    "ffi_library",
    "has_other_package",
    "is_own",
    "mismatch",
    "path",
    "reason",
    "runtime_library",
]

_SONAME = "libtvm_ffi.so"
_RUNTIME = "libcuda_dialect_runtime.so"
# Values of e_machine in the header of an ELF file.
_MACHINES = {62: "x86_64", 183: "aarch64"}
_OWN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lib")


def mismatch() -> str | None:
    """Say why this package cannot be loaded if it is built for another processor or Python.

    None if it is built for this one.
    """
    with open(os.path.join(_OWN, _SONAME), "rb") as file:
        built = _MACHINES.get(int.from_bytes(file.read(20)[18:], "little"), "another processor")
    here = os.uname().machine
    if built != here:
        return (
            f"this fairlead is built for {built}, but this machine is {here}: install the wheel for it, "
            f"fairlead-..._{here}.whl"
        )
    folder = os.path.dirname(_OWN)
    modules = [name for name in os.listdir(folder) if name.startswith("_core.")]
    if modules and not any("_core" + suffix in modules for suffix in EXTENSION_SUFFIXES):
        return (
            f"this fairlead is built for another Python ({modules[0]}), but this is {sys.version.split()[0]} "
            f"(_core{EXTENSION_SUFFIXES[0]}): install the wheel for it with {sys.executable} -m pip"
        )
    return None


def _present() -> ctypes.CDLL | None:
    """The library that is loaded already, now visible to libraries loaded later."""
    try:
        return ctypes.CDLL(_SONAME, mode=os.RTLD_NOLOAD | os.RTLD_NOW | os.RTLD_GLOBAL)
    except OSError:
        return None


def _file_of(library: ctypes.CDLL) -> str | None:
    """The file that a library was loaded from; None where the system does not tell."""

    class Info(ctypes.Structure):
        _fields_ = [
            ("file", ctypes.c_char_p),
            ("base", ctypes.c_void_p),
            ("symbol", ctypes.c_char_p),
            ("address", ctypes.c_void_p),
        ]

    info = Info()
    tell = ctypes.CDLL(None).dladdr
    tell.argtypes = [ctypes.c_void_p, ctypes.POINTER(Info)]
    address = ctypes.cast(library.TVMFFIGetVersion, ctypes.c_void_p)
    return os.path.realpath(os.fsdecode(info.file)) if tell(address, info) else None


def _of_package() -> str | None:
    """The path in an installed apache-tvm-ffi package, which is not imported."""
    if "tvm_ffi" in sys.modules:  # Its own import, or fairlead.compat's stand-in for it.
        return None
    # Does the work of importlib.util.find_spec, without the time that its own import takes.
    specs = (
        finder.find_spec("tvm_ffi", None)
        for finder in sys.meta_path
        if hasattr(finder, "find_spec")
    )
    spec = next(filter(None, specs), None)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = os.path.join(folder, "lib", _SONAME)
        if os.path.isfile(path):
            return path
    return None


def has_other_package() -> bool:
    """True if the package apache-tvm-ffi is in the process, or may be imported later."""
    module = sys.modules.get("tvm_ffi")
    if module is not None:
        return module.__name__.partition(".")[0] != "fairlead"
    return _of_package() is not None


def _load_ffi() -> tuple[ctypes.CDLL, str, bool]:
    bundled = os.path.join(_OWN, _SONAME)
    forced = os.environ.get("FAIRLEAD_FORCE_OWN_FFI") == "1"
    present = _present()
    if present is not None:
        if not forced:
            is_own = _file_of(present) == os.path.realpath(bundled)
            return present, "it was in the process already", is_own
        file = _file_of(present)
        if file != os.path.realpath(bundled):
            raise ImportError(
                f"FAIRLEAD_FORCE_OWN_FFI=1 asks for {bundled}, but {file} is in the process already, and two copies "
                "cannot be: import fairlead first, or unset the variable"
            )
    packaged = None if forced else _of_package()
    if forced:
        reason = "FAIRLEAD_FORCE_OWN_FFI=1 asks for Fairlead's own"
    elif packaged:
        reason = "the package apache-tvm-ffi is installed and would load it too"
    else:
        reason = "it is Fairlead's own, and no other is there"
    path = packaged or bundled
    try:
        return ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_GLOBAL), reason, path == bundled
    except OSError as error:
        other = mismatch() if path == bundled and os.path.exists(bundled) else None
        raise ImportError(
            other or f"fairlead needs the library {_SONAME}, and {path} cannot be loaded: {error}"
        ) from error


def _load_runtime() -> ctypes.CDLL | None:
    path = os.path.join(_OWN, _RUNTIME)
    if not os.path.exists(path):
        return None
    try:
        return ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_GLOBAL)
    except OSError as error:
        raise ImportError(f"fairlead's runtime library {path} cannot be loaded: {error}") from error


#: The loaded ``libtvm_ffi.so``, why it is that one, and whether it is Fairlead's.
ffi_library, reason, is_own = _load_ffi()
#: The loaded ``libcuda_dialect_runtime.so``, which generated code calls; None where this build has none.
runtime_library = _load_runtime()


def path() -> str | None:
    """Return the file that ``libtvm_ffi.so`` was loaded from; None where the system does not tell."""
    return _file_of(ffi_library)
