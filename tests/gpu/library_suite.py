"""Run a seeded sample of a published library's own tests through ``fairlead.compat``, each test in its own process.

    python tests/gpu/library_suite.py FILE... --path FOLDER... [--ran 100] [--seed 0] [--jobs 8] [--limit 120]

FILE are test files of the library, FOLDER the folders that its packages are imported from. Tests are drawn in a random
order, one of each function before a second of any, until ``--ran`` of them were not skipped. A test that runs longer
than ``--limit`` seconds is killed and counts as hung. On the CPU the limit is of processor time, and such a test counts
as slow; it hangs if it does not end in ten times that. The process imports everything once and forks for each test, so
a test starts in milliseconds and cannot disturb the next one. With ``--record`` several runs share the work: each
leaves out what an earlier one has noted. Exit status: 0 if no test failed.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import types
from typing import Any

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("files", nargs="+", help="test files of the library")
parser.add_argument("--path", nargs="*", default=[], help="folders to import packages from")
parser.add_argument("--root", help="the folder that names of tests and of their modules begin at")
parser.add_argument(
    "--ran", type=int, default=100, help="tests that are not skipped (default %(default)s)"
)
parser.add_argument("--seed", type=int, default=0, help="of the random order (default %(default)s)")
parser.add_argument("--jobs", type=int, default=8, help="processes at a time (default %(default)s)")
parser.add_argument(
    "--limit", type=int, default=120, help="seconds for one test (default %(default)s)"
)
parser.add_argument(
    "--budget", type=float, default=1e9, help="seconds after which no test is started"
)
parser.add_argument(
    "--match", nargs="*", default=[], help="only tests whose name contains all of these"
)
parser.add_argument(
    "--device",
    choices=["cuda", "cpu"],
    default="cuda",
    help="where kernels run (default %(default)s)",
)
parser.add_argument(
    "--each",
    type=int,
    default=1_000_000,
    help="at most so many tests of a function, drawn at random",
)
parser.add_argument("--only", help="a file with names of tests: no others")
parser.add_argument(
    "--record",
    help="a file with a line for each test: outcome, seconds, name; those in it are left out",
)
parser.add_argument("--json", help="a file for the outcome of each test")
parser.add_argument(
    "--installed",
    action="store_true",
    help="import cutlass as it is installed, not fairlead.compat",
)
options = parser.parse_args()

sys.path[:0] = [os.path.abspath(folder) for folder in options.path]
# Test files import helpers that stand beside them.
sys.path += dict.fromkeys(os.path.dirname(os.path.abspath(file)) for file in options.files)
# Processes that tests start import the library too, and the test files by their names below this folder.
os.environ["PYTHONPATH"] = os.pathsep.join(
    [*sys.path[: len(options.path)], os.environ.get("PYTHONPATH", ""), os.getcwd()]
)
os.environ["QUACK_CACHE_DIR"] = tempfile.mkdtemp()  # compile, whatever an earlier run left on disk

import _pytest.python  # noqa: E402
import pytest  # noqa: E402
import torch  # noqa: E402
import torch._dynamo.variables.torch  # noqa: E402, F401  it lists functions of torch.cuda, before they are replaced

if not options.installed:
    import fairlead.compat  # noqa: F401  the names that the library imports

    # So that processes that tests start have the names, too.
    _STARTUP = tempfile.mkdtemp()
    with open(os.path.join(_STARTUP, "sitecustomize.py"), "w") as startup:
        startup.write("import fairlead.compat\n")
        if options.device == "cpu":
            startup.write("from fairlead.compat import _cpu_device\n_cpu_device.install()\n")
    os.environ["PYTHONPATH"] = os.pathsep.join([_STARTUP, os.environ["PYTHONPATH"]])

_NO_MEMORY = "out of memory", "ALLOC_FAILED"
_BAD = "failed", "hung", "slow", "died"
#: Seconds after which a test hangs.
_WALL_LIMIT = options.limit * (10 if options.device == "cpu" else 1)
only: set[str] = set()
if options.only:
    with open(options.only) as names:
        only = set(names.read().splitlines())
Outcome = tuple[str, str]  # what happened, and the end of the test's output


def without_context() -> None:
    """Answer what test files ask about the GPU when they are imported without making a CUDA context, which would not
    survive a fork."""
    if options.device == "cpu":
        from fairlead.compat import _cpu_device

        return _cpu_device.install()
    major, minor = (int(part) for part in os.environ.get("LIBRARY_CAPABILITY", "9.0").split("."))
    torch.cuda.get_device_capability = lambda *_: (major, minor)
    torch.cuda.is_available = lambda: True
    torch.cuda.get_device_properties = Asked()
    torch.cuda._lazy_init = no_context


def no_context() -> None:
    raise RuntimeError(
        "a test file makes a CUDA context when it is imported: no process of a test could have one"
    )


class Asked:
    """The properties of a GPU as another process has read them."""

    found: types.SimpleNamespace | None = None

    def __call__(self, *_: object) -> types.SimpleNamespace:
        if self.found is None:
            text = subprocess.run([sys.executable, "-c", _READ], check=True, capture_output=True)
            self.found = types.SimpleNamespace(**json.loads(text.stdout))
        return self.found


_READ = """import json, torch
found = torch.cuda.get_device_properties(0)
numbers = {name: getattr(found, name) for name in dir(found) if name[0] != "_"}
print(json.dumps({name: value for name, value in numbers.items() if isinstance(value, (int, float, str))}))"""
_REPLACED = ("get_device_capability", "is_available", "get_device_properties", "_lazy_init")
_OF_CUDA = {name: getattr(torch.cuda, name) for name in _REPLACED}


def with_context() -> None:
    """In the process of a test: let it use CUDA."""
    if options.device == "cuda":
        for name, function in _OF_CUDA.items():
            setattr(torch.cuda, name, function)


def draw_while_parametrized() -> None:
    """Keep at most ``--each`` combinations of a function's parameters as they are multiplied: products of several
    hundred thousand take minutes to list."""
    multiply = _pytest.python.Metafunc.parametrize

    def parametrize(self: Any, *args: Any, **options_of_it: Any) -> None:
        multiply(self, *args, **options_of_it)
        if len(self._calls) > options.each:
            chance = random.Random(f"{options.seed} {self.definition.nodeid} {len(self._calls)}")
            self._calls = chance.sample(self._calls, options.each)

    _pytest.python.Metafunc.parametrize = parametrize  # type: ignore[method-assign]


def recorded() -> set[str]:
    """The names of the tests that an earlier run has noted."""
    if not options.record or not os.path.exists(options.record):
        return set()
    with open(options.record) as file:
        return {line.rstrip("\n").split(" ", 2)[2] for line in file}


def asked(name: str) -> bool:
    return all(part in name for part in options.match) and (not only or name in only)


def drawn(items: list[Any]) -> list[Any]:
    """The tests in the order in which they run: at random, one of each function before a second of any."""
    done = recorded()
    random.Random(options.seed).shuffle(items)
    turns: collections.Counter[str] = collections.Counter()
    order = []
    for item in items:
        function = item.nodeid.partition("[")[0]
        turns[function] += 1
        if item.nodeid not in done and asked(item.nodeid):
            order.append((turns[function], item))
    return [item for _, item in sorted(order, key=lambda entry: entry[0])]


def outcome_of(reports: list[Any]) -> str:
    """The outcome of a test from the reports of its phases."""
    if any(report.failed for report in reports):
        return "failed"
    if any(hasattr(report, "wasxfail") for report in reports):
        return "expected"
    return "skipped" if any(report.skipped for report in reports) else "passed"


class Sample:
    """A plugin of pytest that replaces its loop: it forks for each test of the sample."""

    def __init__(self) -> None:
        self.running: dict[int, tuple[Any, str, float]] = {}
        self.outcomes: dict[str, Outcome] = {}
        self.counts: collections.Counter[str] = collections.Counter()
        self.folder = tempfile.mkdtemp()
        self.put_off: list[Any] = []
        self.alone = False

    def start(self, item: Any) -> None:
        log = os.path.join(
            self.folder, f"{len(self.outcomes) + len(self.running)}-{time.monotonic_ns()}.log"
        )
        sys.stdout.flush()
        process = os.fork()
        if process:
            self.running[process] = item, log, time.monotonic()
            return
        try:
            os.setpgid(0, 0)
            if options.device == "cpu":
                resource.setrlimit(resource.RLIMIT_CPU, (options.limit, options.limit + 10))
            with_context()
            output = os.open(log, os.O_WRONLY | os.O_CREAT)
            os.dup2(output, 1)
            os.dup2(output, 2)
            reports: list[Any] = []
            item.config.pluginmanager.register(Reports(reports))
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            for report in reports:
                if report.failed:
                    print(f"-- {report.when}\n{report.longreprtext[-6000:]}")
            with open(log + ".outcome", "w") as file:
                file.write(outcome_of(reports))
            sys.stdout.flush()
        finally:
            os._exit(0)

    def finish(self, process: int, how: str | None = None) -> None:
        """Note the outcome of a process; a test that other tests left no memory of the GPU for is put off."""
        item, log, since = self.running.pop(process)
        try:
            with open(log + ".outcome") as file:
                outcome = how or file.read()
        except FileNotFoundError:
            outcome = how or "died"
        try:
            with open(log, errors="replace") as file:
                text = file.read()[-6000:]
        except FileNotFoundError:
            text = ""
        if outcome == "failed" and not self.alone and any(words in text for words in _NO_MEMORY):
            self.put_off.append(item)
            return
        self.outcomes[item.nodeid] = outcome, text
        self.counts[outcome] += 1
        if options.record:
            with open(options.record, "a") as file:
                file.write(f"{outcome} {time.monotonic() - since:.1f} {item.nodeid}\n")
        if outcome not in ("passed", "skipped", "expected"):
            print(f"{outcome}: {item.nodeid}", flush=True)
        if len(self.outcomes) % 50 == 0:
            print(f"so far: {self.counted()}", flush=True)

    def counted(self) -> str:
        return ", ".join(f"{count} {outcome}" for outcome, count in sorted(self.counts.items()))

    def wait(self) -> None:
        """Wait until a process ends, or kill one that has run for too long."""
        while True:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process in self.running:
                slow = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU
                return self.finish(process, "slow" if slow else None)
            for process, (_, _, since) in list(self.running.items()):
                if time.monotonic() - since > _WALL_LIMIT:
                    os.killpg(process, signal.SIGKILL)
                    os.waitpid(process, 0)
                    return self.finish(process, "hung")
            time.sleep(0.005)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> bool:
        items = drawn(session.items)
        if options.device == "cuda":
            assert not torch.cuda.is_initialized(), "a context does not survive a fork"
        start = time.monotonic()
        for item in items:
            ran = sum(self.counts.values()) - self.counts["skipped"] + len(self.put_off)
            if ran >= options.ran or time.monotonic() - start > options.budget:
                break
            while len(self.running) >= options.jobs:
                self.wait()
            self.start(item)
        while self.running:
            self.wait()
        self.alone = True
        for item in self.put_off:
            self.start(item)
            while self.running:
                self.wait()
        seconds = time.monotonic() - start
        print(f"seed {options.seed}, {len(items)} tests to draw from, {seconds:.0f} s")
        print(self.counted())
        return True


class Reports:
    """A plugin of pytest that gathers the reports of one test."""

    def __init__(self, reports: list[Any]) -> None:
        self.reports = reports

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.reports.append(report)


def main() -> int:
    without_context()
    draw_while_parametrized()
    sample = Sample()
    arguments = ["-q", "-s", "-p", "no:cacheprovider", "--import-mode=importlib", *options.files]
    if options.root:
        arguments.append(f"--rootdir={options.root}")
    status = pytest.main(arguments, plugins=[sample])
    if options.json:
        with open(options.json, "w") as file:
            json.dump(sample.outcomes, file, indent=1)
    bad = sum(sample.counts[outcome] for outcome in _BAD)
    for name, (outcome, text) in sample.outcomes.items():
        if outcome in _BAD:
            print(f"\n==== {outcome}: {name}\n{text[-2500:]}")
    return 1 if bad or not sample.counts or status > 1 else 0


if __name__ == "__main__":
    sys.exit(main())
