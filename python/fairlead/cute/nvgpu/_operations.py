"""Operations of atoms that every target has."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead._tracing.state import member
from fairlead.errors import CheckedEnum

__all__ = [
    "CopyG2ROp",
    "CopyR2GOp",
    "CopyR2SOp",
    "CopyS2ROp",
    "CopyUniversalOp",
    "L2PrefetchSize",
    "LoadCacheMode",
    "MmaUniversalOp",
    "OperandMajorMode",
]


class LoadCacheMode(CheckedEnum):
    """The caches that a copy goes through."""

    ALWAYS = "always"
    GLOBAL = "global"
    STREAMING = "streaming"
    LAST_USE = "last_use"
    NONE = "none"


class L2PrefetchSize(CheckedEnum):
    """A hint: the number of bytes around a copy's own that also go to the L2 cache."""

    NONE = 0
    SIZE_64B = 64
    SIZE_128B = 128
    SIZE_256B = 256


class OperandMajorMode(CheckedEnum):
    """The contiguous mode of an operand in shared memory."""

    MN = "mn"
    K = "k"


class Operation:
    """An operation by its name and options; operations are equal where those are."""

    def __init__(self, **options: object) -> None:
        self.options = options

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Operation)
            and type(self) is type(other)
            and self.options == other.options
        )

    def __hash__(self) -> int:
        return hash(repr(self))

    def __getattr__(self, name: str) -> Any:
        of_dialect = member(self, name)
        if of_dialect is None:
            message = f"{type(self).__name__!r} object has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=self)
        return of_dialect(self)

    def __str__(self) -> str:
        text = member(self, "__str__")
        return text(self) if text else repr(self)

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={_text(value)}" for name, value in self.options.items())
        return f"{type(self).__name__}({options})"


def _text(value: object) -> str:
    return value.__name__ if isinstance(value, type) else repr(value)


class CopyOp(Operation):
    """An operation that copies."""

    #: True if `_copy_op` takes an L2PrefetchSize.
    _prefetches = False

    def _copy_op(self) -> Any:
        return _compiler.CopyOp("universal")


class CopyUniversalOp(CopyOp):
    """Loads and stores of any memory space, on every target."""

    def __init__(self) -> None:
        super().__init__()


class CopyG2ROp(CopyOp):
    """From global memory to registers."""

    def __init__(self) -> None:
        super().__init__()


class CopyR2GOp(CopyOp):
    """From registers to global memory."""

    def __init__(self) -> None:
        super().__init__()


class CopyS2ROp(CopyOp):
    """From shared memory to registers."""

    def __init__(self) -> None:
        super().__init__()


class CopyR2SOp(CopyOp):
    """From registers to shared memory."""

    def __init__(self) -> None:
        super().__init__()


class MmaUniversalOp(Operation):
    """One multiply-add of one thread, on every target."""

    def __init__(self, abacc_dtype: type[_compiler.Numeric]) -> None:
        super().__init__(abacc_dtype=abacc_dtype)
        self.abacc_dtype = abacc_dtype

    def _mma_atom(self) -> Any:
        return _compiler.make_universal_mma_atom(self, self.abacc_dtype, self.abacc_dtype)
