"""Warpgroup MMAs fed by TMA: results of the program that the CPU's tests run, in more shapes."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python" / "dsl"))
from support.hopper_programs import (  # noqa: E402
    CHOICES,
    EditedMap,
    MapsOfParts,
    Neighbours,
    PersistentGemm,
    SumOfProducts,
    bulk_copies,
    copy_by_a_chosen_thread,
    exchanged,
    product_from_registers,
)

from fairlead import cute, utils  # noqa: E402
from fairlead.cute.runtime import from_dlpack  # noqa: E402

pytestmark = pytest.mark.skipif(
    torch.cuda.is_available() and torch.cuda.get_device_capability() != (9, 0),
    reason="instructions of compute capability 9.0",
)


def matrices(rows, columns, batch, leading, dtype):
    shape = (batch, columns, rows) if leading == 0 else (batch, rows, columns)
    storage = torch.randint(-2, 3, shape, device="cuda").to(dtype)
    tensor = storage.permute((2, 1, 0) if leading == 0 else (1, 2, 0))
    return tensor, from_dlpack(tensor, assumed_align=16).mark_layout_dynamic(leading_dim=leading)


@pytest.mark.parametrize("shape, majors, options", [
    ((128, 128, 64, 1), (1, 1, 1), {"stages": 2, "clusters": 1}),
    ((300, 520, 200, 2), (1, 1, 1), {"clusters": 5}),
    ((256, 256, 128, 1), (0, 0, 0), {}),
    ((512, 512, 256, 1), (1, 0, 1), {"cluster": (2, 1)}),
    ((512, 512, 256, 1), (0, 1, 0), {"cluster": (1, 2)}),
    ((512, 1024, 256, 1), (1, 1, 1), {"cluster": (2, 2), "tile_n": 256, "clusters": 3}),
    ((512, 512, 512, 1), (1, 1, 1), {"swizzle": 2}),
    ((192, 320, 96, 3), (1, 1, 1), {"groups": 1, "tile_n": 64}),
])  # fmt: skip
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_persistent_product(shape, majors, options, dtype):
    m, n, k, batch = shape
    (a, first), (b, second), (c, result) = (
        matrices(rows, columns, batch, leading, dtype)
        for (rows, columns), leading in zip(((m, k), (n, k), (m, n)), majors, strict=True)
    )
    c.fill_(float("nan"))
    f = cute.compile(PersistentGemm(**options), first, second, result)
    for _ in range(2):
        f(first, second, result)
    expected = torch.einsum("mkl,nkl->mnl", a.float(), b.float()).to(dtype)
    assert torch.equal(c, expected)


def test_other_tensors_of_a_compiled_program():
    """Tensor maps describe the tensors of the call, never those of an earlier call."""
    f = None
    for m, n, k in ((256, 128, 64), (128, 384, 192), (256, 128, 64)):
        (a, first), (b, second), (c, result) = (
            matrices(rows, columns, 1, 1, torch.float16)
            for rows, columns in ((m, k), (n, k), (m, n))
        )
        f = f or cute.compile(PersistentGemm(), first, second, result)
        f(first, second, result)
        assert torch.equal(c, torch.einsum("mkl,nkl->mnl", a.float(), b.float()).half())


def test_a_thread_without_a_context():
    """A thread without a context, such as autograd's: the driver encodes tensor maps only in a context."""
    (a, first), (b, second), (c, result) = (
        matrices(rows, columns, 1, 1, torch.float16)
        for rows, columns in ((128, 64), (128, 64), (128, 128))
    )
    f = cute.compile(PersistentGemm(), first, second, result)
    torch.cuda.synchronize()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(f, first, second, result).result()
    assert torch.equal(c, torch.einsum("mkl,nkl->mnl", a.float(), b.float()).half())


@pytest.mark.parametrize("chosen", CHOICES)
def test_a_copy_by_a_chosen_thread(chosen):
    source = torch.randn(64, 32, device="cuda")
    target = torch.zeros_like(source)
    copy_by_a_chosen_thread(chosen)(from_dlpack(source, assumed_align=16), target)
    assert torch.equal(target, source)


def test_what_the_driver_refuses():
    """An extent of 0 and a row of bytes that are no multiple of 16, told by the call."""
    (_, first), (_, second), (_, result) = (
        matrices(rows, columns, 1, 1, torch.float16)
        for rows, columns in ((128, 64), (128, 64), (128, 128))
    )
    f = cute.compile(PersistentGemm(), first, second, result)
    (_, odd) = matrices(128, 60, 1, 1, torch.float16)
    with pytest.raises(ValueError, match="expected strides in multiples of 16 bytes.* but got 120"):
        f(odd, odd, result)


