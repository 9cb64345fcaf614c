"""Programs for Hopper: warpgroup MMAs, TMA, mbarriers, pipelines and schedulers."""

from __future__ import annotations

import contextlib
import ctypes
import re

import numpy as np
import pytest
from support.assemblers import assemble_for_warpgroups
from support.hopper_programs import (
    PersistentGemm,
    SumOfProducts,
    product_from_registers,
)

from fairlead import (
    BFloat16,
    Float8E4M3FN,
    Float16,
    Float32,
    Int8,
    Int64,
    TFloat32,
    Uint8,
    cute,
    pipeline,
    utils,
)
from fairlead.checks import CheckError
from fairlead.cute.nvgpu import OperandMajorMode, cpasync, warpgroup
from fairlead.utils import hopper_helpers as sm90

PTXAS = "/usr/local/cuda/bin/ptxas"
K, MN = OperandMajorMode.K, OperandMajorMode.MN
SMEM, RMEM = warpgroup.OperandSource.SMEM, warpgroup.OperandSource.RMEM
KIND = warpgroup.SmemLayoutAtomKind


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """PTX that is kept is also written to a file."""
    monkeypatch.chdir(tmp_path)


def fake(dtype, leading):
    """A tensor (?, ?, ?) whose mode ``leading`` is contiguous."""
    order = (0, 1, 2) if leading == 0 else (1, 0, 2)
    extents = tuple(cute.sym_int() for _ in range(3))
    return cute.make_fake_compact_tensor(dtype, extents, stride_order=order, assumed_align=16)


def traced(program, argument):
    """Return the result of ``program``, called in a host function, while it is traced."""
    found = []

    @cute.jit
    def host(a: cute.Tensor):
        found.extend(program(a))

    cute.compile(host, argument, options="--target cpu")
    return found


# --- layouts


@pytest.mark.parametrize(
    "kind, dtype, outer, inner",
    [
        (KIND.K_SW128, Float16, "(8,64):(64,1)", "S<3,4,3>"),
        (KIND.K_SW64, Float16, "(8,32):(32,1)", "S<2,4,3>"),
        (KIND.K_SW32, Float8E4M3FN, "(8,32):(32,1)", "S<1,4,3>"),
        (KIND.K_INTER, Float32, "(8,4):(4,1)", "S<0,4,3>"),
        (KIND.MN_SW128, Float16, "(64,8):(1,64)", "S<3,4,3>"),
        (KIND.MN_INTER, Float16, "(8,8):(1,8)", "S<0,4,3>"),
    ],
)
def test_layout_atoms_of_shared_memory(kind, dtype, outer, inner):
    atom = warpgroup.make_smem_layout_atom(kind, dtype)
    assert (str(atom.outer), str(atom.inner)) == (outer, inner)


def test_layouts_in_shared_memory():
    row, column = utils.LayoutEnum.ROW_MAJOR, utils.LayoutEnum.COL_MAJOR
    a = sm90.make_smem_layout_a(row, (128, 128, 64), Float16, 4)
    assert str(cute.coalesce(a.outer, (1, 1, 1))) == "(128,64,4):(64,1,8192)"
    assert a.inner == cute.make_swizzle(3, 4, 3)
    b = sm90.make_smem_layout_b(column, (128, 128, 64), Float16, 4)
    assert str(cute.coalesce(b.outer, (1, 1, 1))) == "((64,2),64,4):((1,4096),64,8192)"
    epi = sm90.make_smem_layout_epi(Float16, row, (64, 32), 4)
    assert str(epi.inner) == "S<2,4,3>"
    assert str(cute.coalesce(epi.outer, (1, 1, 1))) == "(64,32,4):(32,1,2048)"
    assert sm90.get_smem_layout_atom(row, Float16, 24) is KIND.K_INTER
    with pytest.raises(ValueError, match="whole 16 bytes"):
        sm90.get_smem_layout_atom(row, Float16, 4)


