"""py_class: classes of the ABI that Python defines."""

from __future__ import annotations

import copy
import dataclasses
import functools
import json
import sys
import types
import typing
from collections.abc import Callable
from typing import Any, TypeVar, overload

from fairlead._core import (
    Object,
    _define_attribute,
    _define_field,
    _define_metadata,
    _define_method,
    _define_type,
    _make_converter,
    _type_attribute,
    get_global_func,
)
from fairlead.ffi import _typeinfo as flags_of
from fairlead.ffi._missing import MISSING
from fairlead.ffi._objects import WRITABLE, adopt_type
from fairlead.ffi._schema import TypeSchema
from fairlead.ffi._type_indices import ANY
from fairlead.ffi._typeinfo import TypeInfo, type_info
from fairlead.ffi.dataclasses._field import MARK, Field, field, init_property
from fairlead.ffi.dataclasses._install import install

__all__ = ["Definition", "py_class"]

_T = TypeVar("_T", bound=type)
#: TVMFFISEqHashKind.
_KINDS = {None: 0, "tree": 1, "var": 2, "dag": 3, "const-tree": 4, "singleton": 5}
#: Names in a class's body that are attributes of its type.
_HOOKS = (
    "__any_equal__",
    "__any_hash__",
    "__data_from_json__",
    "__data_to_json__",
    "__ffi_compare__",
    "__ffi_convert__",
    "__ffi_convert_type_schema__",
    "__ffi_eq__",
    "__ffi_hash__",
    "__ffi_repr__",
    "__s_equal__",
    "__s_hash__",
    "__s_maybe_inplace_mutate__",
    "__s_mutate__",
    "__s_visit__",
)
#: Attributes that a class inherits from its parent, unless it sets them itself.
_INHERITED = (
    "__data_from_json__",
    "__data_to_json__",
    "__s_equal__",
    "__s_hash__",
    "__s_maybe_inplace_mutate__",
    "__s_mutate__",
    "__s_visit__",
)
_HEADER, _ALIGNMENT = 24, 8
#: Size, alignment and stored type of fields by their kind: numbers, objects, any value.
_NUMBERS = {
    "int": (8, 8, 1),
    "float": (8, 8, 3),
    "bool": (1, 1, 2),
    "ctypes.c_void_p": (8, 8, 4),
    "dtype": (4, 2, 5),
    "Device": (8, 4, 6),
}
_VALUES = ("Any", "Optional", "Union", "None", "str", "bytes")
_NEVER = -100


class _Unresolved(Exception):
    """Names in annotations that mean nothing yet."""


