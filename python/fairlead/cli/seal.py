"""Puts a checksum behind exported files, which whoever loads them verifies: load_module, the C runtime, inspect. With
--sign, a signature too (fairlead key).

    gcc -shared -o kernels.so add.o scale.o
    fairlead seal kernels.so
    fairlead seal --sign build.key kernels.so

Fairlead seals its own files; a library that you link, strip or patch yourself is not sealed until this is run last.
Only the end of the file changes, which no linker or loader reads.
"""

from __future__ import annotations

import argparse

from fairlead.cli import CommandError

HELP = "put a checksum behind files that you linked"


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sign", metavar="KEY", help="a file with a signing key; without it, a signature goes"
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a shared library or an object")


def run(options: argparse.Namespace) -> int:
    from fairlead._exported.seal import seal

    for path in options.files:
        try:
            seal(path, options.sign)
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from None
        except ValueError as error:
            raise CommandError(f"{path}: {error}") from None
        print(f"{path}: {'signed' if options.sign else 'sealed'}")
    return 0
