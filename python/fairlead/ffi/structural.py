"""Values by their structure: containers by elements, objects by fields, variables by the place that binds them.
Comparing, hashing, visiting and changing them.
"""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from fairlead._core import Object, get_global_func
from fairlead.ffi._objects import register_object
from fairlead.ffi._schema import TypeSchema
from fairlead.ffi._type_indices import CHOICE, UNKNOWN
from fairlead.ffi.access_path import AccessPath

__all__ = [
    "DefRegionKind",
    "InplaceMode",
    "StructuralKey",
    "StructuralMutator",
    "StructuralVisitor",
    "VisitInterrupt",
    "WalkOrder",
    "WalkResult",
    "get_first_structural_mismatch",
    "structural_equal",
    "structural_hash",
    "structural_map",
    "structural_mutate",
    "structural_visit",
    "structural_walk",
]

_functions: dict[str, Any] = {}


def _call(name: str, *args: object) -> Any:
    """Calls the global function ``ffi.<name>``, looked up once."""
    function = _functions.get(name)
    if function is None:
        function = _functions[name] = get_global_func("ffi." + name)
    return function(*args)


class DefRegionKind(enum.IntEnum):
    """True if a visitor is where variables are defined."""

    #: Variables are uses.
    NONE = 0
    #: The variable and the free variables of its type are defined.
    DEF_PATTERN = 1
    #: The variable alone is defined; its type is made of uses.
    DEF_SIMPLE = 2


class InplaceMode(enum.IntEnum):
    """True if a callback of structural_mutate may change its value in place."""

    DISALLOW = 0
    #: The value is owned by nothing else on the way to it.
    ALLOW = 1


class WalkOrder(enum.IntEnum):
    """The order of a value's callback: before its parts or after them."""

    PREORDER = 0
    POSTORDER = 1


class WalkResult(enum.IntEnum):
    """The result of a callback of structural_walk; None is ADVANCE. A VisitInterrupt stops the walk."""

    ADVANCE = 0
    #: Not into this value's parts; in preorder.
    SKIP = 1


@register_object("ffi.VisitInterrupt")
class VisitInterrupt(Object):
    """The result of a callback that stops a visit; its ``value`` is for the caller."""

    __slots__ = ()

    value: Any

    def __init__(self, value: object = None) -> None:
        self.__init_handle_by_constructor__(get_global_func("ffi.VisitInterrupt"), value)


class _Engine(Object):
    """The base of visitors and mutators."""

    __slots__ = ()
    _prefix = ""

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise TypeError(
            f"`{type(self).__name__}` cannot be constructed directly. "
            "Define a custom __init__ or use a factory method."
        )

    def def_region_kind(self) -> DefRegionKind:
        """The kind of region that the visit is in."""
        return DefRegionKind(_call(self._prefix + "DefRegionKind", self))

    def with_def_region_kind(self, kind: int, callback: Callable[[], Any]) -> Any:
        """Return the result of ``callback()``, called as if in a region of that kind."""
        return _call(self._prefix + "WithDefRegionKind", self, kind, callback)


@register_object("ffi.StructuralVisitor", init=False)
class StructuralVisitor(_Engine):
    """A visit under way, as callbacks and ``__s_visit__`` get it. It ends with the visit."""

    __slots__ = ()
    _prefix = "StructuralVisitor"

    def visit(self, value: object) -> VisitInterrupt | None:
        """Visit a value as the visit does: its callback decides."""
        interrupt: VisitInterrupt | None = _call("StructuralVisitorVisit", self, value)
        return interrupt

    def default_visit(self, value: object) -> VisitInterrupt | None:
        """Visit the value's parts, by its type's own rule or its fields, without its callback.

        Not for the value whose ``__s_visit__`` is running: that would call itself without end.
        """
        interrupt: VisitInterrupt | None = _call("StructuralVisitorDefaultVisit", self, value)
        return interrupt


