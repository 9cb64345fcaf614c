"""Coordinates, thread-value layouts and tiled copies; composed layouts; reductions along modes."""

import re

import numpy as np
import pytest

from fairlead import (
    Boolean,
    Constexpr,
    Float4E2M1FN,
    Float8E4M3FN,
    Float8E8M0FNU,
    Float16,
    Float32,
    Int32,
    Uint8,
    cute,
    range_constexpr,
)
from fairlead.cute.nvgpu import CopyUniversalOp, warp
from fairlead.cute.nvgpu.cpasync import CopyG2SOp
from fairlead.utils import SmemAllocator

make = cute.make_layout


def test_identity_layouts_and_tensors():
    assert repr(cute.make_identity_layout((4, 8))) == "(4,8):(1@0,1@1)"
    assert cute.make_identity_layout((4, (2, 3)))((3, (1, 2))) == (3, (1, 2))
    tensor = cute.make_identity_tensor((10, 20))
    assert repr(tensor) == "tensor<(0,0) o (10,20):(1@0,1@1)>"
    assert tensor[3, 7] == (3, 7) and tensor[23] == (3, 2)
    tile = cute.local_tile(tensor, (4, 8), (2, 1))
    assert tile[1, 2] == (9, 10) and tile.shape == (4, 8)
    assert cute.zipped_divide(tensor, (4, 8))[(3, 7), (2, 2)] == (11, 23)
    assert cute.domain_offset((-1, 5), tensor)[0, 0] == (-1, 5)
    assert tensor[None, 3][2] == (2, 3)
    assert cute.make_layout((2, 2), stride=(cute.E(1), cute.E(0)))((1, 0)) == (0, 1)
    assert repr(cute.E([1, 0])) == "1@0@1" and cute.E(2) == cute.ScaledBasis(1, 2)
    with pytest.raises(IndexError, match="a coordinate of 3 entries"):
        tensor[1, 2, 3]
    with pytest.raises(ValueError, match="make_tensor|complement"):
        cute.complement(cute.make_identity_layout((4, 8)), 64)


def test_elem_less():
    assert cute.elem_less((1, 2), (2, 3)) is True
    assert cute.elem_less((1, 3), (2, 3)) is False
    assert cute.elem_less((1, 5), (2, (3, 2))) is True
    with pytest.raises(ValueError, match="elem_less"):
        cute.elem_less((1, 2), (1, 2, 3))


def test_thread_value_layouts():
    tile, layout = cute.make_layout_tv(make((4, 32), stride=(32, 1)), make((4, 8), stride=(8, 1)))
    assert tile == (16, 256) and repr(layout) == "((32,4),(8,4)):((128,4),(16,1))"
    with pytest.raises(ValueError, match="make_layout_tv"):
        cute.make_layout_tv(make(4, stride=0), make(2))


def test_shapes():
    assert cute.product((2, (3, 4))) == 24 and cute.product_each((2, (3, 4))) == (2, 12)
    assert cute.shape_div((8, 4), 16) == (1, 2) and cute.shape_div((8, 4), (2, 8)) == (4, 1)
    assert cute.repeat_like(None, (1, (2, 3))) == (None, (None, None))
    assert cute.repeat(7, 1) == 7 and cute.repeat_as_tuple(7, 2) == (7, 7)
    assert repr(cute.recast_layout(16, 32, make((8, 4)))) == "(16,4):(1,16)"
    assert cute.size_in_bytes(Float16, make((8, 4))) == 64
    assert repr(cute.append_ones(make(4), up_to_rank=3)) == "(4,1,1):(1,0,0)"
    atom = make((8, 4), stride=(4, 1))
    assert repr(cute.tile_to_shape(atom, (16, 8), (1, 0))) == "((8,2),(4,2)):((4,64),(1,32))"
    with pytest.raises(ValueError, match="shape_div"):
        cute.shape_div(6, 4)
    with pytest.raises(TypeError, match="a multiple of 4 for assume, but got 6"):
        cute.assume(6, 4)


