"""Products of tiles that a tensor only fills a part of."""

import cutlass
import cutlass.cute as cute
import torch
from cutlass import Float16, Float32
from cutlass.cute.nvgpu import warp
from cutlass.cute.runtime import from_dlpack

# --- parts of tiles: programs compare coordinates before they touch elements


@cute.kernel
def device_rows(sums: cute.Tensor, mma: cute.TiledMma):
    """A number for each row, which the threads that have the row's first column write."""
    thread, _, _ = cute.arch.thread_idx()
    mine = mma.get_slice(thread)
    rows = sums.shape[0]
    column = cute.make_tensor(sums.iterator, cute.make_layout((16, 1), stride=(1, 0)))
    places = mine.partition_C(cute.make_identity_tensor((16, 1)))
    part = mine.partition_C(column)
    for row in cutlass.range_constexpr(cute.size(part.shape[0][1])):
        place = places[(0, row), 0, 0]
        if place[1] == 0 and cute.elem_less(place[0], rows):
            part[(0, row), 0, 0] = Float32(place[0] + 1)


@cute.jit
def count_rows(sums: cute.Tensor):
    op = warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16))
    mma = cute.make_tiled_mma(op, (1, 4, 1), permutation_mnk=(16, 64, 16))
    device_rows(sums, mma).launch(grid=(1, 1, 1), block=(128, 1, 1))


def check_part_tiles():
    sums = torch.full((16,), -1.0, device="cuda")
    count_rows(from_dlpack(sums[:11]))
    expected = torch.tensor([row + 1.0 if row < 11 else -1.0 for row in range(16)])
    assert torch.equal(sums.cpu(), expected)


if __name__ == "__main__":
    check_part_tiles()
    print("PASS")