def test_layouts_of_warpgroups():
    atom = cute.make_mma_atom(warpgroup.MmaF16BF16Op(Float16, Float32, (64, 128, 16), SMEM, K, K))
    assert str(atom.thr_id) == "128:1"
    assert str(atom.tv_layout_A) == "(128,(64,16)):(0,(1,64))"
    assert str(atom.tv_layout_B) == "(128,(128,16)):(0,(1,128))"
    assert str(atom.tv_layout_C) == "((4,8,4),(2,2,16)):((128,1,16),(64,8,512))"
    assert atom.tv_layout_C.shape[0] == (4, 8, 4) and atom.shape_mnk == (64, 128, 16)
    registers = warpgroup.MmaF16BF16Op(BFloat16, Float32, (64, 64), RMEM, K, MN)
    layout = cute.make_mma_atom(registers).tv_layout_A
    assert str(layout) == "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))"
    bytes_ = warpgroup.MmaF8Op(Float8E4M3FN, Float8E4M3FN, Float32, (64, 64, 32), RMEM, K, K)
    layout = cute.make_mma_atom(bytes_).tv_layout_A
    assert str(layout) == "((4,8,4),(4,2,2)):((256,1,16),(64,8,1024))"


@pytest.mark.parametrize("dtype, shape, where", [
    (Float16, (64, 32, 16), SMEM), (Float16, (64, 8, 16), RMEM), (Int8, (64, 24, 32), RMEM),
    (Float8E4M3FN, (64, 256, 32), RMEM),
])  # fmt: skip
def test_every_place_has_one_value(dtype, shape, where):
    if dtype is Float16:
        op = warpgroup.MmaF16BF16Op(dtype, Float32, shape, where, K, K)
    elif dtype is Int8:
        op = warpgroup.MmaI8Op(dtype, dtype, cute.Int32, shape, where, K, K)
    else:
        op = warpgroup.MmaF8Op(dtype, dtype, Float32, shape, where, K, K)
    atom, (m, n, k) = cute.make_mma_atom(op), shape
    layouts = [(atom.tv_layout_C, m * n)]
    if where is RMEM:
        layouts.append((atom.tv_layout_A, m * k))
    for layout, size in layouts:
        assert sorted(layout(i) for i in range(cute.size(layout))) == list(range(size))


@pytest.mark.parametrize("leading, dtype, tile, multicast, expected", [
    # values of an instruction, coordinates
    (1, Float16, (128, 64), 1, (8192, "(0,0,0) o (?,?,?):(1@1,1@0,1@2)")),
    (1, Float16, (128, 64), 2, (8192, "(0,0,0) o (?,?,?):(1@1,1@0,1@2)")),
    (0, Float16, (128, 64), 1, (4096, "(0,0,0) o (?,?,?):(1@0,1@1,1@2)")),
    (1, Float16, (256, 64), 1, (16384, "(0,0,0) o (?,?,?):(1@1,1@0,1@2)")),
    (1, Float8E4M3FN, (128, 128), 1, (16384, "(0,0,0) o (?,?,?):(1@1,1@0,1@2)")),
])  # fmt: skip
def test_boxes(leading, dtype, tile, multicast, expected):
    layout = utils.LayoutEnum.COL_MAJOR if leading == 0 else utils.LayoutEnum.ROW_MAJOR

    def program(a):
        staged = sm90.make_smem_layout_a(layout, (tile[0], 64, tile[1]), dtype, 2)
        op = cpasync.CopyBulkTensorTileG2SOp()
        smem = cute.slice_(staged, (None, None, 0))
        atom, coordinates = cpasync.make_tiled_tma_atom(op, a, smem, tile, multicast)
        return [cute.size(atom.layout_src_tv), str(coordinates)]

    values, text = traced(program, fake(dtype, leading))
    assert values == expected[0] and expected[1] in text


