"""The exceptions that Fairlead raises while a function is traced, compiled or exported.

Each is a :class:`DSLError` and the builtin exception of its kind, so that ``except TypeError`` and
``except fairlead.DSLError`` both work.
"""

from __future__ import annotations

import builtins
import enum
import os
from collections.abc import Callable
from types import NoneType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairlead._argument_types import WrongArgument

__all__ = [
    "DSLError",
    "DSLUserWarning",
    "exception_class",
    "make_error",
]


class DSLError(Exception):
    """Base of every error of tracing, compiling and exporting.

    Attributes:
        diagnostic: the id in the table of diagnostics, such as ``"IndexType"``; docs/errors.md lists them.
        help: what to write instead, the last line of the message; or None.
    """

    diagnostic: str | None = None
    help: str | None = None
    #: The source range of the error in its file: the first and last line, the first and last column.
    position: tuple[int, int | None, int, int | None] | None
    filename: str

    def __str__(self) -> str:
        text = super().__str__()
        return f"{text}\n    help: {self.help}" if self.help else text


class DSLUserWarning(DSLError, UserWarning):
    """A warning of a probable mistake in a traced function: ``warnings.filterwarnings("error", category=...)``."""


_classes: dict[str, type[DSLError]] = {"UserWarning": DSLUserWarning}


def exception_class(kind: str) -> type[DSLError]:
    """Return the class that is both a DSLError and the builtin exception called ``kind``."""
    if not isinstance(kind, str):
        require(exception_class, kind=kind)
    cls = _classes.get(kind)
    if cls is None:
        base = getattr(builtins, kind, RuntimeError)
        cls = _classes.setdefault(
            kind, type(f"DSL{kind}", (DSLError, base), {"__module__": __name__})
        )
    return cls


if TYPE_CHECKING:
    from fairlead import _make_error  # each diagnostic with its parameters

    make_error = _make_error.make_error
else:

    def make_error(id: str, *, help: str | None = None, **params: object) -> DSLError:
        """Return the exception of a diagnostic, to be raised.

        Args:
            id: the diagnostic's id in ``Diagnostics.def``.
            help: what to write instead, if that is computed; default the help text of the table that fits ``params``.
            params: the places of the text, and parameters of help texts, which may be None: they have no value then.

        Raises ValueError for an unknown id, a place without a value, and a parameter that neither text has.
        """
        from fairlead import _compiler

        if not isinstance(id, str) or not isinstance(help, (str, NoneType)):
            require(make_error, id=id, help=help)
        error: DSLError = _compiler.make_error(id, **params)
        if help is not None:
            error.help = help
        return error


def wrong_argument(
    function: str, name: str, expected: str, value: object, index: int = 0
) -> DSLError:
    """Return the TypeError about the argument ``name`` of ``function``, whose position is ``index``, to be raised."""
    got = "None" if value is None else type(value).__name__
    return make_error(
        "ArgumentAnnotation", function=function, index=index, name=name, expected=expected, got=got
    )


class CheckedEnum(enum.Enum):
    """An enum whose ValueError for another value names the allowed ones."""

    @classmethod
    def _missing_(cls, value: object) -> None:
        allowed = [repr(member.value) for member in cls]
        expected = " or ".join(filter(None, [", ".join(allowed[:-1]), allowed[-1]]))
        raise make_error("ArgumentValue", function=cls.__name__, expected=expected, got=repr(value))


def require(function: Callable[..., Any], **arguments: object) -> None:
    """Raise TypeError (ArgumentAnnotation) for the first of ``arguments``, those of ``function`` by name, that the
    annotation of its parameter excludes."""
    from fairlead import _argument_types

    if (wrong := _argument_types.find(function, arguments)) is not None:
        raise excluded(wrong)


def excluded(wrong: WrongArgument) -> DSLError:
    """Return the TypeError about an argument that the annotation of its parameter excludes, to be raised."""
    return make_error(
        "ArgumentAnnotation",
        function=wrong.function,
        index=wrong.index,
        name=wrong.name,
        expected=wrong.expected,
        got=wrong.got,
    )


def path_of(value: object, function: str, name: str = "path") -> str:
    """Return the argument ``name`` of ``function`` as text. Raises TypeError if it is no path. Needs no compiler."""
    if not isinstance(value, (str, bytes, os.PathLike)):
        got = "None" if value is None else type(value).__name__
        raise TypeError(f"{function}: expected {name} to be a str or an os.PathLike, but got {got}")
    return os.fsdecode(value)


def __dir__() -> list[str]:
    """The names that completion offers."""
    return sorted(__all__)
