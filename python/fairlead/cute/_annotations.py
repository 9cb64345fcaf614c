"""Annotations of parameters, as objects."""

from __future__ import annotations

import sys
import typing
from types import FrameType, FunctionType, NoneType, UnionType
from typing import Annotated, Any, cast

from fairlead import _compiler
from fairlead._tracing.language import Constexpr


class NoAlias:
    """``Annotated[cute.Tensor, cute.no_alias]`` declares that no other tensor of a call shares the memory of the
    parameter's tensors. Calls check it."""

    def __repr__(self) -> str:
        return "no_alias"


no_alias = NoAlias()


def annotation(function: FunctionType, name: str) -> Any:
    """Return the annotation of a parameter, or None; one written as text is evaluated where the function is defined."""
    hint = _evaluated(function, name)
    if not isinstance(function.__annotations__.get(name), str):
        return _plain(hint)
    try:
        return _plain(hint)
    except TypeError:
        return None


def declares_no_alias(function: FunctionType, name: str) -> bool:
    """True if the annotation of a parameter has ``no_alias``."""
    hint = without_none(_evaluated(function, name))
    return typing.get_origin(hint) is Annotated and any(
        isinstance(about, NoAlias) for about in hint.__metadata__
    )


def _evaluated(function: FunctionType, name: str) -> Any:
    value = function.__annotations__.get(name)
    if not isinstance(value, str):
        return value
    closure = {}
    for variable, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            closure[variable] = cell.cell_contents
        except ValueError:
            continue
    try:
        return eval(value, function.__globals__, closure)
    except (NameError, AttributeError, TypeError, SyntaxError):
        return None


def resolve_local_names(function: FunctionType) -> None:
    """Evaluate the annotations, written as text, whose names are local variables of the function around this one.

    A function keeps only those variables of them that its body uses. To be called where the function is defined.
    """
    texts = {
        name: text
        for name, text in function.__annotations__.items()
        if isinstance(text, str) and annotation(function, name) is None
    }
    frame: FrameType | None = sys._getframe(1) if texts else None
    while frame is not None and function.__code__ not in frame.f_code.co_consts:
        frame = frame.f_back
    if frame is None or frame.f_locals is frame.f_globals:
        return
    for name, text in texts.items():
        try:
            value = eval(text, function.__globals__, dict(frame.f_locals))
        except (NameError, AttributeError, TypeError, SyntaxError):
            continue
        function.__annotations__[name] = value


def _plain(hint: object) -> Any:
    """``Annotated[Tensor, "n", "m"]`` as ``Tensor["n", "m"]``, which type checkers refuse; of other annotated types
    the type, also inside ``Annotated[...] | None``. A class that stands for another one as that."""
    hint = _meant(hint)
    if hint is None or isinstance(hint, type):
        return hint
    if typing.get_origin(hint) is Annotated:
        kind, *about = map(_meant, typing.get_args(hint))
        about = [detail for detail in about if not isinstance(detail, NoAlias)]
        is_shaped = kind is _compiler.Tensor and about
        return cast(Any, kind)[tuple(about)] if is_shaped else _plain(kind)
    inner = without_none(hint)
    return _plain(inner) | None if typing.get_origin(inner) is Annotated else hint


def _meant(hint: object) -> Any:
    return getattr(hint, "__fairlead_stands_for__", hint) if isinstance(hint, type) else hint


def is_static(hint: object) -> bool:
    """True for ``Constexpr``, ``Constexpr[T]`` and ``type[T]``."""
    if hint is None or hint is Constexpr:
        return hint is Constexpr
    return typing.get_origin(hint) in (Constexpr, type)


def without_none(hint: object) -> Any:
    """``T`` of ``Optional[T]`` and ``T | None``; other annotations as they are, or as the class they stand for."""
    if hint is None or isinstance(hint, type):  # most are
        return _meant(hint)
    if typing.get_origin(hint) in (typing.Union, UnionType):
        others = [argument for argument in typing.get_args(hint) if argument is not NoneType]
        if len(others) == 1:
            return _meant(others[0])
    return _meant(hint)


def conversion(hint: object) -> Any:
    """Return the function that converts an argument to an annotation's class; None for other annotations."""
    return getattr(without_none(hint), "__fairlead_convert__", None)