def test_boxes_apart_in_shared_memory():
    """A tile of two boxes, whose places in shared memory do not follow each other."""

    @cute.kernel
    def kernel(load, source, out: cute.Tensor):
        thread, _, _ = cute.arch.thread_idx()
        smem = utils.SmemAllocator()
        layout = cute.make_layout(((32, 2), 8), stride=((1, 512), 32))
        s = smem.allocate_tensor(Float32, layout, 128)
        barrier = smem.allocate_array(Int64)
        tile = cute.local_tile(source, (64, 8), (0, 0))
        shared, coordinates = cpasync.tma_partition(
            load, 0, cute.make_layout(1), cute.group_modes(s, 0, 2), cute.group_modes(tile, 0, 2)
        )
        if thread == 0:
            cute.arch.mbarrier_init(barrier, 1)
            cute.arch.mbarrier_init_fence()
            cute.arch.mbarrier_arrive_and_expect_tx(barrier, 64 * 8 * 4)
            cute.copy(load, coordinates, shared, tma_bar_ptr=barrier)
        cute.arch.sync_threads()
        cute.arch.mbarrier_wait(barrier, 0)
        for column in cute.range_constexpr(8):
            for half in cute.range_constexpr(2):
                out[half * 32 + thread, column] = s[half * 32 + thread, column]

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        layout = cute.make_layout((32, 8))
        load, source = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileG2SOp(), a, layout, (32, 8)
        )
        kernel(load, source, out).launch(grid=1, block=32)

    a = np.asfortranarray(np.random.default_rng(4).standard_normal((64, 8)).astype(np.float32))
    out = np.zeros((64, 8), np.float32)
    host(a, out)
    np.testing.assert_array_equal(out, a)


@pytest.mark.parametrize("step, text", [
    (512, "(0,0) o (128,4,?):(1@0,1@1,4@1)"),  # follows the four rows: two blocks load six rows each
    (1024, None),
])  # fmt: skip
def test_boxes_of_an_odd_number_of_groups(step, text):
    """Two blocks share three groups of four rows if the groups follow each other."""

    def program(a):
        rows = cute.make_tensor(
            a.iterator, cute.make_layout((128, 4, a.shape[0]), stride=(1, 128, step))
        )
        smem = cute.make_layout((128, 4, 3), stride=(1, 128, 512))
        op = cpasync.CopyBulkTensorTileG2SMulticastOp()
        atom, coordinates = cpasync.make_tiled_tma_atom(op, rows, smem, (128, 4, 3), 2)
        return [cute.size(atom.layout_src_tv), str(coordinates)]

    if text is None:
        with pytest.raises(TypeError, match="a box that 2 blocks can share .*, but got 3 elements"):
            traced(program, fake(Int8, 1))
    else:
        values, found = traced(program, fake(Int8, 1))
        assert values == 1536 and text in found


@pytest.mark.parametrize("operand, share, modes", [("A", 2, (0, 2)), ("B", 1, (1, 2))])
def test_boxes_of_operands(operand, share, modes):
    """The tile of A is along M and K, and blocks along N share it; that of B along N and K, and blocks along M do."""

    def program(a):
        tile, cluster = (128, 256, 64), [1, 1, 1, 1]
        cluster[share] = 2
        make = getattr(sm90, f"make_smem_layout_{operand.lower()}")
        smem = cute.slice_(make(utils.LayoutEnum.ROW_MAJOR, tile, Float16, 2), (None, None, 0))
        mma = cute.make_tiled_mma(cute.nvgpu.warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16)))
        found = []
        for op, blocks in (
            (cpasync.CopyBulkTensorTileG2SOp(), 1),
            (cpasync.CopyBulkTensorTileG2SMulticastOp(), 2),
        ):
            special = getattr(cute.nvgpu, f"make_tiled_tma_atom_{operand}")
            atoms = (
                special(op, a, smem, tile, mma, tuple(cluster)).atom,
                cpasync.make_tiled_tma_atom(
                    op, a, smem, tuple(tile[mode] for mode in modes), blocks
                ).atom,
            )
            found.append([str(atom) for atom in atoms])
        return found

    for first, second in traced(program, fake(Float16, 1)):
        assert first == second