def test_swizzles():
    swizzle = cute.make_swizzle(2, 1, 3)
    for index in range(256):
        assert swizzle(index) == index ^ (((index >> 4) & 3) << 1)
        assert cute.make_swizzle(2, 1, -3)(index) == index ^ (((index >> 1) & 3) << 4)
    composed = cute.make_composed_layout(swizzle, 0, make((8, 16)))
    assert sorted(composed(i) for i in range(128)) == list(range(128))
    assert repr(composed) == "S<2,1,3> o 0 o (8,16):(1,8)" and composed.is_normal
    shifted = cute.make_composed_layout(
        lambda c: (c[0], c[1] + 1), (1, 0), cute.make_identity_layout((8, 4))
    )
    assert shifted(0) == (1, 1)
    with pytest.raises(TypeError, match="a shift of at least"):
        cute.make_swizzle(3, 0, 2)


@cute.kernel
def add_tiles(
    a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, coords: cute.CoordTensor, extents: tuple
):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    threads, values = make((8, 16), stride=(16, 1)), make((2, 4), stride=(4, 1))
    atom = cute.make_copy_atom(CopyUniversalOp(), a.element_type)
    tiled = cute.make_tiled_copy_tv(atom, threads, values).get_slice(t)
    tile = ((None, None), x)
    mine = [tiled.partition_S(tensor[tile]) for tensor in (a, b, c)]
    registers = [cute.make_fragment_like(part) for part in mine]
    places = tiled.partition_S(coords[tile])
    inside = cute.make_rmem_tensor(places.shape, Boolean)
    for i in range_constexpr(cute.size(inside)):
        inside[i] = cute.elem_less(places[i], extents)
    for i in range_constexpr(2):
        cute.copy(atom, mine[i], registers[i], pred=inside)
    registers[2].store(registers[0].load() + registers[1].load())
    cute.copy(atom, registers[2], mine[2], pred=inside)


