"""What the code of a function says that it reads from outside of itself."""

from __future__ import annotations

import dis
from types import CodeType
from typing import Any, NamedTuple

from fairlead._tracing.by_code import ByCode

_GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "IMPORT_FROM")
# Calls that read attributes whose names are not in the code, but for these in a literal.
_BY_NAME = {"getattr", "hasattr"}
_BY_ANY_NAME = {
    *("vars", "dir", "asdict", "astuple", "fields", "replace", "attrgetter", "methodcaller"),
    *("copy", "deepcopy", "__dict__", "__getattribute__", "getattr_static", "getmembers"),
}


class Facts(NamedTuple):
    """The globals and the names of attributes that code reads, that of functions inside of it too."""

    names: frozenset[str]
    read: frozenset[str]  # names of attributes
    asked: frozenset[str]  # likewise, such as may be missing
    stored: frozenset[str]  # that it sets
    modules: frozenset[str]  # that it imports
    everything: bool  # reads attributes whose names it makes up
    bound: frozenset[str]  # variables of functions around it that it binds
    given: frozenset[str]  # globals in lines that set an attribute


_facts: ByCode[Facts] = ByCode()


def facts_of(code: CodeType) -> Facts:
    facts = _facts.get(code)
    if facts is None:
        _facts.set(code, facts := _facts_of(code))
    return facts


def _sets(facts: Facts) -> tuple[Any, ...]:
    """Return the facts, each of which has ``|``."""
    return facts


def _facts_of(code: CodeType) -> Facts:
    names: set[str] = set()
    read: set[str] = set()
    asked: set[str] = set()
    stored: set[str] = set()
    modules: set[str] = set()
    bound: set[str] = set()
    given: set[str] = set()
    line: set[str] = set()  # the globals of the line
    everything = False
    instructions = [
        each for each in dis.get_instructions(code) if each.opname not in ("CACHE", "PUSH_NULL")
    ]
    for index, each in enumerate(instructions):
        line = set() if each.starts_line else line
        if each.opname in _GLOBALS:
            names.add(each.argval)
            line.add(each.argval)
            if each.argval in _BY_NAME:
                name = _literal_name(instructions[index + 1 :])
                everything |= name is None
                asked |= {name} if name else set()
            everything |= each.argval in _BY_ANY_NAME
        elif each.opname in _ATTRIBUTES:
            read.add(each.argval)
            everything |= each.argval in _BY_ANY_NAME
        elif each.opname in ("STORE_ATTR", "DELETE_ATTR"):
            stored.add(each.argval)
            given |= line
        elif each.opname in ("STORE_DEREF", "DELETE_DEREF"):
            bound.add(each.argval)
        elif each.opname == "IMPORT_NAME":
            modules.add(each.argval)
        if "setattr" in line or "delattr" in line:
            given |= line
    found = Facts(
        names=frozenset(names),
        read=frozenset(read),
        asked=frozenset(asked),
        stored=frozenset(stored),
        modules=frozenset(modules),
        everything=everything,
        bound=frozenset(bound),
        given=frozenset(given),
    )
    texts = {each for each in code.co_consts if isinstance(each, str) and each.isidentifier()}
    if everything:
        found = found._replace(asked=found.asked | texts)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            inner = facts_of(constant)
            found = Facts(*(a | b for a, b in zip(_sets(found), _sets(inner), strict=True)))
    return found._replace(bound=found.bound.intersection(code.co_freevars))


def _literal_name(rest: list[dis.Instruction]) -> str | None:
    """The name in ``getattr(x.y, "name")``; None where the code does something else before it."""
    for each in rest:
        if each.opname == "LOAD_CONST":
            return each.argval if isinstance(each.argval, str) else None
        if not each.opname.startswith(
            ("LOAD_FAST", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR")
        ):
            return None
    return None
