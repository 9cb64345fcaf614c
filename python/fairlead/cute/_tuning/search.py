"""``tune``: tries configurations of a function, keeps their times, chooses the fastest."""

from __future__ import annotations

import ctypes
import hashlib
import inspect
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from types import CodeType
from typing import Any

from fairlead import _events
from fairlead._hints import did_you_mean, names_keywords
from fairlead._tracing.state import speaking
from fairlead.cute import _timing, cuda
from fairlead.cute._arguments import Parameters
from fairlead.cute._compile import _unwrap, compile_bound
from fairlead.cute._dlpack import RuntimeTensor
from fairlead.cute._options import Options
from fairlead.cute._tuning import arguments as of_arguments
from fairlead.cute._tuning.candidates import (
    Candidate,
    candidate_of,
    choices,
    compile_all,
    fastest,
    program_digest,
    text_of,
)
from fairlead.cute._tuning.report import Report, first_line
from fairlead.cute._tuning.store import Entry
from fairlead.errors import make_error, require

EFFORTS = ("none", "quick", "full")
_QUICK = 8  # candidates
_NEAR = 1.25  # what is measured again
_SHORT, _LONG = 0.02, 0.1  # seconds of samples


class Tuned:
    """A function with the configuration that was chosen for it. Called like the compiled function.

    Attributes:
        config: the values that were chosen.
        function: the function compiled with them.
        stored: whether nothing was measured now: the choice is by times of an earlier run.
    """

    def __init__(
        self, function: Callable[..., Any], config: dict[str, Any], report: Report, stored: bool
    ) -> None:
        self.function, self.config, self.stored = function, config, stored
        self._report = report

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self.function(*args, **kwargs)

    def report(self) -> Report:
        """Return the measurements: a table (``print``), and a picture (``svg``, ``save``)."""
        return self._report

    def __repr__(self) -> str:
        return f"<Tuned {self.function.__name__} {self.config}>"