@cute.jit
def add_tiled(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    tiler = (16, 64)
    tiles = [cute.zipped_divide(tensor, tiler) for tensor in (a, b, c)]
    coords = cute.zipped_divide(cute.make_identity_tensor(c.shape), tiler)
    add_tiles(*tiles, coords, c.shape).launch(
        grid=(cute.size(tiles[2], mode=[1]), 1, 1), block=(128, 1, 1)
    )


@pytest.mark.parametrize("shape", [(64, 128), (1, 1), (37, 201)])
def test_predicated_tiles(shape):
    m, n = cute.sym_int(), cute.sym_int()
    fakes = [cute.make_fake_compact_tensor(Float32, (m, n), stride_order=(1, 0)) for _ in range(3)]
    compiled = cute.compile(add_tiled, *fakes)
    random = np.random.default_rng(3)
    a, b = (random.standard_normal(shape).astype(np.float32) for _ in range(2))
    c = np.full(shape, np.nan, np.float32)
    compiled(a, b, c)
    np.testing.assert_array_equal(c, a + b)


@cute.kernel
def copy_vectors(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    atom = cute.make_copy_atom(CopyUniversalOp(), Float32, num_bits_per_copy=128)
    tiled = cute.make_tiled_copy_tv(atom, make(32), make(8)).get_slice(t)
    source, target = tiled.partition_S(a), tiled.partition_D(b)
    wanted = cute.make_rmem_tensor(2, Boolean)
    wanted[0] = True
    wanted[1] = t % 2 == 0
    cute.copy(atom, source, target, pred=wanted)


@cute.jit
def copy_all(a: cute.Tensor, b: cute.Tensor):
    copy_vectors(a, b).launch(grid=(1, 1, 1), block=(32, 1, 1))


def test_predicates_of_vectors():
    fakes = [cute.make_fake_compact_tensor(Float32, (256,), assumed_align=16) for _ in range(2)]
    a, b = np.arange(256, dtype=np.float32), np.full(256, -1, np.float32)
    cute.compile(copy_all, *fakes)(a, b)
    expected = a.copy().reshape(32, 2, 4)
    expected[1::2, 1] = -1
    np.testing.assert_array_equal(b, expected.ravel())
    with pytest.raises(TypeError, match="multiples of the 32 bits of Float32"):
        cute.make_copy_atom(CopyUniversalOp(), Float32, num_bits_per_copy=48)


@cute.kernel
def copy_elements(
    a: cute.Tensor, b: cute.Tensor, stride: Constexpr, each: Constexpr, bits: Constexpr
):
    t, _, _ = cute.arch.thread_idx()
    atom = cute.make_copy_atom(CopyUniversalOp(), a.element_type, num_bits_per_copy=bits)
    tiled = cute.make_tiled_copy_tv(atom, make(32), make(8)).get_slice(t)
    source, target = tiled.partition_S(a), tiled.partition_D(b)
    flags = cute.make_rmem_tensor(8, Boolean)
    for i in range_constexpr(8):
        flags[i] = (t + i) % 3 != 0
    layout = cute.make_layout(((each, 1), 8 // each), stride=((stride, 0), each))
    registers = cute.make_fragment_like(source)
    registers.fill(0)
    wanted = cute.make_tensor(flags.iterator, layout)
    cute.copy(atom, source, registers, pred=wanted)
    cute.copy(atom, registers, target, pred=wanted)


@cute.jit
def copy_each(a: cute.Tensor, b: cute.Tensor, stride: Constexpr, each: Constexpr, bits: Constexpr):
    copy_elements(a, b, stride, each, bits).launch(grid=(1, 1, 1), block=(32, 1, 1))


@pytest.mark.parametrize("stride", [0, 1])
@pytest.mark.parametrize(
    ("dtype", "each"), [(Float32, 4), (Float32, 2), (Int32, 1), (Uint8, 4), (Boolean, 8)]
)
def test_predicates_that_differ_inside_a_vector(dtype, each, stride):
    """Each element moves as its own entry says; of entries in one place, all of a vector."""
    kind = np.dtype(np.bool_ if dtype is Boolean else dtype.__name__.lower())
    fakes = [cute.make_fake_compact_tensor(dtype, (256,), assumed_align=16) for _ in range(2)]
    compiled = cute.compile(copy_each, *fakes, stride, each, 8 * each * kind.itemsize)
    thread, element = np.arange(256) // 8, np.arange(256) % 8
    wanted = (thread + (element if stride else element // each * each)) % 3 != 0
    a, b = np.arange(1, 257).astype(kind), np.zeros(256, kind)
    compiled(a, b)
    np.testing.assert_array_equal(b, np.where(wanted, a, 0))


@cute.kernel
def copy_rows_of_vectors(a: cute.Tensor, b: cute.Tensor):
    """Three rows of eight elements, each two vectors wide; one entry of the predicate for a row."""
    atom = cute.make_copy_atom(CopyUniversalOp(), Float32, num_bits_per_copy=128)
    layout = cute.make_layout(((8, 1), 3), stride=((1, 0), 8))
    wanted = cute.make_rmem_tensor((1, 3), Boolean)
    for row in range_constexpr(3):
        wanted[0, row] = a[0] + row != 1.0
    source, target = cute.make_tensor(a.iterator, layout), cute.make_tensor(b.iterator, layout)
    cute.copy(atom, source, target, pred=wanted)


@cute.jit
def copy_rows(a: cute.Tensor, b: cute.Tensor):
    copy_rows_of_vectors(a, b).launch(grid=(1, 1, 1), block=(1, 1, 1))


def test_a_predicate_for_all_vectors_of_the_first_mode():
    fakes = [cute.make_fake_compact_tensor(Float32, (24,), assumed_align=16) for _ in range(2)]
    a, b = np.arange(24, dtype=np.float32), np.full(24, -1, np.float32)
    cute.compile(copy_rows, *fakes)(a, b)
    expected = a.copy()
    expected[8:16] = -1
    np.testing.assert_array_equal(b, expected)


def test_asynchronous_copies_need_one_predicate_for_a_vector():
    @cute.kernel
    def device(a: cute.Tensor, stride: Constexpr):
        t, _, _ = cute.arch.thread_idx()
        atom = cute.make_copy_atom(CopyG2SOp(), Float32, num_bits_per_copy=128)
        tiled = cute.make_tiled_copy_tv(atom, make(32), make(4)).get_slice(t)
        shared = SmemAllocator().allocate_tensor(Float32, make(128), byte_alignment=16)
        flags = cute.make_rmem_tensor(4, Boolean)
        flags.fill(True)
        wanted = cute.make_tensor(flags.iterator, cute.make_layout((4, 1), stride=(stride, 0)))
        cute.copy(atom, tiled.partition_S(a), tiled.partition_D(shared), pred=wanted)

    @cute.jit
    def run(a: cute.Tensor, stride: Constexpr):
        device(a, stride).launch(grid=1, block=32)

    fake = cute.make_fake_compact_tensor(Float32, (128,), assumed_align=16)
    cute.compile(run, fake, 0)
    with pytest.raises(ValueError, match="one for each of the 1 instructions"):
        cute.compile(run, fake, 1)


@cute.kernel
def reduce_modes(a: cute.Tensor, rows: cute.Tensor, columns: cute.Tensor, spread: cute.Tensor):
    values = a.load()
    rows.store(values.reduce(cute.ReductionOp.ADD, Float32(0.0), reduction_profile=(None, 1)))
    columns.store(values.reduce(cute.ReductionOp.MAX, Float32(-9.0), reduction_profile=(1, None)))
    spread.store(values + columns.load())


@cute.jit
def reduce_all(a: cute.Tensor, rows: cute.Tensor, columns: cute.Tensor, spread: cute.Tensor):
    reduce_modes(a, rows, columns, spread).launch(grid=(1, 1, 1), block=(1, 1, 1))


def test_reductions_and_broadcasting():
    shapes = [(2, 3), (2,), (3,), (2, 3)]
    fakes = [
        cute.make_fake_compact_tensor(Float32, shape, stride_order=tuple(range(len(shape)))[::-1])
        for shape in shapes
    ]
    a = np.array([[1, -5, 3], [4, 2, -6]], np.float32)
    out = [np.zeros(shape, np.float32) for shape in shapes[1:]]
    cute.compile(reduce_all, *fakes)(a, *out)
    np.testing.assert_array_equal(out[0], a.sum(1))
    np.testing.assert_array_equal(out[1], a.max(0))
    np.testing.assert_array_equal(out[2], a + a.max(0))


def test_assume():
    @cute.jit
    def store(a: cute.Tensor, n: Int32):
        assumed = cute.assume(n, 4)
        a[0] = cute.Int32(cute.size(make((assumed, 2))))

    fake = cute.make_fake_compact_tensor(Int32, (4,))
    a = np.zeros(4, np.int32)
    cute.compile(store, fake, Int32(8))(a, 12)
    assert a[0] == 24


@cute.kernel
def copy_through_shared(a: cute.Tensor, b: cute.Tensor, limit: Int32):
    t, _, _ = cute.arch.thread_idx()
    atom = cute.make_copy_atom(CopyG2SOp(), Float32, num_bits_per_copy=128)
    tiled = cute.make_tiled_copy_tv(atom, make(32), make(4)).get_slice(t)
    shared = SmemAllocator().allocate_tensor(Float32, make(256), byte_alignment=16)
    source, target = tiled.partition_S(a), tiled.partition_D(shared)
    target.fill(7.0)
    wanted = cute.make_rmem_tensor(2, Boolean)
    for i in range_constexpr(2):
        wanted[i] = t + 32 * i < limit
    cute.copy(atom, source, target, pred=wanted)
    cute.arch.cp_async_commit_group()
    cute.arch.cp_async_wait_group(0)
    cute.autovec_copy(target, tiled.partition_D(b))


@cute.jit
def copy_some(a: cute.Tensor, b: cute.Tensor, limit: Int32):
    copy_through_shared(a, b, limit).launch(grid=(1, 1, 1), block=(32, 1, 1))


@pytest.mark.parametrize("limit", [0, 1, 40, 64])
def test_asynchronous_copies_write_zeros_where_a_predicate_is_false(limit):
    # The source ends where the predicate does: nothing behind it may be read.
    fakes = [cute.make_fake_compact_tensor(Float32, (256,), assumed_align=16) for _ in range(2)]
    compiled = cute.compile(copy_some, *fakes, Int32(0))
    a, b = np.arange(1, 257, dtype=np.float32), np.full(256, np.nan, np.float32)
    compiled(a, b, limit)
    np.testing.assert_array_equal(b, np.where(np.arange(256) < 4 * limit, a, 0))


def test_asynchronous_copies_with_predicates_have_no_branches(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # PTX that is kept is also written to a file
    fakes = [cute.make_fake_compact_tensor(Float32, (256,), assumed_align=16) for _ in range(2)]
    options = (cute.TargetOption("cuda:sm_80"), cute.KeepPTX(True))
    ptx = cute.compile[options](copy_some, *fakes, Int32(0)).__ptx__
    assert re.search(r"cp.async.ca.shared.global \[%\w+\], \[%\w+\+?\d*\], 16, %r\d+;", ptx)
    assert "bra" not in ptx


def test_threads_along_k_share_their_accumulators():
    """Atoms along K have partial sums of the same elements of C."""
    op = warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16))
    mma = cute.make_tiled_mma(op, (2, 1, 2), (None, 16, None))
    assert repr(mma.tv_layout_C_tiled) == (
        "((4,8,2,2),((2,2),(1,2))):((64,1,16,0),((32,8),(0,256)))"
    )
    atom = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), Float16)
    assert repr(cute.make_tiled_copy_C_atom(atom, mma).layout_tv_tiled) == (
        "((4,8,2,2),(2,2,2)):((32,1,8,0),(128,16,256))"
    )


def test_atoms_with_more_values_than_a_thread_repeat_them():
    """An atom of 4 registers of Float4 for a product whose threads have half as many values: programs make the copy,
    and partition tensors by it. Its registers would take two values each."""

    @cute.kernel
    def kernel(out: cute.Tensor):
        op = warp.MmaMXF8Op(Float8E4M3FN, Float32, Float8E8M0FNU)
        columns = make((8, 2, 2), stride=(1, 16, 8))
        product = cute.make_tiled_mma(op, make((4, 2, 1)), permutation_mnk=(128, columns, 32))
        atom = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), Float4E2M1FN)
        copy = cute.make_tiled_copy_B(atom, product)
        t, _, _ = cute.arch.thread_idx()
        rows = make((128, 128), stride=(128, 1))
        shared = SmemAllocator().allocate_tensor(Float4E2M1FN, rows, 128)
        parts = copy.get_slice(t).partition_S(shared)
        assert repr(parts.layout) == "(((4,2,4),1),4,4):(((1,16,4),0),4096,32)"
        registers = make(((4, 2), (2, 4), 4), stride=((1, 4), (32, 64), 8))
        fragment = cute.make_rmem_tensor(registers, Float4E2M1FN)
        tiles = copy.get_slice(t).retile(fragment)
        assert repr(tiles.layout) == "(((8,2,2),1),4,4):(((1,32,0),0),64,8)"
        with pytest.raises(ValueError, match="ldmatrix x4 of 32 Float4E2M1FN moves 16 contiguous"):
            cute.copy(copy, parts[None, None, 0], tiles[None, None, 0])
        out[0] = 1

    @cute.jit
    def host(out: cute.Tensor):
        kernel(out).launch(grid=(1, 1, 1), block=(256, 1, 1))

    fake = cute.make_fake_compact_tensor(Int32, (1,))
    cute.compile(host, fake, options="--target cuda:sm_120a")
