"""Embeds device images in an object file, for TVM_FFI_EMBED_CUBIN of the C++ headers.

    fairlead embed my_cubin=kernel.cubin more=other.fatbin -o images.o
    g++ -shared library.cpp images.o $(fairlead-config --cxxflags --ldflags --libs) -o library.so

Needs no assembler, linker or objcopy. With --input-obj it joins the images and an object file by ld -r.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from fairlead.cli import CommandError

HELP = "embed CUBINs, fatbins or PTX in an object file"


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "images",
        nargs="+",
        metavar="NAME=FILE",
        help="an image and its name in TVM_FFI_EMBED_CUBIN; FILE alone is named after its stem",
    )
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the object to write")
    parser.add_argument("--input-obj", metavar="FILE", help="an object file to join with")
    parser.add_argument("--verbose", action="store_true", help="show the commands run")


def run(options: argparse.Namespace) -> int:
    from fairlead.ffi.utils.embed_cubin import embed_images

    images: dict[str, bytes] = {}
    try:
        for item in options.images:
            name, _, path = item.rpartition("=")
            name = name or Path(path).stem
            if name in images:
                raise CommandError(f"two images are named {name!r}; write NAME=FILE")
            images[name] = Path(path).read_bytes()
        embed_images(images, options.output, options.input_obj, options.verbose)
    except (OSError, RuntimeError, ValueError) as error:
        raise CommandError(str(error)) from None
    return 0
