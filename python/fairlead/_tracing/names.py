"""The names that a piece of a function binds, reads, and leaves for the code after it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

Names = frozenset[str]
EMPTY: Names = frozenset()
# Functions that go through a generator at once.
_CONSUMERS = frozenset(
    "all any dict extend frozenset join list max min set sorted sum tuple update".split()
)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_TRY_STAR: type[ast.Try] = getattr(ast, "TryStar", ast.Try)  # Python 3.11
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


# Attributes that cache the results of an `if`: each `elif` is an `if` inside the previous one, and would otherwise be
# walked once more for each of them.
_BOUND, _ITEMS = "_fl_bound", "_fl_items"


_LEAVES = (ast.Name, ast.Constant)
_MARKS = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly inside ``node``, in the order of ``ast.iter_child_nodes`` but quicker, without contexts and
    operators."""
    found: list[ast.AST] = []
    if isinstance(node, _LEAVES):
        return found
    for name in node._fields:
        field = getattr(node, name, None)
        if isinstance(field, list):
            found += [item for item in field if isinstance(item, ast.AST)]
        elif isinstance(field, ast.AST) and not isinstance(field, _MARKS):
            found.append(field)
    return found


def walk(node: ast.AST) -> Iterable[ast.AST]:
    """``node`` and every node inside it, without contexts and operators."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack += children(node)


def walk_scope(nodes: Iterable[ast.AST], memo: str = "") -> Iterable[ast.AST]:
    """Every node of ``nodes`` that runs in the same scope; nested functions and classes are given but not entered, nor
    are nodes with an attribute ``known``."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, _SCOPES) or (memo and hasattr(node, memo)):
            continue
        if isinstance(node, _COMPREHENSIONS):
            # Its targets are its own; a walrus inside it binds in this scope.
            stack.extend(child for child in walk(node) if isinstance(child, ast.NamedExpr))
            continue
        stack += children(node)


#: Methods by which Fairlead's own objects count, such as pipeline states: they change the ``__counters__`` of the
#: object, or of one that it holds. A run-time loop carries these numbers from the start; other changes that methods
#: make are found by tracing the loop once, and it is traced again.
COUNTING_METHODS = frozenset(
    ("advance", "reverse", "acquire_and_advance", "wait_and_advance", "advance_to_next_work")
)
#: The attribute of an MMA that ``mma.set(Field.NAME, value)`` changes, by the field's name.
MMA_FIELDS = {"ACCUMULATE": "_accumulate", "SFA": "_scales_a", "SFB": "_scales_b"}


def _note_branches(nodes: Iterable[ast.AST], memo: str, of: Callable[[list[ast.AST]], Any]) -> None:
    """Has each `if` keep what ``of`` says of it, the innermost first."""
    branches = [node for node in walk_scope(nodes, memo) if isinstance(node, ast.If)]
    for node in reversed(branches):
        if not hasattr(node, memo):
            setattr(node, memo, of([node]))


def stores(nodes: Iterable[ast.AST]) -> dict[str, ast.AST]:
    """Names bound in this scope -> the last node (by position) that binds each."""
    nodes = list(nodes)
    _note_branches(nodes, _BOUND, _bound)
    return _bound(nodes)


def _bound(nodes: list[ast.AST]) -> dict[str, ast.AST]:
    first_nodes: dict[str, ast.AST] = {}

    def add(name: str, node: ast.AST) -> None:
        old = first_nodes.get(name)
        if old is None or (node.lineno, node.col_offset) >= (old.lineno, old.col_offset):  # type: ignore[attr-defined]
            first_nodes[name] = node

    for node in walk_scope(nodes, _BOUND):
        if (memo := getattr(node, _BOUND, None)) is not None:
            for name, last in memo.items():
                add(name, last)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            add(node.id, node)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            add(node.name, node)
        elif isinstance(node, ast.NamedExpr):
            add(node.target.id, node)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                add((alias.asname or alias.name).split(".")[0], node)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            add(node.name, node)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            add(node.name, node)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            add(node.rest, node)
    return first_nodes


