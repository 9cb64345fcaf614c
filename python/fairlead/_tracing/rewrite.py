"""A function with its control flow rewritten."""

from __future__ import annotations

import ast
import threading
from types import CellType, CodeType, FunctionType
from typing import Any

from fairlead._tracing.by_code import ByCode
from fairlead._tracing.covering import mark_statements
from fairlead._tracing.doubtful import Doubtful, names_of
from fairlead._tracing.names import walk
from fairlead._tracing.regions import Regions
from fairlead._tracing.rewritten import register
from fairlead._tracing.source import function_tree
from fairlead._tracing.state import state
from fairlead._tracing.syntax import HELPER
from fairlead._tracing.transform import RegionInfo, Unsupported, rewrite_definition
from fairlead.errors import make_error

_FACTORY = "_fl_factory"
# Stored in the function itself, not in a table: it may refer to itself, and is collected with its rewritten form.
_REWRITTEN = "__fairlead_rewritten__"
_COVERED = "__fairlead_covered__"
_MOST_NAMES = 64
# Rewritten code of each definition, by the names that tracebacks show, and whether it has marks of coverage.
_compiled: ByCode[dict[tuple[str, str, bool], tuple[CodeType, list[RegionInfo]]]] = ByCode()
_lock = threading.Lock()
_REGIONS = (ast.If, ast.For, ast.While, ast.With, ast.Try)
# Deeper nesting exhausts the stack.
_DEEP = 50


def _strip(tree: ast.FunctionDef) -> None:
    """Remove the parts evaluated when the original was defined: decorators, annotations, defaults."""
    tree.decorator_list = []
    tree.returns = None
    arguments = tree.args
    for argument in [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    ]:
        if argument is not None:
            argument.annotation = None
    arguments.defaults = []
    arguments.kw_defaults = [None] * len(arguments.kwonlyargs)


def _find_code(code: CodeType, name: str) -> CodeType:
    return next(
        const for const in code.co_consts if isinstance(const, CodeType) and const.co_name == name
    )


def _private_owner(function: FunctionType, tree: ast.FunctionDef) -> str | None:
    """The class in whose body the function was defined, where the function has names that are private to it, as
    ``self.__x`` is: Python compiles them to other names there."""
    path = getattr(function.__code__, "co_qualname", function.__qualname__).split(".")
    if len(path) < 2 or not path[-2].isidentifier():
        return None
    names = (
        name
        for node in walk(tree)
        for name in (
            getattr(node, "attr", None),
            getattr(node, "id", None),
            getattr(node, "arg", None),
        )
    )
    private = (isinstance(name, str) and name[:2] == "__" and name[-2:] != "__" for name in names)
    return path[-2] if any(private) else None


def _renamed(code: CodeType, name: str, qualname: str) -> CodeType:
    """``code`` and the functions of its regions under the name of the function that they are part of, for tracebacks;
    functions inside of it under their own."""
    consts = []
    for const in code.co_consts:
        if isinstance(const, CodeType):
            is_ours = const.co_name.startswith("_fl_")
            inner = f"{qualname}.<locals>.{const.co_name}"
            const = _renamed(
                const, name if is_ours else const.co_name, qualname if is_ours else inner
            )
        consts.append(const)
    names = {"co_name": name}
    if hasattr(code, "co_qualname"):  # Python 3.11
        names["co_qualname"] = qualname
    return code.replace(co_consts=tuple(consts), **names)  # type: ignore[arg-type]


def _depth(tree: ast.AST, kinds: tuple[type, ...]) -> int:
    """How deep nodes of these kinds are nested, however deep that is."""
    deepest, todo = 0, [(tree, 0)]
    while todo:
        node, depth = todo.pop()
        depth += isinstance(node, kinds)
        deepest = max(deepest, depth)
        todo += [(child, depth) for child in ast.iter_child_nodes(node)]
    return deepest


def _compile(function: FunctionType) -> tuple[CodeType, list[RegionInfo]]:
    tree = function_tree(function)
    try:
        return _compile_tree(function, tree)
    except RecursionError:
        regions, expressions = _depth(tree, _REGIONS), _depth(tree, (ast.expr,))
        if max(regions, expressions) < _DEEP:  # The stack was nearly full before.
            raise
    name = f"in `{function.__name__}`"
    if regions >= _DEEP:
        construct = f"{name} control flow that is nested {regions} deep (each `elif` is a level)"
    else:
        construct = f"{name} an expression that is nested {expressions} deep"
    error = make_error("UnsupportedSyntax", construct=construct)
    error.position = (tree.lineno, tree.lineno, tree.col_offset, None)
    error.filename = function.__code__.co_filename
    raise error


