"""Reduces a PTX kernel while a property of it holds, such as "ptxas assembles it wrongly".

A reduced kernel stays well defined. An instruction is never just removed: its results become zero, and instructions
whose results nobody reads disappear. Addresses, parameters and barriers stay, with the instructions that compute them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable

_REGISTER = re.compile(r"%[A-Za-z_]+\d+\b")
_DECLARATION = re.compile(r"\.reg\s+\.(\w+)\s+(%[A-Za-z_]+)<\d+>")
_INSTRUCTION = re.compile(r"^\s*(?:@!?%p\d+\s+)?([a-z]\w*(?:[.:]+\w+)*)\s+([^;]*);[^;]*$")
_ADDRESS = re.compile(r"\[([^\]]*)\]")
_MOVE = {"pred": "pred", "b16": "b16", "b32": "b32", "b64": "b64", "f32": "f32", "f64": "f64"}
_ZERO = {"f32": "0f00000000", "f64": "0d0000000000000000"}
#: They make threads depend on each other: the branches around them stay.
_TOGETHER = ("bar", "barrier", "shfl", "vote", "match", "activemask", "atom", "redux", "mbarrier")
_WITHOUT_RESULT = ("st", "red", "bra", "bar", "barrier", "ret", "exit", "fence", "membar", "call")


class Line:
    """A line of a kernel's body: its operation, and the registers that it writes and reads."""

    def __init__(self, text: str) -> None:
        self.text = text
        match = None if "//" in text.split(";")[0] else _INSTRUCTION.match(text)
        self.operation = match.group(1) if match else ""
        self.family = self.operation.split(".")[0]
        self.writes: set[str] = set()
        operands = match.group(2) if match else ""
        if match and self.family not in _WITHOUT_RESULT:
            end = operands.index("}") + 1 if operands.startswith("{") else 0
            first = operands[:end] if end else operands.split(",")[0]
            self.writes = set(_REGISTER.findall(first))
        self.reads = set(_REGISTER.findall(text)) - self.writes
        # A register may be both.
        self.reads |= self.writes & set(_REGISTER.findall(operands.partition(",")[2]))
        self.addresses = {
            name for part in _ADDRESS.findall(text) for name in _REGISTER.findall(part)
        }

    @property
    def guard(self) -> set[str]:
        return set(re.findall(r"@!?(%p\d+)", self.text))


def reduced(ptx: str, holds: Callable[[str], bool], seconds: float = 60) -> str:
    """Return the smallest kernel found in ``seconds`` that still satisfies ``holds``."""
    head, body, tail = _split(ptx)
    types = dict((prefix, kind) for kind, prefix in _DECLARATION.findall(ptx))
    end = time.monotonic() + seconds

    def text(lines: Iterable[str]) -> str:
        return "\n".join([*head, *lines, *tail])

    while True:
        before = list(body)
        body = _without(body, lambda lines, at: _simpler(lines, at, types), holds, text, end)
        body = _without(body, _dead, holds, text, end)
        if body == before or time.monotonic() > end:
            return text(body)


def _split(ptx: str) -> tuple[list[str], list[str], list[str]]:
    lines = ptx.splitlines()
    first = next(at for at, line in enumerate(lines) if line.strip() == "{") + 1
    last = max(at for at, line in enumerate(lines) if line.strip() == "}")
    return lines[:first], lines[first:last], lines[last:]


Edit = Callable[[list[str], set[int]], list[str]]


def _without(body: list[str], edit: Edit, holds, text, end: float) -> list[str]:
    """Edits halves of the lines, then quarters, down to single lines; keeps what still holds."""
    size = len(body)
    while size and time.monotonic() < end:
        for first in reversed(range(0, len(body), size)):
            candidate = edit(body, set(range(first, min(first + size, len(body)))))
            if candidate != body and holds(text(candidate)):
                body = candidate
            if time.monotonic() > end:
                break
        size //= 2
    return body


def _kept_registers(lines: list[Line]) -> set[str]:
    """Registers that addresses depend on; those of branches too if threads work together."""
    kept = set().union(*(line.addresses for line in lines))
    if any(line.family in _TOGETHER for line in lines):
        kept |= set().union(*(line.guard for line in lines if line.family == "bra"))
    while True:
        more = set().union(*(line.reads for line in lines if line.writes & kept)) - kept
        if not more:
            return kept
        kept |= more


def _simpler(body: list[str], chosen: set[int], types: dict[str, str]) -> list[str]:
    """The chosen instructions give zero; stores to global memory and conditional branches are gone."""
    lines = [Line(text) for text in body]
    kept = _kept_registers(lines)
    together = any(line.family in _TOGETHER for line in lines)
    result: list[str] = []
    for at, line in enumerate(lines):
        if at not in chosen or not line.operation:
            result.append(line.text)
        elif line.operation.startswith("st.global") or (
            line.family == "bra" and line.guard and not together
        ):
            continue
        elif line.writes and not line.writes & kept and not line.operation.startswith("ld.param"):
            result.extend(_zeros(line, types))
        else:
            result.append(line.text)
    return result


def _zeros(line: Line, types: dict[str, str]) -> list[str]:
    kinds = {name: types.get(name.rstrip("0123456789"), "") for name in sorted(line.writes)}
    if any(kind not in _MOVE for kind in kinds.values()):
        return [line.text]
    return [f"\tmov.{_MOVE[kind]} {name}, {_ZERO.get(kind, '0')};" for name, kind in kinds.items()]


def _dead(body: list[str], chosen: set[int]) -> list[str]:
    """Without the chosen instructions whose results no other line reads."""
    lines = [Line(text) for text in body]
    result = []
    for at, line in enumerate(lines):
        read = any(line.writes & other.reads for place, other in enumerate(lines) if place != at)
        unread = line.writes and not read and line.family not in _TOGETHER
        if not (at in chosen and unread) and line.text.strip():
            result.append(line.text)
    return result
