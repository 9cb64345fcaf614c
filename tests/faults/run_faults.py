"""Fails each allocation, file operation, driver call and thread start of Fairlead's code in turn.

    python tests/faults/run_faults.py [SCENARIO ...] [--all] [--mode once|always|kill] [--seconds 60]

A scenario first runs to count its points: calls of our code that can fail (FaultInjection.cpp says which). Then it runs
once for each chosen point, in a forked process, and that call fails. The process must end by itself; the scenario
gives an error or the right result; running it again in the same folder gives the right result; no temporary files and
no open files are left. `--mode always` fails all calls from the point on. `--mode kill` ends the process there: what
another process then finds must be right, too. It leaves out allocations, which change no file. Without `--all`, a
seeded sample: first points whose stacks differ.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

_MODES = {"count": 0, "once": 1, "always": 2, "kill": 3}
_KILLED = 77
_ALLOCATIONS = (
    "new",
    "new (nothrow)",
    "malloc",
    "calloc",
    "realloc",
    "aligned_alloc",
    "posix_memalign",
)
_MAPPINGS = ("mmap", "mprotect", "memfd_create")
_STARTS = ("pthread_create", "posix_spawn")
#: Seconds of one process: more is a hang.
_LIMIT = 60


def _build() -> Path:
    return Path(os.environ.get("FAIRLEAD_BUILD_DIR", Path(__file__).parents[2] / "build")).resolve()


def faults_library() -> Path:
    return _build() / "lib/libfairlead_faults.so"


class Faults:
    """The preloaded library."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(str(faults_library()))
        self.library.fairlead_faults_point.restype = ctypes.c_char_p
        self.library.fairlead_faults_end.restype = ctypes.c_long

    def begin(self, at: int, mode: str) -> None:
        self.library.fairlead_faults_begin(ctypes.c_long(at), _MODES[mode])

    def end(self) -> int:
        return self.library.fairlead_faults_end()

    def fired(self) -> int:
        return self.library.fairlead_faults_fired()

    def points(self, count: int) -> list[tuple[str, int, str]]:
        """The function, the hash of the stack and the caller of each point."""
        result = []
        for index in range(count):
            place, frame = ctypes.c_uint64(), ctypes.c_char_p()
            name = self.library.fairlead_faults_point(
                ctypes.c_long(index), ctypes.byref(place), ctypes.byref(frame)
            )
            if name:
                result.append((name.decode(), place.value, (frame.value or b"?").decode()))
        return result


