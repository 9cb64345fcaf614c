"""Advice that is added to the message of an error in a traced program: how to write it instead."""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import re
import sys
from types import FrameType, ModuleType, NoneType
from typing import Any

from fairlead import _compiler, _hints
from fairlead.errors import DSLError, make_error

Position = tuple[int, int, int, int]  # line, end line, column, end column (bytes)

_TUPLES = "`cute.arch.thread_idx()`, `block_idx()`, `block_dim()` and `grid_dim()` give tuples"
#: Errors about a run-time value: what to write may depend on the call that got it.
_RUN_TIME = ("DynamicNumber", "DynamicBool")
#: Messages of Python's own -> advice, where the objects are Fairlead's.
_OF_PYTHON = (
    (
        r"unsupported operand type\(s\) for @",
        "products of matrices are made by MMA atoms: `cute.gemm(mma, d, a, b, c)`",
    ),
    (
        r"(?:unsupported operand type\(s\) for .*|'\S+' not supported between instances of .*)'Tensor'",
        "elements are computed with: `a[i] + b[i]`, or of small static tensors all at once, `a.load() + b.load()`",
    ),
    (
        r"'(?:\w+\.)*Tensor' object is not callable",
        "elements are taken by brackets: `t[i]`, `t[i, j]`",
    ),
    (
        r"KernelCall\.launch\(\) takes 1 positional argument",
        "name them: `.launch(grid=(x, y, z), block=(x, y, z))`",
    ),
    (
        r"'tuple' object has no attribute '[xyz]'",
        "`cute.arch.thread_idx()` and the like give tuples: `x, y, z = cute.arch.thread_idx()`",
    ),
    (
        r"can't multiply sequence by non-int of type 'tuple'|unsupported operand type\(s\) for .*'tuple'",
        _TUPLES + ": `i, _, _ = cute.arch.thread_idx()`",
    ),
    (
        r"only integers, slices",
        "an array of NumPy takes no run-time index: pass it to the `@cute.jit` function as an argument "
        "(`x: cute.Tensor`), or use `cute.make_rmem_tensor((n,), cute.Float32)`",
    ),
    (
        r"load\(\)(?:: incompatible function arguments| got an unexpected keyword argument)",
        "`t.load()` takes all elements of a small tensor and no mask; one element where there is one: "
        "`if i < n: x = t[i]`",
    ),
    (
        r"'(?:Float|BFloat|Int|Uint|Boolean)\w*' object is not subscriptable",
        "an element is taken with all its coordinates at once: `t[i, j]`",
    ),
    (
        r"type (?:Float|BFloat)\w* doesn't define __(round|trunc)__",
        "`cute.math.floor(x + 0.5)`; `x.to(cute.Int32)` truncates",
    ),
    (
        r"copy\(\) missing 1 required positional argument: 'dst'",
        "its first argument is a copy atom: `cute.copy(atom, src, dst)`; without one `cute.autovec_copy(src, dst)`",
    ),
    (
        r"make_layout\(\) takes 1 positional argument",
        "name the strides: `cute.make_layout(shape, stride=(1, 4))`",
    ),
    (
        r"barrier(?:_arrive)?\(\) takes 0 positional",
        "name them: `cute.arch.barrier(barrier_id=1, number_of_threads=64)`",
    ),
    (
        r"sync_threads\(\) takes 0 positional",
        "it takes all threads of the block; for some, `cute.arch.barrier(barrier_id=1, number_of_threads=64)`",
    ),
    (
        r"atomic_cas\(\) takes 1 positional",
        "name them: `cute.arch.atomic_cas(t.iterator + i, cmp=expected, val=value)`",
    ),
    (
        r"select\(\) takes 2 positional",
        "`cute.where(condition, a, b)` chooses between values; `cute.select` takes modes of a layout",
    ),
    (
        r"SmemAllocator\.allocate_tensor\(\) (?:missing|got an unexpected keyword)",
        "the type, then a shape or a layout: `allocate_tensor(cute.Float32, (32, 8))`",
    ),
    (
        r"alloc_smem\(\) missing 1 required positional argument: 'size_in_elems'",
        "the number of elements follows the type: `cute.arch.alloc_smem(cute.Float32, 256)`",
    ),
    (
        r"'(?:Float|BFloat|Int|Uint|Boolean)\w*' object does not support item assignment",
        "an element is stored with all its coordinates at once: `t[i, j] = x`",
    ),
    (
        r"'(?:function|nb_func|method|builtin_function_or_method)' object (?:is not subscriptable|does not support)",
        "call the function: `cute.arch.thread_idx()`, `cute.arch.elect_one()`",
    ),
    (
        r"unsupported operand type\(s\) for .*'complex'",
        "kernels have no complex numbers: pass real and imaginary parts as tensors of floats",
    ),
    (
        r"bad operand type for abs\(\): 'Tensor'",
        "elements are computed with: `abs(a[i])`",
    ),
    (
        r"argument of type 'Tensor' is not (?:iterable|a container)",
        "compare elements in a loop: `for i in range(n): found = found or t[i] == x`",
    ),
    (
        r"'NoneType' object has no attribute 'launch'",
        "a function that is launched is decorated with `@cute.kernel`; this one ran as a plain function",
    ),
)


