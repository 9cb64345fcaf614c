"""``cutlass.cute.testing``: Fairlead's, and how a program's command line says what its tensors hold."""

from __future__ import annotations

import argparse
from typing import Any

from fairlead.compat import _cute
from fairlead.cute import _conversion, testing

__all__ = [*testing.__all__, "add_tensor_init_args", "validate_tensor_init_args"]

#: It rounds as published programs do.
convert = _cute.jit(_conversion.convert.function)


def add_tensor_init_args(
    parser: argparse.ArgumentParser, supports_int_dtypes: bool = False
) -> None:
    """Add the options ``--init_normal``, ``--normal_mean`` and ``--normal_std`` to a parser.

    Args:
        parser: the program's.
        supports_int_dtypes: the program's tensors may hold integers, which the help text says.
    """
    group = parser.add_argument_group("tensor initialization")
    integers = "; tensors of integers keep their own" if supports_int_dtypes else ""
    group.add_argument(
        "--init_normal",
        action="store_true",
        help=f"normally distributed numbers in the inputs{integers}",
    )
    group.add_argument("--normal_mean", type=float, default=0.0, help="mean of --init_normal")
    group.add_argument(
        "--normal_std", type=float, default=1.0, help="standard deviation of --init_normal"
    )


def validate_tensor_init_args(
    args: argparse.Namespace, parser: argparse.ArgumentParser | None = None
) -> None:
    """Check the options of ``add_tensor_init_args``.

    Args:
        args: the parsed options.
        parser: where given, its ``error`` ends the program.

    Raises ValueError for a standard deviation that is not positive, unless ``parser`` is given.
    """
    if args.normal_std > 0:
        return
    message = f"--normal_std: expected a positive number, but got {args.normal_std}"
    if parser is None:
        raise ValueError(message)
    parser.error(message)


def __getattr__(name: str) -> Any:
    return getattr(testing, name)


def __dir__() -> list[str]:
    return sorted({*dir(testing), *__all__})
