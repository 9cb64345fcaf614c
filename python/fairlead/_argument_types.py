"""Find the argument of a call whose type its annotation excludes, for the message of an error that the call raised.

Annotations are read after a function has failed, or by `errors.require`. An argument that the table does not clearly
exclude fits.
"""

from __future__ import annotations

import enum
import functools
import inspect
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, NamedTuple

__all__ = ["WrongArgument", "find", "in_traceback"]


@dataclass(frozen=True)
class WrongArgument:
    """An argument that its annotation excludes; as text the message of an error about it.

    Attributes:
        function: the name of the function.
        index: the position of the parameter, without ``self``.
        name: the name of the parameter.
        expected: the types of the annotation, in words.
        got: the name of the argument's class.
    """

    function: str
    index: int
    name: str
    expected: str
    got: str

    def __str__(self) -> str:
        place = f"argument #{self.index} ({self.name})"
        return f"`{self.function}` expects {place} to be {self.expected}, but got {self.got}"

    def is_named_in(self, text: str) -> bool:
        """True if a message names the parameter and the argument's class."""
        name = re.escape(self.name)
        return (
            self.got in text
            and re.search(rf"\({name}\)|`{name}`|\b{name}( to be|:|=| of )", text) is not None
        )

    def is_expected_in(self, text: str) -> bool:
        """True if a message describes the expected argument."""
        return (
            re.search(rf"\bexpect(s|ed)\b|\btakes\b|\b{re.escape(self.name)} must be", text)
            is not None
        )

    def addition(self, text: str) -> str:
        """Return the end of a message that has the argument's class but lacks the name of the parameter; or nothing."""
        if self.got not in text or self.is_named_in(text):
            return ""
        return f" (argument `{self.name}` of `{self.function}`)"


class _Kind(NamedTuple):
    """The meaning of a name in an annotation: words, names of classes, and attributes. One attribute suffices."""

    words: str
    classes: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()


_NUMBERS = ("Numeric",)
_COUNTS = ("__index__", "__float__")
_LAYOUTS = ("Layout", "ComposedLayout", "Tensor")
_SEQUENCES = ("__iter__", "__getitem__")
_KINDS = {
    "int": _Kind("an int", _NUMBERS, _COUNTS),
    "float": _Kind("a number", _NUMBERS, _COUNTS),
    "Number": _Kind("a number", _NUMBERS, _COUNTS),
    "Numeric": _Kind("a number", _NUMBERS, _COUNTS),
    "SupportsInt": _Kind("an int", _NUMBERS, (*_COUNTS, "__int__")),
    "Int": _Kind("an integer", _NUMBERS, _COUNTS),
    "Condition": _Kind("a condition", _NUMBERS, _COUNTS),
    "Elements": _Kind(
        "a number or a whole-tensor value", (*_NUMBERS, "TensorExpr", "Vector"), _COUNTS
    ),
    "TensorExpr": _Kind("a whole-tensor value", ("TensorExpr", "Vector")),
    "str": _Kind("a str", ("str",)),
    "PathLike": _Kind("an os.PathLike", ("bytes",), ("__fspath__",)),
    "Pointer": _Kind("a pointer", ("Pointer", "Tensor"), ("pointer", "iterator")),
    "PointerLike": _Kind("a pointer", ("Pointer", "Tensor"), ("pointer", "iterator")),
    "Tensor": _Kind("a tensor", ("Tensor",), ("iterator", "__dlpack__")),
    "CoordTensor": _Kind("a coordinate tensor", ("Tensor",)),
    "Layout": _Kind("a layout", _LAYOUTS),
    "ComposedLayout": _Kind("a composed layout", _LAYOUTS),
    "LayoutLike": _Kind("a layout", _LAYOUTS, _SEQUENCES),
    "Modes": _Kind("a layout or a tensor", _LAYOUTS, ("shape",)),
    "Extents": _Kind("an integer or a tuple of them", _NUMBERS, (*_COUNTS, *_SEQUENCES)),
    "Coordinate": _Kind("an integer or a tuple of them", _NUMBERS, (*_COUNTS, *_SEQUENCES)),
    "Tiler": _Kind(
        "an integer, a layout or a tuple of them",
        (*_NUMBERS, *_LAYOUTS, "Swizzle"),
        (*_COUNTS, *_SEQUENCES),
    ),
    "Sequence": _Kind("a tuple or a list", (), _SEQUENCES),
    "Iterable": _Kind("a tuple or a list", (), _SEQUENCES),
    "tuple": _Kind("a tuple", (), _SEQUENCES),
    "list": _Kind("a list", (), _SEQUENCES),
    "dict": _Kind("a dict", (), ("keys",)),
    "Mapping": _Kind("a dict", (), ("keys",)),
    "CopyAtom": _Kind("a copy atom", ("CopyAtom",)),
    "TensorCopyAtom": _Kind("a copy atom of a tensor map", ("CopyAtom",)),
    "TiledCopy": _Kind("a tiled copy", ("CopyAtom",)),
    "MmaAtom": _Kind("an MMA atom or a tiled MMA", ("MmaAtom",)),
    "TiledMma": _Kind("a tiled MMA", ("MmaAtom",)),
    "Swizzle": _Kind("a swizzle", ("Swizzle",)),
    "Vector": _Kind("a vector", ("Vector", "TensorExpr")),
    "Signature": _Kind("a signature", ("Signature",)),
    "Device": _Kind("a Device", ("Device",)),
    "JitArguments": _Kind("JitArguments", ("JitArguments",)),
    **{
        name: _Kind(f"{'an' if name[0] == 'A' else 'a'} {name}", (name, "Enum"), _COUNTS)
        for name in (
            *(
                "AddressSpace",
                "Agent",
                "CopyOp",
                "CtaGroup",
                "LayoutEnum",
                "MemoryOrder",
                "MemoryScope",
            ),
            *("PipelineUserType", "SmemLayoutAtomKind"),
        )
    },
}
#: Objects that stand for a value of any type, in programs for other packages.
_OF_ANY_TYPE = ("IRValue",)
#: Objects of a user's class with one of these stand for values of any type.
_STAND_INS = (
    "__extract_mlir_values__",
    "__get_mlir_types__",
    "__tvm_ffi_object__",
    "__tvm_ffi_opaque_ptr__",
)
_TYPES = ("type", "DType")
#: Classes, always those of many arguments, with the annotations that admit all their objects.
_fitting: set[tuple[type, str]] = set()
_LIBRARY = os.path.dirname(os.__file__)


