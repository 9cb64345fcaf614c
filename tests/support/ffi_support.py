"""Reads the result of the function `describe` of kernels/Kernels.c."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Seen:
    """One argument as the function saw it."""

    kind: int
    bits: int = 0
    dtype: tuple = ()
    device: tuple = ()
    shape: tuple = ()
    strides: tuple = ()
    address: int = 0


class Refuses:
    """An argument whose conversion is a TypeError."""

    def __tvm_ffi_int__(self):
        return "no int"


def _numbers(text: str, separator: str = ",") -> tuple:
    return tuple(int(part) for part in text.split(separator) if part)


def parse(text: str) -> list[Seen]:
    """The arguments in the text that `describe` returns."""
    seen = []
    for word in text.split():
        kind, _, rest = word.partition(":")
        parts = re.fullmatch(r"(.*)@(.*)\[(.*)\]\[(.*)\](.*)", rest)
        if parts is None:
            seen.append(Seen(int(kind), int(rest, 16) if rest else 0))
            continue
        dtype, device, shape, strides, address = parts.groups()
        seen.append(
            Seen(
                int(kind),
                dtype=_numbers(dtype, "."),
                device=_numbers(device, "."),
                shape=_numbers(shape),
                strides=_numbers(strides),
                address=int(address, 16),
            )
        )
    return seen