def items_stored(nodes: Iterable[ast.AST]) -> set[str]:
    """Names whose items are assigned: ``x[i] = ...``, ``x[i] += ...``, ``x[i][j] = ...``, ``del x[i]``; attributes
    that are: ``x.a`` of ``x.a = ...``, ``x.a.b`` of ``x.a.b += ...``, and ``x._accumulate`` of
    ``x.set(Field.ACCUMULATE, ...)``; and objects that count, ``x.a()`` of ``x.a.advance()``."""
    nodes = list(nodes)
    _note_branches(nodes, _ITEMS, _items)
    return _items(nodes)


def _items(nodes: list[ast.AST]) -> set[str]:
    names: set[str] = set()
    for node in walk_scope(nodes, _ITEMS):
        names |= getattr(node, _ITEMS, EMPTY)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names |= _dotted(node, "")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in COUNTING_METHODS:
                names |= _dotted(node.func.value, "()")
            elif (field := _field_set(node)) is not None:
                names |= _dotted(node.func.value, f".{field}")
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del)):
            place: ast.AST = node.value
            while isinstance(place, ast.Subscript):
                place = place.value
            if isinstance(place, ast.Name):
                names.add(place.id)
    return names


def _field_set(call: ast.Call) -> str | None:
    """The attribute that a call ``mma.set(Field.NAME, value)`` changes; None for other calls of methods."""
    if getattr(call.func, "attr", None) != "set" or not call.args:
        return None
    return MMA_FIELDS.get(getattr(call.args[0], "attr", ""))


def _dotted(owner: ast.expr, end: str) -> set[str]:
    """The text of a variable or an attribute of one, as ``x.a.b``, and ``end``; nothing for other values."""
    while isinstance(owner, ast.Attribute):
        end = f".{owner.attr}{end}"
        owner = owner.value
    return {owner.id + end} if isinstance(owner, ast.Name) else set()


def loads(node: ast.AST) -> Names:
    """Every name read anywhere in ``node``, nested functions included."""
    names = set()
    for child in walk(node):
        if isinstance(child, ast.Name):
            if not isinstance(child.ctx, ast.Store):
                names.add(child.id)
        elif isinstance(child, ast.AugAssign) and isinstance(child.target, ast.Name):
            names.add(child.target.id)
    return frozenset(names)


def closed_over(body: Iterable[ast.AST]) -> Names:
    """Names that functions and classes read which are made in ``body``: now or later, as long as they live."""
    captured, consumed = EMPTY, set()
    for node in (node for part in body for node in walk(part)):
        if isinstance(node, ast.Starred):
            consumed.add(node.value)
        elif isinstance(node, ast.Call) and len(node.args) == 1:
            name = getattr(node.func, "id", getattr(node.func, "attr", None))
            consumed.update(node.args if name in _CONSUMERS else ())
        if isinstance(node, _SCOPES) or (
            isinstance(node, ast.GeneratorExp) and node not in consumed
        ):
            captured |= loads(node)
    return captured


