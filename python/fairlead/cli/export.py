"""Exports a compiled function of a Python program, in either ABI.

    fairlead export kernels.py:compiled_add_one -o add_one.o                  the open ABI
    fairlead export kernels.py:compiled_add_one -o add_one.so                 the same, linked to a library
    fairlead export kernels.py:compiled_add_one -o add_one.so --sign build.key  signed (fairlead key)
    fairlead export kernels.py:compiled_add_one -o add_one.h --prefix add_one plain C: add_one.h and add_one.o

The name is a compiled function of the program, or a function without parameters that returns one.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from fairlead._hints import did_you_mean
from fairlead.cli import CommandError

HELP = "write a compiled function of a program to files"


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("function", metavar="FILE.py:NAME", help="the compiled function")
    parser.add_argument(
        "-o", "--output", required=True, type=Path, metavar="FILE", help="a .o, .so or .h file"
    )
    parser.add_argument("--name", help="the exported name; default: the function's own")
    parser.add_argument(
        "--sign", metavar="KEY", help="a file with a key that signs what is written"
    )
    parser.add_argument("--prefix", help="with a .h file: what its names start with")


def run(options: argparse.Namespace) -> int:
    suffix = options.output.suffix
    if suffix not in (".o", ".so", ".h"):
        raise CommandError(f"expected a file that ends in .o, .so or .h, but got {options.output}")
    if (options.name if suffix == ".h" else options.prefix) is not None:
        raise CommandError("--prefix goes with a .h file, and --name with the others")
    function = _find(options.function)
    try:
        if suffix == ".h":
            function.export_to_c(
                file_path=options.output.parent,
                file_name=options.output.stem,
                function_prefix=options.prefix,
                sign=options.sign,
            )
        else:
            write = function.export_library if suffix == ".so" else function.export_to_c
            write(options.output, function_name=options.name, sign=options.sign)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise CommandError(str(error)) from None
    print(f"{options.output}: {function.signature} for {', '.join(map(str, function.targets))}")
    return 0


def _find(text: str) -> Any:
    import runpy
    import sys

    from fairlead.cute import CompiledFunction
    from fairlead.cute._jit import JitFunction

    path, colon, name = text.rpartition(":")
    if not colon or not Path(path).is_file():
        raise CommandError(f"expected FILE.py:NAME with a file that is there, but got {text}")
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        scope = runpy.run_path(path, run_name="__fairlead_export__")
        candidate = scope.get(name)
        if isinstance(candidate, JitFunction):
            raise CommandError(
                f"`{name}` of {path} is not compiled yet: expected what cute.compile({name}, ...) returns, or a"
                " function without parameters that returns it"
            )
        if callable(candidate) and not isinstance(candidate, CompiledFunction):
            candidate = candidate()
    except CommandError:
        raise
    except Exception as error:  # Whatever the program does.
        raise CommandError(f"{path}: {type(error).__name__}: {error}") from None
    if not isinstance(candidate, CompiledFunction):
        names = [
            variable for variable, value in scope.items() if isinstance(value, CompiledFunction)
        ]
        raise CommandError(f"{path} has no compiled function `{name}`{did_you_mean(name, names)}")
    return candidate
