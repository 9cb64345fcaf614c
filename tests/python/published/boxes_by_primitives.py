"""Boxes of a matrix by TMA, scaled by the threads that wait for them, and stored: by primitives alone."""

import cutlass
import cutlass.cute as cute
import cutlass.experimental.cuda as cuda
import torch
from cutlass._mlir_helpers.dialect_proxy import DialectAutoConvertProxy
from cutlass.cute.arch import nvvm_wrappers
from cutlass.experimental import primitives as prims

ROWS, COLUMNS, STAGES, THREADS = 16, 64, 2, 64


@cute.kernel
def scale(
    source: cutlass.GridConstant[cuda.TensorMap],
    target: cutlass.GridConstant[cuda.TensorMap],
    sums: cute.Tensor,
    boxes: cutlass.Int32,
):
    thread, _, _ = cute.arch.thread_idx()
    warp = thread // 32
    tiles = cutlass.Array(
        cutlass.Float16, STAGES * ROWS * COLUMNS, space=cutlass.AddressSpace.smem, alignment=1024
    )
    full = cutlass.Array(cutlass.Int64, STAGES, space=cutlass.AddressSpace.smem, alignment=8)
    empty = cutlass.Array(cutlass.Int64, STAGES, space=cutlass.AddressSpace.smem, alignment=8)
    if warp == 0:
        if prims.elect_sync():
            for s in cutlass.range_constexpr(STAGES):
                prims.mbarrier_init(full.subview(s), 1)
                prims.mbarrier_init(empty.subview(s), 1)
            prims.prefetch_tensormap(source.get_ptr())
            nvvm_wrappers.prefetch(source.get_ptr(), tensormap=True)
    prims.fence_mbarrier_init()
    prims.barrier_cta_sync(0)
    if warp == 0:
        for box in range(boxes):
            stage, parity = box % STAGES, (box // STAGES + 1) % 2
            while not prims.mbarrier_try_wait_parity(empty.subview(stage), parity):
                pass
            if prims.elect_sync():
                prims.mbarrier_arrive_expect_tx(full.subview(stage), source.global_tx_bytes())
                prims.cp_async_bulk_tensor_shared_cta_global(
                    tiles.subview(stage * ROWS * COLUMNS),
                    source.get_ptr(),
                    (0, box * ROWS),
                    full.subview(stage),
                )
    else:
        lane = thread % 32
        for box in range(boxes):
            stage, parity = box % STAGES, (box // STAGES) % 2
            while not prims.mbarrier_try_wait_parity(
                full.subview(stage), parity, time_limit=10_000_000, scope=prims.MBarrierScope.CTA
            ):
                pass
            tile = tiles.data_ptr(stage * ROWS * COLUMNS)
            total = cutlass.Int32(0)
            for i in range(lane, ROWS * COLUMNS, 32):
                tile[i] = tile[i] * 2.0
                total += cutlass.Int32(tile[i])
            total = prims.redux_sync(total, prims.ReductionKind.ADD, cute.arch.FULL_MASK)
            prims.fence_proxy(prims.Proxy.ASYNC_SHARED, space=prims.SharedSpace.shared_cta)
            prims.bar_warp_sync(cute.arch.FULL_MASK)
            if prims.elect_sync():
                prims.red(
                    prims.ReductionOp.ADD,
                    prims.ReductionType.S32,
                    sums.iterator.raw_ptr() + box,
                    total,
                    mem_order=prims.MemOrder.RELAXED,
                    mem_scope=prims.MemScope.GPU,
                )
                prims.cp_async_bulk_tensor_global_shared_cta(
                    target.get_ptr(), tile, (0, box * ROWS)
                )
                prims.cp_async_bulk_commit_group()
                prims.cp_async_bulk_wait_group(0)
                prims.mbarrier_arrive(empty.subview(stage))


@cute.jit
def run(a: cute.Tensor, b: cute.Tensor, sums: cute.Tensor, boxes: cutlass.Int32):
    source = cuda.create_tensor_map_tiled(
        global_address=a.iterator.toint(),
        dtype=cutlass.Float16,
        global_dims=[COLUMNS, a.shape[0]],
        global_strides=[COLUMNS * 2 // 16],
        box_dims=[COLUMNS, ROWS],
        swizzle=cuda.TensorMapSwizzle.none,
    )
    target = cuda.create_tensor_map_tiled_from_view(b, (ROWS, COLUMNS), stride_order=(1, 0))
    scale(source, target, sums, boxes).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))


def main():
    assert DialectAutoConvertProxy(prims).Shfl is prims.Shfl
    boxes = 5
    a = torch.arange(boxes * ROWS * COLUMNS, dtype=torch.int32).remainder(7).to(torch.float16)
    a = a.reshape(boxes * ROWS, COLUMNS).cuda()
    b, sums = torch.zeros_like(a), torch.zeros(boxes, dtype=torch.int32, device="cuda")
    compiled = cute.compile(run, a, b, sums, boxes, options="--enable-tvm-ffi")
    compiled(a, b, sums, boxes)
    torch.cuda.synchronize()
    torch.testing.assert_close(b, a * 2)
    expected = (a * 2).reshape(boxes, -1).sum(1, dtype=torch.float32).to(torch.int32)
    torch.testing.assert_close(sums, expected)
    print("PASS")


if __name__ == "__main__":
    main()