class Search:
    """One tuning. What varies between the ways to ask for one is in ``measure`` and ``log``."""

    def __init__(
        self,
        function: Callable[..., Any],
        configs: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        *,
        options: str | None = None,
        key: Mapping[str, Any] | None = None,
        bucket: Callable[[int], int] | None = None,
        shapes: bool = True,
        stream: object = None,
        store: bool = True,
    ) -> None:
        self.function, self.args, self.kwargs = function, args, dict(kwargs)
        self.options, self.stream = options, stream
        decorated, self._instance, _ = _unwrap(function)
        self.plain = decorated.function
        self.candidates = []
        for config in choices(configs):
            self._check_names(config)
            self.candidates.append(candidate_of(config))
        if not self.candidates:
            raise make_error(
                "TuneOption", option="configs", expected="at least one configuration", got="none"
            )
        self.device = _device(self._targets())
        arguments = [*args, *self.kwargs.values()]
        about = ", ".join(
            of_arguments.text_of(value, bucket) if shapes else _kind(value) for value in arguments
        )
        watched = {name: str(value) for name, value in (key or {}).items()}
        self.entry = Entry(
            {
                "function": f"{self.plain.__module__}.{self.plain.__qualname__}",
                "code": _code_digest(self.plain.__code__),
                "arguments": about,
                "key": ", ".join(f"{name}={value}" for name, value in sorted(watched.items())),
                "options": options or "",
                "device": self.device,
            },
            store,
        )
        self.report = Report(
            self.plain.__name__,
            f"{self.device}, {about}" if about else self.device,
            [candidate.row for candidate in self.candidates],
        )
        self.log: Callable[[str], None] = lambda text: None
        self._begun = time.perf_counter()

    def _check_names(self, config: Mapping[str, Any]) -> None:
        parameters = inspect.signature(self.plain).parameters
        for name in config:
            if name not in parameters:
                hint = did_you_mean(name, parameters)
                raise make_error(
                    "TuneParameter", function=self.plain.__name__, name=name, hint=hint
                )

    def _targets(self) -> list[Any]:
        options = Options.gather((), self.options)
        tensors = [
            argument
            for argument in [*self.args, *self.kwargs.values()]
            if hasattr(argument, "__dlpack_device__")
        ]
        on_cpu = any(int(tensor.__dlpack_device__()[0]) == 1 for tensor in tensors)
        return options.resolve_targets(on_cpu)

    def compile(self, candidate: Candidate) -> Any:
        decorated, instance, fixed = _unwrap(self.function)
        with speaking(decorated.dialect):
            parameters = Parameters(
                self.plain,
                instance,
                tuple(self.args),
                {**self.kwargs, **candidate.config},
                decorated.symbol(),
                fixed,
                mark=RuntimeTensor.mark_direct,
            )
            return compile_bound(decorated, parameters, Options.gather((), self.options))

    def values(self, compiled: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Return the arguments of the compiled function, without those in the program."""
        instance = self._instance
        bound = inspect.signature(self.plain).bind_partial(*instance, *args, **kwargs).arguments
        return [bound[name] for name in compiled.__signature__.parameters if name in bound]

    # --- What is known.

    def stored_choice(self) -> Candidate | None:
        """Return the fastest of the candidates by the stored results, if its program is the one that was measured, and
        none of the others is unknown."""
        records = [
            (candidate, self.entry.records.get(candidate.text)) for candidate in self.candidates
        ]
        if all(record is None for _, record in records):
            return None
        for candidate, record in records:
            if record is not None and "us" in record:
                candidate.recall(record)
                candidate.row.stored, candidate.program = True, record["program"]
            elif record is not None:
                candidate.fail(record["failed"])
                candidate.row.stored = True
        best = self.fastest()
        if best is not None:
            try:
                best.compiled = self.compile(best)
            except Exception:
                best.compiled = None  # it is measured again, and then has its reason
            if best.compiled and program_digest(best.compiled) == best.program:
                if not self.entry.share():
                    return best
                self._reset()
                return self.stored_choice()
        self._reset()
        self.entry.records = {}  # they are from another program
        return None

    def _reset(self) -> None:
        for candidate in self.candidates:
            candidate.compiled, candidate.program = None, ""
            row = candidate.row
            row.microseconds = row.p20 = row.p80 = None
            row.reason, row.stored, candidate.lasting = "", False, True

    def unknown(self) -> list[Candidate]:
        return [
            candidate
            for candidate in self.candidates
            if candidate.row.microseconds is None and not candidate.row.reason
        ]

    def fastest(self) -> Candidate | None:
        return fastest(self.candidates)

    # --- What is measured.

    def measure(
        self,
        candidates: list[Candidate],
        *,
        budget: float,
        limit: float,
        expected: Sequence[Any] | None = None,
        tolerance: tuple[float | None, float | None] = (None, None),
        time_of: Callable[[Callable[[], Any], float], list[float]] | None = None,
    ) -> None:
        """Compile, check and measure candidates until ``budget`` seconds are over, and at least one. Half of
        the time at most goes to compiling."""
        begun = time.perf_counter()
        end = begun + budget
        take = time_of or (lambda call, seconds: _timing.samples(call, seconds, stream=self.stream))
        compile_all(candidates, self.compile, limit, begun + budget / 2)
        work = [of_arguments.copied(value) for value in self.args]
        keyed = {name: of_arguments.copied(value) for name, value in self.kwargs.items()}
        started: list[Candidate] = []
        for candidate in candidates:
            if candidate.compiled is None:
                self.log(f"Configuration left out: {candidate.row.reason}")
                continue
            if started and time.perf_counter() > end:
                candidate.fail("not tried: the budget was used up", lasting=False)
                continue
            self.log(f"Tuning configuration: {candidate.config}")
            try:
                with _events.span(self.plain.__name__, "tune", reason=candidate.text):
                    self._try(candidate, work, keyed, limit, expected, tolerance)
                    if candidate.compiled is not None:
                        call = self._call(candidate, work, keyed)
                        candidate.note(take(call, _SHORT))
                if candidate.compiled is None:
                    self.log(f"Configuration left out: {candidate.row.reason}")
                    continue
            except Exception as error:
                candidate.fail(first_line(error))
                self.log(f"Configuration left out: {candidate.row.reason}")
                continue
            self.log(f"Execution time: {candidate.row.microseconds} us")
            started.append(candidate)
        if time_of is not None or len(started) < 2:
            return
        best = min(candidate.row.microseconds or 0.0 for candidate in started)
        near = [
            candidate
            for candidate in started
            if (candidate.row.microseconds or 0.0) <= best * _NEAR
        ]
        # In turns, so that a machine that becomes slower slows all.
        samples: dict[int, list[float]] = {id(candidate): [] for candidate in near}
        for _ in range(3):
            for candidate in near:
                if time.perf_counter() > end:
                    return
                call = self._call(candidate, work, keyed)
                samples[id(candidate)] += take(call, _LONG / 3)
            for candidate in near:
                candidate.note(samples[id(candidate)])

    def _call(
        self, candidate: Candidate, work: Sequence[Any], keyed: Mapping[str, Any]
    ) -> Callable[[], Any]:
        values, compiled = self.values(candidate.compiled, work, keyed), candidate.compiled
        return lambda: compiled(*values)

    def _try(
        self,
        candidate: Candidate,
        work: list[Any],
        keyed: dict[str, Any],
        limit: float,
        expected: Sequence[Any] | None,
        tolerance: tuple[float | None, float | None],
    ) -> None:
        """Runs a candidate once, on the arguments as they were given, and compares."""
        of_arguments.restore(work, self.args)
        of_arguments.restore(list(keyed.values()), list(self.kwargs.values()))
        started = time.perf_counter()
        self._call(candidate, work, keyed)()
        _timing.wait()
        if (elapsed := time.perf_counter() - started) > limit:
            candidate.fail(f"a call took {elapsed:.1f} s, more than {limit:g} s", lasting=False)
            return
        names = [f"argument #{index}" for index in range(len(work))] + list(keyed)
        for name, got, reference in zip(
            names, [*work, *keyed.values()], expected or [], strict=False
        ):
            if problem := of_arguments.difference(name, got, reference, *tolerance):
                candidate.fail(problem)
                return

    def keep(self) -> None:
        """Store the results, and take over the results that other processes have stored meanwhile."""
        records = {c.text: record for c in self.candidates if (record := c.record())}
        self.entry.add(records, time.perf_counter() - self._begun)
        for candidate in self.candidates:
            record = self.entry.records.get(candidate.text)
            if record is None and candidate.text in records:
                candidate.fail(
                    "another process has stored its times without this one", lasting=False
                )
            elif record is not None and record["program"] == candidate.program and "us" in record:
                candidate.recall(record)

    def choose(self, candidate: Candidate, stored: bool, started: float) -> Tuned:
        if candidate.compiled is None:
            candidate.compiled = self.compile(candidate)
        candidate.row.chosen = True
        self.report.seconds = time.perf_counter() - started
        return Tuned(candidate.compiled, candidate.config, self.report, stored)

    def require_allowed(self) -> None:
        """RuntimeError with FAIRLEAD_NEVER_TUNE=1."""
        if never():
            raise make_error("TuneForbidden", function=self.plain.__name__, place=self.report.place)

    def nothing_left(self) -> Exception:
        """TuneFailed, with the reason of each configuration."""
        reasons = "".join(
            f"\n  {candidate.text}: {candidate.row.reason}" for candidate in self.candidates
        )
        return make_error(
            "TuneFailed", function=self.plain.__name__, place=self.report.place, reasons=reasons
        )


def search_for(
    function: Callable[..., Any],
    configs: Mapping[str, Sequence[Any]],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    key: Mapping[str, Any],
    check: Callable[..., Any] | None,
    budget: float,
    log: Callable[[str], None],
    time_of: Callable[[Callable[[], Any], float], list[float]],
) -> tuple[Any, dict[str, Any]]:
    """Return the first call of ``autotune_jit``: returns the compiled function and its configuration. Sizes are only
    part of the key if ``key`` names them."""
    search = Search(function, configs, args, kwargs, key=key, shapes=False)
    search.log = log
    choice = search.stored_choice()
    todo = search.unknown()
    if todo and not never():
        expected = expected_of(check, search.args, search.kwargs)
        search.measure(todo, budget=budget, limit=budget, expected=expected, time_of=time_of)
        search.keep()
        choice = search.fastest()
    if choice is None:
        search.require_allowed()
        raise search.nothing_left()
    if choice.compiled is None:
        choice.compiled = search.compile(choice)
    log(f"Best configuration: {choice.config}, execution time: {choice.row.microseconds} us")
    return choice.compiled, choice.config


def expected_of(
    check: Callable[..., Any] | None, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> list[Any] | None:
    """Return the arguments with the results of a reference; None without one."""
    if check is None:
        return None
    right = [of_arguments.copied(value) for value in args]
    keyed = {name: of_arguments.copied(value) for name, value in kwargs.items()}
    check(*right, **keyed)
    return [*right, *keyed.values()]


def never() -> bool:
    """True if ``FAIRLEAD_NEVER_TUNE`` forbids measuring."""
    return os.environ.get("FAIRLEAD_NEVER_TUNE", "0") not in ("", "0")


def _kind(value: object) -> str:
    if of_arguments.is_tensor(value):
        return f"{of_arguments.dtype_of(value)}, {len(value.shape)} modes"
    return type(value).__name__


def _code_digest(code: CodeType) -> str:
    """The digest of a function's own code; not of its names and lines, and not of the functions it calls."""
    digest = hashlib.sha256(code.co_code)
    for constant in code.co_consts:
        inner = isinstance(constant, CodeType)
        digest.update((_code_digest(constant) if inner else repr(constant)).encode())
    digest.update(repr(code.co_names).encode())
    return digest.hexdigest()[:24]


def _device(targets: Sequence[Any]) -> str:
    """The targets, and the machine's part that runs them."""
    text = ",".join(map(str, targets))
    if all(target.is_cpu for target in targets):
        threads = os.environ.get("FAIRLEAD_NUM_THREADS") or len(os.sched_getaffinity(0))
        return f"{text} ({processor()}, {threads} threads)"
    name, version, device = ctypes.create_string_buffer(256), ctypes.c_int(), ctypes.c_int()
    try:
        cuda._check("cuInit", 0)
        if cuda._driver().cuCtxGetDevice(ctypes.byref(device)):
            cuda._check("cuDeviceGet", ctypes.byref(device), 0)
        cuda._check("cuDeviceGetName", name, len(name), device)
        cuda._check("cuDriverGetVersion", ctypes.byref(version))
    except cuda.DSLCudaRuntimeError:
        return f"{text} (no GPU)"
    driver = f"{version.value // 1000}.{version.value % 1000 // 10}"
    return f"{text} ({name.value.decode()}, CUDA {driver})"


def processor() -> str:
    """Return the name of the machine's processor."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith(("model name", "Model")):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    import platform

    return platform.processor() or platform.machine()


@names_keywords
def tune(
    function: Callable[..., Any],
    configs: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]],
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    options: str | None = None,
    check: Callable[..., Any] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    key: Mapping[str, Any] | None = None,
    bucket: Callable[[int], int] | None = None,
    default: Mapping[str, Any] | None = None,
    effort: str = "full",
    budget_s: float = 60.0,
    candidate_s: float = 20.0,
    seed: int = 0,
    stream: object = None,
    store: bool = True,
) -> Tuned:
    """Find the values of compile-time parameters that make a ``@jit`` function fastest.

    Each configuration is compiled (several at once, in threads), run once, compared with the reference, and measured:
    the median time of a call, on a GPU with a cold L2 cache. Those near the fastest are measured again, in turns. One
    that fails (to compile, to launch, to be right, in time) loses, and the report has the reason. The smallest
    configuration within 2 % is chosen, so that two processes choose the same. Times are stored next to the compile
    cache, for each configuration; another process that reads them measures only new ones.

    Args:
        function: the function to tune: a ``@jit`` function, a method, or another function that ``compile`` takes.
        configs: for each Constexpr parameter the values to try, in all combinations; or a list of configurations, each
            a dict of parameters and values.
        args, kwargs: the other arguments. Candidates work on copies of tensors that have ``copy`` or ``clone`` (NumPy,
            CuPy, PyTorch); sizes are run-time values, as in direct calls.
        options: as of ``cute.compile``, such as ``"--target cuda"``.
        check: called with copies of ``args`` and ``kwargs``, it writes the right results to them; the tensors of each
            candidate have to agree.
        rtol, atol: how far floats may differ; by default 1e-2 for Float16, 3e-2 for BFloat16, 1e-4 for Float32, 1e-9
            for Float64. Integers have to be equal.
        key: further names and values that the best choice depends on.
        bucket: maps each extent of the tensors to the one that stands for it in the key (``tuning.next_pow2``); by
            default each size is tuned separately.
        default: the configuration where nothing may be measured.
        effort: ``"full"``: all; ``"quick"``: eight of them, chosen by ``seed``; ``"none"``: nothing is measured. The
            stored choice, else ``default``, else the first configuration is taken.
        budget_s: seconds in all, half of them at most for compiling. One candidate is measured however short it is;
            the others are in the report, and are tried the next time.
        candidate_s: seconds of the compile, and of the first call, of one candidate.
        stream: of the GPU, where the calls are given to another one than the default.
        store: whether times are read and written.

    Raises ValueError where no configuration is left, with the reason of each; TypeError for parameters that the
    function does not have; RuntimeError with ``FAIRLEAD_NEVER_TUNE=1`` where nothing is stored and there is no
    default.
    """
    started = time.perf_counter()
    if effort not in EFFORTS:
        expected = f"one of {', '.join(EFFORTS)}"
        raise make_error("TuneOption", option="effort", expected=expected, got=repr(effort))
    for name, seconds in (("budget_s", budget_s), ("candidate_s", candidate_s)):
        if not seconds > 0:
            raise make_error("TuneOption", option=name, expected="more than 0 seconds", got=seconds)
    require(tune, rtol=rtol, atol=atol, bucket=bucket, seed=seed)
    search = Search(
        function,
        configs,
        args,
        kwargs or {},
        options=options,
        key=key,
        bucket=bucket,
        stream=stream,
        store=store,
    )
    if default is not None:
        search._check_names(default)
    choice = search.stored_choice()
    measured = effort != "none" and not never()
    todo = search.unknown()
    if effort == "quick" and len(search.candidates) > _QUICK:
        drawn = random.Random(seed).sample(search.candidates, _QUICK)
        for candidate in todo:
            if candidate not in drawn:
                candidate.fail("not tried: effort quick", lasting=False)
        todo = [candidate for candidate in todo if candidate in drawn]
    if measured and todo:
        results = expected_of(check, search.args, search.kwargs)
        search.measure(
            todo, budget=budget_s, limit=candidate_s, expected=results, tolerance=(rtol, atol)
        )
        search.keep()
        best = search.fastest()
        if best is None:
            raise search.nothing_left()
        return search.choose(best, False, started)
    if choice is not None:
        return search.choose(choice, True, started)
    if default is None and effort != "none":
        search.require_allowed()
    if default is None and effort == "none":
        return search.choose(search.candidates[0], False, started)
    if default is None:
        raise search.nothing_left()
    text = text_of(default)
    chosen = next((candidate for candidate in search.candidates if candidate.text == text), None)
    if chosen is None:
        chosen = candidate_of(default)
        search.report.rows.append(chosen.row)
    return search.choose(chosen, False, started)
