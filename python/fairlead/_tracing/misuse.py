"""Advice for expressions that Python or NumPy refuses: how the language writes them.

Neither says why in a form that a program can read. So the expression that failed is looked at, and the values of its
names.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FrameType

from fairlead import _compiler

__all__ = ["advice", "method_of", "value_of"]

#: The value of an expression that is not computed again.
_UNKNOWN = object()

_TUPLES = ("thread_idx", "block_idx", "block_dim", "grid_dim")
#: The package of an array -> the array.
_ARRAYS = {"numpy": "an array of NumPy", "torch": "a tensor of torch"}
_BARRIER = "`cute.arch.barrier(barrier_id=1, number_of_threads=64)`"
#: Functions and methods -> the mistake in a call, and how to write it.
_CALLS: dict[str, tuple[Callable[[ast.Call], bool], str]] = {
    "launch": (
        lambda call: bool(call.args),
        "name them: `.launch(grid=(x, y, z), block=(x, y, z))`",
    ),
    "load": (
        lambda call: bool(call.args or call.keywords),
        "`t.load()` takes all elements of a small tensor and no mask; one element where there is one: "
        "`if i < n: x = t[i]`",
    ),
    "copy": (
        lambda call: len(call.args) == 2 and not call.keywords,
        "its first argument is a copy atom: `cute.copy(atom, src, dst)`; without one `cute.autovec_copy(src, dst)`",
    ),
    "make_layout": (
        lambda call: len(call.args) > 1,
        "name the strides: `cute.make_layout(shape, stride=(1, 4))`",
    ),
    "barrier": (lambda call: bool(call.args), f"name them: {_BARRIER}"),
    "barrier_arrive": (lambda call: bool(call.args), f"name them: {_BARRIER}"),
    "sync_threads": (
        lambda call: bool(call.args),
        f"it takes all threads of the block; for some, {_BARRIER}",
    ),
    "atomic_cas": (
        lambda call: len(call.args) > 1,
        "name them: `cute.arch.atomic_cas(t.iterator + i, cmp=expected, val=value)`",
    ),
    "select": (
        lambda call: len(call.args) > 2,
        "`cute.where(condition, a, b)` chooses between values; `cute.select` takes modes of a layout",
    ),
    "allocate_tensor": (
        lambda call: not call.args or any(word.arg == "shape" for word in call.keywords),
        "the type, then a shape or a layout: `allocate_tensor(cute.Float32, (32, 8))`",
    ),
    "alloc_smem": (
        lambda call: len(call.args) == 1 and not call.keywords,
        "the number of elements follows the type: `cute.arch.alloc_smem(cute.Float32, 256)`",
    ),
    "round": (lambda call: True, "`cute.math.floor(x + 0.5)`; `x.to(cute.Int32)` truncates"),
    "trunc": (lambda call: True, "`cute.math.floor(x + 0.5)`; `x.to(cute.Int32)` truncates"),
}


def advice(error: BaseException, expression: ast.AST | None, frame: FrameType) -> str | None:
    """Return how to write an expression of ``frame`` that raised an error, or None."""
    if isinstance(error, AttributeError):
        return _of_attribute(error)
    if isinstance(error, IndexError) and isinstance(expression, ast.Subscript):
        index = value_of(expression.slice, frame)
        is_run_time = index is _UNKNOWN or isinstance(index, _compiler.Numeric)
        array = _array_kind(expression.value, frame)
        if is_run_time and array is not None:
            return (
                f"{array} takes no run-time index: pass it to the `@cute.jit` function as an argument "
                "(`x: cute.Tensor`), or use `cute.make_rmem_tensor((n,), cute.Float32)`"
            )
    if not isinstance(error, TypeError):
        return None
    if isinstance(expression, ast.Call):
        return _of_call(expression, frame)
    if isinstance(expression, ast.Subscript):
        return _of_subscript(expression, frame)
    if isinstance(expression, ast.Attribute):
        # `with f:` where `f()` is meant.
        return _of_function(value_of(expression, frame))
    if isinstance(expression, ast.BinOp):
        return _of_operator(expression.op, [expression.left, expression.right], frame)
    if isinstance(expression, ast.AugAssign):
        return _of_operator(expression.op, [expression.target, expression.value], frame)
    if isinstance(expression, ast.JoinedStr):
        return 'a number of the run has no digits yet: `cute.printf("{}", x)` prints it'
    if isinstance(expression, ast.UnaryOp):
        return _of_operator(expression.op, [expression.operand], frame)
    if isinstance(expression, ast.Compare):
        operands = [expression.left, *expression.comparators]
        return _of_operator(expression.ops[0], operands, frame)
    return None


def value_of(expression: ast.AST, frame: FrameType) -> object:
    """Return the value of a name, an attribute of one, or a constant; others are not computed again."""
    if isinstance(expression, ast.Constant):
        return expression.value
    if isinstance(expression, ast.Attribute):
        owner = value_of(expression.value, frame)
        return _UNKNOWN if owner is _UNKNOWN else getattr(owner, expression.attr, _UNKNOWN)
    if not isinstance(expression, ast.Name):
        return _UNKNOWN
    for names in (frame.f_locals, frame.f_globals, frame.f_builtins):
        if expression.id in names:
            return names[expression.id]
    return _UNKNOWN


def _array_kind(expression: ast.AST, frame: FrameType) -> str | None:
    """Return the kind of a framework's array, or of one that a function of the framework makes."""
    if isinstance(expression, ast.Call):
        function = value_of(expression.func, frame)
        module = str(getattr(function, "__module__", None) or type(function).__module__)
    else:
        module = type(value_of(expression, frame)).__module__
    return _ARRAYS.get(module.partition(".")[0])


