"""Mean and range of rows, by arrays and vectors: each thread loads vectors, a block combines in shared memory."""

import cutlass
import cutlass.cute as cute
import torch

WIDTH, THREADS = 8, 32


@cute.kernel
def statistics(rows: cutlass.Array, out: cutlass.Array, columns: cutlass.Constexpr[int]):
    thread, _, _ = cute.arch.thread_idx()
    row, _, _ = cute.arch.block_idx()
    sums = cutlass.Array(cutlass.Float32, THREADS, space=cutlass.AddressSpace.smem)
    largest = cutlass.Array(cutlass.Float32, (THREADS,), space=cutlass.AddressSpace.smem)
    source = rows.subview((row, 0))
    total = cutlass.vector.full((WIDTH,), 0.0, cutlass.Float32)
    high = cutlass.full((WIDTH,), -1e30, cutlass.Float32)
    for start in range(thread * WIDTH, columns, THREADS * WIDTH):
        part = source.load(start, WIDTH, alignment=16).to(cutlass.Float32)
        total = total + part
        high = cutlass.vector.where(part > high, part, high)
    sums[thread] = total.reduce("add")
    largest[thread] = high.reduce("max")
    cute.arch.sync_threads()
    if thread == 0:
        everything = sums[0:THREADS].reduce()
        out[row, 0] = everything / columns
        out[row, 1] = cutlass.max(*[largest[i] for i in range(THREADS)])


@cute.kernel
def swizzled_copy(source: cute.Tensor, target: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    tile = cutlass.Array(cutlass.Float16, (8, 64), space=3, alignment=1024)
    swizzle = cutlass.Swizzle.from_name("s128b")
    place = tile.data_ptr(thread * 8)
    values = (source.iterator.raw_ptr() + thread * 8).load(16, count=8)
    place.apply_swizzle(swizzle).store(values, alignment=16)
    cute.arch.sync_threads()
    view = cutlass.make_array_view(target)
    view[thread * 8 : 8, cutlass.align(16)] = place.load_swizzled(swizzle, 16, count=8)


@cute.jit
def run(rows: cutlass.Array, out: cute.Tensor, columns: cutlass.Constexpr[int]):
    statistics(rows, out, columns).launch(grid=(rows.shape[0], 1, 1), block=(THREADS, 1, 1))


@cute.jit
def run_copy(source: cute.Tensor, target: cute.Tensor):
    swizzled_copy(source, target).launch(grid=(1, 1, 1), block=(64, 1, 1))


def main():
    generator = torch.Generator().manual_seed(5)
    rows = torch.randn(6, 512, generator=generator).to(torch.float16).cuda()
    out = torch.zeros(6, 2, device="cuda")
    run(cute.runtime.from_dlpack(rows), cute.runtime.from_dlpack(out), 512)
    expected = torch.stack([rows.double().mean(1), rows.double().max(1).values], 1)
    torch.testing.assert_close(out.double(), expected, rtol=1e-5, atol=1e-6)

    size = 4 * cutlass.Float16.bytes * 64
    source = torch.randn(size, generator=generator).to(torch.float16).cuda()
    target = torch.zeros_like(source)
    fake = cute.runtime.make_fake_compact_tensor(cutlass.Float16, (size,), assumed_align=16)
    cute.compile(run_copy, fake, fake, options="--enable-tvm-ffi")(source, target)
    assert torch.equal(source, target)
    print("PASS")


main()
