"""Runs tests with other optimisation levels, processors and forms of kernels, and compares what their programs write.

    python tests/levels.py tests/python/dsl [arguments of pytest...]

Each run is pytest with this file as a plugin; with ``--jobs``, of one test file at a time. The plugin records, for each
call of a function that the test, or a process that it starts, compiled for the CPU, a digest of every tensor argument
after the call. Calls are known by their test, script, function and number.
The first configuration runs twice: what differs between these runs (random inputs, uninitialised memory, times) is not
compared. The last lines count the calls that were compared and those whose results differ.
"""

from __future__ import annotations

import argparse
import base64
import ctypes
import hashlib
import importlib.abc
import importlib.machinery
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

#: Name -> environment of a run. The others are compared with the first.
CONFIGURATIONS = {
    "default": {},
    "default again": {},
    "level 0": {"FAIRLEAD_LEVELS_OPT": "0"},
    "level 1": {"FAIRLEAD_LEVELS_OPT": "1"},
    "x86-64": {"FAIRLEAD_LEVELS_CPU": "cpu:x86-64"},
    "x86-64-v3": {"FAIRLEAD_LEVELS_CPU": "cpu:x86-64-v3"},
    "x86-64-v4": {"FAIRLEAD_LEVELS_CPU": "cpu:x86-64-v4"},
    "coroutines": {"FAIRLEAD_CPU_COROUTINES": "1"},
}
#: Bytes of a tensor that are kept with its digest, to show how results differ.
KEPT_BYTES = 1024
#: Calls that differ whose differences are printed.
MOST_SHOWN = 50
_DL_TENSOR, _TENSOR, _OBJECT_HEADER = 7, 70, 24
_CPU = 1
_FLOAT = 2


class _Any(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int32), ("small", ctypes.c_uint32), ("value", ctypes.c_uint64))


class _DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_uint64),
        ("device", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    )


_CALL = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Any), ctypes.c_int32, ctypes.POINTER(_Any)
)


def contents(argument: _Any) -> bytes | None:
    """The elements of a tensor in the CPU's memory; None of everything else."""
    if argument.type not in (_DL_TENSOR, _TENSOR) or not argument.value:
        return None
    address = argument.value + (_OBJECT_HEADER if argument.type == _TENSOR else 0)
    tensor = _DLTensor.from_address(address)
    bits = tensor.bits * tensor.lanes
    if tensor.device != _CPU or bits % 8 or not tensor.data or tensor.ndim > 32:
        return None
    shape = tuple(tensor.shape[: tensor.ndim])
    size = bits // 8
    if 0 in shape:
        return b""
    if tensor.strides:
        strides = [stride * size for stride in tensor.strides[: tensor.ndim]]
    else:
        strides = [size * int(np.prod(shape[axis + 1 :])) for axis in range(tensor.ndim)]
    if any(stride < 0 for stride in strides):
        return None
    span = size + sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True))
    memory = (ctypes.c_uint8 * span).from_address(tensor.data + tensor.offset)
    elements = np.lib.stride_tricks.as_strided(
        np.frombuffer(memory, np.uint8), (*shape, size), (*strides, 1)
    )
    return without_signs_of_nans(elements.tobytes(), tensor.code, bits)


def without_signs_of_nans(data: bytes, code: int, bits: int) -> bytes:
    """The bytes with one NaN in place of all: the language does not say which bits a NaN has."""
    if code != _FLOAT or bits not in (16, 32, 64):
        return data
    numbers = np.frombuffer(data, f"f{bits // 8}").copy()
    numbers[np.isnan(numbers)] = np.nan
    return numbers.tobytes()


class Recorder:
    """Writes a line for each call of a compiled function."""

    def __init__(self, path: str) -> None:
        self.file = open(path, "a", encoding="utf-8")  # noqa: SIM115  open as long as the process lives
        self.script = os.path.basename(sys.argv[0])
        self.calls: Counter[str] = Counter()

    def wrapped(self, address: int, name: str) -> Any:
        """A function that calls the one at the address and records the call."""
        call = _CALL(address)

        def record(handle, arguments, count, result):
            status = call(handle, arguments, count, result)
            # Arguments that the function refused may be no memory of this process.
            self.write(
                name, status, [] if status else [contents(arguments[i]) for i in range(count)]
            )
            return status

        return _CALL(record)

    def write(self, name: str, status: int, after: list) -> None:
        call = f"{os.environ.get('FAIRLEAD_LEVELS_TEST', '')} {self.script} {name}"
        self.calls[call] += 1
        line = {
            "call": f"{call} {self.calls[call]}",
            "status": status,
            "after": [digest(data) for data in after],
            "data": [
                base64.b64encode(data).decode() if data and len(data) <= KEPT_BYTES else None
                for data in after
            ],
        }
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()


def digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()[:16]


class AfterImport(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Call ``action`` with a module as soon as it has been imported."""

    def __init__(self, name: str, action: Callable[[Any], None]) -> None:
        self.name, self.action = name, action
        self.loader: Any = None

    def find_spec(self, name, path, target=None):
        if name != self.name or self.loader is not None:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None:
            self.loader, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module) -> None:
        self.loader.exec_module(module)
        self.action(module)


def record_calls(module: Any, recorder: Recorder) -> None:
    """Makes the package's compiling module record calls, and compile as the environment says."""
    make_function, compile_bound = module.make_function, module.compile_bound

    def make(address, *, name, keep_alive, **facts):
        wrapped = recorder.wrapped(address, name)
        start = ctypes.cast(wrapped, ctypes.c_void_p).value
        return make_function(start, name=name, keep_alive=(keep_alive, wrapped), **facts)

    def compile_at_level(function, parameters, options):
        if options.opt_level == 3:
            options.opt_level = int(os.environ.get("FAIRLEAD_LEVELS_OPT", "3"))
        return compile_bound(function, parameters, options)

    module.make_function, module.compile_bound = make, compile_at_level
    choose_processor(module.Options, module._compiler.Target)


def choose_processor(options_class: Any, target_class: Any) -> None:
    """Makes options name the environment's processor where they would name that of the machine."""
    resolve, host = options_class.resolve_targets, options_class.host_target

    def on_processor(target):
        processor = os.environ.get("FAIRLEAD_LEVELS_CPU")
        if processor is None or str(target) != "cpu":
            return target
        return target_class.parse(processor, "FAIRLEAD_LEVELS_CPU")

    options_class.resolve_targets = lambda options, on_cpu: [
        on_processor(target) for target in resolve(options, on_cpu)
    ]
    options_class.host_target = staticmethod(lambda: on_processor(host()))


def seed() -> None:
    """Makes random numbers of this process the same in each run."""
    random.seed(0)
    np.random.seed(0)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(0)


def install() -> None:
    """Records the calls of this process if the environment names a file for that."""
    path = os.environ.get("FAIRLEAD_LEVELS_RECORD")
    if path and not any(isinstance(finder, AfterImport) for finder in sys.meta_path):
        recorder = Recorder(path)
        sys.meta_path[:0] = [
            AfterImport("fairlead.cute._compile", lambda module: record_calls(module, recorder)),
            AfterImport("torch", lambda module: module.manual_seed(0)),
        ]
        make = np.random.default_rng
        np.random.default_rng = lambda seed=0: make(seed)
        seed()


def pytest_runtest_setup(item) -> None:
    os.environ["FAIRLEAD_LEVELS_TEST"] = item.nodeid
    seed()


def run(
    environment: dict[str, str], record: Path, arguments: list[str], limit: float | None
) -> str:
    """Runs pytest for at most ``limit`` seconds; returns its last line."""
    here = str(Path(__file__).resolve().parent)
    with tempfile.TemporaryDirectory(prefix="fairlead-levels-") as folder:
        # Python imports this module at its start, in pytest and in the processes of tests.
        Path(folder, "sitecustomize.py").write_text("import levels\n\nlevels.install()\n")
        path = os.pathsep.join(filter(None, (folder, here, os.environ.get("PYTHONPATH"))))
        facts = {"FAIRLEAD_LEVELS_RECORD": str(record), "PYTHONPATH": path, "PYTHONHASHSEED": "0"}
        command = [sys.executable, "-m", "pytest", "-p", "levels", "-p", "no:cacheprovider", "-q"]
        with open(record.with_suffix(".log"), "w+", encoding="utf-8") as log:
            try:
                subprocess.run(
                    [*command, *arguments],
                    env={**os.environ, **environment, **facts},
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    check=False,
                    timeout=limit,
                )
            except subprocess.TimeoutExpired:
                return f"stopped after {limit} s"
            log.seek(0)
            return (log.read().strip().splitlines() or ["no output"])[-1]


def run_all(
    names: list[str], folder: Path, arguments: list[str], given: argparse.Namespace
) -> None:
    """Runs the configurations one after the other, or test files of all of them side by side."""
    started = time.monotonic()

    def one(part: str, tests: list[str], name: str) -> None:
        record = folder / name.replace(" ", "-") / f"{part or 'all'}.jsonl"
        record.parent.mkdir(parents=True, exist_ok=True)
        if record.exists() or time.monotonic() - started > given.budget:
            return
        last = run(CONFIGURATIONS[name], record, tests, given.limit)
        print(f"{name}: {part}{': ' if part else ''}{last}", flush=True)

    parts = {"": arguments}
    if given.jobs:
        paths = [argument for argument in arguments if Path(argument).exists()]
        others = [argument for argument in arguments if argument not in paths]
        files = [file for path in paths for file in test_files(Path(path))]
        parts = {str(file).replace(os.sep, "."): [str(file), *others] for file in files}
    with ThreadPoolExecutor(given.jobs or 1) as pool:
        runs = [(part, tests, name) for part, tests in parts.items() for name in names]
        for done in [pool.submit(one, *parameters) for parameters in runs]:
            done.result()


def test_files(path: Path) -> list[Path]:
    return sorted(path.rglob("test_*.py")) if path.is_dir() else [path]


def read_all(folder: Path, name: str) -> dict[str, dict]:
    """The calls of a configuration."""
    calls = {}
    for record in sorted((folder / name.replace(" ", "-")).glob("*.jsonl")):
        with open(record, encoding="utf-8") as file:
            calls.update({line["call"]: line for line in map(json.loads, file)})
    return calls


def compare(name: str, base: dict, again: dict, other: dict) -> int:
    """Prints the calls whose results differ, and returns their number."""
    steady = {call for call in base if call in again and same(base[call], again[call])}
    common = sorted(call for call in steady if call in other)
    different = [call for call in common if not same(base[call], other[call])]
    for call in different[:MOST_SHOWN]:
        print(f"  {name}: {call}: {difference(base[call], other[call])}")
    print(
        f"{name}: {len(common)} calls compared, {len(different)} differ; {len(base) - len(steady)} "
        f"differ between two default runs, {len(steady) - len(common)} have no counterpart",
        flush=True,
    )
    return len(different)


def same(one: dict, other: dict) -> bool:
    return one["status"] == other["status"] and one["after"] == other["after"]


def difference(one: dict, other: dict) -> str:
    if one["status"] != other["status"]:
        return f"status {one['status']} and {other['status']}"
    parts = []
    for index, (a, b) in enumerate(zip(one["after"], other["after"], strict=True)):
        if a == b:
            continue
        kept = one["data"][index], other["data"][index]
        text = "too large to show"
        if all(kept):
            left, right = (np.frombuffer(base64.b64decode(data), np.uint8) for data in kept)
            at = np.flatnonzero(left != right)
            text = f"{len(at)} of {len(left)} bytes, the first at {at[0]}"
            if len(left) % 4 == 0:
                word = at[0] // 4
                text += f": {left.view('f4')[word]!r} and {right.view('f4')[word]!r} as Float32"
        parts.append(f"argument {index} ({text})")
    return ", ".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--only", action="append", help="configurations, in place of all")
    parser.add_argument("--records", type=Path, help="a folder that keeps the records")
    parser.add_argument("--jobs", type=int, help="run test files one by one, as many at a time")
    parser.add_argument(
        "--budget", type=float, default=1e9, help="seconds after which no run starts"
    )
    parser.add_argument("--limit", type=float, help="seconds for one run")
    given, arguments = parser.parse_known_args()
    folder = given.records or Path(tempfile.mkdtemp(prefix="fairlead-levels-"))
    folder.mkdir(parents=True, exist_ok=True)
    names = [
        name
        for name in CONFIGURATIONS
        if name.startswith("default") or not given.only or name in given.only
    ]
    run_all(names, folder, arguments, given)
    records = {name: read_all(folder, name) for name in names}
    base, again = records.pop("default"), records.pop("default again")
    different = sum([compare(name, base, again, other) for name, other in records.items()])
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
