"""Candidates of a tuning: their configurations, and compiling several at once with a limit of time."""

from __future__ import annotations

import hashlib
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairlead.cute import _timing
from fairlead.cute._tuning.report import Row, first_line
from fairlead.errors import make_error

_THREADS = 4
_TIE = 1.02


def choices(
    configs: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]],
) -> Iterator[dict[str, Any]]:
    """Every configuration: of a dict of values for each parameter all combinations, or those of a list."""
    if not isinstance(configs, Mapping):
        for config in configs:
            if not isinstance(config, Mapping):
                raise make_error(
                    "TuneConfigs",
                    expected="a configuration as a dict of parameters and values",
                    got=type(config).__name__,
                )
            yield dict(config)
        return
    for name, values in configs.items():
        if isinstance(values, str) or not hasattr(values, "__len__"):
            raise make_error(
                "TuneConfigs",
                expected=f"a list of values to choose from for {name}",
                got=type(values).__name__,
            )
        if not len(values):
            raise make_error(
                "TuneOption", option=name, expected="values to choose from", got="none"
            )
    for values in itertools.product(*configs.values()):
        yield dict(zip(configs, values, strict=True))


def text_of(config: Mapping[str, Any]) -> str:
    """Return a configuration as text that is the same in every process. TuneValue for a value whose text is its
    address."""
    parts = []
    for name in sorted(config):
        value = config[name]
        text = value.__name__ if isinstance(value, type) else repr(value)
        if " at 0x" in text:
            raise make_error("TuneValue", name=name, got=type(value).__name__)
        parts.append(f"{name}={text}")
    return ", ".join(parts)


def order_of(config: Mapping[str, Any]) -> tuple[Any, ...]:
    """Sort configurations: smaller numbers first, whatever order they were given in."""
    return tuple(
        (0, value, "") if isinstance(value, (int, float)) else (1, 0, repr(value))
        for _, value in sorted(config.items())
    )


@dataclass
class Candidate:
    """A configuration with its result: its time, or the reason why it is left out."""

    config: dict[str, Any]
    text: str
    row: Row
    compiled: Any = None
    program: str = ""
    #: True if its failure would be the same another time.
    lasting: bool = True

    def note(self, times: list[float]) -> None:
        """Take the times of calls, in microseconds."""
        row = self.row
        row.microseconds = _timing.median(times)
        row.p20, row.p80 = _timing.quantile(times, 0.2), _timing.quantile(times, 0.8)

    def recall(self, record: Mapping[str, Any]) -> None:
        """Take over the stored result."""
        row = self.row
        row.microseconds, row.p20, row.p80 = record["us"], record["p20"], record["p80"]

    def fail(self, reason: str, lasting: bool = True) -> None:
        self.row.microseconds = self.row.p20 = self.row.p80 = None
        self.row.reason, self.lasting, self.compiled = reason, lasting, None

    def record(self) -> dict[str, Any] | None:
        """Return the result in its stored form."""
        row = self.row
        if row.microseconds is not None:
            times = {"us": row.microseconds, "p20": row.p20, "p80": row.p80}
            return {"program": self.program, **times}
        return {"program": self.program, "failed": row.reason} if self.lasting else None


def candidate_of(config: Mapping[str, Any]) -> Candidate:
    """Return the candidate of a configuration, without a result. Raises TuneValue as text_of does."""
    config = dict(config)
    return Candidate(config, text_of(config), Row(config))


def fastest(candidates: Sequence[Candidate]) -> Candidate | None:
    """Return the smallest configuration within 2 % of the fastest; None without times."""
    measured = [candidate for candidate in candidates if candidate.row.microseconds is not None]
    if not measured:
        return None
    limit = min(candidate.row.microseconds or 0.0 for candidate in measured) * _TIE
    ties = [candidate for candidate in measured if (candidate.row.microseconds or 0.0) <= limit]
    return min(ties, key=lambda candidate: order_of(candidate.config))


def program_digest(compiled: Any) -> str:
    """Tells programs apart: by the IR after lowering and the PTX, whatever names and places their source has."""
    return hashlib.sha256(f"{compiled.ir}\0{compiled.ptx}".encode()).hexdigest()


def compile_all(
    candidates: Sequence[Candidate],
    compile: Callable[[Candidate], Any],
    limit: float,
    end: float,
) -> None:
    """Compile candidates in threads until ``end``, and at least until one is compiled. One that takes longer than
    ``limit`` seconds, or is not done then, fails; its thread goes on and its result is dropped, because a thread cannot
    be ended."""
    waiting = list(candidates)
    started: dict[int, float] = {}
    done: dict[int, Any] = {}
    changed = threading.Condition()

    def over() -> bool:
        return time.perf_counter() > end and any(
            not isinstance(result, Exception) for result in done.values()
        )

    def work() -> None:
        while True:
            with changed:
                if not waiting or over():
                    return
                candidate = waiting.pop(0)
                started[id(candidate)] = time.perf_counter()
            try:
                result: Any = compile(candidate)
            except Exception as error:
                result = error
            with changed:
                done[id(candidate)] = result
                changed.notify_all()

    count = min(_THREADS, len(os.sched_getaffinity(0)), len(waiting))
    # One that hangs does not keep the process.
    for _ in range(count):
        threading.Thread(target=work, daemon=True, name="fairlead-tune").start()
    for candidate in candidates:
        with changed:
            while id(candidate) not in done:
                now = time.perf_counter()
                begun = started.get(id(candidate))
                if over() or (begun is not None and now > begun + limit):
                    break
                if begun is None and not any(
                    time.perf_counter() < started[key] + limit for key in started if key not in done
                ):
                    # All threads hang: another one takes what waits.
                    threading.Thread(target=work, daemon=True, name="fairlead-tune").start()
                changed.wait(0.05)
            result = done.get(id(candidate))
            begun = started.get(id(candidate))
        if result is None:
            if begun is not None and time.perf_counter() > begun + limit:
                candidate.fail(f"compiling took longer than {limit:g} s", lasting=False)
            else:
                candidate.fail("not tried: the budget was used up", lasting=False)
        elif isinstance(result, Exception):
            candidate.fail(first_line(result))
        else:
            candidate.compiled, candidate.program = result, program_digest(result)
