"""Bad input of programs for Hopper: errors name the expected and the passed value and the place, as early as known."""

import re

import numpy as np
import pytest
from support.hopper_programs import PersistentGemm

import fairlead
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
from fairlead.cute.nvgpu import OperandMajorMode, cpasync, warpgroup
from fairlead.utils import hopper_helpers as sm90

K, MN = OperandMajorMode.K, OperandMajorMode.MN
SMEM, RMEM = warpgroup.OperandSource.SMEM, warpgroup.OperandSource.RMEM
HOPPER = "cuda:sm_90a"


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def matrix(dtype=Float16, shape=None, align=16, stride=None):
    shape = shape or (cute.sym_int(), cute.sym_int())
    if stride is not None:
        return cute.make_fake_tensor(dtype, shape, stride=stride, assumed_align=align)
    return cute.make_fake_compact_tensor(dtype, shape, stride_order=(1, 0), assumed_align=align)


def compiled(host, *arguments, target=HOPPER):
    return cute.compile(host, *arguments, options=f"--target {target}")


def rejected(kind, words, host, *arguments, target=HOPPER):
    """The error has each of ``words`` and shows a line of the program, which is the last of them."""
    with pytest.raises(kind) as caught:
        compiled(host, *arguments, target=target)
    text = str(caught.value)
    assert isinstance(caught.value, fairlead.DSLError)
    for word in words:
        assert word in text, text
    assert re.search(r"(test_hopper_errors|hopper_programs)\.py:\d+: ", text), text


# --- shared memory


def three():
    return [
        cute.make_fake_compact_tensor(
            Float16,
            tuple(cute.sym_int() for _ in range(3)),
            stride_order=(1, 0, 2),
            assumed_align=16,
        )
        for _ in range(3)
    ]


def test_stages_beyond_shared_memory():
    # A stage has 128 x 64 elements of A and of B; besides there are two buffers of 128 x 32 for results.
    stages = 128 * 64 * 2 * 2
    got = 1024 + 7 * stages + 2 * 128 * 32 * 2
    words = ["from 0 to 232448 bytes of shared memory", f"but got {got} on cuda:sm_90a", "`kernel",
             "storage = utils.SmemAllocator().allocate(self.storage)"]  # fmt: skip
    rejected(ValueError, words, PersistentGemm(stages=7), *three())
    assert ".shared::cluster" in compiled(PersistentGemm(stages=6), *three()).__ptx__


@cute.kernel
def reserving(a: cute.Tensor, first: cute.Constexpr, second: cute.Constexpr):
    memory = utils.SmemAllocator()
    memory.allocate(first)
    pointer = memory.allocate(second)
    numbers = cute.make_tensor(pointer, cute.make_layout(1))
    numbers[0] = 1
    a[0] = numbers[0].to(Float32)


@cute.jit
def reserve(a: cute.Tensor, first: cute.Constexpr, second: cute.Constexpr):
    reserving(a, first, second).launch(grid=1, block=32)


@cute.jit
def ask(a: cute.Tensor, bytes_: cute.Constexpr):
    reserving(a, 4, 4).launch(grid=1, block=32, smem=bytes_)


def vector():
    return cute.make_fake_compact_tensor(Float32, (1,))


def test_shared_memory_of_each_target():
    sizes = vector(), 98 * 1024, 64 * 1024
    compiled(reserve, *sizes, target="cuda:sm_80")
    words = ["from 0 to 101376 bytes", "but got 165888 on cuda:sm_89, of which `reserving", "asks for 65536 here",
             "pointer = memory.allocate(second)"]  # fmt: skip
    rejected(ValueError, words, reserve, *sizes, target="cuda:sm_89")
    with pytest.raises(ValueError, match="on cuda:sm_86"):
        cute.compile(reserve, *sizes, targets=["cuda:sm_80", "cuda:sm_86"])
    # PTX runs on later GPUs, too, and the CPU has memory enough.
    compiled(reserve, vector(), 200 * 1024, 16, target="ptx:compute_80")
    compiled(reserve, vector(), 400 * 1024, 16, target="cpu")