def test_tiles_as_layouts_of_coordinates():
    """The result of ``composition(make_identity_layout(shape), tile)``; modes that are not tiled may follow."""

    def program(a):
        smem = cute.make_layout((64, 32), stride=(32, 1))
        tiler = cute.composition(cute.make_identity_layout(a.shape), (64, 32))
        op = cpasync.CopyBulkTensorTileS2GOp()
        return [
            str(part)
            for tile in (tiler, (64, 32))
            for part in cpasync.make_tiled_tma_atom(op, a, smem, tile)[:2]
        ]

    first, coordinates, second, same = traced(program, fake(Float16, 1))
    assert (first, coordinates) == (second, same) and "1@1" in coordinates


def test_tiles_as_layouts_of_coordinates_of_a_divided_mode():
    """Two halves of a matrix in one tile: a mode of the tensor is (2, n), and the tile takes parts of both."""

    def program(a):
        half = cute.size(a, mode=[0]) // 2
        halves = cute.make_tensor(
            a.iterator,
            cute.make_layout(((2, half), 64), stride=((cute.assume(half * 64, 8), 64), 1)),
        )
        smem = cute.make_layout((64, 32), stride=(32, 1))
        tile = cute.composition(cute.make_identity_layout(halves.shape), (64, 32))
        op = cpasync.CopyBulkTensorTileS2GOp()
        return [str(tile), str(cpasync.make_tiled_tma_atom(op, halves, smem, tile)[1].layout)]

    tile, coordinates = traced(program, fake(Float16, 1))
    assert tile == "((2,32),32):((1@0@0,1@1@0),1@1)"
    assert coordinates.endswith(":((1@1,1@2),1@0)")


# --- programs


def compiled(program, dtype, majors=(1, 1, 1), result=None):
    a, b, c = majors
    return cute.compile(
        program,
        fake(dtype, a),
        fake(dtype, b),
        fake(result or dtype, c),
        options="--target cuda:sm_90a",
    )


@pytest.mark.parametrize("options, dtype, majors", [
    ({}, Float16, (1, 1, 1)),
    ({"tile_n": 256, "cluster": (2, 1)}, Float16, (1, 1, 1)),
    ({"cluster": (2, 2), "groups": 1}, BFloat16, (0, 0, 0)),
    ({"tile_n": 256, "swizzle": 2}, Float8E4M3FN, (1, 1, 1)),
])  # fmt: skip
def test_persistent_product_assembles(options, dtype, majors, tmp_path):
    result = Float16 if dtype is Float8E4M3FN else dtype
    text = compiled(PersistentGemm(**options), dtype, majors, result).__ptx__
    assert "wgmma.mma_async.sync.aligned.m64n" in text and ".minnctapersm 1" in text
    assert ("multicast::cluster" in text) == ("cluster" in options)
    assert text.count(".param .align 64 .b8") == 3
    assert re.search(r"setmaxnreg\.inc\.sync\.aligned\.u32\s+232;", text)
    assemble_for_warpgroups(text, tmp_path)


def test_needs_the_architecture():
    with pytest.raises(Exception, match="is supported only for sm_90a, sm_100a, "):
        cute.compile(
            PersistentGemm(),
            fake(Float16, 1),
            fake(Float16, 1),
            fake(Float16, 1),
            options="--target cuda:sm_100",
        )


def laid_out(array, leading):
    """(a, b, batch) with mode ``leading`` contiguous."""
    order = (2, 1, 0) if leading == 0 else (2, 0, 1)
    return np.ascontiguousarray(array.transpose(order)).transpose(
        (2, 1, 0) if leading == 0 else (1, 2, 0)
    )