def find(function: Callable[..., Any], arguments: Mapping[str, object]) -> WrongArgument | None:
    """Return the first of ``arguments``, by the names of their parameters, that the annotation of ``function``
    excludes, or None."""
    for index, name, annotation in _annotated(function):
        if name in arguments and not _fits(arguments[name], annotation):
            expected = " or ".join(dict.fromkeys(map(_words, _pieces(annotation))))
            got = _kind_of(arguments[name])
            return WrongArgument(function.__name__, index, name, expected, got)
    return None


@functools.lru_cache(256)
def _annotated(function: Callable[..., Any]) -> tuple[tuple[int, str, str], ...]:
    """Return the index, the name and the annotation of each parameter."""
    function = inspect.unwrap(function)
    parameters = _parameters(getattr(function, "__code__", None))
    annotations = getattr(function, "__annotations__", {})
    if parameters[:1] in (("self",), ("cls",)) and parameters[0] not in annotations:
        parameters = parameters[1:]
    return tuple(
        (index, name, annotations[name])
        for index, name in enumerate(parameters)
        if isinstance(annotations.get(name), str)
    )


def in_traceback(error: BaseException, is_outer: Callable[[Any], bool]) -> WrongArgument | None:
    """Return the wrong argument of the outermost function that code outside of the package called; None if all fit.

    `is_outer` tells code outside of the package.
    """
    traceback = error.__traceback__
    inner: list[FrameType] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if is_outer(code) and not of_python(code.co_filename):
            inner = []
        else:
            inner.append(traceback.tb_frame)
        traceback = traceback.tb_next
    for frame in inner:  # the first ones may be of decorators
        code, values = frame.f_code, frame.f_locals
        names = code.co_varnames[:1]
        owner = type(values["self"]) if names == ("self",) and "self" in values else None
        member = getattr(owner, code.co_name, None) if owner else frame.f_globals.get(code.co_name)
        function = inspect.unwrap(member) if inspect.isfunction(member) else None
        if function is not None and function.__code__ is code:
            return find(function, {key: values[key] for key in _parameters(code) if key in values})
        if owner is not None:
            return None
    return None


def _parameters(code: CodeType | None) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if code else ()


def of_python(file: str) -> bool:
    """True for a file of Python's standard library."""
    return file.startswith(_LIBRARY) and "-packages" not in file


def _fits(value: object, annotation: str) -> bool:
    """False if no type of the annotation admits the value."""
    cls = type(value)
    if (cls, annotation) in _fitting:
        return True
    is_stand_in = cls.__module__.startswith("fairlead.compat") or (
        not cls.__module__.startswith("fairlead") and any(hasattr(cls, name) for name in _STAND_INS)
    )
    fits = is_stand_in or any(_is_of(value, piece) for piece in _pieces(annotation))
    if fits and cls.__module__ in ("builtins", "fairlead._compiler"):
        _fitting.add((cls, annotation))
    return fits


def _is_of(value: object, piece: str) -> bool:
    name = _last(piece)
    if name == "None":
        return value is None
    if name in _TYPES:
        return isinstance(value, type) or "dtype" in type(value).__name__.lower()
    if name == "Callable":
        return callable(value)
    if name == "Choice":
        return isinstance(value, (str, enum.Enum))
    kind = _KINDS.get(name)
    if kind is None:
        return True
    bases = [base.__name__ for base in type(value).__mro__]
    return any(base in kind.classes or base in _OF_ANY_TYPE for base in bases) or any(
        hasattr(value, attribute) for attribute in kind.attributes
    )


def _words(piece: str) -> str:
    name = _last(piece)
    if name in _TYPES:
        return (
            "a numeric class such as Float32"
            if "Numeric" in piece or name == "DType"
            else "a class"
        )
    fixed = {
        "None": "None",
        "Callable": "a function",
        "Choice": "a str or a member of the enumeration",
    }
    return fixed[name] if name in fixed else _KINDS[name].words


def _pieces(annotation: str) -> list[str]:
    """The types of a union, divided by ``|`` outside of brackets."""
    return [piece.strip() for piece in re.split(r"\|(?![^\[]*\])", annotation)]


def _last(piece: str) -> str:
    """The last name of ``os.PathLike[str]`` without its parameters: ``PathLike``."""
    return piece.partition("[")[0].rpartition(".")[2]


def _kind_of(value: object) -> str:
    if value is None:
        return "None"
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