def forked(work, seconds: float = _LIMIT) -> tuple[int, object]:
    """Run ``work`` in a child; return its status (negative: the signal) and its return value, passed as JSON."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        status = 1
        try:
            text = json.dumps(work()).encode()
            with os.fdopen(writing, "wb") as file:
                file.write(text)
            status = 0
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(status)
    os.close(writing)
    end = time.monotonic() + seconds
    parts = []
    os.set_blocking(reading, False)
    while True:
        try:
            part = os.read(reading, 1 << 20)
            if part:
                parts.append(part)
                continue
        except BlockingIOError:
            pass
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            while part := os.read(reading, 1 << 20):
                parts.append(part)
            break
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(reading)
            return -signal.SIGALRM, None
        time.sleep(0.001)
    os.close(reading)
    code = os.waitstatus_to_exitcode(status)
    return code, json.loads(b"".join(parts)) if code == 0 and parts else None


def open_files() -> Counter[str]:
    """The files that the process has open, without what differs from one run to the next."""
    names: Counter[str] = Counter()
    for name in os.listdir("/proc/self/fd"):
        try:
            names[os.readlink(f"/proc/self/fd/{name}").split(":")[0]] += 1
        except OSError:
            continue
    return names


def temporary_files(folder: Path) -> list[str]:
    return sorted(
        str(path.relative_to(folder)) for path in folder.rglob("*") if ".tmp-" in path.name
    ) + sorted(path.name for path in (folder / "temporary").iterdir())


class Runner:
    def __init__(self, name: str, faults: Faults, folder: Path) -> None:
        from scenarios import SCENARIOS

        self.name, self.faults, self.folder = name, faults, folder
        self.scenario = SCENARIOS[name]()
        self.runs = 0
        prepared = folder / "prepared"
        prepared.mkdir(parents=True)
        os.environ["FAIRLEAD_CACHE_DIR"] = str(prepared / "cache")
        self.scenario.prepare(prepared)
        faults.begin(-1, "count")  # reads the symbols, for all processes that are forked
        faults.end()

    def place(self) -> Path:
        """A folder for a run, as prepared; its temporary folder is the process's."""
        from scenarios import copied

        self.runs += 1
        place = self.folder / str(self.runs)
        copied(self.folder / "prepared", place)
        (place / "temporary").mkdir()
        return place

    def enter(self, place: Path) -> None:
        os.environ["FAIRLEAD_CACHE_DIR"] = str(place / "cache")
        os.environ["TMPDIR"] = str(place / "temporary")
        tempfile.tempdir = None

    def count(self) -> tuple[list[tuple[str, int, str]], dict[str, int]]:
        """The points, and the files that are open after two runs without failures."""
        place = self.place()

        def work():
            self.enter(place)
            self.faults.begin(-1, "count")
            self.scenario.run(place)
            count = self.faults.end()
            points = self.faults.points(count)
            self.scenario.run(place)
            return points, open_files()

        status, result = forked(work)
        if status or not result:
            raise RuntimeError(f"scenario {self.name}: ended with {status} without any failure")
        return [tuple(point) for point in result[0]], result[1]

    def fail(self, at: int, mode: str, open_before: dict[str, int]) -> str:
        """Fail at a point; return "right", the error's type, or "WRONG: " and the reason."""
        place = self.place()

        def run_again():
            self.enter(place)
            self.scenario.run(place)
            return temporary_files(place)

        def work():
            self.enter(place)
            outcome = "right"
            self.faults.begin(at, mode)
            try:
                self.scenario.run(place)
            except AssertionError as error:
                outcome = f"WRONG: {error}"
            except Exception as error:
                outcome = type(error).__name__
                if outcome == "SystemError":
                    outcome = f"WRONG: {error!r}"
                text = f"{error}"  # the text can be made
                del text, error
            self.faults.end()
            if not self.faults.fired() and not outcome.startswith("WRONG"):
                return "not reached"
            left = temporary_files(place)
            # Failing unlinks leave files: all calls fail then.
            if left and mode == "once":
                outcome = f"WRONG: left {left}"
            try:
                self.scenario.run(place)
            except BaseException as error:
                return f"WRONG: {outcome}, then without failures {type(error).__name__}: {error}"
            leaked = Counter(open_files()) - Counter(open_before)
            return f"WRONG: {outcome}, and open files {dict(leaked)}" if leaked else outcome

        status, outcome = forked(work)
        if status == _KILLED and mode == "kill":
            status, _ = forked(run_again)
            return (
                "killed"
                if status == 0
                else f"WRONG: killed, then another process ended with {status}"
            )
        if status == -signal.SIGALRM:
            return "WRONG: hangs"
        return str(outcome) if status == 0 else f"WRONG: ended with {status}"


def kind_of(function: str) -> str:
    if function in _ALLOCATIONS:
        return "allocations"
    if function in _MAPPINGS:
        return "mappings of memory"
    if function in _STARTS:
        return "starts of threads and processes"
    return "driver calls" if function.startswith("cu") else "file operations"


def add_totals(points: list[tuple[str, int, str]], tried: list[int]) -> None:
    """Add a scenario's points, and those that failed, to the file of all scenarios' numbers."""
    if path := os.environ.get("FAULTS_TOTALS"):
        rows = [
            Counter(kind_of(points[at][0]) for at in indices)
            for indices in (range(len(points)), tried)
        ]
        stacks = Counter({kind_of(function): 0 for function, _, _ in points})
        stacks.update(kind_of(function) for function, _ in {point[:2] for point in points})
        with open(path, "a") as file:
            file.write(json.dumps([*rows, stacks]) + "\n")


def totals_text(path: Path) -> str:
    """ "1,234 points with 210 stacks (1,000 allocations, ...), 90 of them failed (...)", of all scenarios."""
    sums = [Counter(), Counter(), Counter()]
    for line in path.read_text().splitlines():
        for total, part in zip(sums, json.loads(line), strict=True):
            total.update(part)
    points, tried, stacks = sums
    parts = ", ".join(
        f"{count:,} {kind} with {stacks[kind]:,} stacks, {tried[kind]:,} failed"
        for kind, count in points.most_common()
    )
    return f"{points.total():,} points with {stacks.total():,} stacks, {tried.total():,} failed: {parts}"