def test_shared_memory_that_a_launch_asks_for():
    compiled(ask, vector(), 232448)
    words = [
        "from 0 to 232448 bytes",
        "but got 232449 on cuda:sm_90a, which the launch of `reserving",
        "smem=bytes_",
    ]
    rejected(ValueError, words, ask, vector(), 232449)


# --- clusters


@cute.kernel
def of_clusters(a: cute.Tensor):
    a[0] = 1.0


def clusters(grid, cluster):
    @cute.jit
    def launch(a: cute.Tensor):
        of_clusters(a).launch(grid=grid(a), block=32, cluster=cluster)

    return launch


@pytest.mark.parametrize("target", [HOPPER, "cpu"])
@pytest.mark.parametrize("grid, cluster, words", [
    ((64, 1, 1), (32, 1, 1), ["expected at most 16 blocks", "but got (32, 1, 1)"]),
    ((64, 8, 1), (4, 8, 1), ["expected at most 16 blocks", "but got (4, 8, 1)"]),
    ((9, 1, 1), (2, 1, 1), ["extents that divide those of the grid, (9, 1, 1)", "but got (2, 1, 1)"]),
    ((8, 6, 1), (1, 4, 1), ["extents that divide those of the grid, (8, 6, 1)", "but got (1, 4, 1)"]),
    ((8, 6, 1), (1, -2, 1), ["expected extents of 1 or more", "but got (1, -2, 1)"]),
])  # fmt: skip
def test_clusters_that_no_device_has(target, grid, cluster, words):
    words = ["Invalid cluster when launching `of_clusters", *words, "of_clusters(a).launch("]
    rejected(ValueError, words, clusters(lambda a: grid, cluster), vector(), target=target)


def test_a_cluster_that_does_not_divide_an_extent_of_the_call():
    host = clusters(lambda a: (a.shape[0], 6, 1), (2, 3, 1))
    many = cute.make_fake_compact_tensor(Float32, (cute.sym_int(),))
    compiled(host, many)
    f = compiled(host, many, target="cpu")
    f(np.zeros(4, np.float32))
    with pytest.raises(
        ValueError, match=r"divide those of the grid, \(5, 6, 1\), but got \(2, 3, 1\)"
    ):
        f(np.zeros(5, np.float32))
    words = ["divide those of the grid, (?, 6, 1)", "but got (2, 4, 1)"]
    rejected(ValueError, words, clusters(lambda a: (a.shape[0], 6, 1), (2, 4, 1)), many)


# --- architectures


def test_clusters_below_hopper():
    words = [
        "the cluster (2, 1, 1) of `of_clusters",
        "compute capability 9.0 or newer",
        "compiled for cuda:sm_89",
    ]
    rejected(
        ValueError, words, clusters(lambda a: (4, 1, 1), (2, 1, 1)), vector(), target="cuda:sm_89"
    )
    host = clusters(lambda a: (4, 1, 1), (1, 1, 1))
    assert ".target sm_89" in compiled(host, vector(), target="cuda:sm_89").__ptx__


@cute.jit
def boxes(a: cute.Tensor):
    cpasync.make_tiled_tma_atom(
        cpasync.CopyBulkTensorTileG2SOp(), a, cute.make_layout((8, 64), stride=(64, 1)), (8, 64)
    )


@cute.kernel
def accumulating(a: cute.Tensor):
    memory = utils.SmemAllocator()
    row = utils.LayoutEnum.ROW_MAJOR
    staged = sm90.make_smem_layout_a(row, (64, 64, 64), Float16, 1)
    shared = memory.allocate_tensor(Float16, staged.outer, 1024, swizzle=staged.inner)
    shared.fill(0.0)
    mma = sm90.make_trivial_tiled_mma(Float16, Float16, K, K, Float32, (1, 1, 1), tiler_mn=(64, 64))
    part = mma.get_slice(0)
    left = mma.make_fragment_A(part.partition_A(shared))
    right = mma.make_fragment_B(part.partition_B(shared))
    sums = mma.make_fragment_C(mma.partition_shape_C((64, 64)))
    sums.fill(0.0)
    cute.gemm(mma, sums, left[None, None, 0, 0], right[None, None, 0, 0], sums)
    a[0, 0] = sums[0].to(Float16)


