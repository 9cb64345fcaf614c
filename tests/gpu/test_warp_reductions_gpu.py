"""Reductions of a warp, and narrow elements packed in registers, give a GPU the results of the CPU."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from fairlead import Int4, Int32, Uint8, cute  # noqa: E402

KINDS = ("add", "min", "max", "and", "or", "xor")


@cute.kernel
def reduce_kernel(numbers: cute.Tensor, out: cute.Tensor):
    t = cute.arch.thread_idx()[0]
    for k, kind in enumerate(KINDS):
        out[k, t] = cute.arch.warp_redux_sync(numbers[t], kind)


@cute.jit
def reduce(numbers: cute.Tensor, out: cute.Tensor):
    reduce_kernel(numbers, out).launch(grid=1, block=numbers.shape[0])


@pytest.mark.parametrize("threads", [20, 33, 64])
@pytest.mark.parametrize("dtype", [torch.int32, torch.uint32])
def test_reductions(threads, dtype):
    numbers = torch.randint(0, 1 << 30, (threads,), dtype=torch.int64).to(dtype)
    results = {}
    for device in ("cpu", "cuda"):
        out = torch.zeros((6, threads), dtype=dtype, device=device)
        reduce(numbers.to(device), out)
        results[device] = out.cpu()
    assert results["cpu"].equal(results["cuda"])


@cute.kernel
def unpack_kernel(words: cute.Tensor, out: cute.Tensor):
    bytes = cute.make_rmem_tensor((4,), Uint8)
    for i in cute.range_constexpr(4):
        bytes[i] = words[i]
    elements = cute.recast_tensor(bytes, Int4)
    for i in range(8):
        out[i] = elements[i].to(Int32)


@cute.jit
def unpack(words: cute.Tensor, out: cute.Tensor):
    unpack_kernel(words, out).launch(grid=1, block=1)


def test_packed_registers():
    words = torch.from_numpy(np.array([0x21, 0x43, 0x65, 0x87], np.uint8)).cuda()
    out = torch.zeros(8, dtype=torch.int32, device="cuda")
    unpack(words, out)
    assert out.tolist() == [1, 2, 3, 4, 5, 6, 7, -8]