def chosen(points: list[tuple[str, int, str]], most: int | None, seed: int, mode: str) -> list[int]:
    """Indices of points: one of each stack in random order, then the others."""
    order = random.Random(seed)
    indices = [
        i for i, point in enumerate(points) if mode != "kill" or point[0] not in _ALLOCATIONS
    ]
    order.shuffle(indices)
    seen: set[int] = set()
    first = [i for i in indices if not (points[i][1] in seen or seen.add(points[i][1]))]
    known = set(first)
    return [*first, *(i for i in indices if i not in known)][:most]


def run_scenario(name: str, given: argparse.Namespace, end: float) -> int:
    """Run one scenario in this process and print what came of it; return the number of wrong outcomes."""
    faults = Faults()
    with tempfile.TemporaryDirectory(prefix="fairlead-faults-") as folder:
        runner = Runner(name, faults, Path(folder))
        points, files = runner.count()
        stacks = len({place for _, place, _ in points})
        outcomes: Counter[str] = Counter()
        wrong, tried = 0, []
        most = None if given.all else given.points
        indices = [given.point]
        if given.point is None:
            indices = chosen(points, most, given.seed, given.mode)
        for at in indices:
            if outcomes and time.monotonic() > end:
                break
            outcome = runner.fail(at, given.mode, files)
            tried.append(at)
            outcomes[outcome if not outcome.startswith("WRONG") else "WRONG"] += 1
            if outcome.startswith("WRONG"):
                wrong += 1
                function, _, caller = points[at]
                print(f"{name}: point {at} ({function} of {caller}): {outcome}", flush=True)
    add_totals(points, tried)
    kinds = Counter(function for function, _, _ in points)
    print(
        f"{name}: {len(points)} points with {stacks} stacks, {outcomes.total()} tried: "
        + ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
        + "; "
        + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()),
        flush=True,
    )
    return wrong


def start(name: str, arguments: list[str]) -> int:
    """Run a scenario in a process of its own, into which the library is preloaded."""
    from_scenario = {
        "FAIRLEAD_NUM_THREADS": "1",
        "LD_PRELOAD": str(faults_library()),
        "FAULTS_SCENARIO": name,
    }
    if name == "threads":
        from_scenario["FAIRLEAD_NUM_THREADS"] = "4"
    if name == "driver":
        from_scenario["FAIRLEAD_LIBCUDA"] = str(_build() / "lib/libfairlead_fake_cuda.so")
    with tempfile.TemporaryDirectory(prefix="fairlead-faults-") as cache:
        return subprocess.run(
            [sys.executable, __file__, *arguments],
            env={**os.environ, "FAIRLEAD_CACHE_DIR": cache, **from_scenario},
            check=False,
        ).returncode


NAMES = (
    "jit", "language", "gpu", "cache write", "cache read", "cache evict", "export", "load",
    "bundle", "sign", "threads", "errors", "objects", "types", "driver",
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("scenarios", nargs="*", help=f"of {', '.join(NAMES)}; all without any")
    parser.add_argument("--all", action="store_true", help="all points, however long it takes")
    parser.add_argument("--points", type=int, help="most points of a scenario")
    parser.add_argument("--point", type=int, help="this one alone, with the stack that fails")
    parser.add_argument("--seconds", type=float, default=60, help="for all scenarios (default 60)")
    parser.add_argument("--mode", choices=("once", "always", "kill"), default="once")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (default 0)")
    given = parser.parse_args()
    if given.point is not None:
        os.environ["FAULTS_SHOW"] = "1"
    wrong = [name for name in given.scenarios if name not in NAMES]
    if wrong:
        parser.error(f"no scenario {', '.join(wrong)}; there are {', '.join(NAMES)}")
    names = given.scenarios or list(NAMES)
    seconds = float("inf") if given.all else given.seconds
    if name := os.environ.get("FAULTS_SCENARIO"):
        return min(run_scenario(name, given, time.monotonic() + seconds), 100)
    failed = 0
    end = time.monotonic() + seconds
    with tempfile.NamedTemporaryFile(prefix="fairlead-faults-") as totals:
        os.environ["FAULTS_TOTALS"] = totals.name
        for index, name in enumerate(names):
            share = max(1.0, (end - time.monotonic()) / (len(names) - index))
            arguments = sys.argv[1:] if given.all else [*sys.argv[1:], f"--seconds={share}"]
            failed += start(name, arguments) != 0
        print(totals_text(Path(totals.name)))
    print(f"{len(names)} scenarios, {failed} with wrong outcomes")
    return failed


if __name__ == "__main__":
    sys.exit(main())
