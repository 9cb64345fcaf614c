"""Makes a checked function of a kernel, as a shared library or an object.

    fairlead kernel add.cu --name add_one --arch sm_90a -o libadd.so \\
        --signature "add_one(x: Tensor([n], float32), y: Tensor([n], float32))" \\
        --launch "grid=(ceil_div(n, 256),), block=256, args=(x, y, int32(n))"

The source is CUDA C++, PTX, a CUBIN or a fatbin; of images there may be several, for several architectures.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from fairlead.cli import CommandError

HELP = "make a function of a kernel in CUDA C++, PTX or machine code"


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sources", nargs="+", type=Path, metavar="FILE", help="CUDA C++, PTX, CUBIN or fatbin"
    )
    parser.add_argument("--name", required=True, help="the kernel: its symbol, or its C++ name")
    parser.add_argument("--signature", required=True, help="the function's arguments")
    parser.add_argument("--launch", default="", help="grid, block and the rest of the launch")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="a .so or .o file")
    parser.add_argument(
        "--arch",
        action="append",
        default=[],
        metavar="ARCH",
        help="sm_90a or compute_90, to compile CUDA C++ for; may be repeated",
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="OPTION",
        help="of NVRTC, such as --option=-DN=4; may be repeated",
    )
    parser.add_argument("--doc", default="", help="text shown behind the signature")
    parser.add_argument("--function-name", metavar="NAME", help="the name in the library")
    parser.add_argument("--no-cache", action="store_true", help="compile again")
    parser.add_argument("--json", action="store_true", help="tell what was made as JSON")


def run(options: argparse.Namespace) -> int:
    suffix = Path(options.output).suffix
    if suffix not in (".so", ".o"):
        raise CommandError(f"expected a file that ends in .so or .o, but got {options.output}")
    try:
        return _make(options, suffix)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise CommandError(str(error)) from None


def _make(options: argparse.Namespace, suffix: str) -> int:
    import json

    import fairlead

    function = fairlead.kernel(
        options.sources,
        options.name,
        options.signature,
        options.launch,
        arch=options.arch,
        options=options.option,
        doc=options.doc,
        cache=not options.no_cache,
    )
    write = function.export_library if suffix == ".so" else function.export_to_c
    write(options.output, function_name=options.function_name)
    summary = {
        "output": options.output,
        "function": options.function_name or function.signature.name,
        "signature": str(function.signature),
        "target": str(function.target),
    }
    if options.json:
        print(json.dumps(summary))
    else:
        print(f"{summary['output']}: {summary['signature']} for {summary['target']}")
    return 0
