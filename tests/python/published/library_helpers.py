"""Imports of published programs besides the language: cutlass.torch, conversions, copies and products of single atoms,
tiled copies made of others. Prints PASS.
"""

import cutlass
import cutlass.cute as cute
import cutlass.torch as cutlass_torch
import torch
from cutlass.cute import testing
from cutlass.cute.nvgpu import CopyUniversalOp, warp
from cutlass.cute.runtime import from_dlpack
from cutlass.utils import tensor_helpers


def tensors_of_torch():
    a = cutlass_torch.matrix(2, 16, 24, True, cutlass.Float16)
    assert a.shape == (16, 24, 2) and a.stride() == (1, 16, 384) and a.dtype == torch.float16
    assert cutlass_torch.get_leading_dim(torch_tensor=a) == 0
    b = cutlass_torch.matrix(3, 8, 4, False, cutlass.Float32)
    assert b.shape == (8, 4, 3) and b.stride() == (4, 1, 32)
    assert b.abs().max() <= 2 and torch.equal(b, b.round())
    assert cutlass_torch.dtype(cutlass.BFloat16) is torch.bfloat16
    config = cutlass_torch.ScalarInitConfig(value=3.0)
    c = cutlass_torch.create_and_permute_torch_tensor(
        (2, 4, 6), torch.float32, (1, 2, 0), cutlass_torch.TensorInitType.SCALAR, config
    )
    assert c.shape == (4, 6, 2) and bool((c == 3).all())
    like, on_device = cutlass_torch.cute_tensor_like(a, cutlass.Float16, True, assumed_align=16)
    assert torch.equal(on_device.cpu(), a) and like.element_type is cutlass.Float16


def floats_of_8_bits():
    assert tensor_helpers.is_fp8_dtype(cutlass.Float8E5M2)
    assert not tensor_helpers.is_fp8_dtype(cutlass.Float16)
    numbers = torch.randint(-4, 5, (8, 16)).float().cuda()
    storage = torch.zeros(8, 16, dtype=torch.int8).cuda()
    tensor = tensor_helpers.create_cute_tensor_for_fp8(storage, cutlass.Float8E4M3FN, 1, numbers)
    torch.cuda.synchronize()
    assert torch.equal(storage.view(torch.float8_e4m3fn).float(), numbers)
    back = torch.zeros_like(numbers)
    testing.convert(tensor, from_dlpack(back).mark_layout_dynamic(leading_dim=1))
    torch.cuda.synchronize()
    assert torch.equal(back, numbers)


@cute.kernel
def single_atoms(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    mma = cute.make_tiled_mma(warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16)))
    mine = mma.get_slice(thread)
    rows = cute.make_tiled_copy_A(cute.make_copy_atom(CopyUniversalOp(), cutlass.Float16), mma)
    # Threads and values as another tiled copy reads them, and as it writes them.
    as_read, as_written = cute.make_tiled_copy_S(rows, rows), cute.make_tiled_copy_D(rows, rows)
    memory = cutlass.utils.SmemAllocator()
    shared = memory.allocate_tensor(cutlass.Float16, cute.make_layout((16, 16), stride=(24, 1)), 16)
    source, target = as_read.get_slice(thread), as_written.get_slice(thread)
    cute.copy(as_read, source.partition_S(a), target.partition_D(shared))
    cute.arch.sync_threads()
    rA = mma.make_fragment_A(mine.partition_A(shared))
    rB = mma.make_fragment_B(mine.partition_B(b))
    matrices = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), cutlass.Float16)
    load = cute.make_tiled_copy_A(matrices, mma)
    part, view = load.get_slice(thread).partition_S(shared), load.retile(rA)
    cute.copy_atom_call(matrices, part[None, 0, 0], view[None, 0, 0])
    cute.basic_copy(mine.partition_B(b), rB)
    acc = mma.make_fragment_C(mine.partition_C(c))
    acc.fill(0.0)
    one = (None, 0, 0)
    cute.mma_atom_call(cute.make_mma_atom(mma.op), acc[one], rA[one], rB[one], acc[one])
    cute.autovec_copy(acc, mine.partition_C(c))


@cute.kernel
def turned(a: cute.Tensor, b: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    atom = cute.make_copy_atom(CopyUniversalOp(), cutlass.Float32, num_bits_per_copy=128)
    threads = cute.make_layout((32, 4), stride=(4, 1))  # each four neighbours in memory
    tiled = cute.make_cotiled_copy(atom, threads, a.layout)
    mine = tiled.get_slice(thread)
    values = cute.make_fragment_like(mine.partition_S(a))
    cute.copy(tiled, mine.partition_S(a), values)
    values.store(values.load() + 1.0)
    cute.copy(tiled, values, mine.partition_D(b))


@cute.jit
def atoms(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, d: cute.Tensor, e: cute.Tensor):
    single_atoms(a, b, c).launch(grid=(1, 1, 1), block=(32, 1, 1))
    turned(d, e).launch(grid=(1, 1, 1), block=(32, 1, 1))


def atoms_and_tiled_copies():
    a = torch.randint(-3, 4, (16, 16)).half().cuda()
    b = torch.randint(-3, 4, (8, 16)).half().cuda()
    c = torch.zeros(16, 8).cuda()
    d = torch.randn(8, 16).cuda()
    e = torch.zeros(8, 16).cuda()
    atoms(*(from_dlpack(each, assumed_align=16) for each in (a, b, c, d, e)))
    torch.cuda.synchronize()
    assert torch.equal(c.double(), a.double() @ b.double().T)
    assert torch.equal(e, d + 1)


@cute.kernel
def note(number: cutlass.Int32, found: cute.Tensor):
    found[0] = number


@cute.jit
def tiles_of_groups(rows: cute.Tensor, found: cute.Tensor):
    """The tiles of 128 of rows in groups of 6: a size of two modes is an Int32, as it is assigned to one."""
    assert rows._dtype is rows.element_type
    grouped = cute.make_layout((6, rows.shape[0]))
    tiles = cutlass.Int32(0)
    if rows.shape[0] > 1:
        tiles = cute.ceil_div(cute.size(grouped), 128)
    note(tiles, found).launch(grid=(1, 1, 1), block=(1, 1, 1))


def sizes():
    found = torch.zeros(1, dtype=torch.int32).cuda()
    rows = from_dlpack(torch.zeros(100, 4).cuda()).mark_layout_dynamic(leading_dim=1)
    tiles_of_groups(rows, from_dlpack(found))
    torch.cuda.synchronize()
    assert found.item() == 5


if __name__ == "__main__":
    sizes()
    tensors_of_torch()
    floats_of_8_bits()
    atoms_and_tiled_copies()
    print("PASS")