def test_bulk_copies():
    source = torch.randn(256, device="cuda")
    target = torch.zeros_like(source)
    bulk_copies(source, target)
    assert torch.equal(target, source + 1)


@pytest.mark.parametrize("mode", list(utils.TensorMapUpdateMode))
def test_tensor_maps_that_kernels_change(mode):
    first, other = torch.randn(96, 128, device="cuda"), torch.randn(128, 192, device="cuda")
    target = torch.full((64, 64), float("nan"), device="cuda")
    space = torch.zeros(128, dtype=torch.uint8, device="cuda")

    def argument(tensor):
        return from_dlpack(tensor, assumed_align=16).mark_layout_dynamic(leading_dim=1)

    f = EditedMap(mode)
    f(argument(first), argument(other), target, from_dlpack(space, assumed_align=128))
    assert torch.equal(target, other[64:, 64:128])


def test_tensor_maps_that_kernels_make():
    offsets = torch.tensor([0, 5, 21, 22, 30], dtype=torch.int32, device="cuda")
    target = torch.zeros(33, 32, device="cuda")
    space = torch.zeros(4, 128, dtype=torch.uint8, device="cuda")
    MapsOfParts()(
        from_dlpack(target, assumed_align=16), offsets, from_dlpack(space, assumed_align=128)
    )
    rows = torch.arange(33, device="cuda")[:, None]
    filled = torch.searchsorted(offsets, rows, right=True, out_int32=True)
    assert torch.equal(target, torch.where(rows < 30, filled, 0).float().expand(33, 32))


@pytest.mark.parametrize("size", [1, 2, 8])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_stores_to_blocks_of_a_cluster(size, dtype):
    numbers = torch.arange(16 * 64, device="cuda", dtype=dtype).reshape(16, 64)
    ranks = torch.arange(size, device="cuda", dtype=dtype)[:, None]
    wanted = numbers.reshape(-1, size, 64).roll(1, 1) * ranks
    Neighbours(size)(from_dlpack(numbers).mark_compact_shape_dynamic(mode=0))
    assert torch.equal(numbers, wanted.reshape(16, 64))


def test_stores_to_blocks_as_inline_ptx():
    numbers = torch.arange(30, device="cuda", dtype=torch.int32).reshape(6, 5)
    wanted = numbers.reshape(3, 2, 5).flip(1).reshape(6, 5).clone()
    exchanged(from_dlpack(numbers).mark_compact_shape_dynamic(mode=0))
    assert torch.equal(numbers, wanted)


def test_clusters_that_run_at_once():
    """Some multiprocessors may be left over; the driver's own answer, and 1 for clusters that are too large."""
    info = utils.HardwareInfo()
    processors = info.get_device_multiprocessor_count()
    assert info.get_max_active_clusters(1) == processors
    found = {size: cute.cuda.most_clusters(0, size) for size in (2, 4, 8, 16, 32)}
    print(processors, found)
    assert all(0 < found[size] * size <= processors for size in (2, 4, 8, 16))
    assert found[2] * 2 > processors * 0.8 and found[32] == 0
    assert info.get_max_active_clusters(4) == found[4] and info.get_max_active_clusters(32) == 1


def test_product_from_registers():
    a, b = (torch.randint(-2, 3, (64, 64), device="cuda").half() for _ in range(2))
    c = torch.full((64, 64), float("nan"), device="cuda")
    product_from_registers(
        *(from_dlpack(x, assumed_align=16).mark_layout_dynamic(leading_dim=1) for x in (a, b)), c
    )
    assert torch.equal(c, a.float() @ b.float().T)


@pytest.mark.parametrize("own_rows", [True, False])
def test_fence_and_wait_are_of_the_whole_warpgroup(own_rows):
    a, b = (torch.randint(-2, 3, (64, 192), device="cuda").half() for _ in range(2))
    c = torch.full((64, 64), float("nan"), device="cuda")
    arguments = [
        from_dlpack(x, assumed_align=16).mark_layout_dynamic(leading_dim=1) for x in (a, b)
    ]
    SumOfProducts(own_rows)(*arguments, c)
    assert torch.equal(c, a.float() @ b.float().T)