@pytest.mark.parametrize("shape, majors, options", [
    ((64, 64, 64, 1), (1, 1, 1), {"groups": 1, "tile_n": 64, "stages": 2, "clusters": 1}),
    ((64, 64, 128, 1), (0, 0, 0), {"groups": 1, "tile_n": 64, "stages": 2, "clusters": 1}),
    ((200, 136, 72, 2), (1, 0, 1), {"groups": 2, "tile_n": 64, "stages": 3, "clusters": 2}),
    # Clusters: loads go to the blocks of a row and of a column, and stages are given back to them.
    ((256, 128, 256, 1), (1, 1, 1), {"groups": 1, "tile_n": 64, "stages": 2, "cluster": (2, 1)}),
    ((128, 256, 256, 1), (1, 0, 1), {"groups": 1, "tile_n": 64, "stages": 2, "cluster": (1, 2)}),
    ((304, 200, 264, 2), (0, 0, 0), {"groups": 1, "tile_n": 64, "stages": 3, "cluster": (2, 2)}),
])  # fmt: skip
def test_on_the_cpu(shape, majors, options):
    """The program as it is: threads that wait for copies, phases, swizzled shared memory by descriptors."""
    m, n, k, batch = shape
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-2, 3, (rows, k, batch)).astype(np.float16) for rows in (m, n))
    c = np.full((m, n, batch), np.nan, np.float16)
    a, b, c = (laid_out(x, leading) for x, leading in zip((a, b, c), majors, strict=True))
    f = cute.compile(
        PersistentGemm(**options),
        *(fake(Float16, leading) for leading in majors),
        options="--target cpu",
    )
    f(a, b, c)
    np.testing.assert_array_equal(c, np.einsum("mkl,nkl->mnl", a.astype(np.float64), b))


# --- schedulers


@pytest.mark.parametrize("swizzle, along_m", [(1, True), (1, False), (2, True), (3, False)])
def test_every_tile_once(swizzle, along_m):
    """All blocks together work on every tile of the result, each once."""
    params = utils.PersistentTileSchedulerParams((5, 7, 2), (1, 1, 1), swizzle, along_m)
    grid = params.get_grid_shape(3)

    @cute.kernel
    def kernel(counts: cute.Tensor, params: utils.PersistentTileSchedulerParams):
        scheduler = utils.StaticPersistentTileScheduler.create(
            params, cute.arch.block_idx(), cute.arch.grid_dim()
        )
        work = scheduler.initial_work_tile_info()
        while work.is_valid_tile:
            m, n, batch = work.tile_idx
            if m < 5 and n < 7:
                cute.arch.atomic_add(counts.iterator + (m + 5 * n + 35 * batch), cute.Int32(1))
            scheduler.advance_to_next_work()
            work = scheduler.get_current_work()

    @cute.jit
    def host(counts: cute.Tensor):
        kernel(counts, params).launch(grid=grid, block=(1, 1, 1))

    counts = np.zeros(70, np.int32)
    cute.compile(host, cute.make_fake_compact_tensor(cute.Int32, (70,)), options="--target cpu")(
        counts
    )
    assert (counts == 1).all()


# --- pipelines of threads


def test_pipeline_of_threads():
    """A warp fills stages that another one empties."""

    @cute.kernel
    def kernel(out: cute.Tensor):
        memory = utils.SmemAllocator()
        stages = memory.allocate_tensor(cute.Int32, cute.make_layout((32, 3)), 16)
        pipe = pipeline.PipelineAsync.create(
            barrier_storage=memory.allocate_array(Int64, 6),
            num_stages=3,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 32),
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 32),
        )
        producer, consumer = pipe.make_participants()
        warp, lane = cute.arch.warp_idx(), cute.arch.lane_idx()
        if warp == 0:
            for step in range(8):
                handle = producer.acquire_and_advance()
                stages[lane, handle.index] = step * 32 + lane
                handle.commit()
            producer.tail()
        else:
            for step in range(8):
                handle = consumer.wait_and_advance()
                out[step * 32 + 31 - lane] = stages[31 - lane, handle.index]
                handle.release()

    @cute.jit
    def host(out: cute.Tensor):
        kernel(out).launch(grid=(1, 1, 1), block=(64, 1, 1))

    out = np.zeros(256, np.int32)
    cute.compile(host, cute.make_fake_compact_tensor(cute.Int32, (256,)), options="--target cpu")(
        out
    )
    np.testing.assert_array_equal(out, np.arange(256))


