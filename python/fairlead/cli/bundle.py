"""Packs exported functions into one shared library, with one C header and one Python stub.

    fairlead bundle add_one.o scale.o -o libkernels.so
    fairlead bundle build/ -o libkernels.so --header include/kernels.h
    fairlead bundle scale.o -o libkernels.so --onnxruntime scale=out
    fairlead bundle build/ -o libkernels.so --sign build.key     signed (fairlead key)

Inputs are objects that export_to_c wrote, and folders of them. The same functions make the same bytes, on any
day and from any folder. Load the library with cute.runtime.load_module, dlopen or a linker.
"""

from __future__ import annotations

import argparse

from fairlead.cli import CommandError

HELP = "pack exported functions into one library"


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("objects", nargs="+", metavar="OBJECT", help=".o files, or folders of them")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the .so to write")
    parser.add_argument("--header", metavar="FILE", help="by default beside the library")
    parser.add_argument("--stub", metavar="FILE", help="by default beside the library")
    parser.add_argument(
        "--compiler", default="gcc", metavar="PROGRAM", help="the C compiler that links (gcc)"
    )
    parser.add_argument(
        "--onnxruntime",
        action="append",
        metavar="FUNCTION=OUTPUT",
        help="also a custom operator of ONNX Runtime; outputs are joined by commas",
    )
    parser.add_argument("--sign", metavar="KEY", help="a file with a key that signs the library")
    parser.add_argument("--json", action="store_true", help="tell what was made as JSON")


def run(options: argparse.Namespace) -> int:
    from fairlead.bundles import bundle

    if not options.output.endswith(".so"):
        raise CommandError(f"expected a file that ends in .so, but got {options.output}")
    operators = {}
    for option in options.onnxruntime or ():
        name, separator, outputs = option.partition("=")
        if not (name and separator and outputs):
            raise CommandError(f"expected --onnxruntime FUNCTION=OUTPUT, but got {option}")
        operators[name] = outputs.split(",")
    try:
        result = bundle(
            options.objects,
            options.output,
            header=options.header,
            stub=options.stub,
            compiler=options.compiler,
            onnxruntime=operators,
            sign=options.sign,
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise CommandError(str(error)) from None
    names = [function["name"] for function in result.functions]
    if options.json:
        import json

        summary = {"output": result.library, "header": result.header, "stub": result.stub}
        print(json.dumps({**summary, "functions": names}))
    else:
        count = f"{len(names)} function{'' if len(names) == 1 else 's'}"
        print(f"{result.library}: {count}; {result.header}, {result.stub}")
    return 0
