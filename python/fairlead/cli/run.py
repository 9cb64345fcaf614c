"""Calls an exported function once and shows its result, and its tensors as they are afterwards.

    fairlead run libadd.so add_one --arg tensor:float32[8]=arange --arg tensor:float32[8]
    fairlead run libscale.so scale --device cuda --arg tensor:float16[1024]=random --arg float:2.5 --json

Tensors are NumPy's on the CPU where NumPy has their dtype, and PyTorch's otherwise.
"""

from __future__ import annotations

import argparse
import json

from fairlead.cli import CommandError, _arguments

HELP = "call a function of a library once"


def register(parser: argparse.ArgumentParser) -> None:
    _arguments.add_to(parser)
    parser.epilog = _arguments.HELP


def run(options: argparse.Namespace) -> int:
    function = _arguments.load(options)
    values = _arguments.make(options)
    try:
        result = function(*values)
        _arguments.synchronizer(options.device)()
    except Exception as error:  # Whatever the function raises is its answer.
        raise CommandError(f"{options.function}: {type(error).__name__}: {error}") from None
    shown = _arguments.plain(result)
    arguments = [_arguments.plain(value) for value in values]
    if options.json:
        print(json.dumps({"function": options.function, "result": shown, "arguments": arguments}))
        return 0
    print(f"result: {_arguments.text(shown)}")
    for number, value in enumerate(arguments):
        if isinstance(value, dict):
            print(f"argument {number}: {_arguments.text(value)}")
    return 0
