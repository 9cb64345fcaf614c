"""Objects that need more of the runtime libraries than these have are refused when they are loaded."""

import re

import numpy as np
import pytest

from fairlead import Float32, cute, ffi
from fairlead.utils import SmemAllocator

RUNS = "FairleadCpuRunThreads_2"
REFUSED = r"FairleadCpuRunThreads_9`? \(it was exported for newer runtime libraries of Fairlead than these: update"


@cute.kernel
def turned_kernel(x: cute.Tensor):
    """The threads wait for each other as a number of run time says: they are suspended."""
    thread, _, _ = cute.arch.thread_idx()
    shared = SmemAllocator().allocate_tensor(Float32, cute.make_layout(32), 4)
    shared[thread] = x[thread]
    for _ in range(cute.Int32(x[0])):
        cute.arch.sync_threads()
        value = shared[(thread + 1) % 32]
        cute.arch.sync_threads()
        shared[thread] = value
    x[thread] = shared[thread]


@cute.jit
def turned(x: cute.Tensor):
    turned_kernel(x).launch(grid=(1, 1, 1), block=(32, 1, 1))


@pytest.fixture
def exported(tools):
    fake = cute.make_fake_compact_tensor(Float32, (32,))
    compiled = cute.compile(turned, fake, options="--target cpu")
    compiled.export_to_c(file_path=tools.folder, file_name="turned")
    return tools.folder


def test_a_runtime_that_has_it(tools, exported):
    tools.run("gcc", "-shared", "turned.o", "-o", "libturned.so")
    for name in ("turned.o", "libturned.so"):
        x = np.arange(32, dtype=np.float32) + 3
        cute.runtime.load_module(exported / name).turned(x)
        np.testing.assert_array_equal(x, np.roll(np.arange(32) + 3, -3))


def test_an_older_runtime(tools, exported):
    """The function claims a later number. Libraries are refused whole: a call would end the process."""
    renamed = ["--redefine-sym", f"{RUNS}={RUNS[:-1]}9", "--remove-section=.note.fairlead*"]
    tools.run("objcopy", *renamed, "turned.o", "newer.o")
    tools.run("gcc", "-shared", "newer.o", "-o", "libnewer.so")
    assert not re.search(
        f"JU?MP_SLO.*{RUNS[:-1]}9", tools.run("readelf", "-rW", "libnewer.so").stdout
    )
    with pytest.raises(RuntimeError, match=REFUSED):
        cute.runtime.load_module(exported / "newer.o")
    with pytest.raises(RuntimeError, match=REFUSED):
        cute.runtime.load_module(exported / "libnewer.so")
    with pytest.raises(Exception, match=REFUSED):
        ffi.load_module(exported / "libnewer.so")