def help_of(error: DSLError, frame: FrameType | None, position: Position | None) -> str | None:
    """Return the help text for an error that was raised below ``frame``, at ``position`` of its source, or None.

    The table of diagnostics has one for the error's id, unless a function of another package was called.
    """
    if error.diagnostic in _RUN_TIME and frame is not None and position is not None:
        if (advice := _of_call(frame, position)) is not None:
            return advice
    return error.help


def note(error: BaseException, frame: FrameType, position: Position) -> None:
    """Add advice to an exception of Python or of another package, and return that exception."""
    advice = (
        _of_keyword(error, frame, position)
        or _of_call(frame, position)
        or _of_extents(error, frame, position)
    )
    for pattern, text in _OF_PYTHON if advice is None else ():
        if re.match(pattern, str(error)):
            advice = text
            break
    if advice is not None and advice not in "".join(getattr(error, "__notes__", ())):
        if hasattr(error, "add_note"):  # Python 3.11
            error.add_note(f"    help: {advice}")


def attribute_error(error: AttributeError) -> DSLError | None:
    """An AttributeError of one of Fairlead's modules or values as a diagnostic."""
    module, owner = getattr(error, "module", None), getattr(error, "obj", None)
    if isinstance(module, str):
        owner = sys.modules[module]
    name = error.name
    if name is None or name.startswith("__") or not _is_ours(owner):
        return None
    shown = owner.__name__ if isinstance(owner, (ModuleType, type)) else type(owner).__name__
    return make_error(
        "UnknownAttribute", help=_hints.of_attribute(owner, name), owner=shown, name=name
    )


def run_time_key(error: BaseException) -> DSLError | None:
    """The lookup of a run-time value in a dict as a diagnostic: its KeyError says no more than `?`."""
    if not isinstance(error, KeyError) or not error.args or not _is_ours(error.args[0]):
        return None
    return make_error("DynamicNumber", use="the key of a dict", type=type(error.args[0]).__name__)


def no_tensor(error: BaseException, frame: FrameType, position: Position) -> DSLError | None:
    """The use of an argument as a tensor that is none (None, a list, a number), as a diagnostic."""
    if isinstance(error, AttributeError):
        if not hasattr(_compiler.Tensor, error.name or ""):
            return None
    elif not re.match(
        r"'\S+' object (?:is not subscriptable|does not support item assignment)", str(error)
    ):
        return None
    expression = _expression(frame.f_code.co_filename, position)
    owner = getattr(expression, "value", None)
    code = frame.f_code
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if not isinstance(owner, ast.Name) or owner.id not in parameters:
        return None
    value = frame.f_locals.get(owner.id)
    plain = (NoneType, list, tuple, dict, str, int, float, _compiler.Numeric)
    if not isinstance(value, plain) or hasattr(value, "shape"):
        return None
    return make_error(
        "ArgumentAnnotation",
        function=code.co_name,
        index=parameters.index(owner.id) - (parameters[0] == "self"),
        name=owner.id,
        expected="a tensor",
        got="None" if value is None else type(value).__name__,
    )


