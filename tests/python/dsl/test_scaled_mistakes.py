"""Arguments that products with block scaling, tensor memory, mbarriers and pipelines do not take: each is an error
while tracing that names the line."""

import re

import pytest

from fairlead import (
    Float4E2M1FN,
    Float8E4M3FN,
    Float16,
    Float32,
    Int8,
    Int32,
    Int64,
    cute,
    pipeline,
    utils,
)
from fairlead.cute.nvgpu import OperandMajorMode, tcgen05, warp
from fairlead.utils import blackwell_helpers as sm100
from fairlead.utils import blockscaled_layout as scaled

F4, E4 = Float4E2M1FN, Float8E4M3FN
K, MN, ONE = OperandMajorMode.K, OperandMajorMode.MN, tcgen05.CtaGroup.ONE
SMEM = tcgen05.OperandSource.SMEM
TILE = (128, 128, 256)


def nvfp4(**changes):
    arguments = dict(
        a_leading_mode=K, b_leading_mode=K, sf_dtype=E4, sf_vec_size=16, cta_group=ONE, mma_tiler_mn=TILE[:2]
    )  # fmt: skip
    return sm100.make_blockscaled_trivial_tiled_mma(F4, F4, **{**arguments, **changes})


def plain(dtype=Float16, sums=Float32, tile=TILE[:2]):
    return sm100.make_trivial_tiled_mma(dtype, K, K, sums, ONE, tile)


def of_warps():
    permutation = sm100.get_permutation_mnk((128, 64, 128), 16, False)
    op = warp.MmaMXF4NVF4Op(F4, Float32, E4)
    return cute.make_tiled_mma(op, (2, 2, 1), permutation_mnk=permutation)


def fragment(*shape):
    mma = of_warps()
    sm100.partition_fragment_SFA(cute.make_rmem_tensor(shape, E4), mma.get_slice(0), 0)


def barriers(dtype=Int64):
    return utils.SmemAllocator().allocate_array(dtype, 4)


def columns(number):
    barrier = pipeline.NamedBarrier(1, 128)
    memory = utils.TmemAllocator(
        utils.SmemAllocator().allocate(Int32), barrier_for_retrieve=barrier
    )
    memory.allocate(number)


def stages(kind=pipeline.PipelineTmaUmma, **changes):
    group = pipeline.CooperativeGroup(pipeline.Agent.Thread)
    options = dict(num_stages=2, producer_group=group, consumer_group=group)
    if kind in (pipeline.PipelineTmaUmma, pipeline.PipelineTmaAsync):
        options["tx_count"] = 1024
    storage = changes.pop("storage", Int64)
    kind.create(barrier_storage=barriers(storage), **{**options, **changes})


