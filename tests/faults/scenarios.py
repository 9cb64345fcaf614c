"""The scenarios that run_faults.py runs while calls fail. Each prepares once, then runs in a folder; a wrong result is
an AssertionError. Running again in the same folder must give the right result."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
from pathlib import Path

import numpy as np

from fairlead import Float32, _core, bundles, cute, ffi
from fairlead.cli import main
from fairlead.cute.runtime import load_module

_TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(_TESTS / "errors"))
from claims import Claim  # noqa: E402

import fairlead  # noqa: E402


@cute.kernel
def add_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Constexpr):
    i = cute.arch.block_idx()[0] * 64 + cute.arch.thread_idx()[0]
    if i < a.shape[0]:
        b[i] = a[i] + c


@cute.jit
def add(a: cute.Tensor, b: cute.Tensor, c: cute.Constexpr):
    add_kernel(a, b, c).launch(grid=((a.shape[0] + 63) // 64, 1, 1), block=(64, 1, 1))


def compiled(c: float, options: str = "", target: str = "--target cpu"):
    n = cute.sym_int()
    vectors = [cute.runtime.make_fake_compact_tensor(Float32, (n,)) for _ in range(2)]
    return cute.compile(add, *vectors, c, options=f"{target} {options}")


def check(function, c: float, size: int = 300) -> None:
    a = np.arange(size, dtype=np.float32)
    b = np.full(size, np.nan, np.float32)
    function(a, b)
    np.testing.assert_array_equal(b, a + np.float32(c))


class Scenario:
    """``prepare`` runs once, without failures, in a folder that each run gets a copy of; the cache is in it."""

    def prepare(self, folder: Path) -> None:
        pass

    def run(self, folder: Path) -> None:
        raise NotImplementedError


class CompileWithoutCache(Scenario):
    """JIT: trace, compile and call on the CPU target."""

    def run(self, folder: Path) -> None:
        check(compiled(2.0, "--no-cache"), 2.0)


@cute.kernel
def sums_kernel(a: cute.Tensor, b: cute.Tensor, rows: cute.Constexpr):
    """Sum the columns of a matrix by blocks of two warps: loops, branches, memory of threads and blocks."""
    tile = cute.arch.alloc_smem(Float32, 2)
    lane, warp = cute.arch.lane_idx(), cute.arch.warp_idx()
    column = cute.arch.block_idx()[0]
    parts = cute.make_rmem_tensor((2,), Float32)
    parts.fill(0.0)
    for row in range(cute.arch.thread_idx()[0], rows, 64):
        if row % 2 == 0:
            parts[0] += a[row, column]
        else:
            parts[1] -= a[row, column]
    total = cute.arch.warp_reduction_sum(parts[0] - parts[1])
    if lane == 0:
        tile[warp] = total
    cute.arch.sync_threads()
    if cute.arch.thread_idx()[0] == 0:
        b[column] = tile[0] + tile[1]


@cute.jit
def sums(a: cute.Tensor, b: cute.Tensor, rows: cute.Constexpr):
    sums_kernel(a, b, rows).launch(grid=a.shape[1], block=64)


class CompileLanguage(Scenario):
    """Trace and lower a kernel with loops, branches, shared memory and a reduction."""

    def run(self, folder: Path) -> None:
        rows = 100
        a = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)
        b = np.zeros(3, np.float32)
        cute.compile(sums, a, b, rows, options="--target cpu --no-cache")(a, b)
        np.testing.assert_array_equal(b, a.sum(0))


class CompileForGpu(Scenario):
    """Compile for a GPU, with the assembler if there is one, and export the code."""

    def run(self, folder: Path) -> None:
        function = compiled(14.0, "--no-cache", target="--target cuda:sm_80")
        assert ".target sm_80" in function.ptx
        function.export_to_c(folder / "gpu.o", function_name="add")
        with contextlib.redirect_stdout(io.StringIO()):
            succeed(["inspect", str(folder / "gpu.o")])


class WriteCache(Scenario):
    """Compile with an empty cache, which is written."""

    def run(self, folder: Path) -> None:
        check(compiled(3.0), 3.0)


class ReadCache(Scenario):
    """Compile with a cache that has the entry."""

    def prepare(self, folder: Path) -> None:
        compiled(4.0)

    def run(self, folder: Path) -> None:
        check(compiled(4.0), 4.0)


class EvictFromCache(Scenario):
    """Compile with a cache that is full: old entries go."""

    def prepare(self, folder: Path) -> None:
        for c in (5.0, 6.0, 7.0):
            compiled(c)

    def run(self, folder: Path) -> None:
        os.environ["FAIRLEAD_CACHE_SIZE"] = "20K"
        try:
            check(compiled(8.0), 8.0)
            assert main(["cache", "stats"]) == 0
        finally:
            del os.environ["FAIRLEAD_CACHE_SIZE"]


class ExportObject(Scenario):
    """Write an object, its header and a library."""

    def prepare(self, folder: Path) -> None:
        self.function = compiled(9.0, "--no-cache")

    def run(self, folder: Path) -> None:
        self.function.export_to_c(folder / "add.o", function_name="add")
        self.function.export_library(folder / "add.so", function_name="add")
        check(load_module(str(folder / "add.o"))["add"], 9.0)


class LoadObject(Scenario):
    """Load an object and a library and call their functions."""

    def prepare(self, folder: Path) -> None:
        function = compiled(10.0, "--no-cache")
        function.export_to_c(folder / "add.o", function_name="add")
        function.export_library(folder / "add.so", function_name="add")

    def run(self, folder: Path) -> None:
        for name in ("add.o", "add.so"):
            check(load_module(str(folder / name))["add"], 10.0)


class Bundle(Scenario):
    """Link two objects as a bundle and call its functions."""

    def prepare(self, folder: Path) -> None:
        for c in (1.0, 2.0):
            name = f"add_{c:.0f}"
            compiled(c, "--no-cache").export_to_c(folder / f"{name}.o", function_name=name)

    def run(self, folder: Path) -> None:
        library = folder / "libadds.so"
        bundles.bundle([folder / "add_1.o", folder / "add_2.o"], library)
        module = load_module(str(library))
        check(module["add_1"], 1.0)
        check(module["add_2"], 2.0)


class Sign(Scenario):
    """Make keys, sign an export, and load it where only signed files are."""

    def prepare(self, folder: Path) -> None:
        self.function = compiled(11.0, "--no-cache")

    def run(self, folder: Path) -> None:
        for old in folder.glob("build.*"):
            old.unlink()
        succeed(["key", "new", str(folder / "build")])
        self.function.export_to_c(
            folder / "add.o", function_name="add", sign=str(folder / "build.key")
        )
        os.environ["FAIRLEAD_TRUSTED_KEYS"] = str(folder / "build.pub")
        try:
            check(load_module(str(folder / "add.o"))["add"], 11.0)
        finally:
            del os.environ["FAIRLEAD_TRUSTED_KEYS"]


def succeed(command: list[str]) -> None:
    """Run a command; an error that it reports is a RuntimeError."""
    if main(command) != 0:
        raise RuntimeError(f"the command {command} failed")


class StartThreads(Scenario):
    """The first launch of many blocks starts the work pool."""

    def prepare(self, folder: Path) -> None:
        self.function = compiled(12.0, "--no-cache")

    def run(self, folder: Path) -> None:
        check(self.function, 12.0, 1 << 20)


class RaiseErrors(Scenario):
    """Errors of calls, of the runtime's functions and of Python callbacks reach the caller."""

    def prepare(self, folder: Path) -> None:
        self.function = compiled(13.0, "--no-cache")

    def run(self, folder: Path) -> None:
        self.refused(
            ValueError, "shape", self.function, np.zeros(3, np.float32), np.zeros(4, np.float32)
        )
        self.refused(TypeError, "float32", self.function, np.zeros(3), np.zeros(3))

        def broken(*_):
            raise KeyError("the callback's error")

        self.refused(KeyError, "callback", ffi.convert(broken), 1)
        self.refused(FileNotFoundError, "no.o", load_module, str(folder / "no.o"))

    def refused(self, kind, word, function, *arguments) -> None:
        try:
            function(*arguments)
        except MemoryError:
            raise
        except kind as error:
            assert word in str(error), error
        else:
            raise AssertionError("no error")


