"""Syntax that is probably a mistake: rewritten so that ``_fl`` (mistakes.Mistakes) sees the values while tracing.

Only expressions that look wrong are changed, such as a statement that is a bare name or a product with a very large
constant in an index, so that other code is traced as it is written. The values decide whether it is a mistake.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from types import FunctionType, ModuleType

from fairlead._tracing.names import walk
from fairlead._tracing.syntax import Located, helper_call

#: Numbers from here on are infinity in Float16, and up to here 0.
_LARGE, _SMALL = 65520.0, 2.0**-25
#: Constants of products in an index from here on: an Int32 overflows from 8 on at the latest.
_INDEX = 1 << 28
_LEAST_SHIFT = 8
_PRINTS = {"printf": "printf", "assert_": "assert_"}
_PURE_METHODS = frozenset(("to", "bitcast"))
_FLOAT_TYPES = frozenset(("Float16", "BFloat16", "Float32"))
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)
#: Operators that bring an index back into a range.
_BOUNDING = (ast.Mod, ast.BitAnd, ast.BitXor, ast.RShift, ast.FloorDiv)
_CLOCKS = frozenset(
    "time time_ns perf_counter perf_counter_ns monotonic monotonic_ns process_time".split()
)


def _text(node: ast.AST) -> ast.Constant:
    return ast.Constant(ast.unparse(node))


def source_of_numbers(value: object, path: list[str]) -> str | None:
    """Return "random", "time" or "sleep" if that is what calling attribute ``path`` of ``value`` does; else None."""
    home = getattr(value, "__name__", "") if hasattr(value, "__spec__") else None
    if home is None:
        owner = getattr(value, "__self__", None)
        home = getattr(value, "__module__", None) or type(owner).__module__
        if owner is not None and type(owner).__module__ in ("random", "numpy.random.mtrand"):
            return "random"
        if str(type(value).__module__).startswith(("numpy.random", "random")):
            return "random" if path else None
        path = [getattr(value, "__name__", ""), *path]
    if home == "time" and path[-1] == "sleep":
        return "sleep"
    if home == "time":
        return "time" if path[-1] in _CLOCKS else None
    if home == "random" or home.startswith("numpy.random"):
        return "random"
    if home == "numpy" and len(path) > 1 and path[0] == "random":
        return "random"
    return None


class Doubtful(ast.NodeTransformer):
    """Rewrites the doubtful expressions of one function.

    Args:
        function: its name.
        names: the values of the function's names where it was defined, if known.
        tree: its definition.
    """

    def __init__(self, function: str, names: Mapping[str, object], tree: ast.FunctionDef) -> None:
        self.function = function
        self.local_names = {
            node.id
            for node in walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        } | {node.arg for node in walk(tree) if isinstance(node, ast.arg)}
        self.names = names
        #: Names that subscripts use as indices.
        self.indices = {
            name.id
            for node in walk(tree)
            if isinstance(node, ast.Subscript)
            for name in _unbounded(node.slice)
            if isinstance(name, ast.Name)
        }

    def constant(self, node: ast.AST) -> int | float | None:
        """Return the number of a constant expression; None for other expressions."""
        if isinstance(node, ast.Constant):
            number = node.value
            is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
            return number if is_number else None  # type: ignore[return-value]
        if isinstance(node, ast.Name) and node.id not in self.local_names:
            value = self.names.get(node.id)
            return value if type(value) in (int, float) else None  # type: ignore[return-value]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.constant(node.operand)
            return None if inner is None else -inner
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.LShift, ast.Pow)):
            left, right = self.constant(node.left), self.constant(node.right)
            if left is None or right is None or abs(left) > 1e300 or abs(right) > 1e300:
                return None
            if isinstance(node.op, ast.Mult):
                return left * right
            if not (isinstance(left, int) and isinstance(right, int)):
                return None
            # 1 << 40, 2**31
            if 0 <= right < 128 and abs(left) < 1 << 32:
                return left << right if isinstance(node.op, ast.LShift) else left**right
        return None

    # --- Statements.

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        value = node.value
        left: ast.expr | None = None
        kind = "value"
        match value:
            case ast.Name() | ast.Attribute():
                kind = "function"
            case ast.Compare(left=left) if len(value.ops) == 1:
                kind = "comparison"
            case ast.UnaryOp(op=ast.UAdd(), operand=ast.UnaryOp(op=ast.UAdd(), operand=left)):
                kind = "increment"
            case ast.UnaryOp(op=ast.USub(), operand=ast.UnaryOp(op=ast.USub(), operand=left)):
                kind = "decrement"
            case ast.BinOp():
                pass
            case ast.Call(func=ast.Attribute(attr=attribute)) if attribute in _PURE_METHODS:
                pass
            case _:
                self.generic_visit(node)
                return node
        parts = [_text(value), ast.Constant(kind)]
        if left is not None:
            parts.append(_text(left))
            if isinstance(value, ast.Compare):
                parts.append(_text(value.comparators[0]))
        self.generic_visit(node)
        node.value = Located(value)(helper_call("unused", node.value, *parts))
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        targets = node.targets
        if len(targets) == 1 and isinstance(targets[0], ast.Name) and targets[0].id in self.indices:
            self._check_index(node.value)
        self.generic_visit(node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        target = node.target
        if isinstance(target, ast.Name) and self.constant(node.value) is not None:
            read = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            operation = ast.copy_location(ast.BinOp(read, node.op, node.value), node)
            self.visit_BinOp(operation)
            if operation.left is not read or operation.right is not node.value:
                return ast.copy_location(ast.Assign([target], operation), node)
        self.generic_visit(node)
        return node

    def visit_If(self, node: ast.If) -> ast.stmt:
        node.test = self._condition(node.test)
        self.generic_visit(node)
        return node

    def visit_While(self, node: ast.While) -> ast.stmt:
        node.test = self._condition(node.test)
        self.generic_visit(node)
        return node

    # --- Expressions.

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        node.test = self._condition(node.test)
        self.generic_visit(node)
        return node

    def _condition(self, node: ast.expr) -> ast.expr:
        """A condition; functions of modules in it are watched, such as ``cute.arch.elect_one`` without parentheses."""
        if isinstance(node, ast.BoolOp):
            node.values = [self._condition(value) for value in node.values]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node.operand = self._condition(node.operand)
        elif isinstance(node, ast.Attribute):
            root = _path(node)[:1]
            if (
                root
                and root[0] not in self.local_names
                and isinstance(self.names.get(root[0]), ModuleType)
            ):
                return Located(node)(helper_call("uncalled", node, _text(node)))
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self._check_index(node.slice)
        self.generic_visit(node)
        return node

    def _check_index(self, node: ast.expr) -> None:
        """Wrap the run-time factor of products with a large constant."""
        for product in _unbounded(node):
            if not isinstance(product, ast.BinOp) or not isinstance(product.op, ast.Mult):
                continue
            coefficient, others = 1, []
            text = _text(product)
            for factor in _factors(product):
                number = self.constant(factor)
                if number is None:
                    others.append(factor)
                elif isinstance(number, int):
                    coefficient *= number
            if len(others) != 1 or abs(coefficient) < _INDEX:
                continue
            variable = others[0]
            wrapped = Located(variable)(
                helper_call("indexed", variable, ast.Constant(coefficient), text, _text(variable))
            )
            _replace(product, variable, wrapped)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        text, op = _text(node), node.op
        if isinstance(op, ast.Add) and getattr(node.left, "attr", None) == "iterator":
            self._check_index(node.right)
        left, right = self.constant(node.left), self.constant(node.right)
        self.generic_visit(node)
        if (left is None) == (right is None):
            return node
        number = left if right is None else right
        assert number is not None
        if right == 0 and isinstance(op, (ast.Div, ast.FloorDiv, ast.Mod)):
            call = helper_call("dividend", node.left, text, ast.Constant(isinstance(op, ast.Div)))
            node.left = Located(node.left)(call)
        elif isinstance(op, (ast.LShift, ast.RShift)) and right is not None:
            if right >= _LEAST_SHIFT:
                node.left = Located(node.left)(
                    helper_call("shifted", node.left, ast.Constant(right), text)
                )
        elif isinstance(op, _ARITHMETIC) and _is_extreme(number):
            other = node.left if left is None else node.right
            wrapped = Located(other)(helper_call("beside", other, ast.Constant(number), text))
            if left is None:
                node.left = wrapped
            else:
                node.right = wrapped
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        text = _text(node)
        if len(node.ops) != 1:
            self.generic_visit(node)
            return node
        op, other = node.ops[0], node.comparators[0]
        texts = _text(node.left), _text(other)
        self.generic_visit(node)
        if isinstance(op, (ast.Eq, ast.NotEq)) and _is_nan(other):
            result = ast.Constant(isinstance(op, ast.NotEq))
            node.left = Located(node.left)(helper_call("beside_nan", node.left, text, result))
        elif isinstance(op, (ast.Is, ast.IsNot)) and not (
            isinstance(other, ast.Constant) and (other.value is None or type(other.value) is bool)
        ):
            operator = ast.Constant("==" if isinstance(op, ast.Is) else "!=")
            call = helper_call("identity", node.left, node.comparators[0], text, operator, *texts)
            return Located(node)(call)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        text = _text(node)
        path = _path(node.func)
        what = None
        if path and path[0] not in self.local_names and path[0] in self.names:
            what = source_of_numbers(self.names[path[0]], path[1:])
        self.generic_visit(node)
        if path and path[-1] in _PRINTS:
            for index, argument in enumerate(node.args):
                node.args[index] = _watch_formatting(argument, _PRINTS[path[-1]])
        elif path and path[-1] in _FLOAT_TYPES and len(node.args) == 1 and not node.keywords:
            number = self.constant(node.args[0])
            if number is not None and _is_extreme(number):
                call = helper_call("conversion", node.func, ast.Constant(number), text)
                node.func = Located(node.func)(call)
        if what is None:
            return node
        name = ast.Constant(self.function)
        return Located(node)(helper_call("once", node, text, ast.Constant(what), name))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if not node.decorator_list:
            self.generic_visit(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node


def _is_extreme(number: int | float) -> bool:
    size = abs(number)
    return (size >= _LARGE and size != math.inf) or 0 < size <= _SMALL


def _is_nan(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(attr="nan" | "NaN"):
            return True
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str(text))]):
            return text.strip().lower() == "nan"
    return False


def _path(node: ast.expr) -> list[str]:
    """Return the names of ``root.a.b``; none for other expressions."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [*reversed([*names, node.id])] if isinstance(node, ast.Name) else []


