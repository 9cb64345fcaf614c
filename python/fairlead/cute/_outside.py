"""What a program depends on beside its arguments: the globals and captured variables of the functions it is made of."""

from __future__ import annotations

import dis
import functools
import os
import sys
from collections.abc import Hashable, Iterator
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

# Where a name stands: a module's or an object's names, a captured variable, or a function, whose code may be replaced.
Place = dict[str, Any] | CellType | FunctionType
# A place, the name, and what it stood for.
Outside = tuple[tuple[Place, str, Any], ...]

_OURS = ("fairlead", "cutlass", "builtins")
_CONTAINERS = (list, dict, set)
_MOST = 64  # elements of a container that is watched, and not only known by identity
_VALUES = (int, bool, str, bytes, type(None))
_REPLACED = ("__code__", "__defaults__")  # what tools that load modules anew change of a function
_INSTALLED = ("/site-packages/", "/dist-packages/", os.path.dirname(os.__file__) + "/")


def outside_of(function: FunctionType) -> Outside:
    """What ``function`` and the functions that it reaches by name find outside of themselves.

    Names of Fairlead are left out: they are what they are. Of modules and objects the attributes count that the
    functions read by name, but not those of installed packages. Of lists, dicts and sets there are copies, of other
    objects only which one it was.
    """
    found: dict[tuple[int, str], tuple[Place, str, Any]] = {}
    seen: set[int] = set()
    waiting: list[FunctionType] = [function]
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        for place, name, value in _names_of(each):
            if _is_ours(value) or (isinstance(value, ModuleType) and _attributes_of(value) is None):
                continue
            if (id(place), name) in found:
                continue
            found[id(place), name] = place, name, _kept(value)
            followed = [f for f in _functions_in(value) if _is_followed(f, function)]
            if isinstance(value, FunctionType) and followed:
                for part in _REPLACED:
                    found[id(value), part] = value, part, getattr(value, part)
            waiting += followed
    return tuple(found.values())


def attributes_read(instance: Any) -> Outside:
    """The attributes of an object that methods of its class read, of it or of anything else."""
    place = getattr(instance, "__dict__", None)
    if type(place) is not dict:
        return ()
    methods = [f for cls in type(instance).__mro__ for f in _methods_of(cls)]
    read = {name for method in methods for name in _attribute_names_in(method.__code__)}
    return tuple((place, name, _kept(value)) for name, value in place.items() if name in read)


def key_of(outside: Outside) -> Hashable:
    """Numbers, texts and containers by what they are, other objects by which one it was."""
    return tuple((name, _frozen(value)) for _, name, value in outside)


def _frozen(value: Any, depth: int = 8) -> Hashable:
    if depth == 0:
        return object, id(value)
    if type(value) in _VALUES:
        return type(value), value
    if type(value) is float:
        return float, value.hex()
    if type(value) in (tuple, list):
        return type(value), tuple(_frozen(part, depth - 1) for part in value)
    if type(value) is dict:
        parts = ((_frozen(key), _frozen(part, depth - 1)) for key, part in value.items())
        return dict, tuple(parts)
    if type(value) is set:
        return set, frozenset(_frozen(part) for part in value)
    return object, id(value)


def is_unchanged(outside: Outside) -> bool:
    """Whether every name stands for what it stood for."""
    for place, name, value in outside:
        if isinstance(place, CellType):
            now = _content(place)
        elif isinstance(place, FunctionType):
            now = getattr(place, name)
        else:
            now = place.get(name, place)
        if now is not value and not (
            type(value) in _CONTAINERS and type(now) is type(value) and now == value
        ):
            return False
    return True


def _names_of(function: FunctionType) -> Iterator[tuple[dict[str, Any] | CellType, str, Any]]:
    scope = function.__globals__
    values: dict[str, Any] = {}
    for name in _names_in(function.__code__):
        if name in scope:  # or it is one of Python's own
            values[name] = scope[name]
            yield scope, name, scope[name]
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        values[name] = _content(cell)
        yield cell, name, values[name]
    for name, *attributes in _attributes_in(function.__code__):
        value = values.get(name)
        for attribute in attributes:
            place = _attributes_of(value)
            if place is None or attribute not in place:
                break
            value = place[attribute]
            yield place, attribute, value


