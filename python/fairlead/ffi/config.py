"""``python -m fairlead.ffi.config --includedir``: what ``tvm-ffi-config`` answers, for this installation."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

from fairlead.ffi import libinfo

__all__ = ["main"]


def _lib_dir() -> str:
    return os.path.dirname(libinfo.find_libtvm_ffi())


def _include_flags() -> str:
    return f"-I{libinfo.find_include_path()} -I{libinfo.find_dlpack_include_path()}"


_ANSWERS: dict[str, Callable[[], str]] = {
    "includedir": libinfo.find_include_path,
    "dlpack-includedir": libinfo.find_dlpack_include_path,
    "cmakedir": libinfo.find_cmake_path,
    "libdir": _lib_dir,
    "libfiles": libinfo.find_libtvm_ffi,
    "libs": lambda: "-ltvm_ffi",
    "cxxflags": lambda: f"{_include_flags()} -std=c++17",
    "cflags": _include_flags,
    "ldflags": lambda: f"-L{_lib_dir()}",
}


def main() -> None:
    """Print a line for each option."""
    parser = argparse.ArgumentParser(prog="tvm-ffi-config", description=__doc__)
    for name in _ANSWERS:
        parser.add_argument(f"--{name}", action="store_true")
    options = vars(parser.parse_args())
    if not any(options.values()):
        parser.error("expected an option, such as --includedir")
    for name, answer in _ANSWERS.items():
        if options[name.replace("-", "_")]:
            print(answer())


if __name__ == "__main__":
    main()
