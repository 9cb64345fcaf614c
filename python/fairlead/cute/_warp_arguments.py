"""Arguments of shuffles and barriers that are wrong in every run: a warp has 32 threads."""

from __future__ import annotations

from fairlead import _compiler
from fairlead.errors import make_error

__all__ = ["check_integer", "check_range", "check_shuffle", "check_threads", "check_whole"]

_WARP, _MOST = 32, 1024


def _constant(value: object) -> int | None:
    """Return the number of an argument that is known while tracing."""
    if isinstance(value, _compiler.Numeric):
        return int(value) if value.is_static and value.is_integer else None
    return value if isinstance(value, int) else None


def _type_of(value: object) -> str:
    return f"{value!r}" if isinstance(value, (int, float)) else type(value).__name__


def check_threads(function: str, argument: str, threads: object) -> None:
    """Raise ValueError (BarrierThreads) for a constant number of threads that is no number of whole warps."""
    number = _constant(threads)
    if number is None or (0 < number <= _MOST and number % _WARP == 0):
        return
    raise make_error(
        "BarrierThreads",
        function=function,
        argument=argument,
        got=number,
        nearest=min(max(-(-number // _WARP), 1) * _WARP, _MOST),
    )


def check_shuffle(function: str, value: object, offset: object) -> None:
    """Raise TypeError (ShuffleArgument) for arguments in CUDA's order, a float as offset, and a constant offset that no
    lane has."""
    constant = _constant(value) if isinstance(value, int) else None
    # CUDA has (mask, value, offset): the mask is no value of a run, and the offset is.
    if constant in (0xFFFFFFFF, -1) or (
        constant is not None and isinstance(offset, _compiler.Numeric) and not offset.is_static
    ):
        got = f"the constant {value:#x}"
        raise make_error(
            "ShuffleArgument",
            function=function,
            expected="a value of the thread as value, the first argument",
            got=got,
            kind="order",
        )
    if isinstance(offset, float) or getattr(offset, "is_float", False):
        raise make_error(
            "ShuffleArgument",
            function=function,
            expected="an integer as offset",
            got=_type_of(offset),
            kind="float",
        )
    number = _constant(offset)
    if number is not None and not 0 <= number < _WARP:
        raise make_error(
            "ShuffleArgument",
            function=function,
            expected="an offset from 0 to 31",
            got=number,
            kind="range",
        )


def check_range(function: str, argument: str, value: object, least: int, most: int) -> None:
    """Raise ValueError (ArgumentValue) for a constant that is out of range, TypeError (ArgumentKind) for a float that
    is not a whole number."""
    check_whole(function, argument, value)
    number = _constant(value)
    if number is not None and not least <= number <= most:
        raise make_error(
            "ArgumentValue",
            function=function,
            expected=f"{least} to {most} as {argument}",
            got=number,
        )


def check_whole(function: str, argument: str, value: object) -> None:
    """check_integer that takes floats such as 4.0, which `/` makes of integers."""
    if not (isinstance(value, float) and value.is_integer()):
        check_integer(function, argument, value)


def check_integer(function: str, argument: str, value: object) -> None:
    """Raise TypeError (ArgumentKind) for a float."""
    if isinstance(value, float) or getattr(value, "is_float", False):
        raise make_error(
            "ArgumentKind",
            function=function,
            expected=f"an integer as {argument}",
            got=_type_of(value),
            help="convert it: `.to(cute.Int32)` rounds towards 0, `.bitcast(cute.Int32)` takes the float's own bits",
        )