def test_release_to_another_block_waits_for_no_memory(tmp_path, monkeypatch):
    """Who arrives after reading a stage orders no writes, so the arrival needs no fence. Who has filled one does."""
    monkeypatch.chdir(tmp_path)  # PTX that is kept is also written to a file

    @cute.kernel
    def kernel(out: cute.Tensor):
        group = pipeline.CooperativeGroup(pipeline.Agent.Thread, 64)
        pipe = pipeline.PipelineAsync.create(
            num_stages=1,
            producer_group=group,
            consumer_group=group,
            producer_mask=cute.arch.block_idx_in_cluster() ^ 1,
            consumer_mask=cute.arch.block_idx_in_cluster() ^ 1,
        )
        producer, consumer = pipe.make_participants()
        producer.acquire_and_advance().commit()
        consumer.wait_and_advance().release()
        producer.tail()
        out[0] = 1

    @cute.jit
    def host(out: cute.Tensor):
        kernel(out).launch(grid=(2, 1, 1), block=(32, 1, 1), cluster=(2, 1, 1))

    fake = cute.make_fake_compact_tensor(cute.Int32, (4,))
    text = cute.compile(host, fake, options="--target cuda:sm_90a").__ptx__
    assert text.count("mbarrier.arrive.release.cluster.shared::cluster.b64") == 1
    assert text.count("mbarrier.arrive.shared::cluster.b64") == 1


def test_waiting_in_vain_is_reported():
    """A consumer of a stage that nobody fills."""

    @cute.kernel
    def kernel(out: cute.Tensor):
        pipe = pipeline.PipelineAsync.create(
            num_stages=2,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 32),
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 32),
        )
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 2)
        pipe.consumer_wait(state)
        out[0] = 1

    @cute.jit
    def host(out: cute.Tensor):
        kernel(out).launch(grid=(1, 1, 1), block=(32, 1, 1))

    f = cute.compile(host, cute.make_fake_compact_tensor(cute.Int32, (4,)), options="--target cpu")
    with pytest.raises(
        RuntimeError,
        match=r"32 of 32 threads \(0-31\) at an mbarrier, phase of parity 0, which lacks 32 arrivals",
    ):
        f(np.zeros(4, np.int32))


class RegisterSums:
    """c (128, n) += a (128, k) * b (n, k) by one warpgroup: two tiles of sums, which are written behind the wait."""

    def __init__(self, op):
        self.op = op

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        self.kernel(a, b, c, cute.make_tiled_mma(self.op)).launch(grid=1, block=128)

    @cute.kernel
    def kernel(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, mma: cute.TiledMma):
        tid, _, _ = cute.arch.thread_idx()
        memory = utils.SmemAllocator()
        operands = []
        for tensor in (a, b):
            atom = warpgroup.make_smem_layout_atom(KIND.K_SW32, tensor.element_type)
            layout = cute.tile_to_shape(atom, tensor.shape, (0, 1))
            shared = memory.allocate_tensor(tensor.element_type, layout.outer, 1024, layout.inner)
            rows, columns = tensor.shape
            for place in range(tid, rows * columns, 128):
                shared[place // columns, place % columns] = tensor[
                    place // columns, place % columns
                ]
            operands.append(shared)
        cute.arch.fence_proxy("async.shared", space="cta")
        cute.arch.sync_threads()
        part = mma.get_slice(tid)
        ra = mma.make_fragment_A(part.partition_A(operands[0]))
        rb = mma.make_fragment_B(part.partition_B(operands[1]))
        target = part.partition_C(c)
        sums = mma.make_fragment_C(target)
        cute.basic_copy(target, sums)
        mma.set(warpgroup.Field.ACCUMULATE, True)
        warpgroup.fence()
        cute.gemm(mma, sums, ra, rb, sums)
        warpgroup.commit_group()
        warpgroup.wait_group(0)
        cute.basic_copy(sums, target)


