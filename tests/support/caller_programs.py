"""Random programs whose helper functions get state of Python by several names, against Python's own results.

A program makes some state that variables, containers, attributes and closures name, calls a helper that changes it or
binds its parameters again under run-time control flow, and then changes it by its own names.
"""

from __future__ import annotations

import random
import textwrap
from typing import NamedTuple

from support.state_programs import STATEMENTS, Program, filled, marked


class State(NamedTuple):
    """State that a program and its helper share.

    Attributes:
        setup: lines that make it: ``a`` and ``b``, and other names of them.
        ways: statements that change ``{p}`` in place; ``{v}`` is the new value.
        made: expressions for another one like ``{p}``.
        shown: an expression that gives a number for ``{p}``.
        others: expressions for ``a`` or ``b`` by other names.
    """

    name: str
    setup: list[str]
    ways: list[str]
    made: list[str]
    shown: str
    others: list[str]


_CONTAINERS = ["o = Plain(x)", "o.l, o.second = a, b", 'd = {"l": a, "m": b}', "t = (a, b)"]
_IN_CONTAINERS = ["o.l", 'd["l"]', "t[0]", "t[1]", "get()"]
_CLOSURES = ["def get():", "    return a", "def put(value):"]


def _state(name: str, first: list[str], change: str, **others: object) -> State:
    setup = [*first, *_CONTAINERS, *_CLOSURES, f"    {change}", "    return value"]
    return State(name, setup, **others)  # type: ignore[arg-type]


STATES = [
    _state(
        "list",
        ["a = [x, 3]", "b = [y, 4]"],
        "a[0] = value",
        ways=["{p}[0] = {v}", "{p}[1] += {v}", "{p}[0], {p}[1] = {p}[1], {v}", "put_item({p}, 0, {v})"],
        made=["[{v}, {p}[1]]", "[{p}[1], {v}]", "list({p})", "[k + 1 for k in {p}]", "{p}[::-1]"],
        shown="total({p})",
        others=_IN_CONTAINERS,
    ),
    _state(
        "nested list",
        ["a = [[x, 3], [y, 1]]", "b = [a[0], [4, y]]", "c = a[0]"],
        "a[0][0] = value",
        ways=["{p}[0][0] = {v}", "{p}[1][1] += {v}", "put_item({p}[0], 1, {v})", "c[0] = {v}"],
        made=["[[{v}, 2], {p}[1]]", "[list(k) for k in {p}]", "[{p}[1], {p}[0]]", "[{p}[0], [{v}, 1]]"],
        shown="total({p}[0]) * 3 + total({p}[1])",
        others=_IN_CONTAINERS,
    ),
    _state(
        "tuple of a list",
        ["a = ([x, 3], 1)", "b = (a[0], 2)", "c = a[0]"],
        "a[0][0] = value",
        ways=["{p}[0][0] = {v}", "{p}[0][1] += {v}", "put_item({p}[0], 1, {v})", "c[0] = {v}"],
        made=["([{v}, 2], {p}[1])", "({p}[0], {v})", "(list({p}[0]), 4)"],
        shown="total({p}[0]) * 3 + {p}[1]",
        others=_IN_CONTAINERS,
    ),
    _state(
        "dataclass",
        ["a = Record(x, 3)", "b = Record(y, 4)"],
        "a.value = value",
        ways=["{p}.value = {v}", "{p}.second += {v}", "put_attribute({p}, {v})"],
        made=["Record({v}, {p}.second)", "Record({p}.second, {v})"],
        shown="{p}.value * 3 + {p}.second",
        others=_IN_CONTAINERS,
    ),
    _state(
        "native struct",
        ["a = Native(x, 3)", "b = Native(y, 4)"],
        "a.value = value",
        ways=["{p}.value = {v}", "{p}.second += {v}", "put_attribute({p}, {v})"],
        made=["Native({v}, {p}.second)", "Native({p}.second, {v})"],
        shown="{p}.value * 3 + {p}.second",
        others=_IN_CONTAINERS,
    ),
    _state(
        "dict",
        ['a = {"k": x, "m": 3}', 'b = {"k": y, "m": 4}'],
        'a["k"] = value',
        ways=['{p}["k"] = {v}', '{p}["m"] += {v}', 'put_item({p}, "k", {v})'],
        made=['dict(k={v}, m={p}["m"])', "dict({p})"],
        shown="totals({p})",
        others=_IN_CONTAINERS,
    ),
    _state(
        "object",
        ["a = Plain(x)", "b = Plain(y)"],
        "a.value = value",
        ways=["{p}.value = {v}", "{p}.put({v})", "{p}.put_plain({v})", "put_attribute({p}, {v})"],
        made=["Plain({v})"],
        shown="{p}.value",
        others=_IN_CONTAINERS,
    ),
]  # fmt: skip

_VALUES = ("y", "y + 1", "7", "x + y", "z", "x * 2")


