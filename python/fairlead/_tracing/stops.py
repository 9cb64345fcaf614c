"""``breakpoint()`` and ``print`` of kernels that are checked: the threads of a filter stop, or print their values."""

from __future__ import annotations

import builtins
import inspect
import json
import math
import os
import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TextIO

from fairlead import _compiler
from fairlead._tracing import checking
from fairlead._tracing.marks import is_ours
from fairlead._tracing.state import state
from fairlead.errors import make_error

#: Elements of registers that a stop shows; they are handed over one by one.
_MOST_ELEMENTS = 256
_RANGE = r"\d+(?:-\d+)?"
_WORD = re.compile(rf"(block|thread)=(all|{_RANGE}|\({_RANGE}(?:,{_RANGE}){{0,2}}\))(?:,|$)")

Ranges = list[tuple[int, int]]


def _filter(text: str) -> dict[str, Ranges | None]:
    """The ranges of ``block=1,thread=(0-31,2)``: three for each, None for all. ValueError for other texts."""
    named: dict[str, Ranges | None] = {"block": [(0, 0)] * 3, "thread": [(0, 0)] * 3}
    rest = text.replace(" ", "")
    while rest:
        word = _WORD.match(rest)
        if word is None:
            raise make_error(
                "OptionValue",
                option="FAIRLEAD_CHECK_THREADS",
                expected="a filter such as block=0,thread=3, block=(1,0,0),thread=0-31 or thread=all",
                got=text,
            )
        ranges = [part.partition("-") for part in re.findall(_RANGE, word[2])]
        ranges_of_blocks = [(int(low), int(high or low)) for low, _, high in ranges]
        named[word[1]] = (
            ranges_of_blocks + [(0, 0)] * (3 - len(ranges_of_blocks)) if ranges_of_blocks else None
        )
        rest = rest[word.end() :]
    return named


def _in_named_threads(body: Callable[[], None]) -> None:
    """``body`` is traced for the threads that the filter names."""
    text = checking.threads
    if text is None:
        text = os.environ.get("FAIRLEAD_CHECK_THREADS", "")
    named, condition = _filter(text), None
    for ranges, indices in (
        (named["block"], _compiler.block_idx()),
        (named["thread"], _compiler.thread_idx()),
    ):
        for (low, high), index in zip(ranges or (), indices):
            part = (index >= low) & (index <= high)
            condition = part if condition is None else condition & part
    if condition is None:
        body()
    else:
        _compiler.if_else(condition, [], [], lambda: _nothing(body), lambda: [])


def _nothing(body: Callable[[], None]) -> list[Any]:
    """Run ``body``, which gives no values."""
    body()
    return []


class _Message:
    """JSON text with C's conversions in place of values that are known only at run time."""

    def __init__(self) -> None:
        self.values: list[Any] = []

    def number(self, value: object) -> str:
        """A number as a string of the message; `values` keeps the order of the text."""
        if not isinstance(value, _compiler.Numeric):
            return self.text(value)
        self.values.append(value)
        name = type(value).__name__
        return "%.17g" if "Float" in name else "%llu" if name.startswith("Uint") else "%lld"

    @staticmethod
    def text(value: object) -> str:
        return str(value).replace("%", "%%")

    def numbers(self, value: object) -> Any:
        """A shape or stride, as nested as it is."""
        if isinstance(value, tuple):
            return [self.numbers(part) for part in value]
        return self.number(value)

    def tensor(self, tensor: _compiler.Tensor) -> list[Any]:
        # Swizzled elements, and coordinates, lie nowhere as an array.
        layout, first = tensor.layout, tensor.iterator
        if not (isinstance(layout, _compiler.Layout) and isinstance(first, _compiler.Pointer)):
            return ["text", self.text(tensor)]
        kind, memory = tensor.element_type.__name__, tensor.memspace.name
        if memory == "rmem":
            return self.elements(tensor.load(), kind)
        address = self.number(first.toint())
        return ["tensor", kind, memory, address, *map(self.numbers, (tensor.shape, tensor.stride))]

    def elements(self, values: _compiler.TensorExpr, kind: str) -> list[Any]:
        """The elements in registers, mode 0 fastest."""
        shape = values.shape
        count = math.prod(_flat(shape))
        if count > _MOST_ELEMENTS:
            return ["text", f"{kind} {shape} in registers"]
        return [
            "elements",
            kind,
            self.numbers(shape),
            [self.number(values[i]) for i in range(count)],
        ]

    def variable(self, value: _compiler.Numeric) -> list[Any] | None:
        """None for objects that are no values: functions, classes, modules."""
        if callable(value) or inspect.ismodule(value):
            return None
        if isinstance(value, _compiler.Numeric):
            return ["number", type(value).__name__, self.number(value)]
        if isinstance(value, _compiler.Tensor):
            return self.tensor(value)
        if isinstance(value, _compiler.TensorExpr):
            return self.elements(value, value.element_type.__name__)
        if isinstance(value, _compiler.Pointer):
            return ["address", self.text(value), self.number(value.toint())]
        if isinstance(value, (tuple, list)):
            parts = [self.variable(part) for part in value]
            return ["tuple", [part or ["text", "..."] for part in parts]]
        if hasattr(type(value), "__dataclass_fields__"):
            fields = {name: getattr(value, name) for name in type(value).__dataclass_fields__}
            return ["fields", type(value).__name__, self.variables(fields)]
        return ["text", self.text(repr(value))]

    def variables(self, values: dict[str, Any]) -> dict[str, Any]:
        shown = {}
        for name, value in values.items():
            before = len(self.values)
            try:
                variable = self.variable(value)
            except Exception as error:  # a value that cannot be shown must not end the compile
                del self.values[before:]
                variable = ["text", self.text(f"<{type(error).__name__}: {error}>")]
            if variable is not None:
                shown[name] = variable
        return shown