def _attributes_of(value: Any) -> dict[str, Any] | None:
    """The attributes of a module or an object that a program may change; None where they are none of its business."""
    if isinstance(value, ModuleType):
        file = getattr(value, "__file__", None) or ""
        installed = any(folder in file for folder in _INSTALLED)
        ours = value.__name__.partition(".")[0] in _OURS
        return (
            None if installed or ours or value.__name__ in sys.builtin_module_names else vars(value)
        )
    if isinstance(value, (type, FunctionType)) or _is_ours(type(value)):
        return None
    found = getattr(value, "__dict__", None)
    return found if type(found) is dict else None


@functools.lru_cache(maxsize=1024)
def _names_in(code: CodeType) -> tuple[str, ...]:
    """Globals that the code reads, that of functions inside of it too. An attribute's name is none."""
    found = {
        instruction.argval: None
        for instruction in dis.get_instructions(code)
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found.update(dict.fromkeys(_names_in(constant)))
    return tuple(found)


@functools.lru_cache(maxsize=1024)
def _attributes_in(code: CodeType) -> tuple[tuple[str, ...], ...]:
    """The attributes that the code reads of globals and captured variables: the name, and one attribute of another."""
    found: dict[tuple[str, ...], None] = {}
    chain: list[str] = []
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and chain:
            chain.append(instruction.argval)
            continue
        if len(chain) > 1:
            found[tuple(chain)] = None
        named = instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF")
        chain = [instruction.argval] if named else []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found.update(dict.fromkeys(_attributes_in(constant)))
    return tuple(found)


def _is_followed(function: FunctionType, root: FunctionType) -> bool:
    """Whether names in it are looked at: not those of an installed package that ``root`` is no part of."""
    package = (root.__module__ or "").partition(".")[0]
    if (function.__module__ or "").partition(".")[0] == package:
        return True
    file = function.__code__.co_filename
    return not any(folder in file for folder in _INSTALLED)


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return cell


def _is_ours(value: Any) -> bool:
    # Instances have the name of their class.
    module = getattr(value, "__module__", None)
    made = isinstance(value, (type, FunctionType)) or callable(value)
    return made and isinstance(module, str) and module.partition(".")[0] in _OURS


def _kept(value: Any, depth: int = 4) -> Any:
    """Containers as copies, those inside of them too."""
    if type(value) not in _CONTAINERS or len(value) > _MOST or depth == 0:
        return value
    if type(value) is dict:
        return {key: _kept(part, depth - 1) for key, part in value.items()}
    return type(value)(_kept(part, depth - 1) for part in value)


def _methods_of(cls: type) -> list[FunctionType]:
    """Methods of a class itself, those that are decorated too."""
    members = [getattr(member, "__func__", member) for member in vars(cls).values()]
    members = [member.fget if isinstance(member, property) else member for member in members]
    members = [member.function if hasattr(member, "traced") else member for member in members]
    return [member for member in members if isinstance(member, FunctionType)]


@functools.lru_cache(maxsize=1024)
def _attribute_names_in(code: CodeType) -> frozenset[str]:
    found = {
        instruction.argval
        for instruction in dis.get_instructions(code)
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD")
    }
    inner = [_attribute_names_in(part) for part in code.co_consts if isinstance(part, CodeType)]
    return frozenset(found).union(*inner)


def _functions_in(value: Any) -> list[FunctionType]:
    """The functions whose code a name leads to: itself, what a decorator wraps, methods of a class."""
    if isinstance(value, type):
        members = [getattr(member, "__func__", member) for member in vars(value).values()]
        return [member for member in members if isinstance(member, FunctionType)]
    inner = getattr(value, "function", None) if hasattr(value, "traced") else value
    return [inner] if isinstance(inner, FunctionType) else []
