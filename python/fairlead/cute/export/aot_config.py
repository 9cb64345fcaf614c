"""``python -m fairlead.cute.export.aot_config``: flags to link exported objects with.

    g++ main.cpp add_one.o $(python -m fairlead.cute.export.aot_config --ldflags --libs) -o main
    aarch64-linux-gnu-gcc main.c add_one.o \\
        $(python -m fairlead.cute.export.aot_config --target aarch64-unknown-linux-gnu --ldflags --libs) -o main

Prints one line for each option given. For another machine there are libraries to link against, which hold names alone:
the program needs the runtime of that machine to run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from fairlead import __version__
from fairlead.config import include_dir, lib_dir
from fairlead.cute.export._stubs import make_stubs

_TRIPLES = {
    "x86_64-unknown-linux-gnu": "x86_64-unknown-linux-gnu",
    "linux-x86_64": "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu": "aarch64-unknown-linux-gnu",
    "aarch64-linux-gnu": "aarch64-unknown-linux-gnu",
    "linux-aarch64": "aarch64-unknown-linux-gnu",
}


def _own_triple() -> str:
    return f"{os.uname().machine}-unknown-linux-gnu"


def _cache_folder() -> str:
    for name in ("FAIRLEAD_CACHE_DIR", "CUTE_DSL_CACHE_DIR"):
        if folder := os.environ.get(name):
            return folder
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(home, "fairlead")


def libdir(target: str | None = None) -> str:
    """Return the folder of the runtime libraries, or of their stubs when linking for another machine.

    Raises ValueError for an unknown target, and OSError if the cache cannot be written.
    """
    triple = _own_triple() if target is None else _TRIPLES.get(target)
    if triple is None:
        triples = ", ".join(sorted(set(_TRIPLES.values())))
        raise ValueError(f"unknown target `{target}`, expected one of {triples}")
    if triple == _own_triple():
        return lib_dir()
    folder = os.path.join(_cache_folder(), "stubs", f"{__version__}-{triple}")
    make_stubs(folder, triple, lib_dir())
    return folder


def ldflags(target: str | None = None) -> str:
    """Flags to find the runtime libraries, when linking and, on this machine, when running."""
    folder = libdir(target)
    if folder != lib_dir():
        # Libraries that the stubs themselves need are found on the other machine.
        return f"-L{folder} -Wl,--allow-shlib-undefined"
    return f"-L{folder} -Wl,-rpath,{folder}"


def libs(*, with_tvm_ffi: bool = False) -> str:
    """Libraries that an exported object needs."""
    return "-lcuda_dialect_runtime" + (" -ltvm_ffi" if with_tvm_ffi else "")


_HELP = {
    "--includedir": "folder of the headers",
    "--libdir": "folder of the runtime libraries",
    "--ldflags": "flags to find them",
    "--libs": "flags that name them",
    "--target TRIPLE": "for another machine: aarch64-unknown-linux-gnu",
    "--with-tvm-ffi": "of objects with the TVM FFI ABI",
}
_OPTIONS = tuple(_HELP)


def _usage() -> str:
    return "usage: aot_config " + " ".join(f"[{option}]" for option in _OPTIONS)


def _wrong(text: str | None) -> int:
    print(_usage(), file=sys.stderr)
    if text:
        print(text, file=sys.stderr)
    return 2


def main(arguments: list[str] | None = None) -> int:
    """Answer ``arguments`` (the command line's, if None); return the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if "--help" in words or "-h" in words:
        print(_usage(), (__doc__ or "").partition("\n\n")[2].rstrip(), "", sep="\n\n", end="")
        print("\n".join(f"  {option:<16}  {text}" for option, text in _HELP.items()))
        return 0
    asked: list[str] = []
    target = None
    tvm_ffi = False
    while words:
        option = words.pop(0)
        name, equals, value = option.partition("=")
        if name == "--target":
            if not equals and not words:
                return _wrong("--target needs a triple")
            target = value if equals else words.pop(0)
        elif option == "--with-tvm-ffi":
            tvm_ffi = True
        elif option in _OPTIONS:
            asked.append(option)
        else:
            return _wrong(f"unknown option {option}")
    if not asked:
        return _wrong(None)
    answers: dict[str, Callable[[], str]] = {
        "--includedir": include_dir,
        "--libdir": lambda: libdir(target),
        "--ldflags": lambda: ldflags(target),
        "--libs": lambda: libs(with_tvm_ffi=tvm_ffi),
    }
    try:
        for option in asked:
            print(answers[option]())
    except (ValueError, OSError) as error:
        return _wrong(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
