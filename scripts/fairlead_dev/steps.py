"""Running one step: a command, its log under build/logs, and one line with the time it took."""

import contextlib
import os
import re
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / "build" / "logs"

# Ninja's "[12/345] Building ..." at the start of a line.
_NINJA = re.compile(r"^\[(\d+)/(\d+)\] (.*)")
# Seconds between signs of life where the output is no terminal.
HEARTBEAT = 30.0

verbose = False
# Processes of the steps under way.
_running: set[subprocess.Popen] = set()
# Set by end_all: a step that another thread begins later ends at once.
_ending = threading.Event()


class StepFailed(Exception):
    """A step did not succeed; the text holds the end of its output."""


class _Progress:
    """One line that is rewritten on a terminal, or repeated now and then in a log."""

    def __init__(self, label: str, shows: bool):
        self.label = label
        self.shows = shows
        self.start = time.monotonic()
        self.shown = self.start
        self.terminal = sys.stdout.isatty()

    def elapsed(self) -> float:
        return time.monotonic() - self.start

    def update(self, detail: str = "") -> None:
        now = time.monotonic()
        if not self.shows or now - self.shown < (0.2 if self.terminal else HEARTBEAT):
            return
        self.shown = now
        text = f"  {self.label} ... {detail} {self.elapsed():.0f} s"
        if self.terminal:
            print(f"\r\x1b[K{text}", end="", flush=True)
        else:
            print(text, flush=True)

    def finish(self, text: str) -> None:
        if self.terminal:
            print("\r\x1b[K", end="")
        print(text, flush=True)


def environment_with(changes: dict[str, str] | None) -> dict[str, str]:
    """This process's environment with `changes`; a variable set to "" is removed."""
    environment = dict(os.environ)
    for name, value in (changes or {}).items():
        if value:
            environment[name] = value
        else:
            environment.pop(name, None)
    return environment


def run(
    label: str,
    command: Sequence[str | os.PathLike],
    *,
    env: dict[str, str] | None = None,
    cwd: Path = ROOT,
    check: bool = True,
    timeout: float | None = None,
    on_line: Callable[[str], str | None] | None = None,
    quiet: bool = False,
    aside: bool = False,
    accepted: Sequence[int] = (0,),
) -> tuple[int, str]:
    """Runs `command` with its output in build/logs/<label>.log.

    Prints one line when it is done (none with `quiet`), and how far it is until then, unless it runs
    `aside`, while another step shows that. `on_line` sees each line and may return a
    short text that shows how far the step is. `accepted` are the statuses of success. Raises
    StepFailed for a failure unless `check` is off. Returns the exit status (124 after `timeout`
    seconds) and the output.
    """
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / (re.sub(r"[^A-Za-z0-9.]+", "-", label).strip("-") + ".log")
    arguments = [os.fspath(part) for part in command]
    progress = _Progress(label, shows=not aside)
    if verbose:
        print(f"$ {' '.join(arguments)}", flush=True)
    process = subprocess.Popen(
        arguments,
        cwd=cwd,
        env=environment_with(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    _running.add(process)
    if _ending.is_set():
        _end_group(process)
    try:
        lines, timed_out = _follow(process, log, progress, on_line, timeout)
    except BaseException:  # interrupted: the step's processes end with this one
        _end_group(process)
        raise
    finally:
        _running.discard(process)
    status = 124 if timed_out else process.wait()
    output = "".join(lines)
    if timed_out:
        output += f"\nstopped after {timeout:.0f} s\n"
    if status in accepted:
        if not quiet:
            progress.finish(f"  {label}: {progress.elapsed():.1f} s")
        elif progress.terminal:
            print("\r\x1b[K", end="", flush=True)
    else:
        progress.finish(f"  {label}: FAILED ({status}) after {progress.elapsed():.1f} s")
        if check:
            tail = "".join(lines[-60:])
            raise StepFailed(f"{tail}\n{label} failed; the whole output: {log.relative_to(ROOT)}")
    return status, output


def end_all() -> None:
    """End the processes of all steps, both running ones and ones that other threads begin later."""
    _ending.set()
    for process in list(_running):
        _end_group(process)


def _end_group(process: subprocess.Popen) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _follow(process, log, progress, on_line, timeout):
    """Copies the process's output to the log; returns its lines and whether the time ran out."""
    lines: list[str] = []
    partial = b""
    detail = ""
    timed_out = False
    selector = selectors.DefaultSelector()
    selector.register(process.stdout, selectors.EVENT_READ)
    descriptor = process.stdout.fileno()
    with log.open("wb") as file:
        while True:
            if selector.select(timeout=0.5):
                chunk = os.read(descriptor, 1 << 16)
                if not chunk:
                    break
                file.write(chunk)
                *complete, partial = (partial + chunk).split(b"\n")
                for raw in complete:
                    line = raw.decode(errors="replace") + "\n"
                    lines.append(line)
                    if verbose:
                        print(line, end="", flush=True)
                    detail = (
                        (on_line(line) if on_line else None)
                        or _ninja(line, progress.elapsed())
                        or detail
                    )
            elif process.poll() is not None:
                break  # a grandchild may hold the pipe open
            if timeout is not None and not timed_out and progress.elapsed() > timeout:
                timed_out = True
                _end_group(process)
            if not verbose:
                progress.update(detail)
        if partial:
            lines.append(partial.decode(errors="replace"))
    selector.close()
    process.stdout.close()
    process.wait()
    return lines, timed_out


def _ninja(line: str, elapsed: float) -> str | None:
    """Return ninja's progress: the count, the last target, and roughly the time left."""
    match = _NINJA.match(line)
    if not match:
        return None
    done, total = int(match[1]), int(match[2])
    # "Building CXX object lib/dsl/CMakeFiles/fairlead_dsl.dir/Tensor.cpp.o" -> "lib/dsl"
    subject = match[3].split()[-1].split("/CMakeFiles/")[0] if match[3] else ""
    text = f"[{done}/{total}] {subject}"
    if done * 10 >= total and done < total:
        left = elapsed * (total - done) / done
        text += f", about {left / 60:.0f} min left" if left >= 90 else f", about {left:.0f} s left"
    return text + ","
