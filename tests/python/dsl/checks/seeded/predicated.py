"""A matrix is copied by tiled copies; predicates leave out what tiles have beyond it."""

import numpy as np

from fairlead import Boolean, Float32, cute


@cute.kernel
def kernel(a: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    x, y, _ = cute.arch.block_idx()
    atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), Float32, num_bits_per_copy=32)
    threads = cute.make_layout((4, 8), stride=(8, 1))
    values = cute.make_layout((8, 4), stride=(4, 1))
    mine = cute.make_tiled_copy_tv(atom, threads, values)
    tile = (32, 32)
    part = mine.get_slice(t)
    origin = part.partition_S(cute.local_tile(a, tile, (x, y)))
    target = part.partition_D(cute.local_tile(out, tile, (x, y)))
    place = part.partition_S(cute.local_tile(cute.make_identity_tensor(a.shape), tile, (x, y)))
    r = cute.make_fragment_like(origin)
    inside = cute.make_rmem_tensor(origin.shape, Boolean)
    for i in range(cute.size(inside)):
        inside[i] = cute.elem_less(place[i], a.shape)
    cute.copy(mine, origin, r, pred=inside)
    cute.copy(mine, r, target, pred=inside)


@cute.jit
def host(a: cute.Tensor, out: cute.Tensor):
    rows, columns = cute.ceil_div(a.shape[0], 32), cute.ceil_div(a.shape[1], 32)
    kernel(a, out).launch(grid=(rows, columns, 1), block=32)


def run():
    a = np.arange(3500, dtype=np.float32).reshape(50, 70)
    out = np.zeros_like(a)
    host(a, out)
    np.testing.assert_array_equal(out, a)