@register_object("ffi.StructuralMutator", init=False)
class StructuralMutator(_Engine):
    """A mutation under way, as callbacks and ``__s_mutate__`` get it. It ends with the mutation."""

    __slots__ = ()
    _prefix = "StructuralMutator"

    def mutate(self, value: object) -> Any:
        """Return the value as the mutation makes it: its callback decides. Never in place."""
        return _call("StructuralMutatorMutate", self, value)

    def default_mutate(self, value: object) -> Any:
        """Return the value with its parts mutated, by its type's own rule or its fields, without its callback."""
        return _call("StructuralMutatorDefaultMutate", self, value)

    def var_remap_get(self, var: Object) -> Any | None:
        """Return the current replacement of a variable; None without one."""
        return _call("StructuralMutatorVarRemapGet", self, var)

    def var_remap_set(self, var: Object, mapped_value: object) -> None:
        """Set the replacement of a variable from now on."""
        _call("StructuralMutatorVarRemapSet", self, var, mapped_value)


def structural_equal(
    lhs: object, rhs: object, map_free_vars: bool = False, skip_tensor_content: bool = False
) -> bool:
    """True if ``lhs`` and ``rhs`` have the same structure, recursively.

    Args:
        lhs, rhs: values of any type of the ABI.
        map_free_vars: variables that nothing binds may stand for one another.
        skip_tensor_content: tensors of the same shape and dtype are equal.
    """
    return bool(_call("StructuralEqual", lhs, rhs, map_free_vars, skip_tensor_content))


def structural_hash(
    value: object, map_free_vars: bool = False, skip_tensor_content: bool = False
) -> int:
    """Return a hash of 64 bits of ``value``. Values that structural_equal finds equal have the same hash, with the same
    ``map_free_vars`` and ``skip_tensor_content``.
    """
    number: int = _call("StructuralHash", value, map_free_vars, skip_tensor_content)
    return number & 0xFFFF_FFFF_FFFF_FFFF


def get_first_structural_mismatch(
    lhs: object, rhs: object, map_free_vars: bool = False, skip_tensor_content: bool = False
) -> tuple[AccessPath, AccessPath] | None:
    """Return the access paths to the first parts of ``lhs`` and ``rhs`` that differ, or None if structural_equal holds
    with the same ``map_free_vars`` and ``skip_tensor_content``.
    """
    paths = _call("GetFirstStructuralMismatch", lhs, rhs, map_free_vars, skip_tensor_content)
    return None if paths is None else (paths[0], paths[1])


#: A callback for all values, ``(type, callback)``, ``((type, ...), callback)``, or a sequence of such pairs.
Callbacks = tuple[Any, ...] | Sequence[Any] | Callable[..., Any]


def _type_index_of(function: str, kind: object) -> int:
    if kind is object:
        return -1
    try:
        index = TypeSchema.from_annotation(kind).origin_type_index
    except TypeError:
        raise TypeError(
            f"{function} callback type must be a supported builtin, typing.Any/object, "
            "or an FFI-registered object class"
        ) from None
    if index in (UNKNOWN, CHOICE):
        raise TypeError(
            f"{function} callback type_index is negative, "
            "the only acceptable negative type_index is -1 for Any"
        )
    return index


def _entries(function: str, callbacks: object, name: str = "callbacks") -> list[tuple[int, Any]]:
    """The callbacks with the index of the type that each is for, first match first."""
    if callable(callbacks):
        return [(-1, callbacks)]
    if not isinstance(callbacks, Sequence) or isinstance(callbacks, (str, bytes)):
        raise TypeError(
            f"{function} callbacks must be callbacks, (type, callback) entries, "
            "((type1, type2, ...), callback) entries, or sequences of tuple entries, "
            f"but got {type(callbacks).__name__} as {name}"
        )
    single = isinstance(callbacks, tuple) and len(callbacks) == 2 and callable(callbacks[1])
    entries = []
    for entry in [callbacks] if single else callbacks:
        if not (isinstance(entry, tuple) and len(entry) == 2 and callable(entry[1])):
            raise TypeError(
                f"{function} callbacks within a sequence must be (type, callback) tuples"
            )
        kinds, callback = entry
        for kind in kinds if isinstance(kinds, tuple) else (kinds,):
            entries.append((_type_index_of(function, kind), callback))
    return entries


def _order(name: str, order: object) -> WalkOrder:
    if isinstance(order, WalkOrder):
        return order
    if isinstance(order, str) and order in ("pre", "post"):
        return WalkOrder.PREORDER if order == "pre" else WalkOrder.POSTORDER
    raise ValueError(
        f"Unknown structural {name} order: {order!r}; expected `order` to be 'pre', 'post' or a WalkOrder"
    )


