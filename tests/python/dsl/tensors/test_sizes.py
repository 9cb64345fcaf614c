"""Products of extents that only the run knows are computed in 64 bits."""

import numpy as np

import fairlead
from fairlead import cute


def test_size_of_many_elements():
    @cute.jit
    def run(n: fairlead.Int32, m: fairlead.Int32, out: cute.Tensor):
        layout = cute.make_layout((n, m))
        out[0] = fairlead.Int64(cute.size(layout))
        out[1] = fairlead.Int64(cute.size((n, 8)))
        out[2] = fairlead.Int64(cute.size((n, 1)))

    out = np.zeros(3, np.int64)
    cute.compile(run, fairlead.Int32(1), fairlead.Int32(1), out, options="--target cpu")(
        2**17, 2**16, out
    )
    assert out.tolist() == [2**33, 2**20, 2**17]
