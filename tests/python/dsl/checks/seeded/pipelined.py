"""Warp 0 hands rows to warp 1 through a PipelineAsync of two stages."""

import numpy as np

from fairlead import Float32, Int64, cute, pipeline


@cute.kernel
def kernel(a: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    memory = cute.SmemAllocator()
    s = memory.allocate_tensor(Float32, cute.make_layout((32, 2)))
    producers = pipeline.CooperativeGroup(pipeline.Agent.Thread, 32)
    consumers = pipeline.CooperativeGroup(pipeline.Agent.Thread, 32)
    rows = pipeline.PipelineAsync.create(
        num_stages=2,
        producer_group=producers,
        consumer_group=consumers,
        barrier_storage=memory.allocate_array(Int64, 4),
    )
    if t < 32:
        filled = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, 2)
        for k in range(a.shape[0]):
            rows.producer_acquire(filled)
            s[t, filled.index] = a[k, t]
            rows.producer_commit(filled)
            filled.advance()
    else:
        read = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 2)
        for k in range(out.shape[0]):
            rows.consumer_wait(read)
            out[k, t - 32] = s[63 - t, read.index]
            rows.consumer_release(read)
            read.advance()


@cute.jit
def host(a: cute.Tensor, out: cute.Tensor):
    kernel(a, out).launch(grid=1, block=64)


def run():
    a = np.arange(192, dtype=np.float32).reshape(6, 32)
    out = np.zeros((6, 32), np.float32)
    host(a, out)
    np.testing.assert_array_equal(out, a[:, ::-1])