@cute.jit
def accumulate(a: cute.Tensor):
    accumulating(a).launch(grid=1, block=128)


def in_kernel(what):
    @cute.kernel
    def kernel(a: cute.Tensor):
        what(utils.SmemAllocator().allocate(Int64))

    @cute.jit
    def host(a: cute.Tensor):
        kernel(a).launch(grid=1, block=32)

    return host


@pytest.mark.parametrize("host, words", [
    (boxes, ["a tensor map, of tensor<ptr<f16, gmem", "compute capability 9.0 or newer", "make_tiled_tma_atom("]),
    (accumulate, ["the MMA atom m64n64k16", "compute capability 9.0 or newer", "cute.gemm(mma, sums"]),
])  # fmt: skip
def test_programs_below_hopper(host, words):
    rejected(ValueError, [*words, "compiled for cuda:sm_80"], host, matrix(), target="cuda:sm_80")
    assert "for cuda:sm_90a" in repr(compiled(host, matrix()))


@pytest.mark.parametrize("target", [HOPPER, "cpu"])
@pytest.mark.parametrize(
    "kind, space", [("tensormap", None), ("generic", None), ("async.shared", "gpu")]
)
def test_fences_that_ptx_lacks(kind, space, target):
    words = [
        "alias, async, async.global or async.shared as the kind of fence_proxy",
        f"{kind}, {space or ''}",
    ]
    fence = in_kernel(lambda at: cute.arch.fence_proxy(kind, space=space))
    rejected(TypeError, words, fence, matrix(), target=target)


def global_pointer():
    return cute.make_ptr(Int64, Int64(0), cute.AddressSpace.gmem, assumed_align=128)


@pytest.mark.parametrize("what, name", [
    (lambda at: cute.arch.mbarrier_init(at, 1), "an mbarrier"),
    (lambda at: cute.arch.cluster_idx(), "the cluster index"),
    (lambda at: cute.arch.cluster_dim(), "the number of clusters"),
    (lambda at: cute.arch.block_in_cluster_idx(), "the block's place in its cluster"),
    (lambda at: cute.arch.block_in_cluster_dim(), "the cluster's extent"),
    (lambda at: cute.arch.block_idx_in_cluster(), "the block's place in its cluster"),
    (lambda at: cute.arch.cluster_arrive(), "a barrier of a cluster"),
    (lambda at: cute.arch.cluster_wait(), "a barrier of a cluster"),
    (lambda at: cute.arch.map_dsmem_ptr(at, 0), "shared memory of another block"),
    (lambda at: cute.arch.elect_one(), "an election"),
    (lambda at: cute.arch.griddepcontrol_wait(), "waiting for the previous kernel"),
    (lambda at: cute.arch.griddepcontrol_launch_dependents(), "launching dependents"),
    (lambda at: cute.arch.setmaxregister_decrease(40), "the number of registers"),
    (lambda at: cute.arch.cp_async_bulk_commit_group(), "a group of stores"),
    (lambda at: warpgroup.fence(), "a fence of a warpgroup"),
    (lambda at: cpasync.cp_fence_tma_desc_release(global_pointer(), at), "a tensor map"),
])  # fmt: skip
def test_instructions_below_hopper(what, name):
    """No crash of the compiler, which cannot select them."""
    rejected(
        ValueError,
        [name, "compiled for cuda:sm_80", "lambda at: "],
        in_kernel(what),
        matrix(),
        target="cuda:sm_80",
    )


# --- tensors that TMA cannot take


def box(tensor=lambda a: a, tile=(8, 64), swizzle=None):
    @cute.jit
    def host(a: cute.Tensor):
        shared = cute.make_layout(tile, stride=(tile[1], 1))
        if cute.const_expr(swizzle is not None):
            shared = cute.make_composed_layout(cute.make_swizzle(*swizzle), 0, shared)
        cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), tensor(a), shared, tile)

    return host


def from_element(number):
    return lambda a: cute.make_tensor(a.iterator + number, a.layout)