def register_sums(op, target):
    """The product of (128, 32) and (16, 32) by an operation."""
    shapes = ((op.a_dtype, (128, 32)), (op.b_dtype, (16, 32)), (op.acc_dtype, (128, 16)))
    fakes = [cute.make_fake_compact_tensor(*shape, stride_order=(1, 0)) for shape in shapes]
    return cute.compile(RegisterSums(op), *fakes, options=f"--target {target}")


def test_sums_of_16_bits_are_read_behind_the_wait():
    """Two share a register, which the product writes until the wait: nothing may unpack it before."""
    rng = np.random.default_rng(8)
    a, b = (rng.integers(-2, 3, (rows, 32)).astype(np.float16) for rows in (128, 16))
    c = rng.integers(-9, 10, (128, 16)).astype(np.float16)
    expected = c + a @ b.T
    op = warpgroup.MmaF16BF16Op(Float16, Float16, (64, 16, 16), SMEM, K, K)
    text = register_sums(op, "cuda:sm_90a").__ptx__
    register_sums(op, "cpu")(a, b, c)
    np.testing.assert_array_equal(c, expected)
    products = text.rindex("wgmma.mma_async")
    begin = text.index("// end inline asm", products)
    wait = text.index("wgmma.wait_group", begin)
    assert re.findall(r"^\s+(?!//|wgmma)\S+", text[begin:wait], re.M) == []
    assert text.count("shr.u32", wait) == 8


@pytest.mark.parametrize("types, version", [
    ((Int8, Int8), "8.0"), ((Uint8, Uint8), "8.0"), ((Int8, Uint8), "8.4"), ((Uint8, Int8), "8.4"),
])  # fmt: skip
def test_products_of_integers_with_and_without_a_sign(types, version, tmp_path):
    rng = np.random.default_rng(9)
    a, b = (
        rng.integers(0, 256, (rows, 32)).astype(np.uint8 if dtype is Uint8 else np.int8)
        for rows, dtype in zip((128, 16), types, strict=True)
    )
    c = np.zeros((128, 16), np.int32)
    op = warpgroup.MmaI8Op(*types, cute.Int32, (64, 16, 32), SMEM, K, K)
    text = register_sums(op, "cuda:sm_90a").__ptx__
    assert f".version {version}\n" in text
    assemble_for_warpgroups(text, tmp_path)
    register_sums(op, "cpu")(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.int32) @ b.astype(np.int32).T)


# --- refused programs


def test_shapes_that_warpgroups_lack():
    for shape in ((64, 12, 16), (64, 264, 16), (128, 64, 16), (64, 64, 32)):
        with pytest.raises(TypeError, match="N up to 256 in steps of 8"):
            warpgroup.MmaF16BF16Op(Float16, Float32, shape, SMEM, K, K)
    with pytest.raises(TypeError, match="in steps of 16"):
        warpgroup.MmaI8Op(Int8, Int8, cute.Int32, (64, 40, 32), SMEM, K, K)
    with pytest.raises(TypeError, match="K-major operands"):
        warpgroup.MmaF8Op(Float8E4M3FN, Float8E4M3FN, Float32, (64, 64, 32), SMEM, MN, K)
    with pytest.raises(TypeError, match="types of a warpgroup's MMA"):
        warpgroup.MmaF16BF16Op(BFloat16, Float16, (64, 64, 16), SMEM, K, K)
    with pytest.raises(TypeError, match="types of a warpgroup's MMA"):
        warpgroup.MmaF16BF16Op(TFloat32, Float16, (64, 64, 8), SMEM, K, K)


