"""Compiles and links through ninja."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import selectors
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fairlead.ffi.cpp import _cache, _toolchain
from fairlead.ffi.cpp._errors import BuildError

_SHOWN_AFTER = 1.0  # seconds
_LIFE_SHOWN_EVERY = 1.0  # seconds


@dataclass
class Step:
    """One output, the command that makes it, and the files it is made from."""

    output: str
    command: list[str]
    inputs: list[str]
    depfile: str | None = None
    needs: list[str] = field(
        default_factory=list
    )  # outputs of other steps that the command does not name


def run(
    name: str,
    folder: str,
    steps: list[Step],
    target: str,
    start: int,
    show_life: Callable[[], None],
) -> dict[str, list[Any]]:
    """Make `target` in `folder`; return the files outside it that went into it, as `_cache.record` does.

    Calls `show_life` every second or so.

    BuildError with the failing command and all that it said.
    """
    _drop_old_objects(folder, steps)
    _cache.replace(os.path.join(folder, "build.ninja"), _file(steps).encode())
    command = [_toolchain.ninja(), "-f", "build.ninja"]
    jobs = os.environ.get("MAX_JOBS")
    if jobs:
        if not jobs.isdecimal() or int(jobs) == 0:
            raise BuildError(f"MAX_JOBS: expected a positive number, but got {jobs!r}")
        command += ["-j", jobs]
    status, output = _watch(name, [*command, target], folder, show_life)
    _log(output)
    if status != 0:
        raise BuildError(
            f"building {name!r} in {folder} failed: ninja exited with status {status}\n{_failures(output)}"
        )
    return _inputs(folder, steps, start)


def _file(steps: list[Step]) -> str:
    lines = ["ninja_required_version = 1.3", ""]
    for number, step in enumerate(steps):
        lines += [f"rule r{number}", f"  command = {_escape(shlex.join(step.command))}"]
        lines.append(f"  description = {_escape(os.path.basename(step.output))}")
        if step.depfile:
            lines.append(f"  depfile = {_escape(step.depfile)}")
        inputs = " ".join(_path(path) for path in step.inputs)
        needs = "".join(f" {_path(path)}" for path in step.needs)
        lines += [
            f"build {_path(step.output)}: r{number} {inputs}{' |' + needs if needs else ''}",
            "",
        ]
    return "\n".join(lines)


def _escape(text: str) -> str:
    if "\n" in text:
        raise BuildError(f"a build command cannot hold a line break: {text!r}")
    return text.replace("$", "$$")


def _path(path: str) -> str:
    if "|" in path:
        raise BuildError(
            f"a file of a build cannot have `|` in its path, which build files set apart: {path!r}"
        )
    return _escape(path).replace(":", "$:").replace(" ", "$ ")


def _watch(
    name: str, command: list[str], folder: str, show_life: Callable[[], None]
) -> tuple[int, str]:
    """Runs ninja and collects its output; shows progress on a terminal once it takes long."""
    environment = {**os.environ, "NINJA_STATUS": "[%f/%t] "}
    process = subprocess.Popen(
        [*command, "--verbose"],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    output = process.stdout
    assert output is not None  # a pipe
    progress = _Progress(name)
    chunks: list[bytes] = []
    shown = time.monotonic()
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            while True:
                if selector.select(timeout=0.2):
                    chunk = os.read(output.fileno(), 65536)
                    if not chunk:
                        break
                    chunks.append(chunk)
                progress.show(chunks)
                if time.monotonic() - shown > _LIFE_SHOWN_EVERY:
                    shown = time.monotonic()
                    show_life()
        return process.wait(), b"".join(chunks).decode(errors="replace")
    finally:
        progress.end()
        if (
            process.poll() is None
        ):  # An exception, such as KeyboardInterrupt: ninja ends its compilers.
            process.terminate()
            process.wait()
        output.close()


class _Progress:
    """One line on a terminal, rewritten, for builds that take long."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._start = time.monotonic()
        self._last = 0.0
        self._shown = False
        self._terminal = sys.stderr is not None and sys.stderr.isatty()

    def show(self, chunks: list[bytes]) -> None:
        now = time.monotonic()
        if not self._terminal or now - self._start < _SHOWN_AFTER or now - self._last < 0.2:
            return
        done = re.findall(rb"^\[(\d+)/(\d+)\]", b"".join(chunks), re.MULTILINE)
        count = f" {int(done[-1][0])}/{int(done[-1][1])}" if done else ""
        self._write(f"\r\033[Kfairlead: building {self._name}{count}, {now - self._start:.0f} s")
        self._last, self._shown = now, True

    def end(self) -> None:
        if self._shown:
            self._write("\r\033[K")

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()


def _log(output: str) -> None:
    """``$TVM_FFI_CPP_EXTENSION_LOG_BUILD``: 1 or stdout, or stderr."""
    setting = os.environ.get("TVM_FFI_CPP_EXTENSION_LOG_BUILD", "")
    if setting in ("1", "stdout"):
        print(output, end="")
    elif setting == "stderr":
        print(output, end="", file=sys.stderr)


def _failures(output: str) -> str:
    """The part of ninja's output from the first failure on, without the lines of steps that went well."""
    start = output.find("FAILED: ")
    return output[start:] if start >= 0 else output


def _read_depfile(path: str) -> list[str]:
    """The prerequisites in a compiler's dependency file."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read().replace("\\\n", " ")
    paths = []
    for line in text.splitlines():
        target = re.match(r"(?:\\.|[^\s:\\]|:(?=\S))+\s*:(?:\s|$)", line)
        if target:
            words = re.findall(r"(?:\\.|[^\s\\])+", line[target.end() :])
            paths += [re.sub(r"\\(.)", r"\1", word).replace("$$", "$") for word in words]
    return paths


def _step_inputs(folder: str, step: Step) -> list[str] | None:
    """The files that an output was made from, absolute; None when that is not known."""
    paths = list(step.inputs)
    if step.depfile:
        try:
            paths += _read_depfile(os.path.join(folder, step.depfile))
        except OSError:
            return None
    return [os.path.normpath(os.path.join(folder, path)) for path in paths]


def _records(folder: str) -> str:
    return os.path.join(folder, "objects.json")


def _inputs(folder: str, steps: list[Step], start: int) -> dict[str, list[Any]]:
    """The files from outside `folder` that went into the build; also notes them for each output."""
    content: dict[str, list[Any]] = {}
    notes = {}
    for step in steps:
        # Files of the build's own are written only when they change, and ninja sees that by their time.
        inputs = _step_inputs(folder, step) or ()
        paths = [path for path in dict.fromkeys(inputs) if not path.startswith(folder + os.sep)]
        content.update(_cache.record((path for path in paths if path not in content), start))
        record = _cache.record([os.path.join(folder, step.output)], math.inf)
        notes[step.output] = {**{path: content[path] for path in paths}, **record}
    _cache.replace(_records(folder), json.dumps(notes).encode())
    return content


def _drop_old_objects(folder: str, steps: list[Step]) -> None:
    """Removes outputs that changed, or whose inputs changed, in content. ninja goes by times, which a restored file may
    deceive, and a damaged output looks new to it."""
    try:
        with open(_records(folder), "rb") as file:
            notes = json.loads(file.read())
    except (OSError, ValueError):
        notes = {}
    for step in steps:
        note = notes.get(step.output)
        if not isinstance(note, dict) or not _cache.is_fresh(note):
            # The dependency file too: it may name headers that are gone.
            for leaf in filter(None, (step.output, step.depfile)):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(os.path.join(folder, leaf))
