"""The rewriting proper: regions become nested functions, handed to ``_fl`` (regions.Regions).

``if c: x = 1`` in a function where ``x`` is read later becomes ::

    def _fl_then_0(x): x = 1; return (x,), None
    def _fl_else_0(x): return (x,), None
    _fl_0 = _fl.if_(0, c, _fl_then_0, _fl_else_0, (x,))
    x = _fl_0[0][0]

A name that may be unbound is passed as ``_fl.get(lambda: x)``, and unbound again afterwards by ``del``, so that
Python's own rules hold where the condition is a Python value. The second result of a region says how it was left: by
its end (None), ``return``, ``break`` or ``continue``.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from fairlead._tracing.conditions import inverted
from fairlead._tracing.covering import is_mark
from fairlead._tracing.ends import BROKE, branch_ends, nonlocals
from fairlead._tracing.names import (
    EMPTY,
    Flow,
    Names,
    closed_over,
    items_stored,
    stores,
    walk,
    walk_scope,
)
from fairlead._tracing.syntax import (
    HELPER,
    Located,
    continues,
    has,
    helper_call,
    name_node,
    position_of,
    thunk,
)
from fairlead._tracing.truth import Expressions, binds

_YIELDS = (ast.Yield, ast.YieldFrom)
# The parameter of a loop's body: Python's own name for the iterable of a generator expression, which tracebacks of
# notebooks show, and which no variable of a program can have.
_ITEM = ".0"


class RegionInfo:
    """The description of one region for regions.Regions.

    Attributes:
        names: the names that the region binds, in the order of its parameters.
        carried: positions in ``names`` of the names that may be read after it.
        bindings: where each name is bound last: line, end line, column, end column.
        stored: names whose items are assigned here, and attributes that are assigned, as ``x.a``.
        inverted: of a branch that is left early, the text of the condition under which it is not.
        broke: for a `for` with `break`, the position in ``names`` of the variable that ends it.
        fresh: for a branch, positions in ``names`` of the names that both of its arms bind.
    """

    __slots__ = (
        "bindings",
        "broke",
        "carried",
        "construct",
        "fresh",
        "has_else",
        "inverted",
        "line",
        "names",
        "stored",
    )

    def __init__(
        self,
        construct: str,
        line: int,
        names: tuple[str, ...],
        carried: tuple[int, ...],
        bindings: dict[str, tuple[int, int, int, int]],
        stored: frozenset[str],
    ) -> None:
        self.construct, self.line = construct, line
        self.names, self.carried = names, carried
        self.bindings, self.stored = bindings, stored
        self.has_else = False
        self.inverted: str | None = None
        self.broke: int | None = None
        self.fresh: tuple[int, ...] = ()


class Unsupported(Exception):
    """Syntax that a traced function cannot contain."""

    def __init__(self, construct: str, node: ast.AST) -> None:
        self.construct, self.node = construct, node


class Branches(ast.NodeTransformer):
    """Statements that are branches: ``with elect_one():`` means ``if elect_one():``, and a ``match`` of values, names
    and ``_`` compares one after the other. A ``while`` whose condition binds names computes it before the loop, and
    again at the end of each iteration."""

    def visit_While(self, node: ast.While) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        if not has([node.test], (ast.NamedExpr,)) or continues(node.body):
            return node
        name, located = f"_fl_condition_{node.lineno}_{node.col_offset}", Located(node.test)
        first = located(ast.Assign([name_node(name, store=True)], node.test))
        node.body.append(copy.deepcopy(first))
        node.test = located(name_node(name))
        return [first, node]

    def visit_Match(self, node: ast.Match) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        subject = f"_fl_subject_{node.lineno}_{node.col_offset}"
        rest: list[ast.stmt] = []
        for case in reversed(node.cases):
            tests = self._case(case, subject, rest)
            if tests is None:
                return node
            rest = tests
        located = Located(node)
        bound = located(ast.Assign([name_node(subject, store=True)], node.subject))
        return [bound, *rest]

    def _case(
        self, case: ast.match_case, subject: str, rest: list[ast.stmt]
    ) -> list[ast.stmt] | None:
        """One case, and ``rest`` where it does not hold; None for patterns that look into the subject."""
        pattern, located = case.pattern, Located(case.pattern)
        bind: list[ast.stmt] = []
        if isinstance(pattern, ast.MatchAs) and pattern.name is not None:
            if pattern.pattern is not None and case.guard is not None:
                return None
            assign = ast.Assign([name_node(pattern.name, store=True)], name_node(subject))
            bind = [located(assign)]
            if pattern.pattern is not None:
                pattern = pattern.pattern
                case.body[:0], bind = bind, []
        test = self._test(pattern, subject)
        if test is None:
            return None
        tests = [part for part in (test, case.guard) if isinstance(part, ast.expr)]
        if not tests:
            return [*bind, *case.body]
        condition: ast.expr = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
        branch = ast.If(located(condition), case.body, rest)
        branch.construct = "match"  # type: ignore[attr-defined]
        return [*bind, located(branch)]

    def _test(self, pattern: ast.pattern, subject: str) -> ast.expr | bool | None:
        """The test of a pattern: True for one that always matches, None for one that looks into the subject."""
        match pattern:
            case ast.MatchValue():
                return ast.Compare(name_node(subject), [ast.Eq()], [pattern.value])
            case ast.MatchSingleton():
                return ast.Compare(name_node(subject), [ast.Is()], [ast.Constant(pattern.value)])
            case ast.MatchAs(None, None):
                return True
            case ast.MatchAs(None, _):
                return True
            case ast.MatchOr():
                tests = [self._test(part, subject) for part in pattern.patterns]
                if not all(isinstance(test, ast.expr) for test in tests):
                    return None
                return ast.BoolOp(ast.Or(), tests)  # type: ignore[arg-type]
        return None

    def visit_With(self, node: ast.With) -> ast.stmt:
        self.generic_visit(node)
        call = node.items[0].context_expr
        function = call.func if isinstance(call, ast.Call) else None
        name = getattr(function, "attr", getattr(function, "id", None))
        if name != "elect_one" or len(node.items) > 1 or node.items[0].optional_vars:
            return node
        return ast.copy_location(ast.If(call, node.body, []), node)


def _may_change(node: ast.stmt) -> bool:
    """True for statements without a body that may change an object."""
    if not isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete, ast.Expr)):
        return False
    return isinstance(node, ast.AugAssign) or any(
        isinstance(part, ast.Call) or isinstance(getattr(part, "ctx", None), (ast.Store, ast.Del))
        for part in walk(node)
        if isinstance(part, (ast.Call, ast.Attribute, ast.Subscript))
    )


class Statements:
    """One function's statements. ``inside``: the region whose function is being filled; None in the function itself."""

    def __init__(
        self,
        function: ast.FunctionDef,
        infos: list[RegionInfo],
        outer: Names,
        changing: Names = EMPTY,
        nested: bool = False,
    ) -> None:
        self.outer, self.nested = outer, nested
        arguments = function.args
        every = [
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            arguments.vararg,
            arguments.kwarg,
        ]
        self.parameters = frozenset(argument.arg for argument in every if argument)
        Branches().visit(function)
        branch_ends(function)
        self._check(function)
        local_names = self.parameters | frozenset(stores(function.body))
        # Names that functions called in a region may bind: functions defined here, and sibling functions.
        declared = _declared(function.body)
        self.changing = (nonlocals(function.body) & local_names) | declared
        if shared := (changing & outer) - local_names - declared:
            function.body.insert(0, Located(function)(ast.Nonlocal(sorted(shared))))
            self.changing |= shared
        self.flow = Flow(self.parameters, function.body, self.changing)
        self.infos = infos
        self.body = list(function.body)
        self.expressions = Expressions(self.parameters)
        self.captured = (closed_over(function.body) & local_names) | self.changing
        self.local_names = local_names
        # The regions whose `with`, `try` with handlers, or `try` with `finally` is being filled.
        self.catching: list[Region | None] = []
        self.finishing: list[Region | None] = []

    def _check(self, function: ast.FunctionDef) -> None:
        for node in walk_scope(function.body):
            # A nested function changes variables of the program; others are Python's.
            if isinstance(node, ast.Nonlocal) and self.nested and self.outer.issuperset(node.names):
                continue
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                raise Unsupported(f"`{type(node).__name__.lower()}`", node)
            if isinstance(node, (ast.Yield, ast.YieldFrom)):
                raise Unsupported("`yield`", node)
            if isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith)):
                raise Unsupported("`await`", node)

    def block(self, body: list[ast.stmt], inside: Region | None) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in body:
            if is_mark(statement):
                result.append(statement)
                continue
            may_change = _may_change(statement)
            result.extend(self.statement(statement, inside))
            if may_change:
                result.append(Located(statement)(ast.Expr(helper_call("changed"))))
        return result

    def statement(self, node: ast.stmt, inside: Region | None) -> list[ast.stmt]:
        match node:
            case ast.If():
                return self._if(node, inside)
            case ast.While():
                return self._while(node, inside)
            case ast.For():
                return self._for(node, inside)
            case ast.Return() | ast.Break() | ast.Continue():
                return self._leave(node, inside)
            case ast.FunctionDef():
                # Generators are Python's.
                if not node.decorator_list and not has(node.body, _YIELDS):
                    visible = self.local_names | self.outer
                    rewrite_definition(node, self.infos, visible, self.changing, nested=True)
                return [node]
            case ast.ClassDef():
                return [node]
        check = self._raise_check(node, inside)
        # Other compound statements keep their form; their bodies are rewritten.
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                catches = name == "body" and bool(
                    isinstance(node, ast.With) or getattr(node, "handlers", None)
                )
                finishes = name != "finalbody" and bool(getattr(node, "finalbody", None))
                self.catching += [inside] * catches
                self.finishing += [inside] * finishes
                setattr(node, name, self.block(value, inside))
                del self.catching[len(self.catching) - catches :]
                del self.finishing[len(self.finishing) - finishes :]
            elif isinstance(value, list):
                finishes = bool(getattr(node, "finalbody", None))
                self.finishing += [inside] * finishes
                setattr(node, name, [self._part(part, inside) for part in value])
                del self.finishing[len(self.finishing) - finishes :]
            elif isinstance(value, ast.AST):
                setattr(node, name, self.expressions.visit(value))
        return [*check, node]

    def _raise_check(self, node: ast.stmt, inside: Region | None) -> list[ast.stmt]:
        """The statements before a ``raise`` in a region, which must not be a run-time region unless it may catch it."""
        if inside is None or not isinstance(node, ast.Raise) or inside in self.catching:
            return []
        position = ast.Tuple([ast.Constant(number) for number in position_of(node)], ast.Load())
        call = helper_call("raising", ast.Constant(inside.number), position)
        return [Located(node)(ast.Expr(call))]

    def _part(self, part: object, inside: Region | None) -> object:
        if isinstance(part, (ast.ExceptHandler, ast.match_case)):
            part.body = self.block(part.body, inside)
            return part
        return self.expressions.visit(part) if isinstance(part, ast.AST) else part

    def _if(self, node: ast.If, inside: Region | None) -> list[ast.stmt]:
        construct = getattr(node, "construct", "if")
        region = Region(self, node, construct, [*node.body, *node.orelse])
        both = stores(node.body).keys() & stores(node.orelse).keys()
        carried = [(index, region.info.names[index]) for index in region.info.carried]
        region.info.fresh = tuple(index for index, name in carried if name in both)
        then = region.function("then", self.block(node.body, region))
        otherwise = region.function("else", self.block(node.orelse, region))
        call = [
            self.expressions.condition(node.test),
            name_node(then.name),
            name_node(otherwise.name),
        ]
        return [then, otherwise, *region.invoke("if_", call, inside)]

    def _while(self, node: ast.While, inside: Region | None) -> list[ast.stmt]:
        if binds(node.test):
            raise Unsupported("`:=` in the condition of a `while` with `continue`", node.test)
        region = Region(self, node, "while", node.body)
        test = Located(node.test)(ast.Return(self.expressions.condition(node.test)))
        condition = region.function("test", [test], plain=True)
        body = region.function("body", self.block(node.body, region))
        result = region.invoke("while_", [name_node(condition.name), name_node(body.name)], inside)
        return [condition, body, *result, *self._loop_else(node, region, inside)]

    def _for(self, node: ast.For, inside: Region | None) -> list[ast.stmt]:
        region = Region(self, node, "for", [node.target, *node.body])
        if (broke := getattr(node, BROKE, None)) is not None:
            region.info.broke = region.info.names.index(broke)
        bind = Located(node.target)(ast.Assign([node.target], name_node(_ITEM)))
        body = region.function("body", [bind, *self.block(node.body, region)], first=_ITEM)
        result = region.invoke(
            "for_", [self.expressions.visit(node.iter), name_node(body.name)], inside
        )
        return [body, *result, *self._loop_else(node, region, inside)]

    def _loop_else(
        self, node: ast.For | ast.While, region: Region, inside: Region | None
    ) -> list[ast.stmt]:
        if not node.orelse:
            return []
        region.info.has_else = True
        completed = ast.Subscript(name_node(region.result), ast.Constant(2), ast.Load())
        return [Located(node)(ast.If(completed, self.block(node.orelse, inside), []))]

    def _leave(
        self, node: ast.Return | ast.Break | ast.Continue, inside: Region | None
    ) -> list[ast.stmt]:
        if isinstance(node, ast.Return) and node.value is not None:
            node.value = self.expressions.visit(node.value)
        if inside is None:
            return [node]
        kind = type(node).__name__.lower()
        value = (
            node.value
            if isinstance(node, ast.Return) and node.value is not None
            else ast.Constant(None)
        )
        position = ast.Tuple([ast.Constant(number) for number in position_of(node)], ast.Load())
        inside.leaves.add(kind)
        branch = inside.node
        # A branch in a loop is followed by more than its body: there a `return` is more than the inverse.
        if (
            isinstance(branch, ast.If)
            and node in branch.body
            and not branch.orelse
            and (kind == "continue" or (kind == "return" and branch in self.body))
        ):
            inside.info.inverted = inverted(branch.test)
        return [
            Located(node)(inside.end(helper_call("leave", ast.Constant(kind), value, position)))
        ]


