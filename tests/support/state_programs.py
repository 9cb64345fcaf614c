"""Programs that change state of Python under run-time control flow, against Python's own results.

A batch of programs is one source file. Python runs it as it stands; then ``cute.jit`` traces it. Each program must give
what Python gives, for every input, or be refused: with an error at a line that changes state.
"""

from __future__ import annotations

import dataclasses
import random
import sys
import textwrap
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fairlead import Int32, cute
from fairlead._tracing import marks
from fairlead._tracing.copies import check_copies
from fairlead._tracing.reach import World
from fairlead._tracing.state import state
from fairlead.errors import DSLError
from support import state_ways

#: x, y, n: a condition that holds or not, and loops of 0, 1 and 3 iterations.
INPUTS = [(x, y, n) for x in (2, 9) for y, n in ((5, 0), (6, 1), (1, 3))]
#: Numbers that a program may give.
WIDTH = 8
_MARK = "  # changes"
_VALUES = ("y", "y + 1", "7", "x + y")

# {s}: a statement or several; {t}: the same with another value; {e}: an expression.
STATEMENTS = {
    "if": "if x > 4:\n    {s}",
    "else": "if x > 4:\n    z = y\nelse:\n    {s}",
    "both arms": "if x > 4:\n    {s}\nelse:\n    {t}",
    "if in if": "if x > 4:\n    if y > 2:\n        {s}",
    "for": "for i in range(n):\n    {s}",
    "if in for": "for i in range(n):\n    if i == 1:\n        {s}",
    "for in if": "if x > 4:\n    for i in range(n):\n        {s}",
    "for in for": "for i in range(n):\n    for j in range(2):\n        {s}",
    "while": "w0 = 0\nwhile w0 < n:\n    {s}\n    w0 = w0 + 1",
    "unrolled": "for i in (3, 4):\n    if x > i:\n        {s}",
    "break": "for i in range(n):\n    if i > x - 3:\n        break\n    {s}",
    "match": "match n:\n    case 1:\n        {s}\n    case _:\n        z = y",
    "early return": "if x <= 4:\n    return {r}\n{s}",
}
EXPRESSIONS = {
    "a if p else b": "z = {e} if x > 4 else y",
    "a if p else b, behind": "z = y if x > 4 else {e}",
    "and": "z = 3 if x > 4 and {e} > 2 else 4",
    "or": "z = 3 if x > 4 or {e} > 2 else 4",
    "chain": "z = 3 if 4 < x < {e} + 4 else 4",
    "guard": "match n:\n    case 1 if {e} > 2:\n        z = 3\n    case _:\n        z = 4",
    "while condition": "w0 = 0\nwhile w0 + {e} * 0 < n:\n    w0 = w0 + 1",
    "while condition, behind": "w0 = 0\nwhile w0 < n and {e} < 20:\n    w0 = w0 + 1",
}


class Program(NamedTuple):
    name: str
    body: str  # with the mark at lines that change state
    helper: str = ""  # a function that the body calls as ``{helper}``


def marked(text: str) -> str:
    return "\n".join(line + _MARK for line in text.split("\n"))


def filled(template: str, **parts: str) -> str:
    """A template with its parts, each indented as its place is."""
    lines = []
    for line in template.split("\n"):
        for key, part in parts.items():
            if line.strip() == f"{{{key}}}":
                line = textwrap.indent(part, line[: len(line) - len(line.lstrip())])
            elif f"{{{key}}}" in line:
                line = line.replace(f"{{{key}}}", part) + (_MARK if key == "e" else "")
        lines.append(line)
    return "\n".join(lines)


def _program(name: str, holder: state_ways.Holder, body: str) -> Program:
    shown = f"({', '.join(['z', *holder.seen])},)"
    setup = [line + _MARK * line.startswith(" ") for line in holder.setup]
    body = "\n".join([*setup, "z = x", body.replace("{r}", shown), f"return {shown}"])
    if holder.name == "iterator":  # to read one is to change it
        body = marked(body)
    return Program(name, body)


