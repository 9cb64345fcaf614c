"""``compile_set``: warming up from declared keys, or from the manifest of an earlier run."""

from __future__ import annotations

import importlib
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from fairlead._hints import name_keywords
from fairlead.cute import _argument_texts
from fairlead.cute._compile import CompiledFunction, compile
from fairlead.cute._compile_events import MANIFEST_VERSION
from fairlead.cute._jit import JitFunction

__all__ = ["WarmKey", "WarmReport", "compile_set"]

_MOST_THREADS = 16


@dataclass(frozen=True)
class WarmKey:
    """The outcome of one key.

    Attributes:
        key: the key as it was declared.
        seconds: how long its compile took.
        function: the compiled function; None if the compile failed.
        hit: True if the code came from the cache.
        error: the exception of a compile that failed; None otherwise.
    """

    key: object
    seconds: float
    function: CompiledFunction | None = None
    hit: bool = False
    error: Exception | None = None


@dataclass(frozen=True)
class WarmReport:
    """The outcome of ``compile_set``: one :class:`WarmKey` for each key, in their order, and the seconds in all."""

    keys: tuple[WarmKey, ...]
    seconds: float

    @property
    def functions(self) -> list[CompiledFunction]:
        """The compiled functions of the keys that did not fail."""
        return [key.function for key in self.keys if key.function is not None]

    @property
    def failed(self) -> list[WarmKey]:
        """The keys that failed."""
        return [key for key in self.keys if key.error is not None]

    def check(self) -> WarmReport:
        """Raise the exception of the first key that failed; return the report itself if none did."""
        for key in self.failed:
            assert key.error is not None
            raise key.error
        return self

    def __str__(self) -> str:
        hits = sum(key.hit for key in self.keys)
        lines = [
            f"{len(self.keys)} keys in {self.seconds:.2f} s: {hits} from the cache, "
            f"{len(self.functions) - hits} compiled, {len(self.failed)} failed"
        ]
        lines += [f"  failed: {key.key}: {key.error}" for key in self.failed]
        return "\n".join(lines)


def compile_set(
    function: Callable[..., Any] | None,
    keys: Iterable[Any] | str | os.PathLike[str],
    *,
    options: str | None = None,
    threads: int | None = None,
) -> WarmReport:
    """Compile a function for a set of declared keys, several at once.

    Args:
        function: a function decorated with ``@jit``. None takes the functions that a manifest names, and imports them.
        keys: for each key a tuple of arguments, or a dict of them by name. Stand-ins are those of ``cute.compile``. If
            one of the arguments is an array, the key stands for direct calls with arrays of its dtype, strides and
            device, and the function then finds the program; the array is neither read nor written. Or the path of a
            manifest (``FAIRLEAD_MANIFEST``) that has the function's keys.
        options: compile options of the keys with stand-ins.
        threads: how many compiles run at once; default one for each processor, at most 16.

    Returns:
        A report. A key that fails does not stop the others: ``report.check()`` raises its exception.

    Raises:
        TypeError: a key is neither a tuple nor a dict.
        ValueError: a file that is no manifest.
    """
    jobs = (
        _jobs_of_manifest(function, keys, options)
        if isinstance(keys, (str, os.PathLike))
        else [_job(function, key, options) for key in keys]
    )
    workers = threads or min(os.cpu_count() or 1, _MOST_THREADS)
    start = time.perf_counter()
    with ThreadPoolExecutor(max(1, min(workers, len(jobs))), "fairlead-warm") as pool:
        outcomes = tuple(pool.map(_run, jobs))
    return WarmReport(outcomes, time.perf_counter() - start)


_Job = tuple[object, Callable[[], CompiledFunction]]


def _run(job: _Job) -> WarmKey:
    key, work = job
    start = time.perf_counter()
    try:
        compiled = work()
    except Exception as error:
        return WarmKey(key, time.perf_counter() - start, error=error)
    return WarmKey(key, time.perf_counter() - start, compiled, compiled.cached)


def _job(function: Callable[..., Any] | None, key: object, options: str | None) -> _Job:
    if function is None:
        raise TypeError("function: expected a @jit function, but got None, which needs a manifest")
    if isinstance(key, Mapping):
        args, kwargs = (), dict(key)
    elif isinstance(key, (tuple, list)):
        args, kwargs = tuple(key), {}
    else:
        got = type(key).__name__
        raise TypeError(f"keys: expected a tuple of arguments or a dict by name, but got {got}")
    return key, lambda: _compiled(function, args, kwargs, options)


def _compiled(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    options: str | None,
    is_direct: bool = False,
) -> CompiledFunction:
    values = (*args, *kwargs.values())
    is_direct = is_direct or any(hasattr(value, "__dlpack__") for value in values)
    if is_direct and isinstance(function, JitFunction):
        compiled: CompiledFunction = function.warm(*args, **kwargs)
        return compiled
    return compile(function, *args, options=options, **kwargs)


def _jobs_of_manifest(
    function: Callable[..., Any] | None, path: str | os.PathLike[str], options: str | None
) -> list[_Job]:
    jobs: list[_Job] = []
    name = None if function is None else _argument_texts.name_of(function)
    for row in read_manifest(path):
        if name is not None and row["function"] != name:
            continue
        jobs.append((row["signature"], _work_of(function, row, options)))
    return jobs


def _work_of(
    function: Callable[..., Any] | None, row: dict[str, Any], options: str | None
) -> Callable[[], CompiledFunction]:
    def work() -> CompiledFunction:
        target = function or _imported(row["function"])
        if row["arguments"] is None:
            raise ValueError(
                f"`{row['signature']}` has arguments that a manifest cannot describe: declare it in Python"
            )
        arguments = _argument_texts.rebuilt(row["arguments"])
        chosen = f"--target {row['targets']} {row['options']}" if options is None else options
        return _compiled(target, (), arguments, chosen, row["direct"])

    return work


def _imported(name: str) -> Any:
    """Return the function that a manifest calls ``module:qualified.name``."""
    module, _, path = name.partition(":")
    value: Any = importlib.import_module(module)
    for part in path.split("."):
        value = getattr(value, part)
    return value


def read_manifest(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Return the rows of the manifest at ``path``. ValueError for another file."""
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: expected a manifest of JSON: {error}") from None
    version = document.get("fairlead_manifest") if isinstance(document, dict) else None
    rows = document.get("keys") if version == MANIFEST_VERSION else None
    kinds = {
        **dict.fromkeys(("function", "signature", "targets", "options"), str),
        "direct": bool,
    }
    if not isinstance(rows, list) or not all(
        isinstance(row, dict)
        and all(isinstance(row.get(name), kind) for name, kind in kinds.items())
        and isinstance(row.get("arguments"), (dict, type(None)))
        for row in rows
    ):
        raise ValueError(
            f"{os.fspath(path)}: expected a manifest of version {MANIFEST_VERSION}, "
            "as FAIRLEAD_MANIFEST writes it"
        )
    return rows


name_keywords(__all__, globals())