def _unbounded(node: ast.AST) -> list[ast.AST]:
    """Return the parts of an index that contribute to it in full: not the parts below ``%``, ``&``, a call and so on. A
    product of products counts as one part."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, _BOUNDING):
        return []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return [node, *(part for part in _factors(node) if isinstance(part, ast.Name))]
    if isinstance(node, (ast.BinOp, ast.Tuple, ast.UnaryOp)):
        return [part for child in ast.iter_child_nodes(node) for part in _unbounded(child)]
    return [node] if isinstance(node, ast.Name) else []


def _factors(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return [*_factors(node.left), *_factors(node.right)]
    return [node]


def _replace(product: ast.BinOp, old: ast.expr, new: ast.expr) -> None:
    """Put ``new`` in the place of the factor ``old``."""
    for name in ("left", "right"):
        part = getattr(product, name)
        if part is old:
            setattr(product, name, new)
        elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult):
            _replace(part, old, new)


def _watch_formatting(node: ast.expr, function: str) -> ast.expr:
    """``node``, an argument of a function that prints, with the values that Python formats wrapped."""

    def watched(value: ast.expr) -> ast.expr:
        text = _text(value)
        return Located(value)(helper_call("formatted", value, text, ast.Constant(function)))

    match node:
        case ast.JoinedStr():
            for part in node.values:
                if isinstance(part, ast.FormattedValue):
                    part.value = watched(part.value)
        case ast.Call(func=ast.Attribute(attr="format", value=ast.Constant(value=str()))):
            node.args = [watched(value) for value in node.args]
        case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod(), right=ast.Tuple() as several):
            several.elts = [watched(value) for value in several.elts]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            node.left = _watch_formatting(left, function)
            node.right = _watch_formatting(right, function)
        case ast.Call(func=ast.Name(id="str" | "repr"), args=[value]):
            node.args = [watched(value)]
        case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod()):
            node.right = watched(node.right)
    return node


def names_of(function: FunctionType) -> Mapping[str, object]:
    """Return the current values of the names that a function reads from outside."""
    names = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # not bound yet
            names.pop(name, None)
    return names
