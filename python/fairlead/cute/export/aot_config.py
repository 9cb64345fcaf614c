"""``python -m fairlead.cute.export.aot_config``: flags to link exported objects with.

    g++ main.cpp add_one.o $(python -m fairlead.cute.export.aot_config --ldflags --libs) -o main

Prints one line for each option given.
"""

from __future__ import annotations

import sys

from fairlead.config import include_dir, lib_dir


def libdir() -> str:
    """Folder of the runtime libraries."""
    return lib_dir()


def ldflags() -> str:
    """Flags to find the runtime libraries, when linking and when running."""
    return f"-L{lib_dir()} -Wl,-rpath,{lib_dir()}"


def libs(*, with_tvm_ffi: bool = False) -> str:
    """Libraries that an exported object needs."""
    return "-lcuda_dialect_runtime" + (" -ltvm_ffi" if with_tvm_ffi else "")


_OPTIONS = ("--includedir", "--libdir", "--ldflags", "--libs", "--with-tvm-ffi")


def main(arguments: list[str] | None = None) -> int:
    """Answers ``arguments`` (the command line's, if None); returns the exit status."""
    asked = sys.argv[1:] if arguments is None else arguments
    unknown = [option for option in asked if option not in _OPTIONS]
    if unknown or not asked:
        print(
            f"usage: aot_config {' '.join(f'[{option}]' for option in _OPTIONS)}", file=sys.stderr
        )
        if unknown:
            print(f"unknown option {unknown[0]}", file=sys.stderr)
        return 2
    tvm_ffi = "--with-tvm-ffi" in asked
    answers = {
        "--includedir": include_dir,
        "--libdir": libdir,
        "--ldflags": ldflags,
        "--libs": lambda: libs(with_tvm_ffi=tvm_ffi),
    }
    for option in asked:
        if option in answers:
            print(answers[option]())
    return 0


if __name__ == "__main__":
    sys.exit(main())
