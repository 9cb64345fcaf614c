"""--schedule: another order of threads and blocks shows wrong assumptions of a program."""

import numpy as np
import pytest

from fairlead import Int32, cute

SCHEDULES = ("forward", "backward", "random:1", "random:2")


@cute.kernel
def last_kernel(out: cute.Tensor):
    """Who writes last? Nothing says it."""
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    out[0] = x * 64 + t


@cute.jit
def last(out: cute.Tensor):
    last_kernel(out).launch(grid=4, block=64)


@cute.kernel
def turned_kernel(a: cute.Tensor, out: cute.Tensor):
    """Warps turn their elements around by shuffles, the block its warps through shared memory."""
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    s = cute.SmemAllocator().allocate_tensor(Int32, 64)
    s[t] = cute.arch.shuffle_sync_bfly(a[x * 64 + t], 31)
    cute.arch.sync_threads()
    out[x * 64 + t] = s[t ^ 32]


@cute.jit
def turned(a: cute.Tensor, out: cute.Tensor):
    turned_kernel(a, out).launch(grid=4, block=64)


def run(host, *arguments, schedule):
    cute.compile(host, *arguments, options=f"--target cpu --schedule {schedule}")(*arguments)
    return arguments[-1]


def test_the_last_write_depends_on_the_order():
    written = {
        schedule: int(run(last, np.zeros(1, np.int32), schedule=schedule)[0])
        for schedule in SCHEDULES
    }
    assert written["forward"] == 255
    assert written["backward"] == 0
    assert written["random:1"] != written["random:2"]
    again = run(last, np.zeros(1, np.int32), schedule="random:1")
    assert again[0] == written["random:1"]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_right_program_does_not_care(schedule):
    a = np.arange(256, dtype=np.int32)
    np.testing.assert_array_equal(
        run(turned, a, np.zeros_like(a), schedule=schedule), a.reshape(4, 64)[:, ::-1].ravel()
    )


@pytest.mark.parametrize("schedule", ["random", "random:x", "sideways", "random:1000000"])
def test_other_texts_are_errors(schedule):
    with pytest.raises(ValueError, match="--schedule.*forward, backward or random:SEED"):
        run(last, np.zeros(1, np.int32), schedule=schedule)


def test_gpus_choose_their_order():
    with pytest.raises(ValueError, match="--schedule.*the CPU target.*cuda:sm_80"):
        cute.compile(last, np.zeros(1, np.int32), options="--target cuda:sm_80 --schedule backward")


def test_code_without_it_is_what_it_was():
    """A schedule that was compiled before leaves nothing behind."""
    out = np.zeros(1, np.int32)
    run(last, out, schedule="backward")
    compiled = cute.compile(last, out, options="--target cpu")
    compiled(out)
    assert out[0] % 64 == 63  # threads of a block go forward; blocks may run at the same time
