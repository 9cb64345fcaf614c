"""FAIRLEAD_CPU_ASYNC: when asynchronous copies and products run. Programs that wait for them do not depend on it."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.blackwell_pairs import PairGemm
from support.blackwell_programs import TileGemm
from support.hopper_programs import ClusterCopies, PersistentGemm

from fairlead import Float32, Int64, cute, utils


@cute.kernel
def careless_kernel(source: cute.Tensor, target: cute.Tensor):
    memory = utils.SmemAllocator()
    barrier = memory.allocate(Int64)
    copied = memory.allocate_tensor(Float32, cute.make_layout(32), 128)
    thread, _, _ = cute.arch.thread_idx()
    copied[thread] = Float32(-1.0)
    if thread == 0:
        cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_arrive_and_expect_tx(barrier, 128)
    cute.arch.mbarrier_init_fence()
    cute.arch.sync_threads()
    load = cute.make_copy_atom(
        cute.nvgpu.cpasync.CopyBulkG2SOp(), Float32, num_bits_per_copy=32 * 32
    )
    cute.copy(load, source, copied, mbar_ptr=barrier)
    target[thread] = copied[thread]  # before the wait
    cute.arch.mbarrier_wait(barrier, 0)


@cute.jit
def careless(source: cute.Tensor, target: cute.Tensor):
    careless_kernel(source, target).launch(grid=1, block=32)


def integers(*shape):
    return np.random.default_rng(0).integers(-3, 4, shape).astype(np.float16)


def is_right(program, a, b, c, expected):
    """Run a program on the CPU and compare the last of its arrays."""
    arrays = [each for each in (a, b, c) if each is not None]
    tensors = [cute.runtime.from_dlpack(each, assumed_align=16) for each in arrays]
    cute.compile(program, *tensors, options="--target cpu")(*tensors)
    return bool((c == expected).all())


def product(program, m, n, k, batch=False):
    a, b, c = integers(m, k), integers(n, k), np.zeros((m, n), np.float16)
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    if batch:
        a, b, c, expected = (each[:, :, None] for each in (a, b, c, expected))
    return is_right(program, a, b, c, expected)


def copies():
    source, target = np.arange(256, dtype=np.float32), np.zeros((4, 256), np.float32)
    ranks = np.arange(4, dtype=np.float32)[:, None] % 2
    return is_right(ClusterCopies(2), source, None, target, source + ranks)


def run_all():
    """Print whether each program is right: the last one does not wait for its copy."""
    source, target = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    print(
        product(TileGemm(64, stages=2), 256, 128, 320),
        product(PairGemm(256, 32, (2, 2), stages=2), 256, 64, 320),
        product(PersistentGemm(64, 1, (2, 1), stages=2, clusters=1), 256, 128, 320, batch=True),
        copies(),
        is_right(careless, source, None, target, source),
    )


@pytest.mark.parametrize("moment, careless_result", [
    ("eager", True), ("late", False), ("random:1", None)
])  # fmt: skip
def test_results_at_each_moment(moment, careless_result):
    environment = {**os.environ, "FAIRLEAD_CPU_ASYNC": moment, "FAIRLEAD_CHECK": "none"}
    run = subprocess.run(
        [sys.executable, __file__], env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    *right, last = run.stdout.split()
    assert right == ["True"] * 4
    assert careless_result is None or last == str(careless_result)


#: Products with scale factors, with A in tensor memory, tiles by launch control.
OTHERS = (
    "test_block_scaling.py::test_product_on_the_cpu",
    "test_operands_in_tensor_memory.py",
    "test_cluster_launch.py::test_every_tile_is_visited_once",
)


@pytest.mark.parametrize("moment", ["late", "random:2"])
def test_other_programs_at_each_moment(moment):
    """They compare their results with NumPy's or torch's."""
    environment = {**os.environ, "FAIRLEAD_CPU_ASYNC": moment}
    here = Path(__file__).parent
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-k",
        "not assembles",
    ]
    command += [str(here / other) for other in OTHERS]
    run = subprocess.run(
        command, env=environment, capture_output=True, text=True, cwd=here.parents[2]
    )
    assert run.returncode == 0, run.stdout[-4000:]


def test_another_moment():
    environment = {**os.environ, "FAIRLEAD_CPU_ASYNC": "random:x"}
    run = subprocess.run(
        [sys.executable, __file__], env=environment, capture_output=True, text=True
    )
    expected = "FAIRLEAD_CPU_ASYNC, expected eager, late or random:SEED, but got `random:x`"
    assert expected in run.stderr and "ValueError" in run.stderr


if __name__ == "__main__":
    run_all()