def table() -> list[Program]:
    """Every way in every construct."""
    programs = []
    for holder in state_ways.HOLDERS:
        for number, way in enumerate(holder.ways):
            for construct, template in STATEMENTS.items():
                value = _VALUES[(number + len(construct)) % len(_VALUES)]
                parts = {"s": marked(way.format(v=value)), "t": marked(way.format(v="y + 3"))}
                name = f"{holder.name}: {way!r} in {construct}"
                programs.append(_program(name, holder, filled(template, **parts)))
        for number, call in enumerate(holder.calls):
            for construct, template in EXPRESSIONS.items():
                value = _VALUES[(number + len(construct)) % len(_VALUES)]
                name = f"{holder.name}: {call!r} in {construct}"
                body = filled(template, e=call.format(v=value))
                programs.append(_program(name, holder, body))
    return programs


class _Maker:
    """Random programs: ways of one holder, reads of its state and constructs, nested."""

    def __init__(self, seed: int) -> None:
        self._pick = random.Random(seed)
        self._holder = self._pick.choice(state_ways.HOLDERS)
        self._counters = 0

    def program(self, seed: int) -> Program:
        return _program(f"seed {seed}", self._holder, self._block(0))

    def _block(self, depth: int) -> str:
        count = self._pick.choice((1, 1, 2, 2, 3))
        return "\n".join(self._statement(depth) for _ in range(count))

    def _statement(self, depth: int) -> str:
        pick = self._pick
        kind = pick.random()
        if kind < 0.15:
            return f"z = (z * 2 + ({pick.choice(self._holder.seen)})) % 1000"
        value = pick.choice((*_VALUES, "z", "x * 2"))
        if kind < 0.45 - 0.1 * (depth == 0) or depth > 3:
            return marked(pick.choice(self._holder.ways).format(v=value))
        if kind < 0.6 and self._holder.calls:
            call = pick.choice(self._holder.calls).format(v=value)
            return self._numbered(filled(pick.choice(list(EXPRESSIONS.values())), e=call))
        templates = [each for each in STATEMENTS.values() if "{r}" not in each]
        parts = {"s": self._block(depth + 1), "t": self._block(depth + 1)}
        return self._numbered(filled(pick.choice(templates), **parts))

    def _numbered(self, text: str) -> str:
        """The construct with a counter of its own."""
        self._counters += 1
        return text.replace("w0", f"w{self._counters}") if text.startswith("w0") else text


def make(first: int, count: int) -> list[Program]:
    return [_Maker(seed).program(seed) for seed in range(first, first + count)]


class Batch:
    """Programs in one file, under ``folder``."""

    def __init__(self, programs: list[Program], folder: Path) -> None:
        self.programs = programs
        parts = [state_ways.PRELUDE]
        for number, program in enumerate(programs):
            helper = program.helper.replace("{helper}", f"helper_{number}")
            body = textwrap.indent(program.body, "    ").replace("{helper}", f"helper_{number}")
            parts.append(f"{helper}\n@traced\ndef program_{number}(x, y, n):\n{body}\n")
        self._text = "\n".join(parts)
        self._path = folder / "programs.py"
        self._path.write_text(self._text)
        lines = self._text.split("\n")
        prelude = state_ways.PRELUDE.count("\n") + 1
        self._allowed = {
            number
            for number, line in enumerate(lines, 1)
            if number <= prelude or line.endswith(_MARK)
        }
        self.errors: dict[int, BaseException] = {}

    def _names(self, **words: Any) -> dict[str, Any]:
        names = {
            "__name__": "state_programs_of_a_batch",
            "dataclass": dataclasses.dataclass,
            **words,
        }
        exec(compile(self._text, str(self._path), "exec", dont_inherit=True), names)
        return names

    def expected(self) -> np.ndarray[Any, Any]:
        """Return Python's results, [input, program, number]; the mask of the second array is False for an exception."""
        names = self._names(
            traced=lambda function: function, struct=dataclasses.dataclass, Int32=int
        )
        found = np.ma.masked_all((len(INPUTS), len(self.programs), WIDTH), np.int64)
        for row, (x, y, n) in enumerate(INPUTS):
            for number in range(len(self.programs)):
                names["reset"](x)
                try:
                    result = [int(each) for each in names[f"program_{number}"](x, y, n)]
                except Exception:
                    continue
                finally:
                    _forget(names)
                if max(map(abs, result)) >= 2**31:
                    continue
                found[row, number, : len(result)] = result
                found[row, number, len(result) :] = 0
        return found

    def traced(self) -> Any:
        """A function that traces all programs, and stores their numbers by a function ``store(program, index, value)``.
        Refused programs are left out; ``errors`` has the reasons."""
        names = self._names(traced=cute.jit, struct=cute.native_struct, Int32=Int32)
        self.errors = {}

        def run(x: Any, y: Any, n: Any, store: Any) -> None:
            for number in range(len(self.programs)):
                names["reset"](x)
                state.world = World()
                state.world.frame = id(sys._getframe())
                try:
                    result = names[f"program_{number}"](x, y, n)
                    check_copies(is_end=True)
                    for index, value in enumerate(result):
                        store(number, index, Int32(value))
                except Exception as error:
                    self.errors[number] = marks.marked(error)
                    state.left = None
                finally:
                    state.world = World()
                    _forget(names)

        return run

    def problems(self, found: np.ndarray[Any, Any], expected: Any) -> list[str]:
        """Return the mistakes in the results: [input, program, number]."""
        problems = []
        for number, program in enumerate(self.programs):
            error = self.errors.get(number)
            if error is None:
                for row, given in enumerate(INPUTS):
                    want = expected[row, number]
                    if want.mask.any() or np.array_equal(found[row, number], want):
                        continue
                    text = f"x, y, n = {given}: {found[row, number]} instead of {want}"
                    problems.append(f"{program.name}: {text}\n{program.helper}{program.body}")
                    break
            elif isinstance(error, DSLError) and not self._is_at_change(error):
                problems.append(f"{program.name}: {error}\n{program.helper}{program.body}")
        return problems

    def _is_at_change(self, error: DSLError) -> bool:
        if not error.diagnostic or error.diagnostic not in _OF_CHANGES:
            return True
        return any(f"{self._path}:{line}:" in str(error) for line in self._allowed)