class Definition:
    """A py_class on its way: from the class to its type's fields."""

    #: All definitions that wait for names, oldest first.
    waiting: typing.ClassVar[list[Definition]] = []
    #: Types whose classes failed before they had a field: by key, with their parent.
    abandoned: typing.ClassVar[dict[str, tuple[int, int]]] = {}
    #: Classes by their names, which annotations of others may mean before the name is bound: the last of each name.
    named: typing.ClassVar[dict[str, type]] = {}

    def __init__(
        self, cls: type, key: str, options: dict[str, Any], scope: dict[str, Any] | None
    ) -> None:
        self.cls, self.key, self.options, self.scope = cls, key, options, scope
        self.parent = _registered_parent(cls)
        self.index = self._index()
        self.markers: list[tuple[Any, type, str, int]] = []
        self.named[cls.__name__] = cls
        self.properties: list[init_property[Any]] = []

    def _index(self) -> int:
        index = self.abandoned.pop(self.key, None)
        if index is not None and index[1] == self.parent:
            return index[0]
        return _define_type(self.key, self.parent)

    def run(self) -> None:
        """Make the type, or has it wait for names that its annotations need."""
        adopt_type(self.cls, self.index, init=False)
        try:
            self.finish()
        except _Unresolved:
            self._wait()
        except BaseException:
            self.abandoned[self.key] = (self.index, self.parent)
            raise
        for definition in list(self.waiting):
            definition.retry()

    def _wait(self) -> None:
        self.waiting.append(self)
        initializer = self.cls.__dict__.get("__init__")

        def __init__(instance: object, *args: object, **kwargs: object) -> None:
            self.retry(last=True)
            type(instance).__init__(instance, *args, **kwargs)

        self._own_init = (
            None if initializer is None or initializer.__name__ == "_no_init" else initializer
        )
        setattr(self.cls, "__init__", __init__)  # noqa: B010

    def retry(self, last: bool = False) -> None:
        """Try once more; with ``last``, TypeError where names are still missing."""
        if self not in self.waiting:
            return
        try:
            fields = self.resolve()
        except _Unresolved as error:
            if last:
                raise TypeError(
                    f"Cannot instantiate {self.cls.__name__}: unresolved forward references: "
                    f"{error.args[0]}"
                ) from None
            return
        self.waiting.remove(self)
        if self._own_init is None:
            del self.cls.__init__  # type: ignore[misc]
        else:
            self.cls.__init__ = self._own_init  # type: ignore[misc]
        self.register(fields)

    def finish(self) -> None:
        """Make the type."""
        self.register(self.resolve())

    # ---- From annotations to fields

    def resolve(self) -> list[Field]:
        """Return the class's own fields, in order, with their types."""
        bases = self.cls.__mro__[1:]
        waiting = [
            definition.cls.__name__ for definition in self.waiting if definition.cls in bases
        ]
        if waiting:
            raise _Unresolved([f"fields of {name}" for name in waiting])
        inherited = {field.name: field for field in self._inherited()}
        self.markers, self.properties = [], []
        fields: dict[str, Field] = {}
        missing: list[str] = []
        self.keyword_only = self.options["kw_only"]
        for owner in self._owners():
            missing += self._collect(owner, inherited, fields)
        if missing:
            raise _Unresolved(missing)
        return list(fields.values())

    def _owners(self) -> list[type]:
        """The classes whose annotations are fields of this one: it, and bases that are no types, those first."""
        registered = next(
            base for base in self.cls.__mro__[1:] if "__tvm_ffi_type_index__" in base.__dict__
        )
        return [base for base in reversed(self.cls.__mro__) if base not in registered.__mro__]

    def _collect(
        self, owner: type, inherited: dict[str, Any], fields: dict[str, Field]
    ) -> list[str]:
        """Adds the fields of one class; what its annotations name that means nothing yet."""
        hints, missing = self._evaluate(owner)
        marked = tuple(getattr(self.cls, "__ffi_field_markers__", ()))
        for name, hint in hints.items():
            if hint is dataclasses.KW_ONLY:
                self.keyword_only = True
                continue
            if typing.get_origin(hint) is typing.ClassVar or hint is typing.ClassVar:
                continue
            if isinstance(hint, type) and marked and issubclass(hint, marked):
                self.markers.append((hint, self.cls, name, len(inherited) + len(fields)))
                continue
            if name in inherited:
                raise ValueError(
                    f"duplicate field name: {name!r} of {self.cls.__name__} is a field of an "
                    "ancestor already"
                )
            fields[name] = self._field(owner, name, hint)
        return missing

    def _inherited(self) -> list[flags_of.TypeField]:
        return type_info(self.parent).all_fields

    def _field(self, owner: type, name: str, hint: object) -> Field:
        value = owner.__dict__.get(name, MISSING)
        if isinstance(value, init_property):
            self.properties.append(value)
            hidden = Field(init=False, structural_eq="ignore", hash=False, repr=False, kw_only=None)
            hidden.doc = value.__doc__
        elif isinstance(value, Field):
            hidden = copy.copy(value)
        else:
            hidden = field()
            if not isinstance(value, types.MemberDescriptorType):
                hidden.default = value
        hidden.name, hidden.type = name, hint
        hidden._ty_schema = TypeSchema.from_annotation(hint)
        if hidden.kw_only is None:
            hidden.kw_only = self.keyword_only
        if hidden.hash is None:
            hidden.hash = hidden.compare
        hidden.frozen = hidden.frozen or (
            self.options["frozen"] and not isinstance(value, init_property)
        )
        return hidden

    def _evaluate(self, owner: type) -> tuple[dict[str, Any], list[str]]:
        """The meanings of a class's annotations, and the names without one so far."""
        annotations = dict(owner.__dict__.get("__annotations__", {}))
        module = sys.modules.get(owner.__module__)
        scope = {**self.named, **(vars(module) if module else {})}
        local = {**(self.scope or {}), **vars(owner), self.cls.__name__: self.cls}
        # A field's default must not stand for a type of the same name.
        for name in annotations:
            if not isinstance(vars(owner).get(name), type):
                local.pop(name, None)
        types, missing = {}, []
        for name, annotation in annotations.items():
            holder = type("holder", (), {"__annotations__": {name: annotation}})
            try:
                types[name] = typing.get_type_hints(holder, scope, local)[name]
            except Exception as error:
                text = annotation if isinstance(annotation, str) else repr(annotation)
                missing.append(f"{name}: {text} ({error})")
        return types, missing

    # ---- From fields to the type

    def register(self, fields: list[Field]) -> None:
        """Registers the type's fields, methods and attributes, and completes the class."""
        self._run_callbacks(fields)
        size = self._register_fields(fields)
        for entry in fields:
            if entry.name in self.cls.__dict__:
                delattr(self.cls, str(entry.name))
        self._register_hooks()
        _define_metadata(
            self.index, self.cls.__doc__ or "", size, _KINDS[self.options["structural_eq"]]
        )
        get_global_func("ffi._PyClassRegisterTypeAttrColumns")(self.index, size)
        own_init = self.cls.__dict__.get("__init__")
        if own_init is not None and own_init.__name__ == "_no_init":
            del self.cls.__init__  # type: ignore[misc]
        info = type_info(self.index, fresh=True)
        info._decorator_args = self._noted
        for described, entry in zip(info.fields, fields, strict=True):
            described.dataclass_field = entry
            described.frozen = entry.frozen
            setattr(self.cls, described.name, described.as_property(self.cls))
        self._install(info)

    def _run_callbacks(self, fields: list[Field]) -> None:
        info = type_info(self.index, fresh=True)
        inherited = type_info(self.parent)._decorator_args.get("field_markers", ())
        info._decorator_args = {"field_markers": (*inherited, *self.markers)}
        self._noted = info._decorator_args
        for hook in _hooks_of(self.cls):
            hook(info, fields)
        for entry in fields:
            if entry.extra_kwargs:
                names = ", ".join(sorted(entry.extra_kwargs))
                raise TypeError(
                    f"{self.cls.__name__}.{entry.name}: unrecognized field options: {names}"
                )

    def _register_fields(self, fields: list[Field]) -> int:
        """Lays the fields out after the parent's; the bytes of an object."""
        offset = _end(type_info(self.parent))
        rows = []
        for entry in fields:
            size, alignment, storage = _storage(typing.cast(TypeSchema, entry._ty_schema))
            offset = -(-offset // alignment) * alignment
            rows.append((entry, size, alignment, storage, offset))
            offset += size
        for entry, size, alignment, storage, place in rows:
            schema = typing.cast(TypeSchema, entry._ty_schema)
            accepted, takes_none = _accepted(schema)
            addresses = _make_converter(accepted, takes_none, schema.store)
            has_factory = entry.default_factory is not MISSING
            _define_field(
                self.index,
                str(entry.name),
                entry.doc or "",
                json.dumps({"type_schema": json.dumps(schema.to_json())}),
                _flags(entry),
                size,
                alignment,
                place,
                storage,
                get_global_func("ffi.MakeFieldGetter")(storage),
                get_global_func("ffi.MakeFieldSetter")(storage, *addresses),
                entry.default_factory if has_factory else entry.default,
            )
        return -(-offset // _ALIGNMENT) * _ALIGNMENT

    def _register_hooks(self) -> None:
        attributes = self.cls.__dict__
        hooks = {*_HOOKS, *_listed(self.cls, "__ffi_type_attr_names__")}
        names_inherited = getattr(self.cls, "__ffi_inherit_type_attrs__", None)
        inherited = _INHERITED if names_inherited is None else tuple(names_inherited)
        for name in sorted(hooks | set(inherited)):
            if name in attributes:
                value = attributes[name]
                value = value.__func__ if isinstance(value, staticmethod) else value
                if value is not None:
                    _define_attribute(self.index, name, value)
            elif name in inherited:
                value = _type_attribute(self.parent, name)
                if value is not None:
                    _define_attribute(self.index, name, value)
        for name, value in attributes.items():
            if isinstance(value, classmethod) and getattr(value.__func__, MARK, False):
                raise TypeError(
                    f"{self.cls.__name__}.{name}: a method of the ABI cannot be wrapped by @classmethod: the ABI "
                    "passes no class. Use @staticmethod or a plain method instead."
                )
            is_static = isinstance(value, staticmethod)
            function: Any = value.__func__ if is_static else value
            if name in hooks or not getattr(function, MARK, False):
                continue
            _define_method(
                self.index,
                name,
                function.__doc__ or "",
                "{}",
                flags_of.STATIC if is_static else 0,
                function,
            )

    def _install(self, info: TypeInfo) -> None:
        names = ("init", "repr", "eq", "order", "unsafe_hash", "match_args")
        chosen = {name: self.options[name] for name in names}
        if "__init__" in self.cls.__dict__ and "__new__" not in self.cls.__dict__:
            _give_fields(self.cls, self.index)
        inherited = getattr(self.cls, "__ffi_init_properties__", ())
        setattr(self.cls, "__ffi_init_properties__", (*inherited, *self.properties))  # noqa: B010
        install(
            self.cls,
            info,
            properties=list(self.cls.__ffi_init_properties__),  # type: ignore[attr-defined]
            **chosen,
        )


def _give_fields(cls: type, index: int) -> None:
    """The class's own ``__init__`` may assign to the fields one by one, so it gets an object that has them."""
    make = _type_attribute(index, "__ffi_new__")
    initializer = cls.__dict__["__init__"]

    @functools.wraps(initializer)
    def __init__(self: Any, /, *args: object, **kwargs: object) -> None:
        if not self.__chandle__():
            self.__move_handle_from__(make())
        initializer(self, *args, **kwargs)

    setattr(cls, "__init__", __init__)  # noqa: B010


def _hooks_of(cls: type) -> list[Callable[[TypeInfo, list[Field]], None]]:
    """The functions that the class and its bases want called when the fields are known, those of bases first."""
    hooks: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        for name, value in base.__dict__.items():
            function = value.__func__ if isinstance(value, staticmethod) else value
            if getattr(function, "__ffi_on_fields_resolved__", False):
                hooks[name] = function
            else:
                hooks.pop(name, None)
    return list(hooks.values())


def _end(info: TypeInfo) -> int:
    """The offset where C++ places the first field of a subclass: it reuses the padding of its base. After the base
    if that is larger than the known fields.
    """
    end = _end(info.parent_type_info) if info.parent_type_info else _HEADER
    end = max([end, *(field.offset + field.size for field in info.fields)])
    return end if -(-end // _ALIGNMENT) * _ALIGNMENT >= info.total_size else info.total_size


def _listed(cls: type, name: str) -> list[str]:
    """The names that the classes of the MRO list under a name."""
    return [text for base in cls.__mro__ for text in base.__dict__.get(name, ())]


def _registered_parent(cls: type) -> int:
    for base in cls.__mro__[1:]:
        index = base.__dict__.get("__tvm_ffi_type_index__")
        if index is not None:
            return int(index)
    raise TypeError(
        f"{cls.__name__} must inherit from a registered FFI Object type (e.g. fairlead.ffi.Object)"
    )


def _storage(schema: TypeSchema) -> tuple[int, int, int]:
    if schema.origin in _NUMBERS:
        return _NUMBERS[schema.origin]
    return (16, 8, ANY) if schema.origin in _VALUES else (8, 8, 64)


def _accepted(schema: TypeSchema) -> tuple[int, bool]:
    """The type index of values that are stored as they are, and whether None is."""
    if schema.origin == "Optional":
        [inner] = list(schema.args or ())
        return _accepted(inner)[0], True
    args = schema.args or ()
    if schema.origin in ("Union", "None"):
        return _NEVER, schema.origin == "None"
    if schema.origin == "tuple":
        return (71 if schema.args is None else _NEVER), False
    if any(arg.origin != "Any" for arg in args):
        return _NEVER, False
    return schema.origin_type_index, False


def _flags(field: Field) -> int:
    flags = 0 if field.frozen else WRITABLE
    if field.default is not MISSING:
        flags |= flags_of.HAS_DEFAULT
    if field.default_factory is not MISSING:
        flags |= flags_of.HAS_DEFAULT | flags_of.FACTORY
    flags |= {
        None: 0,
        "ignore": flags_of.IGNORE,
        "def-pattern": flags_of.DEF_PATTERN,
        "def-simple": flags_of.DEF_SIMPLE,
    }[field.structural_eq]
    for on, bit in (
        (field.repr, flags_of.REPR_OFF),
        (field.compare, flags_of.COMPARE_OFF),
        (field.hash, flags_of.HASH_OFF),
        (field.init, flags_of.INIT_OFF),
    ):
        flags |= 0 if on else bit
    return flags | (flags_of.KW_ONLY if field.kw_only else 0)


@overload
def py_class(cls_or_type_key: _T, /) -> _T: ...
@overload
def py_class(
    cls_or_type_key: str | None = None,
    /,
    *,
    type_key: str | None = None,
    frozen: bool = False,
    init: bool = True,
    repr: bool = True,
    eq: bool = False,
    order: bool = False,
    unsafe_hash: bool = False,
    match_args: bool = True,
    kw_only: bool = False,
    structural_eq: str | None = "tree",
    slots: bool = True,
) -> Callable[[_T], _T]: ...
@typing.dataclass_transform(
    eq_default=False,
    field_specifiers=(field, Field),
    converter=field().converter,  # type: ignore[literal-required]
)
def py_class(
    cls_or_type_key: type | str | None = None,
    /,
    *,
    type_key: str | None = None,
    frozen: bool = False,
    init: bool = True,
    repr: bool = True,
    eq: bool = False,
    order: bool = False,
    unsafe_hash: bool = False,
    match_args: bool = True,
    kw_only: bool = False,
    structural_eq: str | None = "tree",
    slots: bool = True,
) -> Any:
    """A decorator: the class, a subclass of Object, becomes a type of the ABI whose fields are its annotations.

    ``@py_class``, ``@py_class("my.Key")`` or ``@py_class("my.Key", eq=True)``. Objects go to functions of any language,
    which see the fields; they are copied, compared, hashed and written as text like those of C++. Parents are Object
    or other such classes, also of C++. Names in annotations may be defined later, before the first object is made.

    A class may define ``__post_init__``, called after ``__init__``; methods marked with fairlead.ffi.method, which the
    ABI knows; ``__ffi_repr__``, ``__s_visit__`` and the ABI's other hooks. The lists ``__ffi_type_attr_names__``,
    ``__ffi_inherit_type_attrs__`` and ``__ffi_field_markers__`` say of more hooks, which of the parent's are taken
    over, and which annotations are no fields.

    Args:
        type_key: the type's key; else the module's and the class's names.
        frozen: fields cannot be assigned to after ``__init__``; ``type(obj).name.set(obj, value)`` still does.
        init: make an ``__init__`` of the fields.
        repr: make a ``__repr__`` of the fields.
        eq: compare by fields, else by identity.
        order: order by fields; needs ``eq``.
        unsafe_hash: hash by fields; unsafe where fields change.
        match_args: make ``__match_args__``.
        kw_only: fields are given by keyword.
        structural_eq: what structural_equal and its kin make of objects: ``tree``: of the same parts; ``var``: a
            variable, the same where it is bound alike; ``dag``: of the same parts, shared alike; ``const-tree``: as
            tree, the same object at once; ``singleton``: the same object; None: an error.
        slots: taken for the sake of type checkers; instances never have a ``__dict__`` unless the class asks for it.

    TypeError for an annotation that the ABI has no type for, ValueError for a key that is taken.
    """
    if structural_eq not in _KINDS:
        kinds = sorted(kind for kind in _KINDS if kind)
        raise ValueError(f"structural_eq must be one of {kinds} or None, got {structural_eq!r}")
    if order and not eq:
        raise ValueError("order=True requires eq=True")
    key = cls_or_type_key if isinstance(cls_or_type_key, str) else type_key
    options = {
        "frozen": frozen,
        "init": init,
        "repr": repr,
        "eq": eq,
        "order": order,
        "unsafe_hash": unsafe_hash,
        "match_args": match_args,
        "kw_only": kw_only,
        "structural_eq": structural_eq,
    }

    def decorate(cls: type) -> type:
        if not (isinstance(cls, type) and issubclass(cls, Object)):
            name = getattr(cls, "__name__", f"{cls!r}")
            raise TypeError(
                f"{name} must inherit from a registered FFI Object type (e.g. fairlead.ffi.Object)"
            )
        frame = sys._getframe(2 if cls is cls_or_type_key else 1)
        scope = None if frame.f_locals is frame.f_globals else dict(frame.f_locals)
        Definition(cls, key or f"{cls.__module__}.{cls.__qualname__}", options, scope).run()
        return cls

    if isinstance(cls_or_type_key, str) or cls_or_type_key is None:
        return decorate
    return decorate(cls_or_type_key)