@pytest.mark.parametrize("host, argument, words", [
    (box(from_element(1)), matrix(), ["an address that is a multiple of 16 bytes", "one that is 2 bytes past it"]),
    (box(from_element(-4)), matrix(), ["an address that is a multiple of 16 bytes", "one that is 8 bytes past it"]),
    (box(), matrix(shape=(64, 60)), ["strides in multiples of 16 bytes", "but got 60 elements"]),
    (box(), matrix(shape=(64, 64), stride=(64, 2)), ["contiguous in the tensor and in shared memory"]),
    (box(tile=(8, 384)), matrix(), ["boxes of at most 256 elements along each dimension", "but got 384"]),
    (box(tile=(384, 8)), matrix(), ["boxes of at most 256 elements along each dimension", "but got 384"]),
    (box(tile=(8, 4)), matrix(), ["boxes of whole 16 bytes along the first dimension", "but got 8 bytes"]),
    (box(swizzle=(1, 4, 3)), matrix(), ["at most the 32 bytes of the swizzle's rows", "but got 128 bytes"]),
])  # fmt: skip
def test_tensors_that_maps_cannot_take(host, argument, words):
    words = ["expected ", "for a tensor map of tensor<ptr<", "make_tiled_tma_atom(", *words]
    rejected(TypeError, words, host, argument)
    rejected(TypeError, words, host, argument, target="cpu")


def test_maps_that_pad_need_a_newer_gpu():
    @cute.jit
    def host(a: cute.Tensor):
        cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileG2SOp(), a, cute.make_layout((8, 128), stride=(128, 1)), (8, 128),
            internal_type=Int8,
        )  # fmt: skip

    words = [
        "a tensor map that pads Float4E2M1FN, of tensor<ptr<",
        "compute capability 10.0",
        "sm_90a",
    ]
    rejected(ValueError, [*words, "make_tiled_tma_atom("], host, matrix(Float4E2M1FN))


def test_tensors_from_aligned_elements_on():
    for number in (8, -16, 64):
        assert "@FairleadCudaTensorMap" in compiled(box(from_element(number)), matrix()).ir
    # Arguments without a known alignment have nothing certain.
    for tensor in (from_element(0), from_element(3)):
        assert "@FairleadCudaTensorMap" in compiled(box(tensor), matrix(align=2)).ir


