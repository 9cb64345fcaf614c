"""Tensor maps and copies of boxes: results on the CPU, PTX, and maps that do not fit."""

import numpy as np
import pytest
from support.functions_support import PTXAS, instructions

import fairlead
from fairlead import Float4E2M1FN, Float8E4M3FN, Float16, Float32, Int32, Int64, cute, primitives
from fairlead.primitives import AddressSpace, Array, GridConstant, cuda

SMEM = AddressSpace.smem
RANDOM = np.random.default_rng(2)


@cute.kernel
def copy_boxes(
    source: GridConstant[cuda.TensorMap],
    target: GridConstant[cuda.TensorMap],
    bytes: cute.Constexpr,
    x: Int32,
    y: Int32,
):
    memory = Array(cute.Uint8, bytes, space=SMEM, alignment=1024)
    barrier = Array(Int64, 1, space=SMEM, alignment=8)
    thread, _, _ = cute.arch.thread_idx()
    if thread == 0:
        primitives.mbarrier_init(barrier, 1)
    primitives.fence_mbarrier_init()
    primitives.barrier_cta_sync()
    if thread == 0:
        primitives.prefetch_tensormap(source.get_ptr())
        primitives.mbarrier_arrive_expect_tx(barrier, source.global_tx_bytes())
        primitives.cp_async_bulk_tensor_shared_cta_global(memory, source.get_ptr(), (x, y), barrier)
    while not primitives.mbarrier_try_wait_parity(barrier, 0):
        pass
    primitives.fence_proxy("async_shared", space="shared_cta")
    if thread == 0:
        primitives.cp_async_bulk_tensor_global_shared_cta(target.get_ptr(), memory, [x, y])
        primitives.cp_async_bulk_tensor_reduce(target.get_ptr(), memory, "add", [x, y])
        primitives.cp_async_bulk_commit_group()
        primitives.cp_async_bulk_wait_group(0)


@cute.jit
def copy(a: cute.Tensor, b: cute.Tensor, swizzle: cute.Constexpr, x: Int32, y: Int32):
    rows, columns = a.shape
    source = cuda.create_tensor_map_tiled(
        a.iterator.toint(),
        a.element_type,
        [columns, rows],
        [columns * a.element_type.width // 128],
        [16, 8],
        swizzle=swizzle,
    )
    target = cuda.create_tensor_map_tiled_from_view(b, (8, 16), swizzle=swizzle)
    copy_boxes(source, target, source.shared_storage_bytes, x, y).launch(grid=1, block=32)


@pytest.mark.parametrize("swizzle", [None, "s32b", cuda.TensorMapSwizzle.s64b])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32])
@pytest.mark.parametrize("place", [(0, 0), (16, 24), (32, 8)])
def test_boxes(dtype, swizzle, place):
    if dtype != np.float16 and swizzle == "s32b":
        pytest.skip("a row of the box has 64 bytes")
    a = RANDOM.integers(0, 100, (28, 40)).astype(dtype)
    b = np.zeros_like(a)
    compiled = cute.compile(copy, a, b, swizzle, *place, options="--target cpu")
    compiled(a, b, *place)
    x, y = place
    expected = np.zeros_like(a)
    expected[y : y + 8, x : x + 16] = 2 * a[y : y + 8, x : x + 16]
    np.testing.assert_array_equal(b, expected)


@cute.kernel
def load_rows(source: GridConstant[cuda.TensorMap], bytes: cute.Constexpr, out: cute.Tensor):
    memory = Array(cute.Uint8, bytes, space=SMEM, alignment=1024)
    barrier = Array(Int64, 1, space=SMEM, alignment=8)
    thread, _, _ = cute.arch.thread_idx()
    if thread == 0:
        for i in range(bytes):
            memory[i] = 0xEE
        primitives.mbarrier_init(barrier, 1)
    primitives.fence_mbarrier_init()
    primitives.barrier_cta_sync()
    if thread == 0:
        primitives.mbarrier_arrive_expect_tx(barrier, source.global_tx_bytes())
        primitives.cp_async_bulk_tensor_shared_cta_global(memory, source.get_ptr(), (0, 0), barrier)
    while not primitives.mbarrier_try_wait_parity(barrier, 0):
        pass
    if thread == 0:
        for i in range(bytes):
            out[i] = memory[i]


@cute.jit
def narrow_rows(a: cute.Tensor, out: cute.Tensor, columns: cute.Constexpr, swizzle: cute.Constexpr):
    source = cuda.create_tensor_map_tiled_from_view(a, (16, columns), swizzle=swizzle)
    load_rows(source, source.shared_storage_bytes, out).launch(grid=1, block=32)


