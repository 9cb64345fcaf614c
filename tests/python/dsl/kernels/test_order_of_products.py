"""Products of warps in the order in which ptxas keeps their operands in the fewest registers."""

import re

from fairlead import Float16, Float32, cute
from fairlead.cute.nvgpu import warp


@cute.kernel
def kernel(x: cute.Tensor, y: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    mma = cute.make_tiled_mma(warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16)))
    a = mma.make_fragment_A(mma.partition_shape_A((32, 16)))
    b = mma.make_fragment_B(mma.partition_shape_B((16, 16)))
    c = mma.make_fragment_C(mma.partition_shape_C((32, 16)))
    for fragment in (a, b):
        for i in range(cute.size(fragment)):
            fragment[i] = x[thread, i + cute.size(fragment)]
    c.fill(0.0)
    cute.gemm(mma, c, a, b, c)
    for i in range(cute.size(c)):
        y[thread, i] = c[i]


@cute.jit
def host(x: cute.Tensor, y: cute.Tensor):
    kernel(x, y).launch(grid=1, block=32)


def test_tiles_of_a_row_follow_each_other():
    tensors = [
        cute.runtime.make_fake_compact_tensor(dtype, (32, columns), stride_order=(1, 0))
        for dtype, columns in ((Float16, 64), (Float32, 16))
    ]
    ptx = cute.compile(host, *tensors, options="--target cuda:sm_90a,cpu").__ptx__
    operands = re.findall(r"mma\.sync[^{]*\{[^}]*\},\s*(\{[^}]*\}),\s*(\{[^}]*\})", ptx)
    (a0, b0), (a1, b1), (a2, b2), (a3, b3) = operands
    assert a0 == a1 != a2 == a3
    assert b0 == b2 != b1 == b3