def method_of(expression: ast.Subscript) -> str:
    """Return the method that loads or stores the element."""
    return "__setitem__" if isinstance(expression.ctx, ast.Store) else "__getitem__"


def _of_attribute(error: AttributeError) -> str | None:
    if isinstance(error.obj, tuple) and error.name in ("x", "y", "z"):
        return (
            "`cute.arch.thread_idx()` and the like give tuples: `x, y, z = cute.arch.thread_idx()`"
        )
    if error.obj is None and error.name == "launch":
        return "a function that is launched is decorated with `@cute.kernel`; this one ran as a plain function"
    return None


def _of_call(call: ast.Call, frame: FrameType) -> str | None:
    function = value_of(call.func, frame)
    if isinstance(function, _compiler.Tensor):
        return "elements are taken by brackets: `t[i]`, `t[i, j]`"
    if function is abs and call.args and _is_tensor(call.args[0], frame):
        return "elements are computed with: `abs(a[i])`"
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    module = getattr(function, "__module__", None) or "fairlead"
    if name not in _CALLS or module.partition(".")[0] not in ("fairlead", "builtins", "math"):
        return None
    is_wrong, text = _CALLS[name]
    return text if is_wrong(call) else None


def _of_subscript(expression: ast.Subscript, frame: FrameType) -> str | None:
    root: ast.AST = expression.value
    if (text := _of_function(value_of(root, frame))) is not None:
        return text
    while isinstance(root, ast.Subscript):
        root = root.value
    if not isinstance(value_of(expression.value, frame), _compiler.Numeric) and (
        root is expression.value or not _is_tensor(root, frame)
    ):
        return None
    if isinstance(expression.ctx, ast.Store):
        return "an element is stored with all its coordinates at once: `t[i, j] = x`"
    return "an element is taken with all its coordinates at once: `t[i, j]`"


def _of_function(function: object) -> str | None:
    if function is _UNKNOWN or isinstance(function, type) or not callable(function):
        return None
    return "call the function: `cute.arch.thread_idx()`, `cute.arch.elect_one()`"


def _of_operator(operator: ast.AST, operands: list[ast.expr], frame: FrameType) -> str | None:
    if isinstance(operator, ast.MatMult):
        return "products of matrices are made by MMA atoms: `cute.gemm(mma, d, a, b, c)`"
    if isinstance(operator, (ast.In, ast.NotIn)):
        if _is_tensor(operands[1], frame):
            return "compare elements in a loop: `for i in range(n): found = found or t[i] == x`"
        return None
    if any(_is_tensor(operand, frame) for operand in operands):
        return (
            "elements are computed with: `a[i] + b[i]`, or of small static tensors all at once, "
            "`a.load() + b.load()`"
        )
    if any(_is_tuple(operand, frame) for operand in operands):
        functions = "`cute.arch.thread_idx()`, `block_idx()`, `block_dim()` and `grid_dim()`"
        return f"{functions} give tuples: `i, _, _ = cute.arch.thread_idx()`"
    if any(isinstance(value_of(operand, frame), complex) for operand in operands):
        return "kernels have no complex numbers: pass real and imaginary parts as tensors of floats"
    return None


def _is_tensor(expression: ast.AST, frame: FrameType) -> bool:
    return isinstance(value_of(expression, frame), _compiler.Tensor)


def _is_tuple(expression: ast.AST, frame: FrameType) -> bool:
    if isinstance(expression, ast.Call):
        return getattr(expression.func, "attr", getattr(expression.func, "id", "")) in _TUPLES
    if isinstance(expression, ast.BinOp):
        return any(_is_tuple(side, frame) for side in (expression.left, expression.right))
    return isinstance(value_of(expression, frame), tuple)