def structural_walk(
    root: object,
    callbacks: Callbacks = (),
    with_def_region_kind: Callbacks = (),
    order: str | WalkOrder = "post",
) -> VisitInterrupt | None:
    """Walk over ``root`` and its parts, and call for each the first callback whose type matches.

    Shared objects are visited at every occurrence; keys of maps are not visited.

    Args:
        callbacks: called with the value. A callback for all values, ``(type, callback)``, ``((type, ...), callback)``,
            or a sequence of such pairs; a type is a builtin, a class of objects, or Any.
        with_def_region_kind: such callbacks, called with the value and its DefRegionKind as an int.
        order: ``post``: after a value's parts; ``pre``: before them.

    Returns:
        None, or the VisitInterrupt that a callback returned to end the walk. A callback returns that, a WalkResult or
        None.
    """
    interrupt: VisitInterrupt | None = _call(
        "StructuralWalk",
        root,
        _entries("structural_walk", callbacks),
        _entries("structural_walk", with_def_region_kind, "with_def_region_kind"),
        _order("walk", order),
    )
    return interrupt


def structural_visit(root: object, callbacks: Callbacks = ()) -> VisitInterrupt | None:
    """Visit ``root`` with callbacks that decide where the visit continues.

    A callback is called with the value and the StructuralVisitor, whose ``visit`` and ``default_visit`` go on; if it
    calls neither, the value's parts are not visited. Callbacks are given as to structural_walk.

    Returns:
        None, or the VisitInterrupt that a callback returned.
    """
    interrupt: VisitInterrupt | None = _call(
        "StructuralVisit", root, _entries("structural_visit", callbacks)
    )
    return interrupt


def structural_map(
    root: object,
    callbacks: Callbacks = (),
    with_def_region_kind: Callbacks = (),
    order: str | WalkOrder = "post",
) -> Any:
    """``root`` with parts replaced by the callbacks' results for them; unchanged parts are shared.

    ``with_def_region_kind`` and ``order`` as in structural_walk; callbacks too, and they return the value itself to
    keep it. Variables are replaced alike everywhere. With ``root._move()`` what nothing else owns changes in place.
    """
    return _call(
        "StructuralMap",
        root,
        _entries("structural_map", callbacks),
        _entries("structural_map", with_def_region_kind, "with_def_region_kind"),
        _order("map", order),
    )


def _takes_mode(callback: Callable[..., Any]) -> bool:
    """True if a callback of structural_mutate has a parameter for the InplaceMode."""
    try:
        signature = inspect.signature(callback)
    except (TypeError, ValueError):
        return False
    for arguments, takes in ((("value", "mutator", 0), True), (("value", "mutator"), False)):
        try:
            signature.bind(*arguments)
        except TypeError:
            continue
        return takes
    raise TypeError(
        "structural_mutate callback must accept (value, mutator) or (value, mutator, inplace_mode)"
    )


def structural_mutate(root: object, callbacks: Callbacks = ()) -> Any:
    """Return the value as callbacks make it that mutate its parts themselves.

    A callback is called with the value, the StructuralMutator and, where it takes a third argument, the InplaceMode
    as an int; its result replaces the value. Callbacks are given as to structural_walk. With ``root._move()``
    parts without another owner may change in place.
    """
    entries = [
        (index, callback, _takes_mode(callback))
        for index, callback in _entries("structural_mutate", callbacks)
    ]
    return _call("StructuralMutate", root, entries)


@register_object("ffi.StructuralKey", init=False)
class StructuralKey(Object):
    """A value as a key: equal and hashed by its structure, here and in maps of the ABI."""

    __slots__ = ()

    key: Any
    hash_i64: int

    def __init__(self, key: object) -> None:
        self.__init_handle_by_constructor__(get_global_func("ffi.StructuralKey"), key)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StructuralKey):
            return False
        return self.same_as(other) or bool(_call("StructuralKeyEqual", self, other))

    def __hash__(self) -> int:
        return self.hash_i64 & 0xFFFF_FFFF_FFFF_FFFF