#: Errors whose line must be one that changes state.
_OF_CHANGES = (
    "ChangedInRegion",
    "CarriedType",
    "CarriedStructure",
    "CarriedObject",
    "EscapedValue",
)


def _forget(names: dict[str, Any]) -> None:
    """Takes back what programs have left in classes."""
    plain = names["Plain"]
    if "fresh" in vars(plain):
        del plain.fresh


def run_on_host(batch: Batch, options: str = "") -> np.ndarray[Any, Any]:
    """The results of a batch that a host function computes."""
    trace = batch.traced()

    def host(out: cute.Tensor, x: Int32, y: Int32, n: Int32):
        def store(program, index, value):
            out[program, index] = value

        trace(x, y, n, store)

    found = np.zeros((len(INPUTS), len(batch.programs), WIDTH), np.int32)
    compiled = cute.compile(
        cute.jit(preprocess=False)(host), found[0], 1, 1, 1, options=f"--opt-level 1 {options}"
    )
    for row, given in enumerate(INPUTS):
        compiled(found[row], *given)
    return found


def compiled_kernel(batch: Batch, options: str = "") -> Any:
    """A function of the inputs and the results of a batch, which a kernel computes: a thread for each input."""
    trace = batch.traced()

    @cute.kernel
    def device(table: cute.Tensor, out: cute.Tensor):
        thread, _, _ = cute.arch.thread_idx()

        def store(program, index, value):
            out[thread, program, index] = value

        trace(table[thread, 0], table[thread, 1], table[thread, 2], store)

    @cute.jit
    def host(table: cute.Tensor, out: cute.Tensor):
        device(table, out).launch(grid=1, block=len(INPUTS))

    fakes = [
        cute.runtime.make_fake_compact_tensor(
            Int32, shape, stride_order=tuple(reversed(range(len(shape))))
        )
        for shape in ((len(INPUTS), 3), (len(INPUTS), len(batch.programs), WIDTH))
    ]
    return cute.compile(host, *fakes, options=options)


def run_in_kernel(
    batch: Batch, options: str = "", move: Callable[[Any], Any] = lambda array: array
) -> np.ndarray[Any, Any]:
    """The results of a batch that a kernel computes; ``move`` gives the device's array for one of NumPy's."""
    compiled = compiled_kernel(batch, options)
    table = move(np.array(INPUTS, np.int32))
    out = move(np.zeros((len(INPUTS), len(batch.programs), WIDTH), np.int32))
    compiled(table, out)
    return out if isinstance(out, np.ndarray) else out.cpu().numpy()


def check(programs: list[Program], folder: Path, run: Any = run_on_host) -> tuple[int, list[str]]:
    """Return how many programs are refused, and the mistakes of the others or of errors."""
    batch = Batch(programs, folder)
    expected = batch.expected()
    try:
        found = run(batch)
    except Exception:
        return 0, [traceback.format_exc()]
    return len(batch.errors), batch.problems(found, expected)