MISTAKES = {
    "repetition": (
        lambda: tcgen05.Repetition(100000),
        "Repetition: expected 1, 2, 4, 8, 16, 32, 64 or 128, but got 100000",
    ),
    "agent": (
        lambda: pipeline.Agent("warps"),
        "Agent: expected 'thread', 'warp', 'thread block' or 'thread block cluster', but got 'warps'",
    ),
    "major of packed A": (lambda: nvfp4(a_leading_mode=MN), "MajorMode.K as a_leading_mode of products of packed"),
    "major of packed B": (lambda: nvfp4(b_leading_mode=None), "MajorMode.K as b_leading_mode of products of packed"),
    "no tile of a scaled product": (lambda: nvfp4(mma_tiler_mn=None), "extents (M, N) as mma_tiler_mn"),
    "no tile": (lambda: plain(tile=None), "extents (M, N) as mma_tiler_mn"),
    "sums of bytes": (lambda: plain(Int8, Float32), "Int32 as acc_dtype of products of Int8"),
    "shape": (lambda: tcgen05.MmaMXF4Op("x", ONE, SMEM), "integers as instruction_shape of MmaMXF4Op"),
    "product without scales": (
        lambda: scaled.make_smem_layout_sfa(plain(), TILE, 16, 2),
        "a product with a scale factor for each 16 elements, for make_smem_layout_sfa",
    ),
    "other vector": (
        lambda: scaled.make_smem_layout_sfb(nvfp4(), TILE, 32, 2),
        "a scale factor for each 32 elements, for make_smem_layout_sfb",
    ),
    "other vector in tensor memory": (
        lambda: scaled.make_tmem_layout_sfa(nvfp4(), TILE, 32, cute.make_layout(8)),
        "a scale factor for each 32 elements, for make_tmem_layout_sfa",
    ),
    "another layout in tensor memory": (
        lambda: scaled.make_tmem_layout_sfb(nvfp4(), TILE, 16, cute.make_layout(8)),
        "a layout of make_smem_layout_sfa or _sfb without stages",
    ),
    "tile of two extents": (
        lambda: scaled.make_smem_layout_sfa(nvfp4(), TILE[:2], 16, 2),
        "three extents of 1 or more as the tile of make_smem_layout_sfa",
    ),
    "tile of nothing": (
        lambda: scaled.sm120_make_smem_layout_sfb(of_warps(), (128, 0, 128), 16, 2),
        "three extents of 1 or more as the tile of sm120_make_smem_layout_sfb",
    ),
    "no stages": (
        lambda: scaled.sm120_make_smem_layout_sfa(of_warps(), TILE, 16, 0),
        "1 or more as num_stages of sm120_make_smem_layout_sfa",
    ),
    "permutation": (
        lambda: sm100.get_permutation_mnk((-128, 64, 128), 16, False),
        "three extents of 1 or more as the tile of get_permutation_mnk",
    ),
    "rows of scale factors": (lambda: fragment(5, 128), "scale factors of whole tiles (128, 64)"),
    "modes of scale factors": (lambda: fragment(128), "scale factors of whole tiles (128, 64)"),
    "columns": (lambda: columns(2.5), "an integer as num_columns"),
    "arrivals": (lambda: cute.arch.mbarrier_init(barriers(), 1.5), "an integer as cnt"),
    "bytes": (lambda: cute.arch.mbarrier_expect_tx(barriers(), 0.5), "an integer as bytes"),
    "mask": (lambda: tcgen05.commit(barriers(), 3.5), "an integer as mask"),
    "number of a barrier": (lambda: pipeline.NamedBarrier(1.5, 128), "an integer as barrier_id"),
    "part of a stage": (lambda: stages(num_stages=1.5), "an integer as num_stages"),
    "bytes of a stage": (lambda: stages(tx_count=1 << 20), "0 to 1048575 as tx_count"),
    "negative bytes": (lambda: stages(pipeline.PipelineTmaAsync, tx_count=-1), "0 to 1048575 as tx_count"),
    "barriers of 4 bytes": (lambda: stages(storage=Int32), "a pointer to elements of 64 bits as barrier_storage"),
    "number as a cluster": (lambda: stages(cta_layout_vmnk=5), "a layout of blocks (V, M, N, K)"),
    "cluster of one mode": (
        lambda: stages(pipeline.PipelineUmmaAsync, cta_layout_vmnk=cute.make_layout(2)),
        "a layout of blocks (V, M, N, K)",
    ),
    "cluster of loads": (
        lambda: stages(pipeline.PipelineTmaAsync, cta_layout_vmnk=cute.make_layout((2, 2))),
        "a layout of blocks (V, M, N, K)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_names_the_line(name):
    make, expected = MISTAKES[name]
    target = "sm_120a" if "of_warps" in make.__code__.co_names else "sm_100a"

    @cute.kernel
    def kernel(x: cute.Tensor):
        make()

    @cute.jit
    def host(x: cute.Tensor):
        kernel(x).launch(grid=1, block=128)

    x = cute.make_fake_compact_tensor(Float32, (8,))
    with pytest.raises((TypeError, ValueError)) as caught:
        cute.compile(host, x, options=f"--target cuda:{target}")
    text = str(caught.value)
    assert re.match(rf"{re.escape(__file__)}:\d+: ", text), text
    assert expected in text


def test_whole_numbers_as_floats():
    """Programs divide by `/` before they count."""

    @cute.kernel
    def kernel(x: cute.Tensor):
        cute.arch.mbarrier_init(barriers(), 256 / 2)

    @cute.jit
    def host(x: cute.Tensor):
        kernel(x).launch(grid=1, block=128)

    x = cute.make_fake_compact_tensor(Float32, (8,))
    assert cute.compile(host, x, options="--target cuda:sm_90a")
