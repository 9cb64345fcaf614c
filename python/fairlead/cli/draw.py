"""Draws a layout: the index of each coordinate, or the bank of shared memory of each element.

    fairlead draw "(4,(2,4)):(2,(1,8))"                      # as text
    fairlead draw "(4,8):(8,1)" -o layout.svg
    fairlead draw "(32,32):(32,1)" --banks float32 -o banks.svg
    fairlead draw "(32,32):(32,1)" --swizzle 5,0,5 --banks float32

A layout is written as it prints: shape, colon, stride. Without a stride it is compact and column-major.
"""

from __future__ import annotations

import argparse
import ast
from typing import Any

from fairlead.cli import CommandError

HELP = "draw a layout as text or SVG"


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("layout", metavar="LAYOUT", help='such as "(4,8):(8,1)"')
    parser.add_argument("-o", "--output", metavar="FILE", help="write SVG there")
    parser.add_argument("--swizzle", metavar="BITS,BASE,SHIFT", help="applied to the indices")
    parser.add_argument("--banks", metavar="DTYPE", help="show banks, for elements of this type")


def run(options: argparse.Namespace) -> int:
    from fairlead import pictures
    from fairlead._tracing.language import dtype

    layout = _layout(options.layout, options.swizzle)
    try:
        if options.banks:
            picture = pictures.banks(layout, dtype(options.banks))
        else:
            picture = pictures.layout(layout)
    except (TypeError, ValueError) as error:
        raise CommandError(str(error)) from None
    if options.output is None:
        print(picture)
        return 0
    try:
        picture.save(options.output)
    except OSError as error:
        raise CommandError(f"{options.output}: {error.strerror}") from None
    print(f"{options.output}: {picture.title}")
    return 0


def _layout(text: str, swizzle: str | None) -> Any:
    from fairlead import cute

    shape, colon, stride = text.partition(":")
    try:
        layout = cute.make_layout(
            ast.literal_eval(shape), stride=ast.literal_eval(stride) if colon else None
        )
        if swizzle is None:
            return layout
        numbers = [int(part) for part in swizzle.split(",")]
        return cute.make_composed_layout(cute.make_swizzle(*numbers), 0, layout)
    except (SyntaxError, TypeError, ValueError) as error:
        source = text if swizzle is None else f"{text} with --swizzle {swizzle}"
        raise CommandError(
            f"{source!r} is no layout, expected shape:stride such as (4,8):(8,1): {error}"
        ) from None
