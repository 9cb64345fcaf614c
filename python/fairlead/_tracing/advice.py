"""What the message of an error in a traced program adds: how to write it instead."""

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
#: Beginnings of messages -> advice, for errors whose place does not matter.
_BY_TEXT: tuple[tuple[str, str], ...] = (
    (
        r".* is only known inside a kernel",
        "decorate the function with `@cute.kernel`, and launch it from a function decorated with `@cute.jit`: "
        "`kernel(...).launch(grid=..., block=...)`",
    ),
    (
        r"a Python index needs a compile-time number",
        "lists and tuples of Python are indexed at compile time: keep the values in "
        "`cute.make_rmem_tensor((n,), cute.Float32)`, or let the index come from `cute.range_constexpr(n)`",
    ),
    (
        r"a tensor's slice takes all elements of a mode",
        "a part of a tensor: `cute.local_tile(t, (n,), (i,))` is its i-th tile of n elements, "
        "`cute.domain_offset((i,), t)` what begins at i",
    ),
    (
        r"len\(\) needs a compile-time number",
        "`t.shape[0]` is the extent as a run-time value",
    ),
    (
        r"a coordinate of 3 entries does not fit a tensor of [12] modes",
        _TUPLES + ": `i, _, _ = cute.arch.thread_idx()`",
    ),
    (
        r"a tensor is indexed with integers, but got (?:tuple|a tuple)",
        _TUPLES + ": `i, _, _ = cute.arch.thread_idx()`",
    ),
    (
        r"a tensor is indexed with integers, but got (?:float|Float\d+)",
        "`/` makes a float: divide integers by `//`, or convert with `.to(cute.Int32)`",
    ),
    (
        r"`(\w+)` must keep its type in a run-time `(\w+)`, but it was (?:Int\d+|Boolean) before and is (B?Float\d+)",
        "begin with a number of that type: `{0} = cute.{2}(0)` before the `{1}`",
    ),
    (
        r"`(\w+)` must keep its type in a run-time `(\w+)`, but it was (\w+) before and is (\w+)",
        "convert what is assigned, `.to(cute.{2})`, or begin with a `cute.{3}` before the `{1}`",
    ),
    (
        r"`.+` cannot change from (\w+) to None in a run-time",
        "both arms give a value of one type: a `cute.{0}(0)` in place of None",
    ),
    (
        r"`(\w+)` is None, which cannot change in a run-time `(\w+)`",
        "begin with a number of the type that it will have: `{0} = cute.Float32(0)`",
    ),
)
#: Errors about a run-time value, whose advice may depend on the call that got it.
_RUN_TIME = r"needs a compile-time number|cannot be tested while tracing"
#: Since state that regions change is followed.
_HIDDEN = (
    "it has left the region through something that is not looked into, such as a cache, a queue or an object of a C "
    "library: keep it in a variable, an attribute or a list that has a value before"
)
_SIZE = "is a compile-time constant: give a number, "
_BY_TEXT += (
    (
        r"range_constexpr needs a compile-time value",
        "`range(n)` is a loop at run time; an extent is a compile-time constant where the stand-in has a number for it",
    ),
    (
        r"a register tensor needs a static layout",
        f"how many registers a thread has {_SIZE}`cute.make_rmem_tensor((4,), cute.Float32)`",
    ),
    (
        r"expected compile-time numbers for shared memory",
        f"the size of shared memory {_SIZE}`allocate_tensor(cute.Float32, 256)`",
    ),
    (
        r"range\(\) in a comprehension or in a function that is not decorated",
        "write the loop out, `total = cute.Float32(0)`, then `for i in range(n): total += a[i]`, or decorate the "
        "function with `@cute.jit`",
    ),
    (
        r"unsupported operands? for (?:&|\||\^|~|<<|>>): (?:\w+ and )?(?:Float|BFloat|float)",
        "integers have bits: `x.to(cute.Int32)` converts, `x.bitcast(cute.Int32)` takes the float's own bits",
    ),
    (
        r"the launch of kernel `.*` needs integers for grid and block, but got Float",
        "`/` makes a float: `cute.ceil_div(n, 256)`, or `//`",
    ),
    (
        r"the launch of kernel `.*` needs integers for grid and block, but got \(",
        "at most three: `grid=(x, y, z)`, `block=(x, y, z)`",
    ),
    (
        r"expected a numeric class such as Float32, but got (?:'|<class 'numpy|torch\.)",
        "types have names of their own here: `cute.Float32`, `cute.Int32`; that of a tensor is `t.element_type`",
    ),
    (
        r"float\(\) needs a compile-time number",
        "an array of NumPy cannot hold a run-time value: pass it to the `@cute.jit` function as an argument "
        "(`x: cute.Tensor`), or use `cute.make_rmem_tensor((n,), cute.Float32)`",
    ),
)
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
        r"load\(\): incompatible function arguments",
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
        r"'NoneType' object has no attribute 'launch'",
        "a function that is launched is decorated with `@cute.kernel`; this one ran as a plain function",
    ),
)