def _flat(shape: tuple[Any, ...]) -> list[int]:
    return [leaf for part in shape for leaf in _flat(part)] if isinstance(shape, tuple) else [shape]


def _variables(frame: FrameType) -> dict[str, Any]:
    """The variables of the function that ``frame`` runs, whose regions are functions inside it."""
    code = frame.f_code
    frames: list[FrameType] = []
    inner: FrameType | None = frame
    while inner is not None:
        here = inner.f_code
        if not is_ours(here):
            if (here.co_filename, here.co_name) != (code.co_filename, code.co_name):
                break
            frames.append(inner)
        inner = inner.f_back
    variables: dict[str, Any] = {}
    for outer in reversed(frames):
        variables.update(
            (name, value)
            for name, value in outer.f_locals.items()
            if name != "_" and not name.startswith(("_fl", "."))
        )
    return variables


def stop() -> None:
    """``breakpoint()`` of a rewritten function."""
    frame = sys._getframe(1)
    if state.program is None or not state.program.in_kernel():
        builtins.breakpoint()
        return
    if not state.checked:
        raise make_error("BreakpointUnchecked", kernel=frame.f_code.co_name)
    line, variables = frame.f_lineno, _variables(frame)

    def body() -> None:
        message = _Message()
        stop_message = {
            "function": message.text(frame.f_code.co_name),
            "file": message.text(frame.f_code.co_filename),
            "line": line,
            "block": [message.number(index) for index in _compiler.block_idx()],
            "thread": [message.number(index) for index in _compiler.thread_idx()],
            "variables": message.variables(variables),
        }
        _compiler.stop(json.dumps(stop_message), message.values)

    _in_named_threads(body)


def show(
    *args: object,
    sep: str | None = None,
    end: str | None = None,
    file: TextIO | None = None,
    flush: bool = False,
) -> None:
    """``print`` of a rewritten function: of values of the run in a checked kernel, when it runs."""
    values = (_compiler.Numeric, _compiler.Tensor, _compiler.TensorExpr, _compiler.Pointer)
    checked = state.checked and state.program is not None and state.program.in_kernel()
    if not checked or file is not None or not any(isinstance(arg, values) for arg in args):
        print(*args, sep=sep, end=end, file=file, flush=flush)
        return

    def body() -> None:
        texts = ["block (", ", ", ", ", "), thread (", ", ", ", ", "): "]
        between = " " if sep is None else str(sep)
        texts += [between] * (len(args) - 1) + ["\n" if end is None else str(end)]
        places = [*_compiler.block_idx(), *_compiler.thread_idx()]
        _compiler.print_values(texts, [*places, *args])

    _in_named_threads(body)