class _Maker:
    """Makes one program."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._pick = random.Random(seed)
        self._state = self._pick.choice(STATES)
        self._counters = 0
        self._is_helper = False
        # Names that statements may use, and names that they may bind.
        self._names: list[str] = []
        self._bound: list[str] = []

    def program(self) -> Program:
        helper = self._helper()
        state, pick = self._state, self._pick
        others = [each for each in state.others if pick.random() < 0.5]
        self._names, self._bound = ["a", "b", *others], []
        before = self._block(1) if pick.random() < 0.3 else ""
        first, second = pick.choice(self._names), pick.choice(["a", "a", *self._names])
        targets = pick.choice(("r, s", "r, s", "r, s", "r, b", "a, s"))
        call = marked(f"{targets}, z = {{helper}}({first}, {second}, put, get, o, x, y, n)")
        is_first = targets == "r, s"
        if pick.random() < 0.3:
            call, is_first = filled(pick.choice(_AROUND), s=call), False
        if not is_first:
            call = f"r, s = {first}, {second}\n{call}"
        self._names += ["r", "s", "r", "s"]
        self._bound = ["a", "r", "s"] if pick.random() < 0.3 else []
        after = self._block(1) + "\n" + self._block(1)
        shown = [state.shown.format(p=name) for name in ("a", "b", "r", "s", "get()")]
        body = [*state.setup, "z = x", before, call, after, f"return ({', '.join(['z', *shown])},)"]
        name = f"seed {self._seed} of {state.name}"
        text = "\n".join(each for each in body if each)
        return Program(name, text, helper)

    def _helper(self) -> str:
        """A function of two names ``p`` and ``q``, which may be one object's."""
        pick = self._pick
        self._is_helper = True
        self._names = ["p", "q", "p", "q", *(["get()"] if pick.random() < 0.3 else [])]
        self._bound = ["p", "p", "q"]
        if self._state.name in ("list", "nested list") and pick.random() < 0.3:
            self._names.append("o.l")
        local = "w = p\n" if pick.random() < 0.2 else ""
        block = "\n".join(self._block(0) for _ in range(pick.choice((1, 2))))
        result = pick.choice(("p, q", "p, q", "q, p", "p, p"))
        body = textwrap.indent(f"z = x\n{local}{block}\nreturn {result}, z", "    ")
        traced = "@traced\n" if pick.random() < 0.8 else ""
        # Functions that are not rewritten have no run-time control flow of their own.
        body = (
            body if traced else textwrap.indent(f"z = y\n{self._way()}\nreturn {result}, z", "    ")
        )
        self._is_helper = False
        return f"{traced}def {{helper}}(p, q, put, get, o, x, y, n):\n{body}\n"

    def _block(self, depth: int) -> str:
        count = self._pick.choice((1, 1, 2, 2, 3))
        return "\n".join(self._statement(depth) for _ in range(count))

    def _value(self) -> str:
        return self._pick.choice(_VALUES)

    def _way(self) -> str:
        pick = self._pick
        if pick.random() < 0.15:
            return marked(f"put({self._value()})")
        way = pick.choice([way for way in self._state.ways if "{p}" in way or not self._is_helper])
        return marked(way.format(p=pick.choice(self._names), v=self._value()))

    def _binding(self) -> str:
        pick = self._pick
        name, source = pick.choice(self._bound), pick.choice(self._names)
        kind = pick.random()
        if kind < 0.25:
            return marked(f"{name} = {source}")
        if kind < 0.35 and len(set(self._bound)) > 1:
            first, second = pick.sample(sorted(set(self._bound)), 2)
            return marked(f"{first}, {second} = {second}, {first}")
        made = pick.choice(self._state.made).format(p=source, v=self._value())
        if kind < 0.45 and len(set(self._bound)) > 1:
            first, second = pick.sample(sorted(set(self._bound)), 2)
            return marked(f"{first} = {second} = {made}")
        if kind < 0.55:
            other = pick.choice(self._names)
            return marked(f"{name} = {made} if x > 4 else {other}")
        return marked(f"{name} = {made}")

    def _statement(self, depth: int) -> str:
        pick = self._pick
        kind = pick.random()
        if kind < 0.15:
            return f"z = (z * 2 + ({self._state.shown.format(p=pick.choice(self._names))})) % 1000"
        if kind < 0.4 or depth > 3:
            return self._way()
        if kind < 0.65 and self._bound:
            return self._binding()
        templates = [each for each in STATEMENTS.values() if "{r}" not in each]
        parts = {"s": self._block(depth + 1), "t": self._block(depth + 1)}
        self._counters += 1
        text = filled(pick.choice(templates), **parts)
        return text.replace("w0", f"w{self._counters}") if text.startswith("w0") else text


_AROUND = (
    "if x > 4:\n    {s}",
    "for i in range(n):\n    {s}",
    "for i in (3, 4):\n    if x > i:\n        {s}",
)


def make(first: int, count: int) -> list[Program]:
    return [_Maker(seed).program() for seed in range(first, first + count)]