def help_of(error: DSLError, frame: FrameType | None, position: Position | None) -> str | None:
    """Advice for an error of Fairlead's that was raised below ``frame``, at ``position`` of its source."""
    if error.help:
        return error.help
    text = error.args[0] if error.args else ""
    if frame is not None and position is not None and re.search(_RUN_TIME, text):
        if found := _of_call(frame, position):
            return found
    if frame is not None and text.startswith("a value computed inside a run-time"):  # EscapedValue
        return _HIDDEN
    for pattern, advice in _BY_TEXT:
        if match := re.match(pattern, text):
            return advice.format(*match.groups())
    return None


def note(error: BaseException, frame: FrameType, position: Position) -> None:
    """Adds advice to an exception of Python or of another package, which stays what it is."""
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
    return make_error(
        "DynamicNumber",
        help="a dict is looked up while tracing: write `if` and `elif`, or keep the values in "
        "`cute.make_rmem_tensor((n,), cute.Float32)`",
        use="the key of a dict",
        type=type(error.args[0]).__name__,
    )


def no_tensor(error: BaseException, frame: FrameType, position: Position) -> DSLError | None:
    """The use of an argument as a tensor that is none (None, a list, a number), as a diagnostic."""
    if isinstance(error, AttributeError):
        if not hasattr(_compiler.Tensor, error.name or ""):
            return None
    elif not re.match(
        r"'\S+' object (?:is not subscriptable|does not support item assignment)", str(error)
    ):
        return None
    found = _expression(frame.f_code.co_filename, position)
    owner = getattr(found, "value", None)
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
    known = {*frame.f_locals, *frame.f_globals, *dir(builtins)}
    return _hints.of_name(name, attribute and attribute.group(1), known)


def _is_ours(owner: Any) -> bool:
    if isinstance(owner, ModuleType):
        name = owner.__name__
    else:
        name = (owner if isinstance(owner, type) else type(owner)).__module__
    return isinstance(name, str) and name.partition(".")[0] == "fairlead"


def _expression(filename: str, position: Position) -> ast.expr | None:
    """The expression at a place of a file."""
    line, end_line, column, end_column = position
    lines = [each.encode() for each in linecache.getlines(filename)[line - 1 : end_line]]
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
    found = _expression(frame.f_code.co_filename, position)
    inner = found.func if isinstance(found, ast.Call) else getattr(found, "value", None)
    if not isinstance(inner, ast.Attribute) or inner.attr not in ("shape", "stride", "size"):
        return None
    text = ast.unparse(inner)
    if isinstance(found, ast.Call):
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
    found = _hints.of_module(module, name) if isinstance(module, str) else None
    text = ".".join((root_name, *names))
    return f"`{text}` takes no run-time values; here it is {found}" if found else None
