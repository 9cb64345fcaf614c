"""The prompt at which checked kernels stop: ``breakpoint()`` of the program that runs (docs/debug.md)."""

from __future__ import annotations

import bdb
import builtins
import cmd
import ctypes
import json
import linecache
import math
import os
import sys
from typing import Any, TypeAlias

import numpy as np

__all__ = ["stop"]

#: A value of the run, as the program sends it: text, or lists of values.
Tree: TypeAlias = "str | list[Tree]"
#: Types of NumPy that are called otherwise.
_DTYPES = {"Boolean": "uint8", "BFloat16": "uint16"}
_MEMORY = {"smem": "shared", "rmem": "registers"}


def _leaves(tree: Tree) -> list[int]:
    return (
        [leaf for part in tree for leaf in _leaves(part)] if isinstance(tree, list) else [int(tree)]
    )


def _modes(shape: Tree) -> tuple[int, ...]:
    """Extents of the top-level modes."""
    modes = shape if isinstance(shape, list) else [shape]
    return tuple(math.prod(_leaves(mode)) for mode in modes)


def _text(tree: Tree) -> str:
    return f"({','.join(map(_text, tree))})" if isinstance(tree, list) else tree


class _Tensor:
    """A tensor in memory, whose elements are read on access."""

    def __init__(self, kind: str, memory: str, address: str, shape: Tree, stride: Tree) -> None:
        self.kind, self.shape, self.stride = kind, shape, stride
        self.memory, self.address = _MEMORY.get(memory, "global"), int(address)

    def head(self) -> str:
        return f"{self.kind} {_text(self.shape)}:{_text(self.stride)}, {self.memory}"

    def array(self) -> np.ndarray | None:
        """Its elements; modes that consist of modes as one, the first of them fastest. None where NumPy has no such
        type or there is no memory."""
        try:
            dtype = np.dtype(_DTYPES.get(self.kind, self.kind.lower()))
        except TypeError:
            return None
        extents = _leaves(self.shape)
        if not self.address or not math.prod(extents):
            return None if math.prod(extents) else np.empty(_modes(self.shape), dtype)
        first = (ctypes.c_char * dtype.itemsize).from_address(self.address)
        strides = [step * dtype.itemsize for step in _leaves(self.stride)]
        view = np.lib.stride_tricks.as_strided(
            np.frombuffer(memoryview(first), dtype), extents, strides, writeable=False
        )
        return _widened(view.reshape(_modes(self.shape), order="F"), self.kind)


def _widened(array: np.ndarray, kind: str) -> np.ndarray:
    if kind == "Boolean":
        return array.astype(bool)
    if kind == "BFloat16":
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array


class _Elements(_Tensor):
    """A tensor of registers, whose elements were handed over."""

    def __init__(self, kind: str, shape: Tree, values: list[str]) -> None:
        super().__init__(kind, "rmem", "0", shape, [])
        read = float if "Float" in kind else int
        self.values = np.array([read(value) for value in values])

    def head(self) -> str:
        return f"{self.kind} {_text(self.shape)}, {self.memory}"

    def array(self) -> np.ndarray:
        array = self.values.astype(bool) if self.kind == "Boolean" else self.values
        return array.reshape(_modes(self.shape), order="F")


class _Address(int):
    def __repr__(self) -> str:
        return hex(self)


class _Plain:
    """A value known only as text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _read(message: list[Any]) -> Any:
    """A variable of the message (fairlead._tracing.stops)."""
    kind, *rest = message
    if kind == "number":
        name, text = rest
        value = float(text) if "Float" in name else int(text)
        return bool(value) if name == "Boolean" else value
    if kind == "tensor":
        return _Tensor(*rest)
    if kind == "elements":
        return _Elements(*rest)
    if kind == "address":
        return _Address(rest[1])
    if kind == "tuple":
        return tuple(map(_read, rest[0]))
    if kind == "fields":
        return {name: _value(_read(part)) for name, part in rest[1].items()}
    return _Plain(rest[0])


def _value(read: object) -> Any:
    """The names of an expression at the prompt."""
    if not isinstance(read, _Tensor):
        return read
    array = read.array()
    return _Plain(read.head()) if array is None else array


class _Stop:
    """One thread at one breakpoint."""

    def __init__(self, message: dict[str, Any]) -> None:
        self.function, self.file, self.line = message["function"], message["file"], message["line"]
        self.block, self.thread = (tuple(map(int, message[name])) for name in ("block", "thread"))
        self.variables = {name: _read(part) for name, part in message["variables"].items()}

    def where(self) -> str:
        source = linecache.getline(self.file, self.line).strip()
        place = f"{os.path.basename(self.file)}({self.line}){self.function}()"
        return f"> {place}, block {self.block}, thread {self.thread}\n-> {source}"

    def locals(self) -> str:
        lines = []
        for name, read in self.variables.items():
            head, value = "", _value(read)
            if isinstance(read, _Tensor):
                head = f"{read.head()}: "
            if isinstance(value, np.ndarray):
                text = np.array2string(value, threshold=16, edgeitems=2).replace("\n", "")
            else:
                text = repr(value)
            lines.append(f"{name} = {head}{text}" if text != head[:-2] else f"{name} = {text}")
        return "\n".join(lines)

    def evaluate(self, text: str) -> Any:
        names = {name: _value(read) for name, read in self.variables.items()}
        return eval(text, {"__builtins__": builtins, "np": np}, names)


class _Prompt(cmd.Cmd):
    """Commands are those of pdb."""

    prompt = "(fairlead) "

    def __init__(self, stop: _Stop) -> None:
        super().__init__()
        self.stop = stop

    def do_p(self, text: str) -> None:
        """p EXPRESSION: its value. Names are the kernel's variables, tensors are arrays of NumPy (np)."""
        try:
            value = self.stop.evaluate(text)
            print(value if isinstance(value, np.generic) else repr(value))
        except Exception as error:
            print(f"*** {type(error).__name__}: {error}")

    def default(self, line: str) -> None:
        if line == "EOF":
            self.do_quit("")
        self.do_p(line)

    def do_locals(self, _: str) -> None:
        """All variables."""
        print(self.stop.locals())

    def do_where(self, _: str) -> None:
        """The place, the block and the thread."""
        print(self.stop.where())

    def do_list(self, _: str) -> None:
        """The lines around."""
        for line in range(max(1, self.stop.line - 5), self.stop.line + 6):
            if text := linecache.getline(self.stop.file, line):
                print(f"{line:4}{' ->' if line == self.stop.line else '   '} {text}", end="")

    def do_continue(self, _: str) -> bool:
        """Goes on to the next stop."""
        return True

    def do_quit(self, _: str) -> None:
        """Stops nowhere else in this launch; the call raises bdb.BdbQuit."""
        raise bdb.BdbQuit

    def emptyline(self) -> bool:
        return False

    do_c, do_l, do_q, do_w = do_continue, do_list, do_quit, do_where


def stop(message: str) -> None:
    """A thread of a checked kernel has come to ``breakpoint()``. Without a terminal its variables are shown."""
    if os.environ.get("PYTHONBREAKPOINT") == "0":
        return
    here = _Stop(json.loads(message))
    print(here.where())
    if sys.stdin is not None and sys.stdin.isatty():
        _Prompt(here).cmdloop()
    else:
        print(here.locals())
    sys.stdout.flush()
