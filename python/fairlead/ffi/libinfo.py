"""The places of this installation's headers, libraries and CMake package, and of libraries of packages."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from fairlead._hints import name_keywords
from fairlead.ffi import _library
from fairlead.ffi._loading import load_module
from fairlead.ffi._module import Module

__all__ = [
    "find_cmake_path",
    "find_dlpack_include_path",
    "find_include_path",
    "find_libtvm_ffi",
    "include_paths",
    "load_lib_ctypes",
    "load_lib_module",
]

_ROOT = Path(__file__).resolve().parent.parent
# In a build tree this file may be a link into the source tree, while the libraries are next to the link.
_PLACES = tuple(dict.fromkeys((Path(os.path.abspath(__file__)).parent.parent, _ROOT)))


def _first(what: str, file: str, folders: Iterable[Path]) -> Path:
    """The first of the folders that has ``file``."""
    looked = []
    for folder in folders:
        if (folder / file).exists():
            return folder
        looked.append(str(folder))
    raise RuntimeError(f"cannot find {what} ({file}); looked in: {', '.join(looked)}")


def find_libtvm_ffi() -> str:
    """Return the library ``libtvm_ffi.so`` that this process uses: the one to link kernel libraries with."""
    path = _library.path()
    if path:
        return path
    folder = _first("the runtime library", "libtvm_ffi.so", (place / "lib" for place in _PLACES))
    return str(folder / "libtvm_ffi.so")


def find_include_path() -> str:
    """Return the folder of the headers ``tvm/ffi``. RuntimeError, which lists the searched folders, without one."""
    return str(
        _first("the headers", "tvm/ffi/c_api.h", (place / "include" for place in _PLACES)).resolve()
    )


def find_dlpack_include_path() -> str:
    """Return the folder of ``dlpack/dlpack.h``. RuntimeError, which lists the searched folders, without one."""
    return str(
        _first(
            "DLPack's header", "dlpack/dlpack.h", (place / "include" for place in _PLACES)
        ).resolve()
    )


def include_paths() -> list[str]:
    """Return the folders that a compiler needs, each once."""
    return sorted({find_include_path(), find_dlpack_include_path()})


def find_cmake_path() -> str:
    """Return the folder of the CMake package ``tvm_ffi``. RuntimeError, which lists the searched folders, without
    one."""
    folders = (place / "share" / "cmake" / "tvm_ffi" for place in _PLACES)
    return str(_first("the CMake package", "tvm_ffi-config.cmake", folders).resolve())


def _package_folders(package: str) -> Iterator[Path]:
    """Folders of a distribution's files that are libraries, then of the Python package of its name."""
    # The import of either takes a while, and few programs need this.
    import importlib.metadata
    import importlib.util

    try:
        files = importlib.metadata.distribution(package).files or []
    except (importlib.metadata.PackageNotFoundError, ValueError):
        files = []
    for file in files:
        if file.suffix == ".so":
            yield Path(str(file.locate())).resolve().parent
    name = package.replace("-", "_")
    try:
        spec = importlib.util.find_spec(name) if name.isidentifier() else None
    except (ImportError, ValueError):
        spec = None
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        root = Path(folder)
        yield from (root / "lib", root, root / "build" / "lib", root.parent / "build" / "lib")


def _search_path() -> Iterator[Path]:
    for variable in ("LD_LIBRARY_PATH", "PATH"):
        for folder in os.environ.get(variable, "").split(os.pathsep):
            if folder:
                yield Path(folder)


def _find_library(
    package: str, target_name: str, extra_lib_paths: Iterable[str | os.PathLike[str]] | None
) -> str:
    file = f"lib{target_name}.so"

    def folders() -> Iterator[Path]:
        visited = set()
        extra = map(Path, extra_lib_paths or ())
        for group in (_package_folders(package), extra, _search_path()):
            for folder in group:
                if folder not in visited:
                    visited.add(folder)
                    yield folder

    return str(_first(f"the library of package {package!r}", file, folders()) / file)


def load_lib_ctypes(
    package: str,
    target_name: str,
    mode: str,
    extra_lib_paths: Iterable[str | os.PathLike[str]] | None = None,
) -> ctypes.CDLL:
    """Load ``lib<target_name>.so`` of an installed package.

    Args:
        package: name of the distribution; its files come first, then the folders of the Python package.
        target_name: the library's name without ``lib`` and ``.so``.
        mode: ``RTLD_LOCAL`` or ``RTLD_GLOBAL``.
        extra_lib_paths: folders to look in after those; the last are LD_LIBRARY_PATH and PATH.

    RuntimeError where it is nowhere, with the folders looked in; ValueError for another mode.
    """
    if mode not in ("RTLD_LOCAL", "RTLD_GLOBAL"):
        raise ValueError(f"mode: expected 'RTLD_LOCAL' or 'RTLD_GLOBAL', but got {mode!r}")
    return ctypes.CDLL(_find_library(package, target_name, extra_lib_paths), getattr(ctypes, mode))


def load_lib_module(
    package: str,
    target_name: str,
    keep_module_alive: bool = True,
    extra_lib_paths: Iterable[str | os.PathLike[str]] | None = None,
) -> Module:
    """``load_module`` of a library that is found as ``load_lib_ctypes`` does."""
    return load_module(_find_library(package, target_name, extra_lib_paths), keep_module_alive)


name_keywords(__all__, globals())