class Objects(Scenario):
    """Containers and functions of the ABI."""

    def run(self, folder: Path) -> None:
        array = ffi.convert([1, "two", [3.0, "a text that is longer than a few bytes"]])
        table = ffi.convert({"one": 1, "two": array})
        assert list(table["two"][2]) == [3.0, "a text that is longer than a few bytes"]
        add_one = ffi.convert(lambda x: x + 1)
        assert add_one(41) == 42
        ffi.register_global_func("faults.add_one", add_one, override=True)
        assert ffi.get_global_func("faults.add_one")(1) == 2


class Direct(_core.Dispatcher):
    def _direct(self, *arguments):
        return arguments


class Types(Scenario):
    """Make an object of each type of Python's extension that has members of C++."""

    def run(self, folder: Path) -> None:
        form = _core.Form("tuple", None, (_core.Form("argument"), _core.Form("constant", 7)))
        names = ("a", "a name that is longer than a few bytes")
        call = _core.CallDescription(names, (..., 5), 2, (form, form))
        text = call.text
        assert _core.CallDescription.from_text(text).text == text
        guards = _core.Guards(
            ((globals(), "PTX"), (Types, "run"), (self, "__dict__"), (globals(), "PLACES"))
        )
        assert guards.is_unchanged()
        planner = _core.Planner(lambda *arguments: arguments, call, Scenario, 16, 4)
        assert planner(1, 2.5) == (1, 2.5)
        direct = Direct()
        direct._describe(call, (False, True))
        assert direct(1, 2) == (1, 2)


PLACES = [1, (2.0, "three"), np.arange(3)]
PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry add_one(.param .u64 x, .param .u64 y, .param .u32 n) { ret; }
"""


class LaunchOnFakeDriver(Scenario):
    """Load a module through a driver of the tests, and launch its kernel."""

    def run(self, folder: Path) -> None:
        function = fairlead.kernel(
            PTX,
            "add_one",
            "add_one(x: Tensor([n], float32), y: Tensor([n], float32))",
            "grid=(ceil_div(n, 256),), block=256, args=(x, y, int32(n))",
        )
        for device in (0, 1):
            tensors = [Claim((1000,), device=(2, device), bits=32) for _ in range(2)]
            function(*tensors)


SCENARIOS = {
    "jit": CompileWithoutCache,
    "language": CompileLanguage,
    "gpu": CompileForGpu,
    "cache write": WriteCache,
    "cache read": ReadCache,
    "cache evict": EvictFromCache,
    "export": ExportObject,
    "load": LoadObject,
    "bundle": Bundle,
    "sign": Sign,
    "threads": StartThreads,
    "errors": RaiseErrors,
    "objects": Objects,
    "types": Types,
    "driver": LaunchOnFakeDriver,
}


def copied(source: Path, target: Path) -> None:
    shutil.copytree(source, target, dirs_exist_ok=True)