class Flow:
    """Liveness and definite binding over one function's body.

    ``after[id(node)]``: names that may be read after the ``if``, ``for`` or ``while`` node, for loops also by a later
    iteration. ``before[id(node)]``: names that are certainly bound when the node is reached. ``caught[id(node)]``:
    names that may be read after an exception of the node is caught.
    """

    def __init__(self, parameters: Names, body: list[ast.stmt], changing: Names = EMPTY) -> None:
        self.after: dict[int, Names] = {}
        self.caught: dict[int, Names] = {}
        self._caught: Names = EMPTY
        self.before: dict[int, Names] = {}
        # Names that closures read or bind may be read at any time.
        self._always = closed_over(body) | changing
        # For each loop, the names that an iteration may read before it binds them, as far as is known.
        self._heads: dict[int, Names] = {}
        self._simple: dict[int, tuple[Names, Names]] = {}  # what statements read and bind
        self._grows = True
        # A pass goes through each loop once, so nested loops take time in proportion to their depth.
        while self._grows:
            self._grows = False
            self._live(body, EMPTY, EMPTY, EMPTY)
        self._bind(body, parameters)

    def _live(self, body: list[ast.stmt], out: Names, on_break: Names, on_continue: Names) -> Names:
        for statement in reversed(body):
            out = self._live_before(statement, out, on_break, on_continue)
        return out

    def _live_before(
        self, node: ast.stmt, out: Names, on_break: Names, on_continue: Names
    ) -> Names:
        def live(body: list[ast.stmt], after: Names) -> Names:
            return self._live(body, after, on_break, on_continue)

        match node:
            case ast.If():
                self.after[id(node)] = out | self._always | self._caught
                self.caught[id(node)] = self._caught
                return loads(node.test) | live(node.body, out) | live(node.orelse, out)
            case ast.While() | ast.For():
                broke = getattr(node, "_fl_broke", None)  # ends.BROKE: each iteration asks for it
                head = self._heads.get(id(node), EMPTY)
                bound = EMPTY if isinstance(node, ast.While) else frozenset(stores([node.target]))
                after = live(node.orelse, out)
                inner = self._live(node.body, head | after, out, head | after) - bound
                inner |= frozenset([broke]) if broke else EMPTY
                inner |= loads(node.test) if isinstance(node, ast.While) else EMPTY
                if not inner <= head:
                    head |= inner
                    self._heads[id(node)] = head
                    self._grows = True
                self.after[id(node)] = out | after | head | self._always | self._caught
                self.caught[id(node)] = self._caught
                return head | after | (EMPTY if isinstance(node, ast.While) else loads(node.iter))
            case ast.Return() | ast.Raise():
                return loads(node)
            case ast.Break():
                return on_break
            case ast.Continue():
                return on_continue
            case ast.With():
                heads = [loads(item) for item in node.items]
                bound = frozenset(stores(node.items))
                # It may swallow an exception from anywhere in the body.
                return EMPTY.union(*heads) | (self._guarded(live, node.body, out, out) - bound)
            case ast.Try() | _TRY_STAR():
                final = live(node.finalbody, out)
                handlers = EMPTY.union(
                    *(live(handler.body, final) | loads(handler) for handler in node.handlers)
                )
                # They may be entered from anywhere in the body.
                end = live(node.orelse, final) | handlers
                return handlers | final | self._guarded(live, node.body, end, handlers | final)
            case ast.Match():
                cases = (
                    live(case.body, out) | (loads(case.guard) if case.guard else EMPTY)
                    for case in node.cases
                )
                return loads(node.subject) | out | EMPTY.union(*cases)
            case _:
                if (memo := self._simple.get(id(node))) is None:
                    memo = self._simple[id(node)] = loads(node), frozenset(stores([node]))
                return memo[0] | (out - memo[1])

    def _guarded(
        self,
        live: Callable[[list[ast.stmt], Names], Names],
        body: list[ast.stmt],
        out: Names,
        caught: Names,
    ) -> Names:
        around, self._caught = self._caught, self._caught | caught
        try:
            return live(body, out)
        finally:
            self._caught = around

    def _bind(self, body: list[ast.stmt], bound: Names | None) -> Names | None:
        """Names bound after ``body``; None where its end is not reached."""
        for node in body:
            if bound is None:
                bound = EMPTY
            match node:
                case ast.If():
                    self.before[id(node)] = bound
                    bound |= frozenset(stores([node.test]))
                    ends = [
                        end
                        for end in (self._bind(node.body, bound), self._bind(node.orelse, bound))
                        if end is not None
                    ]
                    if not ends:
                        return None
                    both = ends[0] if len(ends) == 1 else ends[0] & ends[1]
                    # The region hands on only names that may be read later.
                    bound = both & (bound | self.after[id(node)])
                case ast.While():
                    self.before[id(node)] = bound
                    self._bind(node.body, bound)
                    self._bind(node.orelse, bound)
                case ast.For():
                    self.before[id(node)] = bound
                    self._bind(node.body, bound | frozenset(stores([node.target])))
                    self._bind(node.orelse, bound)
                case ast.With():
                    bound = self._bind(node.body, bound | frozenset(stores(node.items)))
                case ast.Try() | _TRY_STAR():
                    for part in (
                        node.body,
                        node.orelse,
                        *(handler.body for handler in node.handlers),
                    ):
                        self._bind(part, bound)
                    self._bind(node.finalbody, bound)
                case ast.Match():
                    for case in node.cases:
                        self._bind(case.body, bound)
                case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
                    return None
                case ast.Delete():
                    bound -= frozenset(stores([node]))
                case _:
                    bound |= frozenset(stores([node]))
        return bound
