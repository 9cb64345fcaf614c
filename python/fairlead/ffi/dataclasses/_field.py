"""Fields of classes of the ABI, and methods that the ABI knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from fairlead.ffi._missing import MISSING

if TYPE_CHECKING:
    from fairlead.ffi._schema import TypeSchema

__all__ = ["Field", "field", "init_property", "method"]

_T = TypeVar("_T")
_STRUCTURAL = (None, "def", "def-pattern", "def-simple", "ignore")


def _as_it_is(value: object) -> Any:
    return value


class Field:
    """A field of a class of the ABI, as fields() returns it and field() describes it.

    ``name`` and ``type`` (the annotation) are None until the class is made. The others are what field() was given.
    """

    __slots__ = (
        "_ty_schema",
        "compare",
        "converter",
        "default",
        "default_factory",
        "doc",
        "extra_kwargs",
        "frozen",
        "hash",
        "init",
        "kw_only",
        "metadata",
        "name",
        "repr",
        "structural_eq",
        "type",
    )

    def __init__(
        self,
        name: str | None = None,
        _ty_schema: TypeSchema | None = None,
        *,
        default: object = MISSING,
        default_factory: Callable[[], object] = MISSING,
        frozen: bool = False,
        init: bool = True,
        repr: bool = True,
        hash: bool | None = True,
        compare: bool = False,
        kw_only: bool | None = False,
        metadata: Mapping[str, Any] | None = None,
        structural_eq: str | None = None,
        doc: str | None = None,
        converter: Callable[[Any], Any] = _as_it_is,
        **extra_kwargs: object,
    ) -> None:
        if default is not MISSING and default_factory is not MISSING:
            raise ValueError("cannot specify both default and default_factory")
        if default_factory is not MISSING and not callable(default_factory):
            raise TypeError(
                f"default_factory must be a callable, got {type(default_factory).__name__}"
            )
        if structural_eq not in _STRUCTURAL:
            raise ValueError(
                f"structural_eq must be one of {list(_STRUCTURAL)}, got {structural_eq!r}"
            )
        self.name = name
        self._ty_schema = _ty_schema
        self.type: Any = None
        self.default = default
        self.default_factory = default_factory
        self.frozen = frozen
        self.init = init
        self.repr = repr
        self.hash = hash
        self.compare = compare
        self.kw_only = kw_only
        self.metadata = dict(metadata or {})
        self.structural_eq = "def-pattern" if structural_eq == "def" else structural_eq
        self.doc = doc
        self.converter = converter
        self.extra_kwargs = extra_kwargs

    def __copy__(self) -> Field:
        copy = Field.__new__(Field)
        for name in Field.__slots__:
            setattr(copy, name, getattr(self, name))
        copy.metadata, copy.extra_kwargs = dict(self.metadata), dict(self.extra_kwargs)
        return copy

    def __repr__(self) -> str:
        return f"Field(name={self.name!r}, type={self.type!r})"


def field(
    *,
    default: object = MISSING,
    default_factory: Callable[[], object] = MISSING,
    frozen: bool = False,
    init: bool = True,
    repr: bool = True,
    hash: bool | None = None,
    compare: bool = True,
    kw_only: bool | None = None,
    metadata: Mapping[str, Any] | None = None,
    structural_eq: str | None = None,
    doc: str | None = None,
    converter: Callable[[Any], Any] = _as_it_is,
    **extra_kwargs: Any,
) -> Any:
    """Says more of a field of a py_class: ``x: int = field(default=0, frozen=True)``.

    Args:
        default: the field's value if ``__init__`` gets none for it.
        default_factory: makes the default for each object; not with ``default``.
        frozen: cannot be assigned to after ``__init__``. ``type(obj).name.set(obj, value)`` still does.
        init: is an argument of ``__init__``.
        repr: is shown.
        hash: counts in hashes; None: where it counts in comparisons.
        compare: counts in comparisons.
        kw_only: is given by keyword; None: as the class says.
        metadata: for other code; a copy is kept.
        structural_eq: how it takes part in structural_equal and structural_hash: ``ignore``: not at all;
            ``def-pattern`` (or ``def``): variables in it are defined there, with the free variables of their types;
            ``def-simple``: the variables alone.
        doc: its documentation.
        converter: for type checkers only.
        extra_kwargs: for code that looks at classes while they are made; leftover ones are a TypeError.
    """
    return Field(
        default=default,
        default_factory=default_factory,
        frozen=frozen,
        init=init,
        repr=repr,
        hash=hash,
        compare=compare,
        kw_only=kw_only,
        metadata=metadata,
        structural_eq=structural_eq,
        doc=doc,
        converter=converter,
        **extra_kwargs,
    )


class init_property(Generic[_T]):  # noqa: N801
    """A decorator of a py_class's method: its result, computed once after ``__init__``, is a field of the object."""

    def __init__(self, func: Callable[[Any], _T]) -> None:
        self.func = func
        self.name = getattr(func, "__name__", "")
        self.__doc__ = func.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        annotation = getattr(self.func, "__annotations__", {}).get("return", Any)
        owner.__dict__.get("__annotations__", {}).setdefault(name, annotation)

    @overload
    def __get__(self, obj: None, objtype: type) -> init_property[_T]: ...
    @overload
    def __get__(self, obj: object, objtype: type | None = None) -> _T: ...
    def __get__(self, obj: object | None, objtype: type | None = None) -> _T | init_property[_T]:
        return self if obj is None else self.func(obj)


#: The mark of method() on a function.
MARK = "__ffi_method__"


def method(fn: object) -> Any:
    """Decorate ``fn``, a method of a py_class, static or not: the ABI knows it, so C++ finds it by its name.

    TypeError for a classmethod: the ABI has no place for a class.
    """
    if isinstance(fn, classmethod):
        raise TypeError(
            "@method: @classmethod is not supported: the ABI passes no class. Use @staticmethod or a plain method "
            "instead."
        )
    function = fn.__func__ if isinstance(fn, staticmethod) else fn
    if not callable(function):
        raise TypeError(f"@method: expected a callable, got {type(fn).__name__}.")
    setattr(function, MARK, True)
    return fn