def name_help(name: str, frame: FrameType, position: Position) -> str | None:
    """Advice for a name that is not defined."""
    line, _, _, end = position
    rest = linecache.getline(frame.f_code.co_filename, line).encode()[end:].decode(errors="replace")
    attribute = re.match(r"\.(\w+)", rest) if end > 0 else None
    visible = {*frame.f_locals, *frame.f_globals, *dir(builtins)}
    return _hints.of_name(name, attribute and attribute.group(1), visible)


def _is_ours(owner: object) -> bool:
    if isinstance(owner, ModuleType):
        name = owner.__name__
    else:
        name = (owner if isinstance(owner, type) else type(owner)).__module__
    return isinstance(name, str) and name.partition(".")[0] == "fairlead"


def _expression(filename: str, position: Position) -> ast.expr | None:
    """The expression at a place of a file."""
    line, end_line, column, end_column = position
    lines = [text.encode() for text in linecache.getlines(filename)[line - 1 : end_line]]
    if column < 0 or not lines:
        return None
    lines[-1] = lines[-1][:end_column]
    lines[0] = lines[0][column:]
    try:
        return ast.parse(f"({b''.join(lines).decode(errors='replace')})", mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _of_extents(error: BaseException, frame: FrameType, position: Position) -> str | None:
    """Advice for entries of `shape` that are not there, and attributes that are called."""
    if not isinstance(error, (IndexError, TypeError)):
        return None
    expression = _expression(frame.f_code.co_filename, position)
    inner = (
        expression.func if isinstance(expression, ast.Call) else getattr(expression, "value", None)
    )
    if not isinstance(inner, ast.Attribute) or inner.attr not in ("shape", "stride", "size"):
        return None
    text = ast.unparse(inner)
    if isinstance(expression, ast.Call):
        return f"`{text}` is an attribute: without parentheses"
    owner = ast.unparse(inner.value)
    return f"`{text}` has an entry for each mode, counted from 0: `cute.rank({owner})` in all"


def _called(frame: FrameType, position: Position) -> tuple[str, list[str]] | None:
    """The names of ``root.a.b`` in a call ``root.a.b(...)`` at a place of the frame's source: ``root``, ``[a, b]``."""
    call = _expression(frame.f_code.co_filename, position)
    if not isinstance(call, ast.Call):
        return None
    names: list[str] = []
    function = call.func
    while isinstance(function, ast.Attribute):
        names.insert(0, function.attr)
        function = function.value
    return (function.id, names) if isinstance(function, ast.Name) else None


def _of_keyword(error: BaseException, frame: FrameType, position: Position) -> str | None:
    """The parameter that was probably meant by a keyword that one of Fairlead's functions does not have."""
    match = re.search(r"unexpected keyword argument '(\w+)'", str(error))
    called = _called(frame, position) if match and isinstance(error, TypeError) else None
    if match is None or called is None:
        return None
    root, names = called
    function: Any = frame.f_locals.get(root, frame.f_globals.get(root))
    for name in names:
        function = getattr(function, name, None)
    if not str(getattr(function, "__module__", None)).startswith("fairlead"):
        return None
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    meant = _hints.nearest(match[1], parameters)
    return f"did you mean `{meant}`?" if meant else None


def _of_call(frame: FrameType, position: Position) -> str | None:
    """Advice where a function of another package is called with run-time values: ``np.exp(x)``."""
    called = _called(frame, position)
    if called is None:
        return None
    root_name, names = called
    root = frame.f_locals.get(root_name, frame.f_globals.get(root_name))
    if isinstance(root, ModuleType) and names:
        module, name = root.__name__, names[-1]
    else:
        module = getattr(root, "__module__", None) or type(root).__module__
        name = getattr(root, "__name__", root_name)
    advice = _hints.of_module(module, name) if isinstance(module, str) else None
    text = ".".join((root_name, *names))
    return f"`{text}` takes no run-time values; here it is {advice}" if advice else None
