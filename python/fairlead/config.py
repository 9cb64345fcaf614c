"""``fairlead-config``: where the headers and libraries of this installation are.

Prints one line for each option given. Runs without the compiler, the runtime or any other package::

    g++ -shared -fPIC kernel.cpp $(fairlead-config --cxxflags --ldflags --libs) -o kernel.so
"""

import argparse
import sys
from pathlib import Path

_ROOT = Path(__file__).parent


def include_dir() -> Path:
    """Folder of ``tvm/ffi/*.h`` and ``fairlead/*.h``."""
    return _ROOT / "include"


def dlpack_include_dir() -> Path:
    """Folder of ``dlpack/dlpack.h``."""
    return _ROOT / "include"


def lib_dir() -> Path:
    """Folder of ``libtvm_ffi.so``, ``libcuda_dialect_runtime.so`` and ``libfairlead.so``."""
    return _ROOT / "lib"


def cmake_dir() -> Path:
    """Prefix for CMake: ``-Dfairlead_ROOT=$(fairlead-config --cmakedir)``, or ``tvm_ffi_ROOT``."""
    return _ROOT / "share" / "cmake"


def _version() -> str:
    from fairlead import __version__

    return __version__


# Option -> (what it prints, how it is found), in the order of the help.
_ANSWERS = {
    "includedir": ("folder of the headers", lambda: str(include_dir())),
    "dlpack-includedir": ("folder of dlpack/dlpack.h", lambda: str(dlpack_include_dir())),
    "libdir": ("folder of the libraries", lambda: str(lib_dir())),
    "cmakedir": ("prefix for find_package(fairlead) and (tvm_ffi)", lambda: str(cmake_dir())),
    "cxxflags": ("flags to compile C++", lambda: f"-I{include_dir()} -std=c++17"),
    "ldflags": ("flags to find the libraries", lambda: f"-L{lib_dir()}"),
    "libs": ("the library that a kernel library links", lambda: "-ltvm_ffi"),
    "version": ("version of Fairlead", _version),
}


class _Ask(argparse.Action):
    """Notes an option, so that answers come in the order of the question."""

    def __call__(self, parser, namespace, values, option_string=None):
        namespace.asked.append(self.dest)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="fairlead-config", description="Where this installation's headers and libraries are."
    )
    parser.set_defaults(asked=[])
    for option, (text, _) in _ANSWERS.items():
        parser.add_argument(f"--{option}", dest=option, action=_Ask, nargs=0, help=text)
    asked = parser.parse_args(arguments).asked
    if not asked:
        parser.print_help()
        return 0
    for option in asked:
        print(_ANSWERS[option][1]())
    return 0


if __name__ == "__main__":
    sys.exit(main())