class Region:
    """The functions of one region and the call that runs them."""

    def __init__(
        self,
        owner: Statements,
        node: ast.If | ast.While | ast.For,
        construct: str,
        body: Sequence[ast.AST],
    ) -> None:
        self.owner, self.node = owner, node
        bound = stores(body)
        if owner.changing and has(body, (ast.Call,)):
            bound = {**dict.fromkeys(owner.changing, node), **bound}
        names = tuple(sorted(bound))
        after = owner.flow.after.get(id(node), EMPTY)
        self.number = len(owner.infos)
        self.info = RegionInfo(
            construct,
            node.lineno,
            names,
            tuple(index for index, name in enumerate(names) if name in after),
            {name: position_of(place) for name, place in bound.items()},
            frozenset(items_stored(body)),
        )
        owner.infos.append(self.info)
        self.certain = owner.flow.before.get(id(node), EMPTY)
        self.leaves: set[str] = set()
        # Seen by functions that are made here, or where an exception is caught.
        captured = owner.captured | owner.flow.caught.get(id(node), EMPTY)
        self.shared = [name for name in names if name in captured]
        self.result = f"_fl_{self.number}"
        self.locate = Located(node)

    def _value(self, name: str) -> ast.expr:
        return (
            name_node(name) if name in self.certain else helper_call("get", thunk(name_node(name)))
        )

    def _unbind(self, name: str) -> ast.stmt:
        unbound = ast.Attribute(name_node(HELPER), "UNBOUND", ast.Load())
        test = ast.Compare(name_node(name), [ast.Is()], [unbound])
        return ast.If(test, [ast.Delete([ast.Name(name, ast.Del())])], [])

    def end(self, how: ast.expr) -> ast.Return:
        """``return (carried values), how``; where a ``finally`` comes first, with the values as it leaves them."""
        names = [self._value(self.info.names[index]) for index in self.info.carried]
        values: ast.expr = ast.Tuple(names, ast.Load())
        if self in self.owner.finishing:
            values = thunk(values)
        return ast.Return(ast.Tuple([values, how], ast.Load()))

    def function(
        self, role: str, body: list[ast.stmt], first: str | None = None, plain: bool = False
    ) -> ast.FunctionDef:
        """One region function; ``plain`` ones return what their body returns. Names that are seen from outside
        while it runs stay variables of the function around."""
        entry = {name: f"_fl_entry_{name}" for name in self.shared}
        parameters = ([first] if first else []) + [
            entry.get(name, name) for name in self.info.names
        ]
        unbind: list[ast.stmt] = [ast.Nonlocal(list(self.shared))] if self.shared else []
        unbind += [
            ast.Assign([name_node(name, store=True)], name_node(entry[name])) for name in entry
        ]
        unbind += [self._unbind(name) for name in self.info.names if name not in self.certain]
        end = [] if plain else [self.end(ast.Constant(None))]
        arguments = ast.arguments(
            [], [ast.arg(name) for name in parameters], None, [], [], None, []
        )
        definition = ast.FunctionDef(
            f"_fl_{role}_{self.number}", arguments, [*unbind, *body, *end], []
        )
        if hasattr(definition, "type_params") or "type_params" in ast.FunctionDef._fields:
            definition.type_params = []  # type: ignore[attr-defined]
        return self.locate(definition)

    def invoke(
        self, method: str, arguments: list[ast.expr], inside: Region | None
    ) -> list[ast.stmt]:
        """The call, the carried names bound to its results, and the continuation of a region that was left early."""
        entry = ast.Tuple([self._value(name) for name in self.info.names], ast.Load())
        call = helper_call(method, ast.Constant(self.number), *arguments, entry)
        # Errors of the construct itself point at its condition or iterable.
        head = self.node.iter if isinstance(self.node, ast.For) else self.node.test
        result: list[ast.stmt] = [
            Located(head)(ast.Assign([name_node(self.result, store=True)], call))
        ]
        carried = [self.info.names[index] for index in self.info.carried]
        if carried:
            targets = ast.Tuple([name_node(name, store=True) for name in carried], ast.Store())
            result.append(
                ast.Assign(
                    [targets], ast.Subscript(name_node(self.result), ast.Constant(0), ast.Load())
                )
            )
            result.extend(self._unbind(name) for name in carried if name not in self.certain)
        result.extend(self._after_leaving(inside))
        return [self.locate(statement) for statement in result]

    def _after_leaving(self, inside: Region | None) -> list[ast.stmt]:
        kinds = self.leaves - (
            {"break", "continue"} if not isinstance(self.node, ast.If) else set()
        )
        how = ast.Subscript(name_node(self.result), ast.Constant(1), ast.Load())
        if not kinds:
            return []
        test = ast.Compare(how, [ast.IsNot()], [ast.Constant(None)])
        if inside is None:
            return [
                ast.If(
                    test, [ast.Return(ast.Attribute(copy.deepcopy(how), "value", ast.Load()))], []
                )
            ]
        inside.leaves |= kinds
        return [ast.If(test, [inside.end(copy.deepcopy(how))], [])]


def _declared(body: list[ast.stmt]) -> Names:
    """Names that a function declares to be those of functions around it."""
    return frozenset(
        name for node in walk_scope(body) if isinstance(node, ast.Nonlocal) for name in node.names
    )


def rewrite_definition(
    function: ast.FunctionDef,
    infos: list[RegionInfo],
    outer: Names = EMPTY,
    changing: Names = EMPTY,
    nested: bool = False,
) -> None:
    """Rewrites ``function``'s body in place; ``infos`` gets an entry for each region. ``outer``: variables of functions
    around it; ``changing``: those of them that functions bind by ``nonlocal``; ``nested``: whether the function around
    it is rewritten."""
    statements = Statements(function, infos, outer, changing, nested)
    function.body = statements.block(function.body, None)
