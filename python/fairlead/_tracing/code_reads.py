"""The names that the code of a function reads from outside of itself."""

from __future__ import annotations

import dis
from types import CodeType
from typing import NamedTuple

from fairlead._tracing.by_code import ByCode

_GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "IMPORT_FROM")
# Calls that read attributes whose names are not in the code, but for these in a literal.
_BY_NAME = {"getattr", "hasattr"}
_BY_ANY_NAME = {
    *("vars", "dir", "asdict", "astuple", "fields", "replace", "attrgetter", "methodcaller"),
    *("copy", "deepcopy", "__dict__", "__getattribute__", "getattr_static", "getmembers"),
}


class CodeReads(NamedTuple):
    """The names that code reads, and that of the functions inside of it. docs/dev/what-direct-calls-watch.md defines
    the terms."""

    globals: frozenset[str]
    attributes: frozenset[str]
    #: Attributes that may be missing: ``getattr(x, "name", 0)``, ``hasattr``.
    probed: frozenset[str]
    #: Attributes that it sets or deletes.
    stored: frozenset[str]
    #: Modules that it imports.
    imported: frozenset[str]
    #: True if it reads attributes whose names are not in the code.
    computes_names: bool
    #: Variables of functions around it that it binds.
    rebound: frozenset[str]
    #: Globals in lines that set an attribute.
    changed_globals: frozenset[str]

    def joined(self, other: CodeReads) -> CodeReads:
        """Return the names of both."""
        return CodeReads(
            self.globals | other.globals,
            self.attributes | other.attributes,
            self.probed | other.probed,
            self.stored | other.stored,
            self.imported | other.imported,
            self.computes_names or other.computes_names,
            self.rebound | other.rebound,
            self.changed_globals | other.changed_globals,
        )


_known: ByCode[CodeReads] = ByCode()


def reads_of(code: CodeType) -> CodeReads:
    """Return the names that code reads; looked for once for each code object."""
    reads = _known.get(code)
    if reads is None:
        _known.set(code, reads := _find_reads(code))
    return reads


def _find_reads(code: CodeType) -> CodeReads:
    global_names: set[str] = set()
    attributes: set[str] = set()
    probed: set[str] = set()
    stored: set[str] = set()
    imported: set[str] = set()
    rebound: set[str] = set()
    changed_globals: set[str] = set()
    line_globals: set[str] = set()
    computes_names = False
    instructions = [
        instruction
        for instruction in dis.get_instructions(code)
        if instruction.opname not in ("CACHE", "PUSH_NULL")
    ]
    for index, instruction in enumerate(instructions):
        line_globals = set() if instruction.starts_line else line_globals
        operation, name = instruction.opname, instruction.argval
        if operation in _GLOBALS:
            global_names.add(name)
            line_globals.add(name)
            if name in _BY_NAME:
                literal = _literal_name(instructions[index + 1 :])
                computes_names |= literal is None
                probed |= {literal} if literal else set()
            computes_names |= name in _BY_ANY_NAME
        elif operation in _ATTRIBUTES:
            attributes.add(name)
            computes_names |= name in _BY_ANY_NAME
        elif operation in ("STORE_ATTR", "DELETE_ATTR"):
            stored.add(name)
            changed_globals |= line_globals
        elif operation in ("STORE_DEREF", "DELETE_DEREF"):
            rebound.add(name)
        elif operation == "IMPORT_NAME":
            imported.add(name)
        if "setattr" in line_globals or "delattr" in line_globals:
            changed_globals |= line_globals
    if computes_names:  # a name that it makes up may be one of its texts
        probed |= {text for text in code.co_consts if isinstance(text, str) and text.isidentifier()}
    reads = CodeReads(
        globals=frozenset(global_names),
        attributes=frozenset(attributes),
        probed=frozenset(probed),
        stored=frozenset(stored),
        imported=frozenset(imported),
        computes_names=computes_names,
        rebound=frozenset(rebound),
        changed_globals=frozenset(changed_globals),
    )
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            reads = reads.joined(reads_of(constant))
    return reads._replace(rebound=reads.rebound.intersection(code.co_freevars))


def _literal_name(rest: list[dis.Instruction]) -> str | None:
    """The name in ``getattr(x.y, "name")``; None where the code does something else before it."""
    for instruction in rest:
        if instruction.opname == "LOAD_CONST":
            return instruction.argval if isinstance(instruction.argval, str) else None
        if not instruction.opname.startswith(
            ("LOAD_FAST", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR")
        ):
            return None
    return None