def _compile_tree(
    function: FunctionType, tree: ast.FunctionDef
) -> tuple[CodeType, list[RegionInfo]]:
    _strip(tree)
    infos: list[RegionInfo] = []
    names = names_of(function)
    doubtful = Doubtful(function.__name__, names, tree)
    tree.body = [doubtful.visit(node) for node in tree.body]
    if state.covered:
        mark_statements(tree, function.__code__.co_firstlineno)
    try:
        rewrite_definition(tree, infos, frozenset(function.__code__.co_freevars))
    except Unsupported as unsupported:
        error = make_error("UnsupportedSyntax", construct=unsupported.construct)
        node: Any = unsupported.node
        error.position = (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)
        error.filename = function.__code__.co_filename
        raise error from None
    body: ast.FunctionDef | ast.ClassDef = tree
    if (owner := _private_owner(function, tree)) is not None:
        body = ast.ClassDef(owner, [], [], [tree], [])
        if "type_params" in ast.ClassDef._fields:
            body.type_params = []  # type: ignore[attr-defined]
    # A factory with the original's free variables as parameters makes the compiler see them as free.
    free = [*function.__code__.co_freevars, HELPER]
    parameters = ast.arguments([], [ast.arg(name) for name in free], None, [], [], None, [])
    # The definition would make the function's name one of the factory's; a function of a module finds itself there.
    declarations = [] if body is not tree or tree.name in free else [ast.Global([tree.name])]
    factory = ast.FunctionDef(_FACTORY, parameters, [*declarations, body], [])
    if "type_params" in ast.FunctionDef._fields:
        factory.type_params = []  # type: ignore[attr-defined]
    module = ast.fix_missing_locations(ast.Module([factory], []))
    original = function.__code__
    flags = original.co_flags & 0x1000000  # from __future__ import annotations
    compiled = compile(module, original.co_filename, "exec", flags=flags, dont_inherit=True)
    code = _find_code(compiled, _FACTORY)
    code = _find_code(code if body is tree else _find_code(code, body.name), tree.name)
    code = _renamed(code, function.__name__, function.__qualname__)
    register(code, infos)
    return code, infos


def _compile_once(function: FunctionType) -> tuple[CodeType, list[RegionInfo]]:
    """One definition that runs again and again, in a function around it, is rewritten once."""
    names = function.__name__, function.__qualname__, state.covered
    with _lock:
        by_name = _compiled.get(function.__code__)
        if by_name is None:
            _compiled.set(function.__code__, by_name := {})
        compiled = by_name.pop(names, None)
    if compiled is None:
        compiled = _compile(function)
    with _lock:
        by_name[names] = compiled  # the newest last
        while len(by_name) > _MOST_NAMES:
            del by_name[next(iter(by_name))]
    return compiled


def _build(function: FunctionType) -> FunctionType:
    code, infos = _compile_once(function)
    original = function.__code__
    cells = dict(zip(original.co_freevars, function.__closure__ or (), strict=True))
    cells[HELPER] = CellType(Regions(infos, original.co_filename))
    closure = tuple(cells[name] for name in code.co_freevars)
    result = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    result.__kwdefaults__ = function.__kwdefaults__
    result.__qualname__ = function.__qualname__
    result.__module__ = function.__module__
    return result


def rewrite(function: FunctionType) -> FunctionType:
    """``function`` with rewritten control flow, its globals and closure cells shared with the original; made once.

    Raises DSLError where no source is kept (NoSource) or the syntax cannot be traced (UnsupportedSyntax).
    """
    form = _COVERED if state.covered else _REWRITTEN
    rewritten = function.__dict__.get(form)
    # functools.wraps hands a function's attributes to another one.
    if rewritten is None or rewritten[0] != id(function):
        built = _build(function)
        with _lock:
            rewritten = function.__dict__.get(form)
            if rewritten is None or rewritten[0] != id(function):
                rewritten = function.__dict__[form] = (id(function), built)
    return rewritten[1]