def test_tensors_of_a_call_that_maps_cannot_take():
    """Values that only the call knows. On a GPU: tests/gpu/test_hopper_gpu.py."""
    memory = np.zeros(64 * 64 + 8, np.float16)
    past = (memory.ctypes.data // 2) % 8
    aligned = memory[-past % 8 :][: 64 * 64]
    anywhere = compiled(box(), matrix(align=2), target="cpu")
    anywhere(aligned.reshape(64, 64))
    with pytest.raises(
        ValueError, match="expected an address that is a multiple of 16, but got 0x"
    ):
        anywhere(memory[(-past + 1) % 8 :][: 64 * 64].reshape(64, 64))
    with pytest.raises(
        ValueError, match="strides in multiples of 16 bytes, below 2\\^40, but got 120 bytes"
    ):
        anywhere(aligned[: 64 * 60].reshape(64, 60))
    with pytest.raises(ValueError, match="expected data alignment=16 bytes"):
        compiled(box(), matrix(), target="cpu")(
            memory[(-past + 1) % 8 :][: 64 * 64].reshape(64, 64)
        )


# --- operands of warpgroups


def operand(side, layout, majors=(K, K), swizzle=(3, 4, 3)):
    """A fragment of A or B from shared memory of this layout."""

    @cute.kernel
    def kernel(a: cute.Tensor):
        shared = utils.SmemAllocator().allocate_tensor(
            Float16,
            cute.make_layout(layout[0], stride=layout[1]),
            1024,
            swizzle=cute.make_swizzle(*swizzle),
        )
        op = warpgroup.MmaF16BF16Op(Float16, Float32, (64, 64, 16), SMEM, *majors)
        mma = cute.make_tiled_mma(op)
        if cute.const_expr(side == "A"):
            mma.make_fragment_A(mma.get_slice(0).partition_A(shared))
        else:
            mma.make_fragment_B(mma.get_slice(0).partition_B(shared))

    @cute.jit
    def host(a: cute.Tensor):
        kernel(a).launch(grid=1, block=128)

    return host


def test_operands_beyond_what_descriptors_address():
    """The CPU has no other limit; a descriptor would wrap, and the product would read other memory."""

    def host(elements):
        @cute.kernel
        def kernel(a: cute.Tensor):
            utils.SmemAllocator().allocate_tensor(Float16, cute.make_layout(elements), 1024)
            op = warpgroup.MmaF16BF16Op(Float16, Float32, (64, 64, 16), SMEM, K, K)
            mma = cute.make_tiled_mma(op)
            layout = cute.make_layout((64, 64), stride=(64, 1))
            swizzle = cute.make_swizzle(3, 4, 3)
            shared = utils.SmemAllocator().allocate_tensor(Float16, layout, 1024, swizzle=swizzle)
            mma.make_fragment_A(mma.get_slice(0).partition_A(shared))

        @cute.jit
        def launch(a: cute.Tensor):
            kernel(a).launch(grid=1, block=128)

        return launch

    fits = (2**18 - 2 * 64 * 64) // 2
    cute.compile(host(fits), matrix(), options="--target cpu")
    with pytest.raises(ValueError, match="from 0 to 262144 bytes .* but got 263168 in `kernel"):
        cute.compile(host(fits + 512), matrix(), options="--target cpu")


ROWS, COLUMNS = ((64, 64), (64, 1)), ((64, 64), (1, 64))


@pytest.mark.parametrize("side", ["A", "B"])
@pytest.mark.parametrize("layout, major, swizzle, words", [
    (((64, 64), (72, 1)), K, (3, 4, 3), ["a K-major operand"]),  # padded rows
    (COLUMNS, K, (3, 4, 3), ["a K-major operand"]),  # the other major
    (ROWS, MN, (3, 4, 3), ["an MN-major operand"]),
    (ROWS, K, (2, 4, 3), ["a K-major operand", "S<2,4,3>"]),  # rows of another swizzle
    (ROWS, K, (3, 3, 3), ["a K-major operand", "S<3,3,3>"]),  # one that descriptors do not have
])  # fmt: skip
def test_layouts_without_a_descriptor(side, layout, major, swizzle, words):
    words = [
        f"make_fragment_{side} is not defined for the layout",
        *words,
        "m64n64k16",
        f"mma.make_fragment_{side}(",
    ]
    rejected(ValueError, words, operand(side, layout, (major, major), swizzle), matrix())
    compiled(operand(side, ROWS), matrix())
    compiled(operand(side, COLUMNS, (MN, MN)), matrix())


def majors(make):
    @cute.kernel
    def kernel(a: cute.Tensor):
        make()

    @cute.jit
    def host(a: cute.Tensor):
        kernel(a).launch(grid=1, block=128)

    return host


NARROW = Float8E4M3FN, Float8E4M3FN, Float32, (64, 64, 32)
HALVES = Float16, Float32, (64, 64, 16)


@pytest.mark.parametrize("make, words", [
    (lambda: warpgroup.MmaF8Op(*NARROW, SMEM, K, MN), ["K-major operands", "of a K-major A and an MN-major B"]),
    (lambda: warpgroup.MmaF8Op(*NARROW, SMEM, MN, K), ["K-major operands", "of an MN-major A and a K-major B"]),
    (lambda: warpgroup.MmaF16BF16Op(*HALVES, RMEM, MN, K), ["a K-major A in registers", "an MN-major A"]),
])  # fmt: skip
def test_majors_that_warpgroups_lack(make, words):
    rejected(TypeError, ["expected ", *words, "lambda: warpgroup.Mma"], majors(make), matrix())


def test_majors_of_halves_may_differ():
    for pair in ((K, MN), (MN, K), (MN, MN)):
        operations = []

        def make(pair=pair, operations=operations):
            operations.append(warpgroup.MmaF16BF16Op(*HALVES, SMEM, *pair))

        compiled(majors(make), matrix())
        assert [(mma.a_major_mode, mma.b_major_mode) for mma in operations] == [pair]


# --- a consumer that never releases


@cute.kernel
def keeping_kernel(out: cute.Tensor, releases: cute.Constexpr):
    memory = utils.SmemAllocator()
    stages = memory.allocate_tensor(Int32, cute.make_layout((32, 2)), 16)
    pipe = pipeline.PipelineAsync.create(
        barrier_storage=memory.allocate_array(Int64, 4),
        num_stages=2,
        producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 32),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 32),
    )
    producer, consumer = pipe.make_participants()
    lane = cute.arch.lane_idx()
    if cute.arch.warp_idx() == 0:
        for step in range(5):
            handle = producer.acquire_and_advance()
            stages[lane, handle.index] = step + lane
            handle.commit()
    else:
        for _ in range(5):
            handle = consumer.wait_and_advance()
            out[lane] = stages[lane, handle.index]
            if cute.const_expr(releases):
                handle.release()


