"""Bits, clocks, flags between blocks and functions of numbers by their published names alone."""

import math

import cutlass
import cutlass.cute as cute
import torch
from cutlass._mlir.dialects import llvm, nvvm
from cutlass._mlir.dialects import math as mlir_math
from cutlass.cute.runtime import from_dlpack
from cutlass.cute.typing import SymInt, sym_int64
from cutlass.cutlass_dsl import dsl_user_op
from cutlass.utils.distributed import atomicAdd, red_add1, spin_lock_ld_lt_relaxed_wait

BLOCKS, THREADS = 4, 64


@dsl_user_op
def add_to_first_block(ptr, value: cutlass.Int32, *, loc=None, ip=None):
    nvvm.red(
        op=nvvm.ReductionOp.ADD,
        type_=nvvm.ReductionType.S32,
        a=ptr,
        b=value.ir_value(loc=loc, ip=ip),
        mem_order=nvvm.MemOrderKind.RELAXED,
        shared_space=nvvm.SharedSpace.shared_cluster,
        mem_scope=nvvm.MemScopeKind.CLUSTER,
        loc=loc,
        ip=ip,
    )


@cute.kernel
def count_bits(words: cute.Tensor, total: cute.Tensor, longest: cute.Tensor):
    """Count the ones of all words in the shared memory of the cluster's first block; find the longest word's bits."""
    tidx, _, _ = cute.arch.thread_idx()
    rank = cute.arch.block_idx_in_cluster()
    smem = cutlass.utils.SmemAllocator()
    sums = smem.allocate_tensor(cutlass.Int32, cute.make_layout(1), 4)
    if tidx == 0:
        sums[0] = 0
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    word = words[rank * THREADS + tidx]
    reversed_word = cute.arch.brev(word)
    ones = cute.arch.popc(cute.arch.lop3(word, reversed_word, cutlass.Uint32(0), 0xF0))
    add_to_first_block(cute.arch.mapa(sums.iterator, cutlass.Int32(0)), ones)
    cute.arch.red(longest.iterator, cutlass.Int32(32) - cute.arch.clz(word), op="max", dtype="s32")
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()
    if rank == 0 and tidx == 0:
        total[0] = sums[0]


@cute.kernel
def ranks_in_warps(keys: cute.Tensor, ranks: cute.Tensor):
    """How many threads of the warp before this one have its key."""
    tidx, _, _ = cute.arch.thread_idx()
    start = cute.arch.clock64()
    same = cute.arch.match_sync(cute.arch.FULL_MASK, keys[tidx], "any")
    ranks[tidx] = cute.arch.popc(same & cute.arch.lanemask_lt())
    assert cute.arch.WARPS_PER_WARPGROUP * 32 == cute.arch.THREADS_PER_WARPGROUP
    if cute.arch.clock64() < start:
        ranks[tidx] = -1


@cute.kernel
def wait_for_others(flag: cute.Tensor, seen: cute.Tensor):
    """The last of the blocks to come sees that all have written."""
    tidx, _, _ = cute.arch.thread_idx()
    if tidx == 0:
        red_add1(flag.iterator, order="release", scope="gpu")
        before = atomicAdd(flag.iterator + 1, cutlass.Int32(1))
        if before == BLOCKS - 1:
            spin_lock_ld_lt_relaxed_wait(
                flag.iterator, expected_val=cutlass.Int32(BLOCKS), scope="gpu"
            )
            seen[0] = flag[0]


@cute.kernel
def functions(x: cute.Tensor, out: cute.Tensor):
    tidx, _, _ = cute.arch.thread_idx()
    mine = cute.local_tile(x, (4,), (tidx,))
    values = mine.load()
    found = cute.math.log1p(cute.abs(values)) + cute.math.fma(values, values, 0.5)
    found = cute.where(cute.isfinite(found), cute.clamp(found, -1.0, 3.0), 0.0)
    pairs = found.reshape((2, 2)).reduce(cute.ReductionOp.ADD, 0.0, reduction_profile=(None, 1))
    result = cute.local_tile(out, (4,), (tidx,))
    result[0] = pairs[0]
    result[1] = pairs[1]
    result[2] = mlir_math.roundeven(mine[0]) + mlir_math.copysign(mine[1], mine[2])
    signs = values.bitcast(cutlass.Uint32) >> 31
    counts = cute.make_rmem_tensor((4,), cutlass.Int32)
    counts.fill(0.0)
    counts.store(counts.load() + signs.to(cutlass.Int32))
    address = llvm.ptrtoint(cutlass.Int64, mine.iterator) & 15
    result[3] = (counts[0] + counts[1] + counts[2] + counts[3] + address.to(cutlass.Int32)).to(
        cutlass.Float32
    )


@cute.jit
def run(words, total, longest, keys, ranks, flag, seen, x, out):
    one = (1, 1, 1)
    count_bits(words, total, longest).launch(
        grid=(BLOCKS, 1, 1), block=(THREADS, 1, 1), cluster=(BLOCKS, 1, 1)
    )
    ranks_in_warps(keys, ranks).launch(grid=one, block=(64, 1, 1))
    wait_for_others(flag, seen).launch(grid=(BLOCKS, 1, 1), block=(32, 1, 1))
    functions(x, out).launch(grid=one, block=(cute.size(x) // 4, 1, 1))


def main():
    torch.manual_seed(3)
    assert isinstance(sym_int64(), SymInt)
    assert cutlass.is_int_tuple((1, (2, 3)))
    words = torch.randint(0, 1 << 24, (BLOCKS * THREADS,), dtype=torch.int32, device="cuda")
    keys = torch.randint(0, 5, (64,), dtype=torch.int32, device="cuda")
    x = torch.randn(64, device="cuda")
    x[8] = float("inf")
    total, longest, seen = (torch.zeros(1, dtype=torch.int32, device="cuda") for _ in range(3))
    ranks, flag = torch.zeros_like(keys), torch.zeros(2, dtype=torch.int32, device="cuda")
    out = torch.zeros_like(x)
    unsigned = from_dlpack(words, assumed_align=256)  # as memory of GPUs is
    unsigned.element_type = cutlass.Uint32
    rest = [from_dlpack(t, assumed_align=16) for t in (total, longest, keys, ranks, flag, seen, x)]
    out_ = from_dlpack(out, assumed_align=16)
    cute.compile(run, unsigned, *rest, out_)(unsigned, *rest, out_)
    torch.cuda.synchronize()

    numbers = words.tolist()
    assert total.item() == sum(word.bit_count() for word in numbers)
    assert longest.item() == max(word.bit_length() for word in numbers)
    first = keys.tolist()
    expected = [first[t - t % 32 : t].count(first[t]) for t in range(64)]
    assert ranks.tolist() == expected, (ranks.tolist(), expected)
    assert seen.item() == BLOCKS
    rows = x.double().reshape(-1, 4)
    value = torch.log1p(rows.abs()) + rows * rows + 0.5
    value = torch.where(value.isfinite(), value.clamp(-1, 3), 0.0)
    result = out.double().reshape(-1, 4)
    torch.testing.assert_close(result[:, 0], value[:, 0] + value[:, 2], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(result[:, 1], value[:, 1] + value[:, 3], atol=1e-5, rtol=1e-5)
    third = rows[:, 0].round() + torch.copysign(rows[:, 1], rows[:, 2])
    torch.testing.assert_close(result[:, 2], third, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(result[:, 3], rows.signbit().sum(1).double())
    assert math.isclose(cute.math.atan2(1.0, 1.0), math.pi / 4)
    print("PASS")


if __name__ == "__main__":
    main()