@pytest.mark.parametrize("checks", ["none", "all"])
@pytest.mark.parametrize("width, columns", [(32, 16), (64, 16), (64, 32), (128, 16), (128, 48)])
def test_rows_that_are_narrower_than_their_swizzle(width, columns, checks):
    """Each takes all of the swizzle's width in shared memory, and 16 bytes are permuted within it."""
    a = RANDOM.integers(0, 200, (16, columns)).astype(np.uint8)
    out = np.zeros(16 * width, np.uint8)
    compiled = cute.compile(
        narrow_rows, a, out, columns, f"s{width}b", options=f"--target cpu --check {checks}"
    )
    compiled(a, out)
    expected = np.full((16, width), 0xEE, np.uint8)
    for row in range(16):
        for unit in range(columns // 16):
            place = unit ^ (row * width // 128 % (width // 16))
            expected[row, 16 * place : 16 * place + 16] = a[row, 16 * unit : 16 * unit + 16]
    np.testing.assert_array_equal(out.reshape(16, width), expected)


def test_instructions(tmp_path):
    import subprocess
    from pathlib import Path

    a = cute.make_fake_compact_tensor(Float16, (64, 64), stride_order=(1, 0), assumed_align=16)
    compiled = cute.compile(copy, a, a, "s32b", 0, 0, options="--target cuda:sm_90a")
    text = compiled.artifact.ptx
    for name in (
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes",
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group",
        "prefetch.tensormap",
    ):
        assert name in instructions(text, name.split(".")[0]), name
    assert "cvta.param.u64" in text
    if Path(PTXAS).exists():
        path = tmp_path / "kernel.ptx"
        path.write_text(text)
        command = [PTXAS, "-arch=sm_90a", str(path), "-o", str(tmp_path / "kernel.cubin")]
        subprocess.run(command, check=True)


@cute.kernel
def edit(
    source: GridConstant[cuda.TensorMap], words: cute.Tensor, a: cute.Tensor, out: cute.Tensor
):
    memory = Array(Float32, 64, space=SMEM, alignment=128)
    barrier = Array(Int64, 1, space=SMEM, alignment=8)
    thread, _, _ = cute.arch.thread_idx()
    here = primitives.Pointer(words)
    there = primitives.Pointer(source.get_ptr(), dtype=Int64)
    if thread == 0:
        primitives.mbarrier_init(barrier, 1)
        for i in cute.range_constexpr(16):
            here[i] = there[i]
        second_row = (primitives.Pointer(a) + 32).toint()
        primitives.tensormap_replace("global_address", here, new_value=second_row)
        primitives.tensormap_replace("global_dim", here, new_value=Int32(3), ord=1)
        primitives.fence_proxy_release("gpu", from_proxy="generic", to_proxy="tensormap")
        generic = here.tospace(AddressSpace.generic)
        primitives.fence_proxy_acquire("gpu", generic, 128)
        primitives.mbarrier_arrive_expect_tx(barrier, 256)
        primitives.cp_async_bulk_tensor_shared_cta_global(memory, generic, (0, 0), barrier)
    primitives.barrier_cta_sync()
    while not primitives.mbarrier_try_wait_parity(barrier, 0):
        pass
    out[thread] = memory[thread]


def test_a_map_that_a_kernel_changes():
    @cute.jit
    def host(a: cute.Tensor, words: cute.Tensor, out: cute.Tensor):
        made = cuda.create_tensor_map_tiled_from_view(a, (4, 16))
        edit(made, words, a, out).launch(grid=1, block=64)

    a = np.arange(4 * 32, dtype=np.float32).reshape(4, 32)
    words, out = np.zeros(16, np.int64), np.zeros(64, np.float32)
    cute.compile(host, a, words, out, options="--target cpu")(a, words, out)
    # Three rows from the second on; the fourth of the box is outside.
    expected = np.vstack([a[1:, :16], np.zeros((1, 16), np.float32)])
    np.testing.assert_array_equal(out.reshape(4, 16), expected)


def test_all_fields_of_a_map(tmp_path):
    def kernel(words: cute.Tensor):
        p = primitives.Pointer(words)
        for field, bits in (
            ("box_dim", Int32),
            ("element_stride", Int32),
            ("global_stride", Int64),
        ):
            primitives.tensormap_replace(field, p, new_value=bits(16), ord=0)
        primitives.tensormap_replace("rank", p, new_value=1)
        primitives.tensormap_replace("elemtype", p, new_value_attr="bf16")
        primitives.tensormap_replace("swizzle_mode", p, new_value_attr="b128")
        primitives.tensormap_replace("fill_mode", p, new_value_attr="oob_nan")
        memory = Array(Int64, 16, space=SMEM, alignment=128)
        primitives.tensormap_replace("global_dim", memory, new_value=Int32(8), ord=4)
        primitives.tensormap_cp_fenceproxy(p, memory, 128, "gpu")

    device = cute.kernel(kernel)

    @cute.jit
    def host(words: cute.Tensor):
        device(words).launch(grid=1, block=32)

    text = cute.compile(host, np.zeros(16, np.int64), options="--target cuda:sm_90a").artifact.ptx
    for part in (
        "tensormap.replace.tile.box_dim.global.b1024.b32",
        "tensormap.replace.tile.element_stride.global.b1024.b32",
        "tensormap.replace.tile.global_stride.global.b1024.b64",
        "tensormap.replace.tile.rank.global.b1024.b32",
        "tensormap.replace.tile.elemtype.global.b1024.b32",
        "tensormap.replace.tile.swizzle_mode.global.b1024.b32",
        "tensormap.replace.tile.fill_mode.global.b1024.b32",
        "tensormap.replace.tile.global_dim.shared::cta.b1024.b32",
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned",
    ):
        assert part in text, part


def on_host(build):
    """Return `build(tensor)`, called while a host function of a row-major (256, 64) Float16 is traced."""
    seen = []

    @cute.jit
    def host(a: cute.Tensor):
        seen.append(build(a))

    a = cute.make_fake_compact_tensor(Float16, (256, 64), stride_order=(1, 0), assumed_align=16)
    cute.compile(host, a, options="--target cuda:sm_90a")
    return seen[0]


def test_what_a_map_tells():
    view = cuda.create_tensor_map_tiled_from_view

    def build(a):
        return [view(a, (128, 64), stride_order=order, swizzle="s128b") for order in (None, (1, 0))]

    for made in on_host(build):
        assert made.box_dims == (64, 128) and made.box_volume == 8192
        assert made.global_tx_bytes() == made.shared_storage_bytes == 16384
        assert made.swizzle is cuda.TensorMapSwizzle.s128b and made.element_type is Float16


def test_formats_of_bytes():
    def build(a):
        return cuda.create_tensor_map_tiled(a, Float8E4M3FN, [128, 256], [8], [64, 128])

    made = on_host(build)
    assert made.tma_format is cuda.TensorMapDataFormat.BYTE
    assert made.shared_storage_dtype is cute.Uint8 and made.global_tx_bytes() == 8192


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (
            lambda a: cuda.create_tensor_map_tiled(a, Float16, [64, 256], [8, 8], [64, 128]),
            ValueError,
            "one stride less as global_strides, but got 2 and 2",
        ),
        (
            lambda a: cuda.create_tensor_map_tiled_from_view(
                a, (128, 64), stride_order=(0, 1), swizzle="s128b"
            ),
            ValueError,
            "multiples of 16 bytes|at most 128 bytes",
        ),
        (
            lambda a: cuda.create_tensor_map_tiled(
                a, Float16, [64, 256], [8], [128, 8], swizzle="s128b"
            ),
            ValueError,
            "at most 128 bytes along the first dimension of the box with s128b, but got 256",
        ),
        (
            lambda a: cuda.create_tensor_map_tiled(a, Float16, [64, 256], [8], [64, 257]),
            ValueError,
            r"1 to 256 as box_dims\[1\], but got 257",
        ),
        (
            lambda a: cuda.create_tensor_map_tiled(a, Float16, [64, 256], [8], [4, 8]),
            ValueError,
            "a multiple of 16 bytes along the first dimension",
        ),
        (
            lambda a: cuda.create_tensor_map_tiled(
                a, Float16, [64, 256], [8], [64, 8], swizzle="s12b"
            ),
            ValueError,
            "one of 0, 1|did you mean",
        ),
        (
            lambda a: cuda.create_tensor_map_tiled_from_view(a, (64,)),
            ValueError,
            "2 extents as box_dims, but got 1",
        ),
        (
            lambda a: cuda.create_tensor_map_tiled(a, Float4E2M1FN, [64, 256], [8], [64, 8]),
            NotImplementedError,
            "Float4E2M1FN is not supported yet",
        ),
        (
            lambda a: cuda.create_tensor_map_tiled("a", Float16, [64, 256], [8], [64, 8]),
            TypeError,
            "as global_address, but got str",
        ),
    ],
)
def test_maps_that_do_not_fit(build, error, message):
    with pytest.raises(error, match=message):
        on_host(build)


def test_coordinates_that_do_not_fit():
    def body(kernel_map):
        memory, barrier = Array(Float16, 64, space=SMEM), Array(Int64, 1, space=SMEM)
        primitives.cp_async_bulk_tensor_shared_cta_global(
            memory, kernel_map.get_ptr(), (0,) * 6, barrier
        )

    @cute.kernel
    def device(made: GridConstant[cuda.TensorMap]):
        body(made)

    def build(a):
        made = cuda.create_tensor_map_tiled_from_view(a, (8, 64))
        device(made).launch(grid=1, block=32)

    with pytest.raises(
        fairlead.DSLError, match="1 to 5 numbers as coordinates, dimension 0 first, but got 6"
    ):
        on_host(build)