@cute.jit
def keeping(out: cute.Tensor, releases: cute.Constexpr):
    keeping_kernel(out, releases).launch(grid=1, block=64)


def test_a_consumer_that_never_releases():
    """The CPU lists the waits of warps, and --check sync the lines: the producer for the third stage, which is
    the first one again, and the consumer for that."""
    out = np.zeros(32, np.int32)
    argument = cute.make_fake_compact_tensor(Int32, (32,))
    compiled(keeping, argument, True, target="cpu")(out)
    np.testing.assert_array_equal(out, np.arange(32) + 4)
    f = compiled(keeping, argument, False, target="cpu")
    with pytest.raises(RuntimeError) as caught:
        f(out)
    text = str(caught.value)
    assert "`keeping_kernel" in text and "wait for each other and none can go on" in text, text
    assert re.search(
        r"32 of 64 threads \(0-31\) at an mbarrier, phase of parity 0, which lacks 32 arrivals",
        text,
    ), text
    assert re.search(
        r"32 \(32-63\) at an mbarrier, phase of parity 1, which lacks 32 arrivals", text
    ), text
    with fairlead.checks.on("sync"), pytest.raises(fairlead.CheckError) as caught:
        keeping(out, False)
    lines = [access.source for each in caught.value.findings for access in each.accesses]
    assert (
        "handle = producer.acquire_and_advance()" in lines
        and "handle = consumer.wait_and_advance()" in lines
    )


@cute.kernel
def early_kernel(out: cute.Tensor, is_early: cute.Constexpr):
    memory = fairlead.utils.SmemAllocator()
    words, barrier = memory.allocate_array(Int32, 4), memory.allocate_array(fairlead.Int64, 1)
    if cute.const_expr(not is_early):
        cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_init_fence()
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()
    if cute.arch.block_idx_in_cluster() == 0:
        cute.arch.store_async_dsmem(words, Int32(5), barrier, 1)
    else:
        if cute.const_expr(is_early):
            cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_arrive_and_expect_tx(barrier, 4)
        cute.arch.mbarrier_wait(barrier, 0)
        out[0] = words.load()
    cute.arch.cluster_arrive()
    cute.arch.cluster_wait()


@cute.jit
def early(out: cute.Tensor, is_early: cute.Constexpr):
    early_kernel(out, is_early).launch(grid=2, block=1, cluster=2)


def test_bytes_that_come_before_the_mbarrier_is_initialized():
    out = np.zeros(1, np.int32)
    argument = cute.make_fake_compact_tensor(Int32, (1,))
    compiled(early, argument, False, target="cpu")(out)
    assert out[0] == 5
    f = compiled(early, argument, True, target="cpu")
    for _ in range(2):  # what a cluster notes ends with it
        with pytest.raises(RuntimeError) as caught:
            f(out)
        text = str(caught.value)
        assert "which lacks 0 arrivals and 4 bytes; 4 bytes came before the mbarrier was" in text
        assert "cluster_arrive and cluster_wait must be between mbarrier_init and the first" in text
    compiled(early, argument, False, target="cpu")(out)
