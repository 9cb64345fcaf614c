"""Running small traced functions over arrays on the CPU target."""

import importlib
import queue
import sys

import numpy as np

import fairlead
from fairlead import cute

BLOCK = 32
# Odd sizes: under, at and over a block, and many blocks.
SIZES = (1, 31, 32, 33, 1000)

DTYPES = {
    "Boolean": np.bool_,
    "Int8": np.int8,
    "Int16": np.int16,
    "Int32": np.int32,
    "Int64": np.int64,
    "Uint8": np.uint8,
    "Uint16": np.uint16,
    "Uint32": np.uint32,
    "Uint64": np.uint64,
    "Float16": np.float16,
    "Float32": np.float32,
    "Float64": np.float64,
}
CLASSES = {np.dtype(kind): getattr(fairlead, name) for name, kind in DTYPES.items()}


class Notes:
    """Notes of a test while a function is traced. It is no state of the program, as a list would be: regions may add
    to it."""

    def __init__(self):
        self._notes = queue.SimpleQueue()
        self._taken = []

    def append(self, note):
        self._notes.put(note)

    def clear(self):
        self.__init__()

    def __iter__(self):
        while not self._notes.empty():
            self._taken.append(self._notes.get())
        return iter(self._taken)

    def __len__(self):
        return sum(1 for _ in self)

    def __eq__(self, notes):
        return list(self) == notes

    def __getitem__(self, index):
        return list(self)[index]


def poisoned(shape, dtype):
    """Return an output whose unwritten elements are visible: NaN, or a pattern of ones."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return np.full(shape, np.nan, dtype)
    return np.full(shape, True if dtype.kind == "b" else np.iinfo(dtype).max - 3, dtype)


def randoms(generator, dtype, n, low=None, high=None):
    """Random numbers of a type: all integers, or normal floats."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return generator.integers(0, 2, n).astype(bool)
    if dtype.kind == "f":
        return generator.standard_normal(n).astype(dtype)
    info = np.iinfo(dtype)
    return generator.integers(
        info.min if low is None else low, info.max if high is None else high, n, dtype, True
    )


def vector(dtype, n=None):
    return cute.runtime.make_fake_compact_tensor(dtype, (n or cute.sym_int(),))


def in_kernel(body, block=64):
    """A host function that launches one block of a kernel with this body."""
    device = cute.kernel(body)

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=(1, 1, 1), block=(block, 1, 1))

    return host


@cute.kernel
def device_map(function: fairlead.Constexpr, out: cute.Tensor, inputs):
    block, _, _ = cute.arch.block_idx()
    thread, _, _ = cute.arch.thread_idx()
    i = block * BLOCK + thread
    if i < out.shape[0]:
        out[i] = function(*[tensor[i] for tensor in inputs])


@cute.jit
def map0(function: fairlead.Constexpr, out: cute.Tensor):
    device_map(function, out, ()).launch(grid=cute.ceil_div(out.shape[0], BLOCK), block=BLOCK)


@cute.jit
def map1(function: fairlead.Constexpr, out: cute.Tensor, a: cute.Tensor):
    device_map(function, out, (a,)).launch(grid=cute.ceil_div(out.shape[0], BLOCK), block=BLOCK)


@cute.jit
def map2(function: fairlead.Constexpr, out: cute.Tensor, a: cute.Tensor, b: cute.Tensor):
    device_map(function, out, (a, b)).launch(grid=cute.ceil_div(out.shape[0], BLOCK), block=BLOCK)


def run_map(function, out_dtype, *inputs):
    """``function`` on each element of the inputs, traced, compiled for the CPU and run."""
    out = poisoned(len(inputs[0]), out_dtype)
    n = cute.sym_int()
    fakes = [vector(CLASSES[array.dtype], n) for array in (out, *inputs)]
    jit = {1: map1, 2: map2}[len(inputs)]
    compiled = cute.compile(jit, function, *fakes, options="--target cpu")
    compiled(out, *inputs)
    return out


def published(*names):
    """Modules of fairlead.compat, without the names of other packages that its import puts into the process."""
    before = set(sys.modules)
    modules = [importlib.import_module(f"fairlead.compat.{name}") for name in names]
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in ("cutlass", "tvm_ffi"):
            del sys.modules[name]
    return modules