@pytest.mark.parametrize("leading, swizzle, tile, message", [
    (0, (3, 4, 3), (128, 64), "contiguous in the tensor and in shared memory"),
    (1, (3, 5, 3), (128, 64), "a swizzle of byte addresses"),
    (1, (1, 4, 3), (128, 64), "at most the 32 bytes of the swizzle's rows"),
    (1, (0, 4, 3), (8, 4), "whole 16 bytes along the first dimension"),
    (1, (0, 4, 3), (8, 300), "at most 256 elements"),
])  # fmt: skip
def test_tensors_that_maps_lack(leading, swizzle, tile, message):
    def program(a):
        layout = cute.make_composed_layout(
            cute.make_swizzle(*swizzle), 0, cute.make_layout(tile, stride=(tile[1], 1))
        )
        return cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), a, layout, tile)

    with pytest.raises(TypeError, match=message):
        traced(program, fake(Float16, leading))


# --- clusters


def test_clusters_of_a_gpu_that_is_not_there(monkeypatch):
    """The driver's answer counts, except for GPUs with stand-ins. On a real one: tests/gpu."""
    info = utils.HardwareInfo()
    monkeypatch.setattr(info, "_ask", lambda name, otherwise: {"major": 9}.get(name, 100))
    monkeypatch.setattr(cute.cuda, "most_clusters", lambda device, size: {4: 24, 16: 0}[size])
    assert [info.get_max_active_clusters(size) for size in (1, 4, 16)] == [100, 24, 1]

    def fails(device, size):
        raise cute.cuda.DSLCudaRuntimeError("no driver")

    monkeypatch.setattr(cute.cuda, "most_clusters", fails)
    assert info.get_max_active_clusters(4) == 25
    with pytest.raises(ValueError, match="1 to 32 blocks as cluster_size, but got 33"):
        info.get_max_active_clusters(33)
    # The layout of the driver's header.
    assert ctypes.sizeof(cute.cuda._Attribute) == 72 and ctypes.sizeof(cute.cuda._Launch) == 56


def test_product_from_registers():
    """On the CPU lanes that hold parts of a row of A exchange them."""
    half = cute.make_fake_compact_tensor(Float16, (64, 64), stride_order=(1, 0), assumed_align=16)
    result = cute.make_fake_compact_tensor(Float32, (64, 64), stride_order=(1, 0))
    text = cute.compile(
        product_from_registers, half, half, result, options="--target cuda:sm_90a"
    ).__ptx__
    assert "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16" in text
    rng = np.random.default_rng(2)
    a, b = (rng.integers(-3, 4, (64, 64)).astype(np.float16) for _ in range(2))
    c = np.full((64, 64), np.nan, np.float32)
    cute.compile(product_from_registers, half, half, result, options="--target cpu")(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.astype(np.float64).T)


@pytest.mark.parametrize("own_rows", [True, False])
def test_fence_and_wait_are_of_the_whole_warpgroup(own_rows):
    """Products begin when all warps have come to the fence, and are complete when all have computed them."""
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-3, 4, (64, 192)).astype(np.float16) for _ in range(2))
    c = np.full((64, 64), np.nan, np.float32)
    program = SumOfProducts(own_rows)
    program(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.astype(np.float64).T)
    # PTX promises for other warps' stores nothing: that is a race, as far as checks go.
    with (
        contextlib.nullcontext()
        if own_rows
        else pytest.raises(CheckError, match="(?s)race: .*product")
    ):
        cute.compile(program, a, b, c, options="--target cpu --check race")(a, b, c)
